"""``asympkit solve``, ``solutions``, ``certify``, ``simulate``, ``check``, ``compare``: parameter points."""

import warnings
from dataclasses import asdict

from ..errors import AssumptionWarning, SimulationFileError, WorkerLostError
from ..notation import FORMATS, format_table
from ..once import Deferred
from . import output
from .arguments import (
    UsageError,
    add_command,
    add_theory,
    arguments,
    build,
    describe_theory,
    grid,
    number,
    option,
    positive_integer,
    size,
)

_mpmath = Deferred("mpmath")


def add_solve(commands, entry):
    """Add the subcommand."""
    solve = add_command(commands, "solve", run_solve, "solve a theory at one point", entry)
    solve.add_argument("--digits", metavar="N", type=positive_integer, help="correct digits (default: floats)")
    solve.add_argument("--rtol", metavar="X", type=number, help="requested accuracy (1e-12)")


def add_solutions(commands, entry):
    """Add the subcommand."""
    text = "find the solutions at one point from many starts, lowest free energy first"
    solutions = add_command(commands, "solutions", run_solutions, text, entry)
    solutions.add_argument("--starts", metavar="N", type=positive_integer, default=64, help="random starts (64)")
    solutions.add_argument("--seed", metavar="N", type=int, default=0, help="of the random starts (0)")


def add_certify(commands, entry):
    """Add the subcommand."""
    certify = add_command(commands, "certify", run_certify,
                          "prove the digits of a theory at one point (needs the extra certify)", entry)
    certify.add_argument("--digits", metavar="N", type=positive_integer, default=30, help="proved digits (30)")
    certify.add_argument("--save", metavar="FILE", help="write the certificate as JSON")


def add_simulate(commands, entry):
    """Add the subcommand."""
    text = "simulate the finite model of a theory; some parameters may be grids, as for sweep"
    simulator = None if entry is None else entry[1].simulator
    simulate = add_command(commands, "simulate", run_simulate, text, entry, grids=simulator.axes if simulator else (),
                           without=_names_of_settings(simulator))
    _add_simulation(simulate, entry)
    output.add_plot(simulate, "the simulation; along a grid with the theory and the pulls")
    output.add_quantity(simulate)


def add_check(commands, entry):
    """Add the subcommand."""
    check = add_command(commands, "check", run_check,
                        "solve, compare with multiprecision and a simulation; exit status 1 if they disagree; some "
                        "parameters may be grids, as for sweep", entry, kind=grid,
                        without=_names_of_settings(None if entry is None else entry[1].simulator))
    check.add_argument("--digits", metavar="N", type=positive_integer,
                       help="digits of the multiprecision solution (40, or fewer if these would take minutes)")
    _add_simulation(check, entry)
    output.add_plot(check, "the differences between simulation and theory")


def add_compare(commands, entry):
    """Add the subcommand."""
    about = "numbers of a file beside those of a theory, and what explains differences; exit status 1 if any differ"
    compare = commands.add_parser("compare", help="somebody's numbers beside those of a theory", description=about)
    compare.add_argument("file", metavar="FILE", help="a head with names of parameters and quantities, and rows")
    add_theory(compare, entry)
    compare.add_argument("--error", metavar="COLUMN", help="standard errors")
    compare.add_argument("--column", metavar="COLUMN=NAME", action="append", default=[], help="what a column is here; "
                         "COLUMN= leaves it out; may be repeated")
    compare.add_argument("--convention", metavar="NAME", action="append", default=[],
                         help="a name of ak.conventions; may be repeated")
    compare.add_argument("--format", choices=FORMATS, default="text", help="(text)")
    compare.add_argument("--out", metavar="FILE", help="write the table there")
    output.add_plot(compare, "given numbers and those of the theory")
    compare.add_argument("--json", action="store_true", help="print JSON")
    compare.set_defaults(run=run_compare)


