"""Commands that theories declare: each calls a method, whose result is a table, data and a picture."""

import csv
import sys
from functools import partial
from inspect import signature

from ..theories.registry import declared_commands, find, package_names
from .arguments import UsageError, add_theory, arguments, build, describe_theory, grid, number, option
from .output import add_plot, print_json, table, write


def declared():
    """Return ``{name: function that adds the subcommand}``."""
    return {command.name: partial(add, command) for command in declared_commands()}


def add(command, commands, entry):
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
    add_plot(parser, f"the {command.name}")
    first = command.quantities[0]
    parser.add_argument("--quantity", choices=command.quantities, default=first, help=f"quantity to draw ({first})")
    parser.set_defaults(run=partial(run, command))


def _implied(command, entry):
    """Return the parameters that the method computes from the options of the command."""
    if entry is None or not hasattr(entry[1], command.name):
        return ()
    taken = signature(getattr(entry[1], command.name)).parameters
    return tuple(p.name for p in entry[1].declared if p.name not in taken or taken[p.name].default is None)


def run(command, args):
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
        print_json({**describe_theory(theory), **found.data()})
    elif args.csv:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([map(repr, row) for row in rows])
    else:
        print(table([tuple(columns), *([f"{x:.10g}" for x in row] for row in rows)]))
        print(*found.notes(), sep="\n")
    if args.plot:
        write(found.plot(args.quantity), args.plot)
    return 0
