"""Conditional means by compiled loops over samples of a function (copied into generated modules)."""

import math

import numpy as np

from .loops import normal_weights
from .nodes import _CUTS, _END, _RATIO

#: largest step of the finer lattice, in the argument: nothing as wide as 1/50 is invisible
_SAMPLE_STEP = 0.02
#: where samples end at least, and a largest number of them
_SAMPLE_REACH, _MOST_SAMPLES = 20.0, 20_000
_LATTICES_OF_SAMPLES, _WEIGHTS = {}, {}
#: one row is its own opposite
_ALONE = np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros(1, dtype=bool)


class Samples:
    """Values of one function, kept for every conditional mean that needs them.

    Parameters
    ----------
    function : callable
        Smooth, on arrays; it silences its floating-point warnings itself.
    least : float
        How far to go at least, so that most later calls need no more.
    """

    def __init__(self, function, least=_SAMPLE_REACH):
        self.function, self.least, self._known = function, least, {}

    def on(self, fine, step, reach, wide, end):
        """Values at all multiples of two steps as far as ``reach`` on both sides, of a wide one as far as ``end``."""
        known = self._known.get((fine, wide))
        if known is None or known[0].size // 2 * fine < reach or known[2].size // 2 * wide < end:
            reach = max(reach, min(self.least, _MOST_SAMPLES * fine))
            counts = (math.ceil(reach / fine) + 1, math.ceil(reach / step) + 1,
                      math.ceil(max(end, 2.5 * self.least * wide) / wide) + 1)
            values = np.asarray(self.function(_lattices((fine, step, wide), counts)), dtype=float)
            first, second = 2 * counts[0] + 1, 2 * (counts[0] + counts[1]) + 2
            if len(self._known) > 8:           # widths that differ need steps of their own
                self._known.clear()
            self._known[fine, wide] = known = values[:first], values[first:second], values[second:]
        return known


def _lattices(steps, counts):
    """All multiples of some steps, so many on both sides, kept for the next function."""
    known = _LATTICES_OF_SAMPLES.get((steps, counts))
    if known is None:
        known = np.concatenate([h * np.arange(-n, n + 1.0) for h, n in zip(steps, counts)])
        _keep(_LATTICES_OF_SAMPLES, (steps, counts), known, 8)
    return known


def _keep(memory, key, value, most):
    """Remember a value among so many; other threads may do the same."""
    while len(memory) >= most:
        memory.pop(next(iter(memory), None), None)
    memory[key] = value


def sampled_means(function, offset, slope, loop, signs=None, pairs=None):
    """Means of :func:`normal_means` by a compiled loop over samples of a smooth function.

    Parameters
    ----------
    function : callable
        With an attribute ``samples`` if its samples are to be kept.
    offset : ndarray, shape (K,)
    slope : float
    loop : tuple
        The compiled function, the number of means, and its arguments besides.
    signs : tuple of int, optional
        Of the means under a change of the sign of the offset.
    pairs : tuple of ndarray, optional
        Of :func:`opposite_pairs`; used with ``signs``.

    Returns
    -------
    (list of ndarray, float), or None
        None where the samples do not settle the means: with kinks, narrow features, too fast a growth.

    Notes
    -----
    All rows share the samples.  The mean of a row is a trapezoidal rule on every m-th sample of one lattice, centred
    at the sample nearest to its offset; m is chosen like the lattices of :func:`normal_means`, on rows at most two
    widths apart, against the rule on all samples of a finer lattice, whose step is at most 1/50 and has no simple
    ratio to the other: no frequency is invisible on both.
    """
    if function.kinks_float or not 1e-6 < slope < 1e6:
        return None
    known = getattr(function, "samples", None) or Samples(function)
    run, items, arguments = loop
    if signs and pairs:                    # the offsets are proportional to the nodes, and those ascend
        signs, edge = np.array(signs, dtype=float), abs(offset[pairs[0][-1]])
    elif offset.size == 1:
        signs, pairs, edge = np.ones(items), _ALONE, abs(offset[0])
    else:
        every = np.arange(offset.size)
        signs, pairs, edge = np.ones(items), (every, every, np.zeros(offset.size, dtype=bool)), np.abs(offset).max()
    means = np.empty((items, offset.size))
    wide = math.ldexp(0.5, math.frexp(slope)[1])           # the power of two at or below the slope
    fine = min(_SAMPLE_STEP, wide / 32.0)
    reach, end = edge + (_CUTS[0] + 0.5) * slope, edge + (_END + 1.0) * slope
    while reach <= _MOST_SAMPLES * fine:
        step = fine * _RATIO
        close, samples, far = known.on(fine, step, reach, wide, end)
        error = run(close, fine, _weights(fine, slope), samples, step, _weights(step, slope), far, wide, offset, slope,
                    *arguments, *pairs, signs, means)
        if error < np.inf:
            return (list(means), error) if error >= 0.0 else None
        fine *= 0.5
    return None


def _weights(step, slope):
    weights = _WEIGHTS.get((step, slope))
    if weights is None:                        # each slope has weights of its own
        weights = normal_weights(step, slope)
        _keep(_WEIGHTS, (step, slope), weights, 64)
    return weights
