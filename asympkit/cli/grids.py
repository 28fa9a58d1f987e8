"""``asympkit sweep``: a theory on a grid of parameters."""

import csv
import sys
from itertools import product
from pathlib import Path

from ..errors import SweepFileError, WorkerLostError
from .arguments import UsageError, grid, number
from .executors import add_jobs, executor
from .output import add_progress, print_json, say
from .pictures import add_plot, add_quantity, drawn, write
from .theories import about, add_theory, arguments, build


def add(commands, entry):
    """Add the subcommand."""
    about = "solve a theory on a grid; a GRID is low:high:count, low:high:count:log, or numbers a,b,c"
    parser = commands.add_parser("sweep", help="solve a theory on a grid", description=about)
    add_theory(parser, entry, grid)
    parser.add_argument("--out", metavar="FILE", help="write .csv or .npz instead of printing csv")
    add_plot(parser, "curves, a heat map, or several heat maps")
    add_quantity(parser)
    parser.add_argument("--backend", choices=("auto", "numpy", "numba"), default="auto", help="(auto)")
    parser.add_argument("--rtol", metavar="X", type=number, default=1e-10, help="requested accuracy (1e-10)")
    add_jobs(parser, ".npz or .csv")
    add_progress(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


COMMANDS = {"sweep": add}


def as_arrays(theory, parameters):
    """Convert grids to arrays, except parameters that are lists."""
    import numpy as np

    fixed = theory.fixed_names()
    return {k: np.array(v, dtype=float) if isinstance(v, list) and k not in fixed else v
            for k, v in parameters.items()}


def run(args):
    """Solve on the grid and print or write it."""
    parameters = arguments(args)
    if args.out and Path(args.out).suffix not in (".csv", ".npz"):
        raise UsageError(f"--out: got {args.out!r}; expected a name that ends in .csv or .npz")
    import numpy as np

    from ..arguments.domains import check_path

    if args.out:
        check_path("--out", args.out)       # before the computation
    theory = build(args)
    parameters = as_arrays(theory, parameters)
    shown = drawn(theory, args.quantity)
    lost = None
    with executor(args) as pool:
        try:
            sweep = theory.sweep(rtol=float(args.rtol), backend=args.backend, progress=args.progress,
                                 executor=pool, file=args.file, parameters=parameters)
        except (SweepFileError, WorkerLostError) as error:
            lost, sweep = error, error.result
            say(error)
    missed = int(np.size(sweep.converged) - np.count_nonzero(sweep.converged))
    if missed and lost is None:
        say(f"{missed} of {np.size(sweep.converged)} points did not converge")
        failed = sweep.status[~sweep.converged]
        for status in dict.fromkeys(failed):
            say(f"{np.count_nonzero(failed == status)} points: {status}")
    if args.out:
        (sweep.to_npz if args.out.endswith(".npz") else sweep.to_csv)(args.out)
    observables = theory.kernel.module.OBSERVABLES
    if args.json:
        print_json({**about(theory), "parameters": sweep.parameters, "axes": sweep.axes, "converged": sweep.converged,
                    "status": sweep.status, "out": args.out,
                    "observables": {name: sweep[name] for name in observables}})
    elif args.out:
        print(args.out)
    else:
        _print_csv(sweep, observables)
    if args.plot:
        write(sweep.plot(shown), args.plot)
    return 1 if missed or lost else 0


def _print_csv(sweep, observables):
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow([*sweep.axes, *observables, "converged"])
    columns = [sweep[name].ravel().tolist() for name in observables]
    reached = sweep.converged.ravel().tolist()
    for i, point in enumerate(product(*(axis.tolist() for axis in sweep.axes.values()))):
        writer.writerow([*map(repr, point), *(repr(c[i]) for c in columns), int(reached[i])])
