"""Run independent repeats of one experiment, in order or through an executor."""

import warnings
from contextlib import suppress

import numpy as np

from ...errors import DomainError, SimulationFileError, WorkerLostError
from ...jobs import check_executor, held, interruption, lost_worker, progress_bar, run_jobs
from ...jobs.file import failed_write
from .estimate import Estimate
from .file import SimulationFile, about
from .threads import one_thread


def run_repeats(worker, settings, *, repeats, seed, executor=None, progress=None, file=None, build=None):
    """Run ``worker(seed_sequence, **settings)`` once for each repeat and average the results.

    Parameters
    ----------
    worker : callable
        A module-level function returning a dict of name to number or array.
    settings : dict
        Its keyword arguments; for other processes they must be picklable.
    repeats : int
        Independent repeats, at least 2.
    seed : int
        Repeat k always gets the k-th child of ``SeedSequence(seed)``: neither the executor, nor
        the order in which it finishes, nor the number of repeats changes what it draws.
    executor : concurrent.futures.Executor, optional
        Runs the repeats.  Each uses a single thread, so that on machines of one kind the results do not depend on the
        executor; without one, one core works.
    progress : bool, optional
        Show a bar with the remaining time on stderr; by default in a terminal.
    file : str or Path, optional
        A ``.npz`` file that receives the finished repeats while the others run.  If it exists, only missing repeats
        are computed, also more than before.
    build : callable, optional
        Makes the result from estimates (dict of str to Estimate) and the number of finished repeats; by default
        their pair.

    Returns
    -------
    object
        Result of `build`.  After a KeyboardInterrupt there are fewer repeats than requested; it is raised again if
        fewer than two were finished.

    Raises
    ------
    SimulationFileError
        If the file cannot be written.
    WorkerLostError
        If the executor loses a worker.  Both errors hold the result over the finished repeats, if there are two.
    DomainError
        For a file that holds another simulation.
    """
    check_executor(executor)
    kept = None if file is None else SimulationFile(file, about(worker, settings, seed))
    record = _Record(repeats, build or _pair, kept)
    children = np.random.SeedSequence(seed).spawn(repeats)
    missing = [k for k in range(repeats) if k not in record.results]
    stopped = False
    bar = progress_bar(repeats, "repeats", repeats - len(missing), progress)

    def take(index, result):
        record.take(index, result)
        bar.update()

    try:
        run_jobs(_single_threaded, [(k, (worker, children[k], settings)) for k in missing], take, executor)
    except WorkerLostError as error:
        raise lost_worker(error, record.finished, repeats, "repeats", file, record.result()) from error.__cause__
    except KeyboardInterrupt as error:
        stopped = True
        if record.finished < 2:
            raise interruption(record.finished, repeats, "repeats", file, None) from error
        how = "with file= they would be kept" if file is None else f"{str(file)!r} keeps them"
        warnings.warn(f"interrupted: the estimates use the {record.finished} finished of {repeats} repeats; {how}, and "
                      "the same call goes on", stacklevel=3)
    finally:
        with held(deliver=not stopped):
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
            text = failed_write(self.file.path, error, self.finished, self.repeats, "repeats",
                                "in the attribute simulation of this error")
            raise SimulationFileError(text, self.result()) from error

    def result(self):
        """Return the result of `build` for the finished repeats; None with fewer than two."""
        ordered = [self.results[k] for k in sorted(self.results) if k < self.repeats]
        if len(ordered) < 2:
            return None
        return self.build({name: Estimate.from_values([r[name] for r in ordered]) for name in ordered[0]}, len(ordered))