def add_report(commands, entry):
    """Add the subcommand."""
    text = "write one self-contained web page about a theory at a point"
    simulator = None if entry is None else entry[1].simulator
    report = add_command(commands, "report", run_report, text, entry, without=_names_of_settings(simulator))
    report.add_argument("-o", "--out", metavar="FILE", default="report.html", help="(report.html)")
    report.add_argument("--quantity", metavar="NAME", help="what the page is about (test_error, or the first)")
    report.add_argument("--over", metavar="NAMES", help="parameters along which there are curves, between commas")
    report.add_argument("--digits", metavar="N", type=int, default=15, help="of the certificate; 0 for none (15)")
    report.add_argument("--date", metavar="TEXT", default="", help="printed on the page, which depends on no clock")
    group = report.add_argument_group("simulation")
    _add_settings(group, simulator)
    group.add_argument("--repeats", metavar="N", type=int, default=4, help="draws; 0 for no simulation (4)")
    group.add_argument("--seed", metavar="N", type=int, default=0, help="seed (0)")


def run_report(args):
    """Write the page and print its path."""
    parameters = arguments(args)
    theory = build(args)
    simulation = {"repeats": args.repeats, "seed": args.seed, **_settings(args)} if args.repeats else False
    path = theory.report(args.out, quantity=args.quantity, over=args.over.split(",") if args.over else None,
                         simulation=simulation, digits=args.digits or None, date=args.date, parameters=parameters)
    if args.json:
        output.print_json({"path": str(path)})
    else:
        print(path)
    return 0


COMMANDS = {"compare": add_compare, "report": add_report, "solve": add_solve, "solutions": add_solutions,
            "certify": add_certify, "simulate": add_simulate, "check": add_check}


def _names_of_settings(simulator):
    return [s.name for s in simulator.settings] if simulator else ()


def _add_simulation(parser, entry):
    group = parser.add_argument_group("simulation")
    _add_settings(group, None if entry is None else entry[1].simulator)
    group.add_argument("--repeats", metavar="N", type=positive_integer, default=10, help="draws (10)")
    group.add_argument("--seed", metavar="N", type=int, default=0, help="seed (0)")
    output.add_jobs(group)
    output.add_progress(group)


def _add_settings(group, simulator):
    """Add the size and the options of a simulation."""
    for s in simulator.settings if simulator else ():
        if s.choices:
            group.add_argument(option(s.name), dest=f"setting {s.name}", choices=s.choices, help=_defaults(s))
        else:
            group.add_argument(option(s.name), dest=f"setting {s.name}", metavar="N", type=size, help=_defaults(s))


def _defaults(setting):
    return setting.meaning if setting.default is None else f"{setting.meaning} ({setting.default})"


def _settings(args):
    """Return the size and options of a simulation that were given."""
    simulator = args.entry[1].simulator
    found = {s.name: getattr(args, f"setting {s.name}") for s in simulator.settings} if simulator else {}
    return {k: v for k, v in found.items() if v is not None}


def run_solve(args):
    """Print a solution."""
    parameters = arguments(args)
    if args.digits and args.rtol is not None:
        raise UsageError("solve: give either --digits or --rtol")
    theory = build(args)
    if args.digits:
        solution = theory.precise(digits=args.digits, parameters=parameters)
    elif args.rtol is not None:
        solution = theory.solve(rtol=float(args.rtol), parameters=parameters)
    else:
        solution = theory.solve(parameters=parameters)
    shown = _digits(args.digits) if args.digits else float
    if args.json:
        output.print_json({
            **describe_theory(theory), "parameters": solution.parameters,
            "observables": {k: shown(v) for k, v in solution.observables.items()},
            "order_parameters": {k: shown(v) for k, v in solution.order_parameters.items()},
            "converged": solution.converged, "status": str(solution.status),
            "residual": float(solution.residual), "error_estimate": float(solution.error_estimate),
            "condition": solution.condition, "iterations": int(solution.iterations),
            "assumptions": solution.assumptions})
        return 0
    print(f"{theory.name}: " + ", ".join(f"{k}={v:g}" for k, v in solution.parameters.items()))
    print(format_table([(k, shown(v) if args.digits else f"{v:.15g}") for k, v in solution.shown.items()]))
    print(solution.reached)
    return 0


