"""The door of the room: means as numpy makes them, by compiled loops wherever samples of the activation settle them."""

import numpy as np

from ..jobs.interrupts import held
from ..runtime.means import normal_means
from ..runtime.rows import FLOOR, SMALL
from ..runtime.rules import opposite_pairs
from . import loops
from .polynomials import items_of
from .samples import MOST_SAMPLES, Samples

__all__ = ["means_by_loops", "settled_means"]


def means_by_loops(function, offset, slope, functional, signs=None, pairs=None, floors=None):
    """What :func:`~asympkit.runtime.means.normal_means` returns, by compiled loops.

    Numpy serves where they do not settle it: for an activation with kinks or narrow features, or that grows too fast,
    for functionals that are no powers of polynomials, and for means that may be rounding alone.
    """
    found = settled_means(function, offset, slope, functional, signs, pairs, floors)
    if found and not _is_doubtful(found[0], function, np.asarray(offset, dtype=float), slope):
        return found
    return normal_means(function, offset, slope, functional, signs, pairs, floors)


def settled_means(function, offset, slope, functional, signs=None, pairs=None, floors=None):
    """The same, or None where samples do not settle it."""
    items = None if function.kinks_float else items_of(functional)
    if items is None:
        return None
    offset, slope = np.asarray(offset, dtype=float), float(slope)
    mirror = getattr(function, "mirror", 0)
    rows, own = _rows(offset, items.squares.size, (signs or {}).get(mirror), pairs)
    kept, wanted = _samples(function), np.empty(3)
    zeros = np.array((floors or {}).get(mirror) or [FLOOR] * items.squares.size)
    means = np.empty((items.squares.size, offset.size))
    samples = kept.on(loops.SAMPLE_STEP, 0.0, 0.0, function)
    while True:
        with held():                # Ctrl-C waits for the end of the loops
            state, error = loops.means_of_samples(*samples, offset, slope, *items.arrays, *rows, own, zeros, wanted,
                                                  means)
        if state == loops.SETTLED:
            return list(means), error
        fine, reach, end = wanted.tolist()
        if state != loops.AGAIN or not 0.0 < reach <= MOST_SAMPLES * fine:
            return None
        samples = kept.on(fine, reach, end, function)


def _is_doubtful(means, function, offset, slope):
    """Whether all rows of a mean may be rounding: numpy looks more closely."""
    largest = [max(abs(row.max()), abs(row.min())) for row in means]
    if all(mean == 0.0 or mean > SMALL * _samples(function).largest for mean in largest):   # what is kept is cheap
        return False
    around = np.max(np.abs(function(np.concatenate([offset + slope, offset - slope]))))
    return any(0.0 < mean <= SMALL * around for mean in largest)


def _rows(offset, count, signs, pairs):
    """One row of each pair of opposite offsets where the signs of the means are known, where each row is found among
    them, and whether opposite; and the signs."""
    if signs is None or offset.size < 2:
        every = np.arange(offset.size)
        return (every, every, np.zeros(offset.size, dtype=bool)), np.ones(count)
    return pairs or opposite_pairs(offset), np.array(signs, dtype=float)


def _samples(function):
    """Those that an activation keeps; what has no place for them has them for this call alone."""
    if not hasattr(function, "samples"):
        return Samples()
    if function.samples is None:
        function.samples = Samples()
    return function.samples
