"""Values of an activation on the lattices that loops read."""

import math

import numpy as np

from .loops import MAIN, WIDE

__all__ = ["MOST_SAMPLES", "Samples"]

#: a largest number of fine samples on a side: 320 kB
MOST_SAMPLES = 20_000
#: where samples end at least, so that most later calls need no more, and how many times as far the wide ones: offsets
#: of ten and a slope of one need 20 and 48
_REACH, _FURTHER = 20.0, 5.0
_LATTICES_OF_SAMPLES = {}


class Samples:
    """Values of one function on lattices, kept for every call that needs them."""

    def __init__(self):
        self._known = {}
        #: size of the largest value ever kept
        self.largest = 0.0

    def on(self, fine, reach, end, function):
        """Values at multiples of a step as far as ``reach`` on both sides, of a wide one as far as ``end``.

        Parameters
        ----------
        fine, reach, end : float
        function : callable
            Always the same; smooth, on arrays; it silences its floating-point warnings itself.  It is not kept: it
            keeps its samples, and what keeps each other is not freed at once.

        Returns
        -------
        values : ndarray
            On the three lattices of :mod:`.loops`, one after the other.
        lattice : ndarray
            The step, and the numbers of samples on each side.
        """
        known = self._known.get(fine)
        if known is None or known[2] < reach or known[3] < end:
            least = min(_REACH, MOST_SAMPLES * fine)
            reach, end = max(reach, least), max(end, _FURTHER * least)
            points, lattice = _lattices(fine, reach, end)
            if len(self._known) > 8:           # slopes that differ need steps of their own
                self._known.clear()
            self._known[fine] = known = np.asarray(function(points), dtype=float), lattice, reach, end
            self.largest = max(self.largest, float(np.max(np.abs(known[0]))))
        return known[:2]


def _lattices(fine, reach, end):
    """Multiples of the three steps, kept for the next function."""
    counts = math.ceil(reach / fine) + 1, math.ceil(reach / (MAIN * fine)) + 1, math.ceil(end / (WIDE * fine)) + 1
    key = fine, *counts
    known = _LATTICES_OF_SAMPLES.get(key)
    if known is None:
        while len(_LATTICES_OF_SAMPLES) >= 8:          # other threads may do the same
            _LATTICES_OF_SAMPLES.pop(next(iter(tuple(_LATTICES_OF_SAMPLES)), None), None)
        steps = zip((fine, MAIN * fine, WIDE * fine), counts)
        known = np.concatenate([h * np.arange(-n, n + 1.0) for h, n in steps]), np.array(key)
        _LATTICES_OF_SAMPLES[key] = known
    return known
