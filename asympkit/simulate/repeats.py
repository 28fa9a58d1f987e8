"""Run independent repeats of one experiment, in order or through an executor.

Finished repeats are kept in a file, if one is given.  Linear algebra runs on a single thread, so that results have the
same bits in every process.
"""

import json
import threading
import warnings
from contextlib import contextmanager, suppress
from functools import cache

import numpy as np
import scipy.linalg  # noqa: F401  (loads its own BLAS, which the thread controller must find)
from threadpoolctl import ThreadpoolController

from .. import jobs
from .._version import __version__
from ..arguments import check_count
from ..errors import DomainError, SimulationFileError, WorkerLostError
from .simulation import Estimate


class SimulationFile(jobs.ResultFile):
    """Keep the indices of the finished repeats (``repeat``) and their observables by name in a ``.npz`` file.

    The number of repeats does not identify a file: repeat k draws the same for any number, so that more repeats can
    be added.
    """

    kind = "simulation"

    def read_from(self, path):
        found, data = jobs.read_npz(path)
        if found != self.about:
            return found, None
        names = json.loads(str(data["names"]))
        return found, {int(k): {name: data[name][i] for name in names} for i, k in enumerate(data["repeat"])}

    def write_to(self, path, results):
        order = sorted(results)
        names = list(results[order[0]]) if order else []
        arrays = {name: np.array([results[k][name] for k in order]) for name in names}
        arrays |= {"repeat": np.array(order, dtype=int), "names": np.array(json.dumps(names))}
        jobs.write_npz(path, self.about, arrays)


def describe_settings(worker, settings, seed):
    """Return the settings that determine the numbers of a repeat, as texts."""
    known = {"version": __version__, "simulation": worker.__name__, "seed": repr(seed)}
    for name, value in settings.items():
        if callable(value):
            known[name] = _name(name, value)
        else:
            known[name] = jobs.several(value) if isinstance(value, np.ndarray) else repr(value)
    return known


def _name(label, function):
    """Return a text that identifies a function in later runs."""
    name = getattr(function, "name", None)
    if isinstance(name, str):
        return name
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", "")
    if not name or "<" in name:
        raise DomainError(f"file: {label}={function!r} has no name by which a later run could know it; expected an "
                          "Activation or a function of module level")
    return f"{getattr(function, '__module__', None) or type(function).__name__}.{name}"


@contextmanager
def one_thread():
    """Let the BLAS libraries of this process use one thread each.

    The last bits of a product depend on the number of threads, which differs between processes: dask's workers have
    one, others as many as there are cores.  The number belongs to the whole process; of several Python threads the
    first to enter sets it and the last to leave restores it.
    """
    _limit.enter()
    try:
        yield
    finally:
        _limit.leave()


class _Limit:
    """Limit BLAS to one thread while any Python thread is inside."""

    def __init__(self):
        self.lock, self.inside, self.before = threading.Lock(), 0, None

    def enter(self):
        with self.lock:
            _free()
            # for a BLAS built on OpenMP the limit applies to the calling thread
            limits = _libraries().limit(limits=1, user_api="blas")
            _free()
            if self.inside == 0:
                self.before = limits
            self.inside += 1

    def leave(self):
        with self.lock:
            self.inside -= 1
            if self.inside == 0:
                _free()
                self.before.restore_original_limits()
                _free()


_limit = _Limit()


def _free():
    """Let any thread set the number next: some versions of threadpoolctl let only the first one."""
    for library in _libraries().lib_controllers:
        if hasattr(library, "clear_controlling_thread"):
            library.clear_controlling_thread(force=True)


@cache
def _libraries():
    return ThreadpoolController()