def run_solutions(args):
    """Print the solutions."""
    theory, parameters = build(args), arguments(args)
    found = theory.solutions(starts=args.starts, seed=args.seed, parameters=parameters)
    if args.json:
        energies = found.free_energies or [None] * len(found)
        output.print_json({**describe_theory(theory), "starts": found.starts, "solutions": [
            {"free_energy": energy, "observables": s.observables, "order_parameters": s.order_parameters}
            for energy, s in zip(energies, found)]})
    else:
        print(found)
    return 0


def run_certify(args):
    """Print a certificate: balls that are proved to contain the solution."""
    parameters = arguments(args)
    theory = build(args)
    # a number on the command line means its text
    solution = theory.certify(digits=args.digits, floats="decimal", parameters=parameters)
    if args.save:
        solution.certificate.save(args.save)
    if args.json:
        balls = {**solution.observables, **solution.order_parameters}
        output.print_json({**asdict(solution.certificate),
                           "balls": {k: {"mid": _digits(args.digits + 5)(b.mid), "rad": float(b.rad)}
                                     for k, b in balls.items()}})
    else:
        print(solution.certificate)
    return 0


def _digits(digits):
    return lambda value: _mpmath.nstr(value, digits)


def run_compare(args):
    """Print somebody's numbers beside those of the theory; return 0 if all agree."""
    theory = build(args)
    columns = {}
    for text in args.column:
        name, sign, here = text.partition("=")
        if not sign:
            raise UsageError(f"--column: got {text!r}; expected COLUMN=NAME, or COLUMN= to leave it out")
        columns[name] = here or None
    found = theory.compare(args.file, error=args.error, columns=columns, conventions=args.convention,
                           parameters=dict(args.parameters))
    if args.json:
        shown = ("row", "quantity", "given", "value", "z", "digits", "agrees")
        output.print_json({**describe_theory(theory), "verdict": found.verdict, "explanations": found.explanations,
                           "numbers": [{name: getattr(n, name) for name in shown} for n in found.numbers]})
    else:
        output.write_text(str(found) if args.format == "text" else format_table(found.rows(), args.format), args.out)
    if args.plot:
        output.write(found.plot(), args.plot)
    return 0 if found.passed else 1


def run_simulate(args):
    """Print the estimates of a simulation."""
    parameters = arguments(args)
    theory = build(args)
    shown = output.choose_drawn(theory, args.quantity)
    status = 1
    with output.executor(args) as pool:
        try:
            result = theory.simulate(repeats=args.repeats, seed=args.seed, executor=pool,
                                     progress=args.progress, file=args.file,
                                     parameters={**parameters, **_settings(args)})
            status = 0 if result.repeats == args.repeats else 130
        except (SimulationFileError, WorkerLostError) as error:
            result = error.result
            if result is None:
                raise
            output.print_line(error)
    if args.json:
        output.print_json({**describe_theory(theory), "axes": result.axes, **result.sizes, "repeats": result.repeats,
                           "seed": result.seed,
                           "estimates": {k: {"mean": e.mean, "stderr": e.stderr, "values": e.values}
                                         for k, e in result.estimates.items()}})
    else:
        print(result)
    if args.plot:
        output.write(output.draw_simulation(theory, result, shown, parameters), args.plot)
    return status


def run_check(args):
    """Print a report; return 0 if the verdict holds."""
    parameters = arguments(args)
    theory = build(args)
    with output.executor(args) as pool, warnings.catch_warnings():
        warnings.simplefilter("ignore", AssumptionWarning)      # the report has them among its notes
        report = theory.check(repeats=args.repeats, seed=args.seed, digits=args.digits, executor=pool,
                              progress=args.progress, file=args.file,
                              parameters={**parameters, **_settings(args)})
    if args.json:
        output.print_json({**describe_theory(theory), **report.to_dict()})
    else:
        print(str(report).removesuffix(report.verdict) + output.colour_verdict(report.verdict, report.passed))
    reports = getattr(report, "reports", [report])
    if args.plot:
        if len(reports) > 1:
            raise UsageError(f"check: --plot draws one point; got {len(reports)}")
        output.write(report.plot(), args.plot)
    if any(r.simulation is not None and r.simulation.repeats < args.repeats for r in reports):
        return 130
    return 0 if report.passed else 1
