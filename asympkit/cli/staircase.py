"""``asympkit staircase``: errors against the exponent of the step size."""

import csv
import sys
from inspect import signature

from ..theories.registry import find, package_names
from .arguments import UsageError, grid, number
from .output import print_json, table
from .pictures import add_plot, write
from .theories import about, add_theory, arguments, build

#: printed quantities of a staircase
_ERRORS = ("train_error", "test_error")


def add(commands, entry):
    """Add the subcommand."""
    text = "errors at step sizes eta0*n**alpha_lr: a staircase, whose steps are spikes that leave the bulk"
    parser = commands.add_parser("staircase", help=text, description=text)
    add_theory(parser, entry, without=_made(entry))
    parser.add_argument("--alpha-lr", metavar="GRID", type=grid, required=True,
                        help="exponents below 1/2: low:high:count, or numbers a,b,c")
    parser.add_argument("--n", dest="samples", metavar="X", type=number,
                        help="number of samples; without it the limit, a step function")
    parser.add_argument("--eta0", metavar="X", type=number, default=1, help="factor of the step size (1)")
    printed = parser.add_mutually_exclusive_group()
    printed.add_argument("--json", action="store_true", help="print JSON")
    printed.add_argument("--csv", action="store_true", help="print csv")
    add_plot(parser, "the staircase")
    parser.add_argument("--quantity", choices=_ERRORS, default="test_error", help="quantity to draw (test_error)")
    parser.set_defaults(run=run)


COMMANDS = {"staircase": add}


def _made(entry):
    """Return the parameters that a staircase computes from its exponents."""
    if entry is None or not hasattr(entry[1], "staircase"):
        return ()
    taken = signature(entry[1].staircase).parameters
    return tuple(p.name for p in entry[1].declared if p.name not in taken or taken[p.name].default is None)


def run(args):
    """Print the staircase."""
    name, theory = args.entry
    if not hasattr(theory, "staircase"):
        others = [n for n in package_names() if hasattr(find(n)[1], "staircase")]
        raise UsageError(f"staircase: {name} has no spikes that leave the bulk as the step grows; expected "
                         f"{' or '.join(others)}, or another theory with spikes")
    parameters = arguments(args)
    if extra := [k for k in parameters if k in _made(args.entry)]:
        raise UsageError(f"staircase: got {', '.join(extra)} by --set, which follow from the exponents; expected --n "
                         "and --eta0")
    theory = build(args)
    found = theory.staircase(alpha_lr=args.alpha_lr, n=args.samples, eta0=args.eta0, **parameters)
    if args.json:
        print_json({**about(theory), "parameters": found.parameters, "samples": found.n, "eta0": found.eta0,
                    "alpha_lr": found.alpha_lr, "train_error": found.train_error, "test_error": found.test_error,
                    "spikes": found.degree, "baseline_train": found.baseline_train,
                    "baseline_test": found.baseline_test, "steps": [vars(s) for s in found.steps]})
    elif args.csv:
        _print_csv(found)
    else:
        _print_table(found)
    if args.plot:
        write(found.plot(args.quantity), args.plot)
    return 0


def _rows(found):
    """Return a row for each exponent, with the number of diverging spikes."""
    spikes = {} if found.degree is None else {"spikes": found.degree.tolist()}
    columns = {"alpha_lr": found.alpha_lr.tolist(), **{n: getattr(found, n).tolist() for n in _ERRORS}, **spikes}
    return tuple(columns), list(zip(*columns.values()))


def _print_csv(found):
    head, rows = _rows(found)
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([map(repr, row) for row in rows])


def _print_table(found):
    head, rows = _rows(found)
    print(table([head, *([f"{x:.10g}" for x in row] for row in rows)]))
    print(f"without a step: train_error {found.baseline_train:.10g}, test_error {found.baseline_test:.10g}")
    for step in found.steps:
        print(f"step at {step.alpha_lr:.4g}: the spike of degree {step.degree} takes {step.train_error:.6g} off the "
              f"train_error, {step.test_error:.6g} off the test_error")
