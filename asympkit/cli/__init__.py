"""The command line: ``asympkit`` and ``python -m asympkit``."""

import argparse
import os
import sys
import traceback

from ..errors import AsympkitError, ConvergenceError, UnfinishedError
from .arguments import FLAGS, Parser, join_negative, refuse_extras
from .interrupts import CtrlC, said
from .output import notes, say

#: exit status of a program that Ctrl-C ended, by the convention of shells: 128 and the number of the signal
INTERRUPTED = 130
#: an option of every command
TRACEBACK = "--traceback"


def main(argv=None):
    """Run the command line.

    Parameters
    ----------
    argv : list of str, optional
        Arguments instead of those of the process.

    Returns
    -------
    int
        0; 1 if a verdict does not hold or a computation does not converge or finish; 2 for an invalid request (one
        line on stderr); 130 after Ctrl-C.
    """
    given = list(sys.argv[1:] if argv is None else argv)
    asked = [a for a in given if a != TRACEBACK]
    with CtrlC(ends=argv is None) as ctrl_c:
        try:
            with notes():
                status = _run(asked)
                sys.stdout.flush()
                return status
        except BaseException as error:
            if ctrl_c.pressed or isinstance(error, KeyboardInterrupt):
                say(said(error))         # an interrupted library may raise anything
                return INTERRUPTED
            if len(asked) < len(given) and isinstance(error, Exception):
                traceback.print_exception(error)
            return _answer(error)


def _answer(error):
    """Print an error as one line and return the exit status; unexpected errors are raised again."""
    try:
        raise error
    except SystemExit as done:           # --help and --version
        return done.code or 0
    except BrokenPipeError:              # the reader is gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (ConvergenceError, UnfinishedError) as error:
        say(error)
        return 1
    except (AsympkitError, OSError) as error:
        say(f"error: {error}")
        return 2
    except MemoryError:
        say("error: not enough memory; take a smaller d or a smaller grid")
        return 2
    except Exception:
        if not hasattr(error, "raised_in"):
            raise
        say(f"error: {error.raised_in}: {type(error).__name__}: {error} ({TRACEBACK} shows all of it)")
        return 2


def _run(argv):
    argv = join_negative(argv)
    parser, commands = _parser(argv)
    args, extras = parser.parse_known_args(argv)
    if args.command is None:
        refuse_extras(extras, parser)
        parser.print_help()
        return 2
    refuse_extras(extras, commands.choices[args.command])
    return args.run(args)


class _Versions(argparse.Action):
    """Handle ``--version``: print the versions for a bug report."""

    def __call__(self, parser, namespace, values, option_string=None):
        from ..versions import show_versions

        show_versions()
        parser.exit()


def _parser(argv):
    """Build the parser, in which the requested command has the parameters of its theory."""
    from . import curves, declared, derive, generate, grids, hermite, points
    from .theories import named_theory

    parser = Parser(prog="asympkit",
                    description="Asymptotic equations of learning theory: derived, solved, checked.",
                    epilog="asympkit COMMAND --help shows the options of a command, asympkit COMMAND THEORY --help "
                           f"those of a theory too; {TRACEBACK} with any of them shows where an error comes from.")
    parser.add_argument("--version", action=_Versions, nargs=0, help="show the versions of asympkit and what it uses")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)
    hermite.add(commands)
    derive.add(commands, argv)
    methods = {**points.COMMANDS, **grids.COMMANDS, **curves.COMMANDS, **declared.declared(), **generate.COMMANDS}
    for name, add in methods.items():
        is_asked = argv[:1] == [name]
        add(commands, named_theory(argv[1:], FLAGS) if is_asked else None)
    return parser, commands
