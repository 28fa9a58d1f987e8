"""``asympkit generate``: export the solver of a theory as a module."""

from .output import print_json
from .theories import add_theory, build


def add(commands, entry):
    """Add the subcommand."""
    about = "write a module that solves a theory for one student and target with numpy and numba alone"
    parser = commands.add_parser("generate", help="export a solver module", description=about)
    add_theory(parser, entry, parameters=False)
    parser.add_argument("path", metavar="PATH", help="the Python file to write")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


COMMANDS = {"generate": add}


def run(args):
    """Write the module and print its path."""
    path = build(args).generate(args.path)
    if args.json:
        print_json({"path": str(path)})
    else:
        print(path)
    return 0
