"""Run the pieces of a long job, in order or through an executor, and keep finished results.

Ctrl-C is answered between pieces: not inside compiled code, not while a file is written.  Progress is a bar of tqdm on
stderr.  Parts of a job that cannot be sent to other processes are named, before these start or after a failure.
"""

import pickle
import sys
from _signal import SIGINT, getsignal
from _signal import signal as set_handler
from concurrent.futures import BrokenExecutor, CancelledError, as_completed
from types import SimpleNamespace

from tqdm import tqdm

from ..errors import DomainError, WorkerLostError

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
    if _explain_pickling(job) is None:
        return
    part = _culprit(job, _DEPTH)
    raise DomainError(f"executor: {_describe_part(part)} cannot be sent to other processes "
                      f"({_explain_pickling(part)}): define functions with def at the top level of a module that can "
                      "be imported, or give a "
                      "concurrent.futures.ThreadPoolExecutor") from error


def _explain_pickling(thing):
    """Return the reason why something cannot be pickled, or None."""
    try:
        pickle.dumps(thing)
    except Exception as error:          # whatever a __reduce__ raises
        return " ".join(f"{type(error).__name__}: {error}".split())
    return None


def _culprit(thing, depth):
    """Find the innermost part that cannot be pickled."""
    for part in _parts(thing) if depth else ():
        if _explain_pickling(part) is not None:
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


def _describe_part(part):
    code = getattr(part, "__code__", None)
    if code is None:
        return f"an object of the type {type(part).__name__}"
    return f"the function {code.co_name} ({code.co_filename}, line {code.co_firstlineno})"


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


# the module beneath signal, without its conversions to enumerations: a short sweep enters half a dozen blocks


def interruption(finished, total, what, path, result):
    """Return a KeyboardInterrupt whose message says where finished work is and how to continue.

    Parameters
    ----------
    finished, total : int
    what : str
        Their name, in the plural.
    path : path or None
        The file that holds them.
    result : object or None
        Everything that was finished: the attribute ``result``.

    Notes
    -----
    It is no subclass: a process that ends with one would not end as one that was interrupted does.
    """
    count = f"{finished} of {total} {what}"
    if path is not None:
        kept = f"are finished and in {str(path)!r}; call again with the same file to go on"
    elif result is not None:
        kept = ("are finished and kept in the attribute result of this exception; with file= they are kept on disk, "
                "and the same call goes on")
    else:
        kept = "were finished and are lost; with file= they are kept, and the same call goes on"
    error = KeyboardInterrupt(f"interrupted: {count} {kept}")
    error.count, error.path, error.result = count, path, result
    return error


class held:
    """Let Ctrl-C wait until the block ends; then the previous handler is called.

    A Python handler that runs when compiled code returns raises its exception where none is expected, and the
    interpreter makes a SystemError of it.  A compiler that is interrupted is worse: numba's own
    tables, or a module, stay half loaded, and every later call of the process fails with another error.

    Parameters
    ----------
    deliver : bool
        False drops it: for the end of a job that is being interrupted already.

    Notes
    -----
    Other threads than the main one never see a signal: there the block runs as it is, and so it does where Ctrl-C is
    ignored, or ends the process without Python.
    """

    _pressed, _before = False, None

    def __init__(self, deliver=True):
        self._deliver = deliver

    def __enter__(self):
        before = getsignal(SIGINT)
        if callable(before):
            try:
                set_handler(SIGINT, self._take)
            except ValueError:          # not the main thread
                return self
            self._before = before
        return self

    def _take(self, number, frame):
        self._pressed = True

    def __exit__(self, *_):
        if self._before is not None:
            set_handler(SIGINT, self._before)
            if self._pressed and self._deliver:
                self._before(SIGINT, sys._getframe())


#: a bar that shows nothing
HIDDEN = SimpleNamespace(update=lambda: None, close=lambda: None)
#: seconds after which a bar that nobody asked for appears
_DELAY = 1.0


def progress_bar(total, what, done, shown):
    """Start a bar with an estimate of the remaining time.

    Parameters
    ----------
    total : int
        Pieces of the whole job.
    what : str
        The name of the pieces, in the plural.
    done : int
        Pieces that an earlier run has finished; they do not count in the estimate.
    shown : bool or None
        None shows it in a terminal, once the job has taken a second.
    """
    if not (shown or shown is None and sys.stderr is not None and sys.stderr.isatty()):
        return HIDDEN
    class Bar(tqdm):
        monitor_interval = 0        # no thread: executors may fork

    return Bar(total=total, initial=done, unit=f" {what}", miniters=1, dynamic_ncols=True,
               delay=0.0 if shown else _DELAY)
