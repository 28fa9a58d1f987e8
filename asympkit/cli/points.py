"""``asympkit solve``, ``certify``, ``simulate``, ``check``: one parameter point."""

from ..errors import SimulationFileError, WorkerLostError
from .arguments import UsageError, add_parameters, grid, number, option, positive_integer
from .executors import add_jobs, executor
from .output import add_progress, print_json, say, table, wants_progress
from .theories import add_theory, as_arguments, build_theory, theory_name

#: what each theory can simulate
_MODELS = {"one-step": ("network", "spiked"), "nonlinear-spikes": ("network", "truncated", "limit")}


def add(commands):
    """Add the subcommands."""
    solve = _command(commands, "solve", run_solve, "solve a theory at one point")
    solve.add_argument("--digits", metavar="N", type=positive_integer, help="correct digits, not floats")
    solve.add_argument("--rtol", metavar="X", type=number, help="accuracy asked for (1e-12)")
    certify = _command(commands, "certify", run_certify,
                       "prove the digits of a theory at one point (needs the extra certify)")
    certify.add_argument("--digits", metavar="N", type=positive_integer, default=30, help="proved digits (30)")
    certify.add_argument("--save", metavar="FILE", help="write the certificate as JSON")
    simulate = _command(commands, "simulate", run_simulate,
                        "simulate what a theory describes; --alpha and --lam may be grids, as for sweep", grid)
    _add_simulation(simulate)
    simulate.add_argument("--model", choices=sorted({m for names in _MODELS.values() for m in names}),
                          help="one-step: the real network (default), or spiked features, bulk isotropic; "
                          "nonlinear-spikes: the real network (default if --eta is given), truncated, or limit")
    check = _command(commands, "check", run_check,
                     "solve, compare with high precision and a simulation; exit status 1 if they disagree")
    check.add_argument("--digits", metavar="N", type=positive_integer, default=40,
                       help="digits of the high-precision solution (40)")
    _add_simulation(check)


def _command(commands, name, run, about, kind=number):
    parser = commands.add_parser(name, help=about, description=about)
    add_theory(parser)
    add_parameters(parser, kind)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)
    return parser


def _add_simulation(parser):
    group = parser.add_argument_group("simulation")
    group.add_argument("--d", metavar="N", type=positive_integer, help="dimension (1000)")
    group.add_argument("--repeats", metavar="N", type=positive_integer, default=10, help="draws (10)")
    group.add_argument("--seed", metavar="N", type=int, default=0, help="seed (0)")
    add_jobs(group)
    add_progress(group)


def run_solve(args):
    """Print a solution."""
    parameters = as_arguments(args)
    if args.digits and args.rtol:
        raise UsageError("solve: give either --digits or --rtol")
    theory = build_theory(args)
    if args.digits:
        solution = theory.precise(digits=args.digits, **parameters)
    elif args.rtol:
        solution = theory.solve(rtol=float(args.rtol), **parameters)
    else:
        solution = theory.solve(**parameters)
    shown = _digits(args.digits) if args.digits else float
    if args.json:
        print_json({
            **_about(theory), "parameters": solution.parameters,
            "observables": {k: shown(v) for k, v in solution.observables.items()},
            "order_parameters": {k: shown(v) for k, v in solution.order_parameters.items()},
            "converged": solution.converged, "status": str(solution.status),
            "residual": float(solution.residual), "error_estimate": float(solution.error_estimate),
            "condition": solution.condition, "iterations": int(solution.iterations),
            "assumptions": solution.assumptions})
        return 0
    print(f"{theory.name}: " + ", ".join(f"{k}={v:g}" for k, v in solution.parameters.items()))
    values = {**solution.observables, **solution.order_parameters}
    print(table([(k, shown(v) if args.digits else f"{v:.15g}") for k, v in values.items()]))
    print(solution.reached)
    return 0


def run_certify(args):
    """Print a certificate: balls that are proved to hold the solution."""
    parameters = as_arguments(args)
    theory = build_theory(args)
    # a number on the command line means its text
    solution = theory.certify(digits=args.digits, floats="decimal", **parameters)
    if args.save:
        solution.certificate.save(args.save)
    if args.json:
        from dataclasses import asdict

        balls = {**solution.observables, **solution.order_parameters}
        print_json({**asdict(solution.certificate),
                    "balls": {k: {"mid": _digits(args.digits + 5)(b.mid), "rad": float(b.rad)}
                              for k, b in balls.items()}})
    else:
        print(solution.certificate)
    return 0


def _digits(digits):
    import mpmath

    return lambda value: mpmath.nstr(value, digits)


def _about(theory):
    return {"theory": theory.name, **{label: f.name for label, f in theory.functions.items()}}


def run_simulate(args):
    """Print the estimates of a simulation."""
    for name, value in args.parameters.items():
        if isinstance(value, list) and name not in ("alpha", "lam"):
            raise UsageError(f"simulate: {option(name)} takes one number, not a grid")
    parameters = as_arguments(args)
    if args.model:
        if args.model not in _MODELS.get(theory_name(args.theory), ()):
            raise UsageError(f"{args.theory} has no option --model {args.model}")
        parameters["model"] = args.model
    size = _size(args, parameters)
    theory = build_theory(args)
    status = 1
    with executor(args) as pool:
        try:
            result = theory.simulate(**size, repeats=args.repeats, seed=args.seed, executor=pool,
                                     progress=wants_progress(args), file=args.file, **parameters)
            status = 0 if result.repeats == args.repeats else 130
        except (SimulationFileError, WorkerLostError) as error:
            result = error.result
            if result is None:
                raise
            say(error)
    if args.json:
        print_json({**_about(theory), "axes": result.axes, "d": result.d, "p": result.p, "n": result.n,
                    "n0": result.n0, "repeats": result.repeats, "seed": result.seed, "test_size": result.test_size,
                    "estimates": {k: {"mean": e.mean, "stderr": e.stderr, "values": e.values}
                                  for k, e in result.estimates.items()}})
    else:
        print(result)
    return status


def _size(args, parameters):
    """The size of a simulation as the theory takes it: the dimension, or the number of samples."""
    if theory_name(args.theory) != "nonlinear-spikes":
        return {"d": args.d or 1000}
    if args.d:
        raise UsageError("nonlinear-spikes has no option --d: the size of its simulation is --n")
    n = parameters.pop("n", 1000)
    return {"n": int(n) if isinstance(n, float) and n.is_integer() else n}


def run_check(args):
    """Print a report; 0 if the verdict holds."""
    import warnings

    from ..errors import AssumptionWarning

    parameters = as_arguments(args)
    size = _size(args, parameters)
    theory = build_theory(args)
    with executor(args) as pool, warnings.catch_warnings():
        warnings.simplefilter("ignore", AssumptionWarning)      # they are notes of the report
        report = theory.check(**size, repeats=args.repeats, seed=args.seed, digits=args.digits,
                              executor=pool, progress=wants_progress(args), file=args.file, **parameters)
    if args.json:
        print_json({**_about(theory), **report.to_dict()})
    else:
        print(report)
    if report.simulation is not None and report.simulation.repeats < args.repeats:
        return 130
    return 0 if report.passed else 1
