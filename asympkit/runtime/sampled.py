"""Compiled loops over samples of activations, from Python (copied into generated modules)."""

import math

import numpy as np

from .loops import _MAIN, _SAMPLE_STEP, _WIDE
from .rules import outer_rules

#: where samples end at least, how many times as far the wide ones, and a largest number of fine ones on a side
_SAMPLE_REACH, _FURTHER, _MOST_SAMPLES = 20.0, 5.0, 20_000
_LATTICES_OF_SAMPLES = {}


class Samples:
    """Values of one function on lattices, kept for every loop that needs them.

    Parameters
    ----------
    least : float
        How far to go at least, so that most later calls need no more.
    """

    def __init__(self, least=_SAMPLE_REACH):
        self.least, self._known = least, {}

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
            On the three lattices of :mod:`loops`, one after the other.
        lattice : ndarray
            The step, and the numbers of samples on each side.
        """
        known = self._known.get(fine)
        if known is None or known[2] < reach or known[3] < end:
            least = min(self.least, _MOST_SAMPLES * fine)
            reach, end = max(reach, least), max(end, _FURTHER * least)
            points, lattice = _lattices(fine, reach, end)
            if len(self._known) > 8:           # slopes that differ need steps of their own
                self._known.clear()
            self._known[fine] = known = np.asarray(function(points), dtype=float), lattice, reach, end
        return known[:2]


def _lattices(fine, reach, end):
    """Multiples of the three steps, kept for the next function."""
    counts = math.ceil(reach / fine) + 1, math.ceil(reach / (_MAIN * fine)) + 1, math.ceil(end / (_WIDE * fine)) + 1
    key = fine, *counts
    known = _LATTICES_OF_SAMPLES.get(key)
    if known is None:
        while len(_LATTICES_OF_SAMPLES) >= 8:          # other threads may do the same
            _LATTICES_OF_SAMPLES.pop(next(iter(tuple(_LATTICES_OF_SAMPLES)), None), None)
        steps = zip((fine, _MAIN * fine, _WIDE * fine), counts)
        known = np.concatenate([h * np.arange(-n, n + 1.0) for h, n in steps]), np.array(key)
        _LATTICES_OF_SAMPLES[key] = known
    return known


def by_loops(loop, functions, *arguments):
    """Call a compiled loop with samples of functions, as many as it needs.

    Parameters
    ----------
    loop : callable
        ``loop(*arguments, wanted, samples, lattice, mirror, ...)``, the last three for each function.  It returns a
        tuple of an error and results.  The error is -1 where samples do not settle the means, and -2-p where it needs
        others of the p-th function, those that ``wanted`` tells: step, reach, end.
    functions : tuple of callable
        With attributes ``kinks_float``, ``mirror`` (1 or -1 for an even or odd function), and ``samples`` if its
        samples are to be kept.

    Returns
    -------
    tuple, or None
        None where the samples do not settle the means: with kinks, narrow features, too fast a growth.
    """
    if any(f.kinks_float for f in functions):
        return None
    kept = [getattr(f, "samples", None) or Samples() for f in functions]
    given, wanted = [], np.empty(3)
    for samples, function in zip(kept, functions):
        given += [*samples.on(_SAMPLE_STEP, 0.0, 0.0, function), getattr(function, "mirror", 0)]
    while True:
        answer = loop(*arguments, wanted, *given)
        if answer[0] >= 0.0:
            return answer
        place = int(-2.0 - answer[0])
        fine, reach, end = wanted.tolist()
        if place < 0 or not 0.0 < reach <= _MOST_SAMPLES * fine:
            return None
        given[3 * place:3 * place + 2] = kept[place].on(fine, reach, end, functions[place])


def table_by_loops(loop, width, levels, functions, parameters):
    """Tables and weights of the rules of some levels, and the error of the means; None as of :func:`by_loops`.

    Parameters
    ----------
    loop : callable
        As for :func:`by_loops`; it returns the tables and the weights one after the other, and their sizes.
    width : int
        Rows of a table.
    levels, functions, parameters : tuple
    """
    _, nodes, pairs, sections = outer_rules(levels, ())
    answer = by_loops(loop, functions, nodes, *pairs, *sections, *parameters)
    if answer is None:
        return None
    error, tables, weights, sizes = answer
    made, first = [], 0
    for size in sizes.tolist():
        last = first + size
        made.append((tables[width * first:width * last].reshape(width, size), weights[first:last]))
        first = last
    return made, error
