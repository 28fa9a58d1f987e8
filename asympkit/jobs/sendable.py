"""Find the parts of a job that cannot be sent to other processes, before these start or after a failure."""

import pickle
import sys

from ..errors import DomainError

__all__ = ["check_sendable", "refuse_unsendable"]

#: depth of nested parts searched for the one that cannot be sent; deeper ones are named by their container
_DEPTH = 8


def check_sendable(executor, job):
    """Raise unless the executor is none of processes, or the job can be sent to them.

    A pool of the standard library may wait for ever if it is shut down while jobs that it cannot send are left.
    """
    processes = sys.modules.get("concurrent.futures.process")
    if processes is not None and isinstance(executor, processes.ProcessPoolExecutor):
        _check(job, None)


def refuse_unsendable(error, job):
    """Raise an explanatory error if an executor failed because a part of a job cannot be pickled.

    Parameters
    ----------
    error : BaseException
        The executor's exception.
    job : tuple
        The function and the arguments that it was to send.
    """
    if isinstance(error, pickle.PicklingError | AttributeError | TypeError):
        _check(job, error)


def _check(job, error):
    if _why_not(job) is None:
        return
    part = _culprit(job, _DEPTH)
    raise DomainError(f"executor: {_said(part)} cannot be sent to other processes ({_why_not(part)}): define functions "
                      "with def at the top level of a module that can be imported, or give a "
                      "concurrent.futures.ThreadPoolExecutor") from error


def _why_not(thing):
    """Return the reason why something cannot be pickled, or None."""
    try:
        pickle.dumps(thing)
    except Exception as error:          # whatever a __reduce__ raises
        return " ".join(f"{type(error).__name__}: {error}".split())
    return None


def _culprit(thing, depth):
    """Find the innermost part that cannot be pickled."""
    for part in _parts(thing) if depth else ():
        if _why_not(part) is not None:
            return _culprit(part, depth - 1)
    return thing


def _parts(thing):
    if isinstance(thing, dict):
        return [*thing.keys(), *thing.values()]
    if isinstance(thing, list | tuple | set | frozenset):
        return list(thing)
    if callable(thing) and hasattr(thing, "__code__"):
        return []
    state = getattr(thing, "__getstate__", dict)()
    return _parts(state) if isinstance(state, dict | tuple) else []


def _said(part):
    code = getattr(part, "__code__", None)
    if code is None:
        return f"an object of the type {type(part).__name__}"
    return f"the function {code.co_name} ({code.co_filename}, line {code.co_firstlineno})"
