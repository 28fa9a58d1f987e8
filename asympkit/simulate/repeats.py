"""Independent repeats of one experiment, in order or through an executor."""

import sys
import time
import warnings
from concurrent.futures import as_completed

import numpy as np

from ..errors import DomainError
from .estimate import Estimate


def run_repeats(worker, settings, *, repeats, seed, executor=None, progress=False):
    """Run ``worker(seed_sequence, **settings)`` once for each repeat and average the results.

    Parameters
    ----------
    worker : callable
        A module-level function returning a dict of name to number or array.
    settings : dict
        Its keyword arguments; for other processes they must be picklable.
    repeats, seed : int
        Repeat k always gets the k-th child of ``SeedSequence(seed)``: neither the executor, nor
        the order in which it finishes, nor the number of repeats changes what it draws.
    executor : concurrent.futures.Executor, optional
    progress : bool
        Write one updating line to stderr.

    Returns
    -------
    estimates : dict of str to Estimate
    finished : int
        Smaller than `repeats` only after a KeyboardInterrupt, which is raised again if fewer
        than two repeats were finished.
    """
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise DomainError(f"executor={executor!r}: expected a concurrent.futures executor or None")
    children = np.random.SeedSequence(seed).spawn(repeats)
    results = {}
    line = _Line(repeats) if progress else None
    run = _in_order(worker, settings, children) if executor is None \
        else _submitted(worker, settings, children, executor)
    try:
        for index, result in run:
            results[index] = result
            if line:
                line.write(len(results))
    except KeyboardInterrupt:
        if len(results) < 2:
            raise
        warnings.warn(f"interrupted: the estimates use the {len(results)} finished of {repeats} repeats",
                      stacklevel=3)
    finally:
        run.close()
        if line:
            line.close()
    ordered = [results[index] for index in sorted(results)]
    return {name: Estimate.from_values([r[name] for r in ordered]) for name in ordered[0]}, len(ordered)


def _in_order(worker, settings, children):
    for index, child in enumerate(children):
        yield index, worker(child, **settings)


def _submitted(worker, settings, children, executor):
    futures = {}
    try:
        for index, child in enumerate(children):
            futures[executor.submit(worker, child, **settings)] = index
        for future in as_completed(futures):
            yield futures[future], future.result()
    except KeyboardInterrupt:
        for future, index in futures.items():
            if not future.cancel() and future.done() and future.exception() is None:
                yield index, future.result()
        raise
    finally:
        for future in futures:
            future.cancel()


class _Line:
    """One line on stderr that is rewritten after each repeat."""

    def __init__(self, total):
        self.total, self.start = total, time.monotonic()

    def write(self, done):
        left = (time.monotonic() - self.start) / done * (self.total - done)
        text = f"{done}/{self.total} repeats" + (f", about {left:.0f} s left" if done < self.total else "")
        sys.stderr.write(f"\r{text:<50}")
        sys.stderr.flush()

    def close(self):
        sys.stderr.write("\n")
        sys.stderr.flush()
