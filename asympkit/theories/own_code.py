"""Call user-defined functions: an error says where it was raised, in other processes too."""

import traceback

from ..errors import AsympkitError, DomainError

__all__ = ["call_own"]


def call_own(function, *arguments, **named):
    """Call a user-defined function; an exception is passed on with its place as the attribute ``raised_in``.

    Raises
    ------
    DomainError
        If the function calls ``exit``, or raises an exception that cannot be sent to another process.
    """
    try:
        return function(*arguments, **named)
    except AsympkitError:
        raise
    except SystemExit as error:
        raise DomainError(f"{_place(function, error)}: it called exit(); expected a result") from error
    except Exception as error:
        error.raised_in = _place(function, error)
        if not _is_sendable(error):
            raise DomainError(f"{error.raised_in}: {type(error).__name__}: {error}") from error
        raise


def _is_sendable(error):
    """Return whether an exception can be rebuilt from its arguments: a pool of processes breaks on any other."""
    try:
        return isinstance(type(error)(*error.args), type(error))
    except Exception:
        return False


def _place(function, error):
    """Return file, line and function of the innermost call in the file of a function."""
    code = getattr(function, "__code__", None) or getattr(type(function).__call__, "__code__", None)
    frames = [f for f in traceback.extract_tb(error.__traceback__) if code and f.filename == code.co_filename]
    if not frames:
        return f"the function {getattr(function, '__qualname__', type(function).__name__)}"
    return f"{frames[-1].filename}, line {frames[-1].lineno}, in {frames[-1].name}"
