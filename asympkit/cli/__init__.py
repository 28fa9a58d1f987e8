"""The command line: ``asympkit`` and ``python -m asympkit``.

Handle Ctrl-C on the command line once, however often it is pressed.
"""

import argparse
import os
import signal
import sys
import time
import traceback

from ..errors import AsympkitError, ConvergenceError, UnfinishedError
from ..versions import show_versions
from .arguments import FLAGS, Parser, find_named_theory, join_negative, refuse_extras
from .curves import COMMANDS as OF_GRIDS
from .curves import declared
from .derive import add_activation, add_derive, add_generate, add_hermite
from .output import notes, print_line
from .points import COMMANDS as OF_POINTS

#: seconds after a Ctrl-C in which another one is ignored, while files are closed and workers end
_SAME = 2.0


class CtrlC:
    """Raise KeyboardInterrupt for the first Ctrl-C and for later ones, but not for those that follow at once.

    Where the process ends with the block (``ends``), Ctrl-C is ignored at its end.  ``pressed`` says whether there was
    one: libraries that are interrupted while they are loaded or compile may lose the exception, or raise another.
    """

    def __init__(self, ends=False):
        self.pressed, self._ends, self._last, self._before = False, ends, 0.0, None

    def __enter__(self):
        before = signal.getsignal(signal.SIGINT)
        if callable(before):
            try:
                signal.signal(signal.SIGINT, self._take)
                self._before = before
            except ValueError:           # not the main thread
                pass
        return self

    def _take(self, number, frame):
        now = time.monotonic()
        is_same = self.pressed and now - self._last < _SAME
        self.pressed = True
        if not is_same:
            self._last = now
            raise KeyboardInterrupt

    def __exit__(self, *_):
        if self._before is not None:
            signal.signal(signal.SIGINT, signal.SIG_IGN if self.pressed and self._ends else self._before)


def describe_interruption(error):
    """Return one line about the state after an interruption."""
    if isinstance(error, UnfinishedError):
        return str(error)
    count = getattr(error, "count", None)
    if count is None:
        return "interrupted"
    if error.path is None:
        return (f"interrupted: {count} were finished and are lost; with --file FILE they are kept, and the same "
                "command resumes")
    return f"interrupted: {count} are finished and in {str(error.path)!r}; the same command resumes"


#: exit status of a program that Ctrl-C ended, by the convention of shells: 128 and the number of the signal
INTERRUPTED = 130
#: an option of every command
TRACEBACK = "--traceback"


def main(argv=None):
    """Run the command line ``argv`` (by default that of the process), and return the status.

    0; 1 if a verdict does not hold or a computation does not converge or finish; 2 for an invalid request (one line on
    stderr); 130 after Ctrl-C.
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
                print_line(describe_interruption(error))         # an interrupted library may raise anything
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
        print_line(error)
        return 1
    except (AsympkitError, OSError) as error:
        print_line(f"error: {error}")
        return 2
    except MemoryError:
        print_line("error: not enough memory; take a smaller d or a smaller grid")
        return 2
    except Exception:
        if not hasattr(error, "raised_in"):
            raise
        print_line(f"error: {error.raised_in}: {type(error).__name__}: {error} ({TRACEBACK} shows all of it)")
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
        show_versions()
        parser.exit()


def _parser(argv):
    """Build the parser, in which the requested command has the parameters of its theory."""
    parser = Parser(prog="asympkit",
                    description="Asymptotic equations of learning theory: derived, solved, checked.",
                    epilog="asympkit COMMAND --help shows the options of a command, asympkit COMMAND THEORY --help "
                           f"those of a theory too; {TRACEBACK} with any of them shows where an error comes from.")
    parser.add_argument("--version", action=_Versions, nargs=0, help="show the versions of asympkit and what it uses")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)
    add_hermite(commands)
    add_activation(commands)
    add_derive(commands, argv)
    for name, add in {**OF_POINTS, **OF_GRIDS, **declared(), "generate": add_generate}.items():
        rest = argv[1 + (name == "compare"):]            # its file stands before the theory
        add(commands, find_named_theory(rest, FLAGS) if argv[:1] == [name] else None)
    return parser, commands
