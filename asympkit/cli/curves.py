"""``asympkit sweep``, ``minimize``, ``maximize``, ``sensitivity``, ``continuation``: along parameters.

Commands that theories declare: each calls a method, whose result is a table, data and a picture.
"""

import csv
import sys
from dataclasses import asdict
from functools import partial
from inspect import signature
from itertools import product
from pathlib import Path

from ..errors import SweepFileError, WorkerLostError
from ..notation import format_table
from ..once import Deferred
from ..theories.registry import declared_commands, find, package_names
from . import output
from .arguments import UsageError, add_command, add_theory, arguments, build, describe_theory, grid, number, option

np, _domains = Deferred("numpy"), Deferred("asympkit.arguments")       # these load slowly


def add_sweep(commands, entry):
    """Add the subcommand."""
    parser = add_command(commands, "sweep", run_sweep, "solve a theory on a grid", entry, grid,
                         "solve a theory on a grid; a GRID is low:high:count, low:high:count:log, or numbers a,b,c")
    parser.add_argument("--out", metavar="FILE", help="write .csv or .npz instead of printing csv")
    output.add_plot(parser, "curves, a heat map, or several heat maps")
    output.add_quantity(parser)
    parser.add_argument("--backend", choices=("auto", "numpy", "numba"), default="auto", help="(auto)")
    parser.add_argument("--rtol", metavar="X", type=number, default=1e-10, help="requested accuracy (1e-10)")
    output.add_jobs(parser, ".npz or .csv")
    output.add_progress(parser)


def as_arrays(theory, parameters):
    """Convert grids to arrays, except parameters that are lists."""
    fixed = theory.fixed_names()
    return {k: np.array(v, dtype=float) if isinstance(v, list) and k not in fixed else v
            for k, v in parameters.items()}


def run_sweep(args):
    """Solve on the grid and print or write it."""
    parameters = arguments(args)
    if args.out and Path(args.out).suffix not in (".csv", ".npz"):
        raise UsageError(f"--out: got {args.out!r}; expected a name that ends in .csv or .npz")
    if args.out:
        _domains.check_path("--out", args.out)       # before the computation
    theory = build(args)
    parameters = as_arrays(theory, parameters)
    shown = output.choose_drawn(theory, args.quantity)
    lost = None
    with output.executor(args) as pool:
        try:
            sweep = theory.sweep(rtol=float(args.rtol), backend=args.backend, progress=args.progress,
                                 executor=pool, file=args.file, parameters=parameters)
        except (SweepFileError, WorkerLostError) as error:
            lost, sweep = error, error.result
            output.print_line(error)
    missed = int(np.size(sweep.converged) - np.count_nonzero(sweep.converged))
    if missed and lost is None:
        output.print_line(f"{missed} of {np.size(sweep.converged)} points did not converge")
        failed = sweep.status[~sweep.converged]
        for status in dict.fromkeys(failed):
            output.print_line(f"{np.count_nonzero(failed == status)} points: {status}")
    if args.out:
        (sweep.to_npz if args.out.endswith(".npz") else sweep.to_csv)(args.out)
    observables = theory.kernel.module.OBSERVABLES
    if args.json:
        output.print_json({**describe_theory(theory), "parameters": sweep.parameters, "axes": sweep.axes,
                           "converged": sweep.converged,
                           "status": sweep.status, "out": args.out,
                           "observables": {name: sweep[name] for name in observables}})
    elif args.out:
        print(args.out)
    else:
        _print_csv(sweep, observables)
    if args.plot:
        output.write(sweep.plot(shown), args.plot)
    return 1 if missed or lost else 0


def _print_csv(sweep, observables):
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow([*sweep.axes, *observables, "converged"])
    columns = [sweep[name].ravel().tolist() for name in observables]
    reached = sweep.converged.ravel().tolist()
    for i, point in enumerate(product(*(axis.tolist() for axis in sweep.axes.values()))):
        writer.writerow([*map(repr, point), *(repr(c[i]) for c in columns), int(reached[i])])


