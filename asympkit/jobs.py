"""Run the pieces of a long job, in order or through an executor, and keep finished results in a file to go on from.

Ctrl-C is answered between pieces: not inside compiled code, not while a file is written.  Progress is a bar of tqdm on
stderr.  Parts of a job that cannot be sent to other processes are named, before these start or after a failure.

The finished part is written completely at once, and read again to continue.  Checksums of the contents detect damage
before a number is used.
"""

import hashlib
import json
import os
import pickle
import sys
import time
from _signal import SIGINT, getsignal
from _signal import signal as set_handler
from abc import ABC, abstractmethod
from concurrent.futures import BrokenExecutor, CancelledError, as_completed
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from zlib import crc32

import numpy as np
from tqdm import tqdm

from .errors import DomainError, WorkerLostError


class DamageError(ValueError):
    """The contents of a file do not fit their checksum."""

    def __init__(self):
        super().__init__("its checksum does not fit its contents: it was damaged or edited")


def checksum_arrays(about, arrays):
    """Compute a checksum of arrays, by name, and of the data that describe them."""
    whole = hashlib.sha256(json.dumps(about, sort_keys=True).encode())
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        whole.update(f"\n{name} {array.dtype.str} {array.shape}\n".encode())
        whole.update(array.tobytes() if array.dtype.kind == "U" else array.data)
    return whole.hexdigest()


def checksum_rows(rows, places, own):
    """Return zlib.crc32 of each row of an array of floats, with its place in the whole, as floats.

    A row at another place is thus detected.  ``own`` is the column that holds the checksums themselves.
    """
    keyed = np.array(rows, order="C")
    keyed[..., own] = np.asarray(places) + 1.0
    found = [crc32(row) for row in keyed.reshape(-1, rows.shape[-1])]
    return np.array(found, dtype=float).reshape(rows.shape[:-1])


def add_checksum(data):
    """Add a checksum of all other entries to a dict for JSON."""
    return {**data, "checksum": checksum_arrays(data, {})}


def verify_checksum(data):
    """Raise unless a dict fits its checksum."""
    if data.get("checksum") != checksum_arrays({k: v for k, v in data.items() if k != "checksum"}, {}):
        raise DamageError


@contextmanager
def write_marked_text(path, mark, about):
    """Write a new text file; its first line is a mark, a checksum of all that follows, and a description, as JSON."""
    with open(path, "wb") as stream:
        stream.write(mark.encode() + bytes(64))
        text = _Hashed(stream)
        text.write(f" {json.dumps(about)}\n")
        yield text
        stream.seek(len(mark.encode()))
        stream.write(text.hash.hexdigest().encode())


class _Hashed:
    """A stream that hashes the text written to it."""

    def __init__(self, stream):
        self.stream, self.hash = stream, hashlib.sha256()

    def write(self, text):
        data = text.encode()
        self.hash.update(data)
        self.stream.write(data)


def read_mark(path, mark):
    """Return the description in a file of :func:`write_marked_text`; raise unless all of it fits its checksum."""
    with open(path, "rb") as stream:
        if stream.read(len(mark.encode())) != mark.encode():
            raise ValueError("its first line is not the mark of its kind")
        known, whole = stream.read(64), hashlib.sha256()
        begin = stream.tell()
        while block := stream.read(1 << 20):
            whole.update(block)
        if known != whole.hexdigest().encode():
            raise DamageError
        stream.seek(begin)
        return json.loads(stream.readline())


#: longest time between two writes, in seconds, which a crash may lose
PAUSE = 2.0
#: or this many times the duration of the last write, if that is less: quick writes cost a twentieth of the time
_SHARE = 20


class JobFile(ABC):
    """A file that holds the finished part of one job and identifies the job by ``about``, texts by name.

    A file of another request is not changed.  DomainError if the name has another ending, its folder does not exist,
    the file is none of this kind, or it is one of another job.
    """

    #: kind of contents, in a word
    kind = "result"
    endings = (".npz",)

    def __init__(self, path, about):
        if not isinstance(path, str | os.PathLike):
            raise DomainError(f"file: got {path!r:.60}; expected the name of a file, a text or a pathlib.Path")
        self.path, self.about = Path(os.fspath(path)), about
        if self.path.suffix not in self.endings:
            raise DomainError(f"file: got {str(path)!r}; expected a name that ends in {' or '.join(self.endings)}")
        if not self.path.parent.is_dir():
            raise DomainError(f"file: got {str(path)!r}; the folder {str(self.path.parent)!r} does not exist")

    @abstractmethod
    def read_from(self, path):
        """Return the description in the file, and its data if that is of this job."""

    def read(self):
        """Return the data, or None where there is no file."""
        if not self.path.exists():
            return None
        try:
            found, data = self.read_from(self.path)
        except Exception as error:       # a damaged file may raise anything in its reader
            raise DomainError(f"file: {str(self.path)!r} is no file of a {self.kind} "
                              f"({str(error) or 'it ends too early'}); give another name") from error
        for key in dict.fromkeys((*self.about, *found)):
            if self.about.get(key) != found.get(key):
                raise DomainError(f"file: {str(self.path)!r} holds another {self.kind}: there {key} is "
                                  f"{str(found.get(key))[:60]}, here {str(self.about.get(key))[:60]}; "
                                  "give another name, or remove the file")
        return data