def run_repeats(worker, settings, *, repeats, seed, executor=None, progress=None, file=None, build=None):
    """Run ``worker(seed_sequence, **settings)`` once for each repeat and average the results.

    The worker is a module-level function that returns a dict of name to number or array; for other processes its
    settings must be picklable.  Repeat k always gets the k-th child of ``SeedSequence(seed)``: neither the executor,
    nor the order in which it finishes, nor the number of repeats (at least 2) changes what it draws.  In an executor
    each repeat uses a single thread, so that on machines of one kind the results do not depend on it; without one, one
    core works.

    ``progress`` shows a bar with the remaining time on stderr, by default in a terminal.  The ``.npz`` ``file``
    receives the finished repeats while the others run; if it exists, only missing repeats are computed, also more than
    before (DomainError if it holds another simulation, SimulationFileError if it cannot be written).  Return the result
    of ``build`` from estimates (dict of str to Estimate) and the number of finished repeats, by default their pair.
    After a KeyboardInterrupt there are fewer repeats than requested; it is raised again if fewer than two were
    finished.  WorkerLostError, if the executor loses a worker, and SimulationFileError hold the result over finished
    repeats, if there are two.
    """
    repeats, seed = check_count("repeats", repeats, 2), check_count("seed", seed, 0)
    jobs.check_executor(executor)
    kept = None if file is None else SimulationFile(file, describe_settings(worker, settings, seed))
    record = _Record(repeats, build or _pair, kept)
    children = np.random.SeedSequence(seed).spawn(repeats)
    missing = [k for k in range(repeats) if k not in record.results]
    stopped = False
    bar = jobs.progress_bar(repeats, "repeats", repeats - len(missing), progress)

    def take(index, result):
        record.take(index, result)
        bar.update()

    try:
        jobs.run_jobs(_single_threaded, [(k, (worker, children[k], settings)) for k in missing], take, executor)
    except WorkerLostError as error:
        raise jobs.lost_worker(error, record.finished, repeats, "repeats", file, record.result()) from error.__cause__
    except KeyboardInterrupt as error:
        stopped = True
        if record.finished < 2:
            raise jobs.interruption(record.finished, repeats, "repeats", file, None) from error
        how = "with file= they would be kept" if file is None else f"{str(file)!r} keeps them"
        warnings.warn(f"interrupted: the estimates use the {record.finished} finished of {repeats} repeats; {how}, and "
                      "the same call goes on", stacklevel=3)
    finally:
        with jobs.held(deliver=not stopped):
            bar.close()
            record.close()
    return record.result()


def _pair(estimates, finished):
    return estimates, finished


def _single_threaded(worker, child, settings):
    with one_thread():
        return worker(child, **settings)


class _Record:
    """Collect the finished repeats, and write their file."""

    def __init__(self, repeats, build, file):
        self.repeats, self.build, self.file = repeats, build, file
        self.results = (file.read() if file else None) or {}
        self.saved = True

    @property
    def finished(self):
        """Return how many of the requested repeats are finished; the file may hold later ones."""
        return sum(k < self.repeats for k in self.results)

    def take(self, index, result):
        first = next(iter(self.results.values()), result)
        if result.keys() != first.keys():
            raise DomainError(f"simulate: one draw returned {', '.join(first)} and another {', '.join(result)}; "
                              "expected the same quantities of every draw")
        self.results[index] = result
        if self.file is not None:
            self.saved = False
            with suppress(OSError):            # the previous file is intact; the last attempt raises
                self.saved = self.file.write(self.results)

    def close(self):
        """Write the remaining repeats to the file; if that fails, raise an error that holds all finished ones."""
        if self.saved:
            return
        try:
            self.file.write(self.results, at_last=True)
        except OSError as error:
            text = jobs.describe_failed_write(self.file.path, error, self.finished, self.repeats, "repeats",
                                "in the attribute simulation of this error")
            raise SimulationFileError(text, self.result()) from error

    def result(self):
        """Return the result of `build` for the finished repeats; None with fewer than two."""
        ordered = [self.results[k] for k in sorted(self.results) if k < self.repeats]
        if len(ordered) < 2:
            return None
        return self.build({name: Estimate.from_values([r[name] for r in ordered]) for name in ordered[0]}, len(ordered))