def add_extremum(method, kind, commands, entry):
    """Add the subcommand."""
    text = f"the {kind} value of a quantity over one parameter or several; the others may be grids that broadcast"
    parser = add_command(commands, method, run_extremum, text, entry, grid)
    _add_quantity(parser)
    parser.add_argument("--over", metavar="NAME", type=_names, required=True,
                        help="the parameter to choose, or several with commas")
    parser.add_argument("--bounds", metavar="LOW,HIGH", type=grid, action="append", required=True,
                        help="its interval; for several parameters one each, in their order")
    output.add_plot(parser, "the curve of optima along a grid")
    parser.set_defaults(method=method)


def _names(text):
    names = [n.strip() for n in text.split(",")]
    return names[0] if len(names) == 1 else names


def add_sensitivity(commands, entry):
    """Add the subcommand."""
    text = "the exact derivative of a quantity by a parameter; parameters may be grids that broadcast"
    parser = add_command(commands, "sensitivity", run_sensitivity, text, entry, grid)
    _add_quantity(parser)
    parser.add_argument("--by", metavar="NAME", required=True, help="the parameter to differentiate by")


def add_continuation(commands, entry):
    """Add the subcommand."""
    parser = add_command(commands, "continuation", run_continuation,
                         "follow solutions in one parameter, through folds and at branch points", entry)
    parser.add_argument("--over", metavar="NAME", required=True, help="the parameter to follow")
    parser.add_argument("--start", metavar="X", type=number, required=True, help="start of the path")
    parser.add_argument("--stop", metavar="X", type=number, required=True, help="end of the path")
    parser.add_argument("--step", metavar="X", type=number, default=0.05, help="largest step of arclength (0.05)")
    output.add_plot(parser, "branches, folds and branch points")
    output.add_quantity(parser)


COMMANDS = {"sweep": add_sweep, "minimize": partial(add_extremum, "minimize", "smallest"),
            "maximize": partial(add_extremum, "maximize", "largest"), "sensitivity": add_sensitivity,
            "continuation": add_continuation}


def _add_quantity(parser):
    parser.add_argument("--quantity", metavar="NAME", help="an observable or an unknown (test_error, if there is one)")


def _quantity(args, theory):
    """Return the quantity asked for, or the test error of a theory that has one."""
    known = (*theory.kernel.module.OBSERVABLES, *theory.kernel.module.UNKNOWNS)
    if args.quantity is None and "test_error" not in known:
        raise UsageError(f"{args.command}: give --quantity, one of {', '.join(known)}")
    return args.quantity or "test_error"


def run_extremum(args):
    """Print the minimum or maximum, or those along a grid."""
    if any(not isinstance(pair, list) or len(pair) != 2 for pair in args.bounds):
        raise UsageError(f"{args.method}: --bounds takes two numbers, LOW,HIGH")
    names = [args.over] if isinstance(args.over, str) else args.over
    if len(args.bounds) != len(names):
        raise UsageError(f"{args.method}: got --bounds {len(args.bounds)} times for {len(names)} parameters "
                         f"({', '.join(names)}); give it once for each, in their order")
    pairs = [tuple(map(float, pair)) for pair in args.bounds]
    theory, parameters = build(args), arguments(args)
    quantity = _quantity(args, theory)
    found = getattr(theory, args.method)(quantity, over=args.over,
                                       bounds=pairs[0] if isinstance(args.over, str) else pairs,
                                       parameters=as_arrays(theory, parameters))
    if args.json:
        place = "argmax" if args.method == "maximize" else "argmin"
        output.print_json({**describe_theory(theory), "quantity": quantity, "over": args.over,
                           place: getattr(found, place),
                           "value": found.value, "at_bound": found.at_bound, "converged": found.converged})
    else:
        print(found)
    if args.plot:
        output.write(found.plot(), args.plot)
    return 0 if np.all(found.converged) else 1


def run_sensitivity(args):
    """Print the derivative, or derivatives along a grid."""
    theory, parameters = build(args), arguments(args)
    quantity = _quantity(args, theory)
    rate = theory.sensitivity(quantity, args.by, parameters=as_arrays(theory, parameters))
    if args.json:
        output.print_json({**describe_theory(theory), "quantity": quantity, "by": args.by, "derivative": rate})
    elif hasattr(rate, "ravel"):
        print("\n".join(map(repr, rate.ravel().tolist())))
    else:
        print(f"d {quantity} / d {args.by} = {rate!r}")
    return 0