class ResultFile(JobFile):
    """A file that is rewritten completely each time; arguments as for :class:`JobFile`."""

    def __init__(self, path, about):
        super().__init__(path, about)
        self._written, self._cost = -float("inf"), 0.0

    @abstractmethod
    def write_to(self, path, *content):
        """Write everything to a new file."""

    def write(self, *content, at_last=False):
        """Write everything, unless the last time was a moment ago; whether it was written."""
        start = time.monotonic()
        if not at_last and start - self._written < min(PAUSE, _SHARE * self._cost):
            return False
        name = self.path.with_name(f".{self.path.stem}.{os.getpid()}{self.path.suffix}")
        try:
            self.write_to(name, *content)
            flush(name)
            os.replace(name, self.path)     # a reader sees the old file or the new one, never half of one
        finally:
            name.unlink(missing_ok=True)
            self._written = time.monotonic()
            self._cost = self._written - start
        return True


def flush(path):
    """Write a file's buffers to the disk."""
    with open(path, "rb+") as stream:
        os.fsync(stream.fileno())


def write_npz(path, about, arrays):
    """Write arrays, their description, and a checksum of both."""
    with open(path, "wb") as stream:
        np.savez_compressed(stream, **arrays, about=np.array(json.dumps(about)),
                            checksum=np.array(checksum_arrays(about, arrays)))


def read_npz(path):
    """Return the description and the arrays by name; raise unless they fit their checksum."""
    with open(path, "rb") as stream, np.load(stream, allow_pickle=False) as data:
        arrays = {name: data[name] for name in data}
    if "checksum" not in arrays:
        raise ValueError("it has no checksum: an earlier version or another program wrote it")
    about, checksum = json.loads(str(arrays.pop("about"))), str(arrays.pop("checksum"))
    if checksum != checksum_arrays(about, arrays):
        raise DamageError
    return about, arrays


def digest(array):
    """Return a short text that distinguishes arrays of floats."""
    return hashlib.sha256(np.ascontiguousarray(array, dtype=float).tobytes()).hexdigest()[:16]


def several(array):
    """Name an array by its size and digest."""
    return f"{np.size(array)} values {digest(array)}"


def describe_failed_write(path, error, finished, total, what, where):
    """Return the message for a file that could not be written."""
    reason = error.strerror or str(error) or type(error).__name__
    return f"file: could not write {str(path)!r} ({reason}); {finished} of {total} {what} are finished and kept {where}"


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
    """Raise an explanatory error if ``error`` is that a part of a job, (function, arguments), cannot be pickled."""
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
    """Call ``take(key, function(*arguments))`` in this thread for each job ``(key, arguments)`` as it finishes.

    Arguments are positional, as executors such as dask's keep some keywords for themselves; for other processes the
    function must be of module level.  DomainError if the executor cannot send the function or its arguments,
    WorkerLostError if it lost a worker or was shut down.  In any early end, results that had arrived are taken first
    and the waiting jobs are cancelled.
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

    ``what`` names the ``total`` pieces in the plural, ``path`` is the file that holds the finished ones, if any;
    ``result``, all that was finished, becomes an attribute.  It is no subclass: a process that ends with one would not
    end as one that was interrupted does.
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
    """Let Ctrl-C wait until the block ends; then the previous handler is called, unless not to ``deliver``.

    A Python handler that runs when compiled code returns raises its exception where none is expected, and the
    interpreter makes a SystemError of it.  A compiler that is interrupted is worse: numba's own tables, or a module,
    stay half loaded, and every later call of the process fails with another error.  At the end of a job that is being
    interrupted already Ctrl-C is dropped.

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
HIDDEN = SimpleNamespace(update=lambda: None, close=lambda: None, set_postfix_str=lambda text, refresh=True: None)
#: seconds after which a bar that nobody asked for appears
_DELAY = 1.0


def progress_bar(total, what, done, shown):
    """Start a bar with an estimate of the remaining time, for ``total`` pieces; ``what`` names them in the plural.

    The ``done`` ones, which an earlier run has finished, do not count in the estimate.  ``shown=None`` shows the bar in
    a terminal, once the job has taken a second.
    """
    if not (shown or shown is None and sys.stderr is not None and sys.stderr.isatty()):
        return HIDDEN
    class Bar(tqdm):
        monitor_interval = 0        # no thread: executors may fork

    return Bar(total=total, initial=done, unit=f" {what}", miniters=1, dynamic_ncols=True,
               delay=0.0 if shown else _DELAY)
