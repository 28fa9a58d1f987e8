"""Run the pieces of a long job, in order or through an executor, and keep finished results."""

from concurrent.futures import BrokenExecutor, CancelledError, as_completed

from ..errors import DomainError, WorkerLostError
from .sendable import check_sendable, refuse_unsendable


def check_executor(executor):
    """Raise unless it is None or has the ``submit`` of ``concurrent.futures``."""
    if executor is not None and (isinstance(executor, type) or not callable(getattr(executor, "submit", None))):
        raise DomainError(f"executor: got {executor!r}; expected a concurrent.futures executor or None")


def run_jobs(function, jobs, take, executor=None):
    """Call ``take(key, function(*arguments))`` for each job as it finishes.

    Parameters
    ----------
    function : callable
        For other processes it must be of module level.
    jobs : sequence of (key, tuple)
        Keys and positional arguments (executors such as dask's keep some keywords for themselves).
    take : callable
        Called in this thread.
    executor : concurrent.futures.Executor, optional

    Raises
    ------
    DomainError
        If the executor cannot send the function or its arguments to other processes.
    WorkerLostError
        If the executor lost a worker or was shut down. In any early end, results that had arrived are taken
        first and the waiting jobs are cancelled.
    """
    if executor is None:
        for key, arguments in jobs:
            take(key, function(*arguments))
        return
    if jobs:
        check_sendable(executor, (function, *jobs[0][1]))
    waiting = {}
    try:
        for key, arguments in jobs:
            waiting[_submitted(executor, function, arguments)] = key
        for future in as_completed(list(waiting)):
            result = future.result()
            take(waiting.pop(future), result)
    except BaseException as error:
        for future, key in waiting.items():
            if not future.cancel() and future.done() and future.exception() is None:
                take(key, future.result())
        if jobs:
            refuse_unsendable(error, (function, *jobs[0][1]))
        if _is_lost(error):
            reason = " ".join(f"{type(error).__name__}: {error}".split()).removesuffix(":")
            raise WorkerLostError(f"executor: a worker was lost ({reason})") from error
        raise
    finally:
        for future in waiting:
            future.cancel()


def _submitted(executor, function, arguments):
    try:
        return executor.submit(function, *arguments)
    except RuntimeError as error:
        if "shutdown" not in str(error):
            raise
        raise DomainError(f"executor: got one that was shut down ({error}); give it while it is open, for "
                          "example inside its with block") from error


def lost_worker(error, finished, total, what, path, result):
    """Return the error of a lost worker, which holds finished results and says how to continue."""
    if path is None:
        kept = ("are finished and kept in the attribute result of this error; call again with file= and a new "
                "executor, then nothing that is finished is lost again")
    else:
        kept = f"are finished and in {str(path)!r}; call again with the same file and a new executor to go on"
    return WorkerLostError(f"{error}; {finished} of {total} {what} {kept} (a worker that needs too much memory "
                           "dies like this: take fewer workers)", result)


def _is_lost(error):
    """Return whether the executor failed and not the job; dask has errors of its own for that."""
    return isinstance(error, BrokenExecutor | CancelledError) or type(error).__module__.startswith("distributed.")