def run_continuation(args):
    """Print branches, folds, branch points and the branches that leave these."""
    theory, parameters = build(args), arguments(args)
    shown = output.choose_drawn(theory, args.quantity)
    path = theory.continuation(over=args.over, start=args.start, stop=args.stop, step=float(args.step),
                               parameters=parameters)
    names = (*theory.kernel.module.OBSERVABLES, *theory.kernel.module.UNKNOWNS)
    if args.json:
        output.print_json({**describe_theory(theory), "over": args.over, **_path_data(path, names),
                           "branch_points": [asdict(p) for p in path.branch_points],
                           "emanating": [_path_data(p, names) for p in path.emanating]})
    else:
        _print_path(path, args.over, names)
    if args.plot:
        output.write(path.plot(shown), args.plot)
    return 0


def _path_data(path, names):
    return {"end": path.end, "folds": [asdict(f) for f in path.folds],
            "branches": [{path.over: b.parameter, **{n: b[n] for n in names}} for b in path.branches]}


def _print_path(path, over, names):
    for branch in path.branches:
        rows = [(over, *names)]
        rows += [[f"{x:.10g}" for x in row] for row in zip(branch.parameter, *(branch[n] for n in names))]
        print(format_table(rows))
    for point in (*path.folds, *path.branch_points):
        values = {**point.unknowns, **point.observables}
        print(f"{point.kind}: {over} = {point.parameter:.15g}, "
              + ", ".join(f"{n} = {v:.15g}" for n, v in values.items()))
    print(f"end: {path.end}")
    for emanating in path.emanating:
        print(f"emanating from {over} = {emanating.branches[0].parameter[0]:.10g}:")
        _print_path(emanating, over, names)


def declared():
    """Return ``{name: function that adds the subcommand}``."""
    return {command.name: partial(add_declared, command) for command in declared_commands()}


def add_declared(command, commands, entry):
    """Add the subcommand."""
    parser = commands.add_parser(command.name, help=command.text, description=command.text)
    add_theory(parser, entry, without=_implied(command, entry))
    for o in command.options:
        parser.add_argument(option(o.name), dest=f"own_{o.name}", metavar="GRID" if o.is_grid else "X", help=o.text,
                            type=grid if o.is_grid else number, required=o.is_required,
                            default=None if o.is_required else o.default)
    printed = parser.add_mutually_exclusive_group()
    printed.add_argument("--json", action="store_true", help="print JSON")
    printed.add_argument("--csv", action="store_true", help="print csv")
    output.add_plot(parser, f"the {command.name}")
    first = command.quantities[0]
    parser.add_argument("--quantity", choices=command.quantities, default=first, help=f"quantity to draw ({first})")
    parser.set_defaults(run=partial(run_declared, command))


def _implied(command, entry):
    """Return the parameters that the method computes from the options of the command."""
    if entry is None or not hasattr(entry[1], command.name):
        return ()
    taken = signature(getattr(entry[1], command.name)).parameters
    return tuple(p.name for p in entry[1].declared if p.name not in taken or taken[p.name].default is None)


def run_declared(command, args):
    """Print the result of the method."""
    name, theory = args.entry
    if not hasattr(theory, command.name):
        others = [n for n in package_names() if hasattr(find(n)[1], command.name)]
        raise UsageError(f"{command.name}: {name} {command.refusal}; expected {' or '.join(others)}, or another theory "
                         f"with a {command.name}")
    parameters = arguments(args)
    if extra := [k for k in parameters if k in _implied(command, args.entry)]:
        raise UsageError(f"{command.name}: got {', '.join(extra)} by --set, which follow from the options "
                         f"{', '.join(option(o.name) for o in command.options)}; expected those")
    theory = build(args)
    own = {o.name: getattr(args, f"own_{o.name}") for o in command.options}
    found = getattr(theory, command.name)(**own, **parameters)
    columns = found.columns()
    rows = list(zip(*columns.values()))
    if args.json:
        output.print_json({**describe_theory(theory), **found.data()})
    elif args.csv:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([map(repr, row) for row in rows])
    else:
        print(format_table([tuple(columns), *([f"{x:.10g}" for x in row] for row in rows)]))
        print(*found.notes(), sep="\n")
    if args.plot:
        output.write(found.plot(args.quantity), args.plot)
    return 0
