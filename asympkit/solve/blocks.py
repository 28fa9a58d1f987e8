"""Points with tables of their own, whose tables are made and which are solved together.

Every point is judged by its own change between two rules.  Points that do not settle, or that need nodes of their own,
are left to others.
"""

import numpy as np

from ..runtime.rules import NoCommonRule
from ..tolerances import ITERATIONS, LARGEST_ERROR, RESIDUAL
from .ladder import FIRST, STRICT, select_points

__all__ = ["converged", "solve_together", "suits"]

#: tables that are worth the climb to many levels, and levels of fewer; tables whose making takes about as long for two
#: levels as for one
WORTH, _SEVERAL, _SMALL = 4, 4, 8
#: tables that are many: of how many one is solved on two rules, how many of these decide about one beside them, and
#: changes by how much less than what counts as settled are accepted there
_MANY, _SHARE, _BESIDE, _CLEARLY = 64, 16, 4, 0.01


def converged(out):
    """Find the points that are solved."""
    return (out[..., RESIDUAL] <= LARGEST_ERROR) & np.isfinite(out).all(axis=-1)


def suits(kernel):
    """Return whether points of a kernel are worth solving together: not where it places nodes for each, which cost more
    than tables."""
    return not hasattr(kernel.module, "nodes_inside")


def solve_together(kernel, tables_at, values, activations, arrays, rtol, begin=None, changes=None):
    """Yield numbers of tables, and the outputs of their points, where all of these settle on rules that tables share.

    Parameters
    ----------
    kernel : Kernel
    tables_at : list of tuple of float
        The parameters of each table.
    values : ndarray, shape (parameters, tables times points)
        Of the points, as many of each table, one table after the other.
    begin : dict of str to ndarray, optional
        Starting values that are given.
    changes : callable, optional
        Do as :meth:`Kernel.changes`, given the numbers of the points too.

    Notes
    -----
    Of many tables some, spread over all, are solved on two rules first.  What lies between those that change by much
    less than ``rtol`` is solved on the finer of their rules alone.
    """
    together = _Together(kernel, tables_at, values, activations, arrays, rtol, begin, changes)
    if len(tables_at) < _MANY or not kernel.is_refinable:
        yield from together.climb(np.arange(len(tables_at)))
        return
    places = np.array(tables_at, dtype=float)
    places = places / np.maximum(np.ptp(places, axis=0), np.finfo(float).tiny)
    some, left = _spread(places, len(tables_at) // _SHARE), np.ones(len(tables_at), bool)
    for k, rows in together.climb(some):
        left[k] = False
        yield k, rows
    others = np.setdiff1d(np.arange(len(tables_at)), some)
    beside = some[np.argsort(((places[others, None] - places[some]) ** 2).sum(axis=-1), axis=1)[:, :_BESIDE]]
    for level in np.unique(needed := together.levels[beside].max(axis=1)):
        if level < kernel.levels:
            for k, rows in together.on_one_rule(others[needed == level], int(level)):
                left[k] = False
                yield k, rows
    left[some] = False                  # what did not settle does not do so together
    yield from together.climb(np.flatnonzero(left))


def _spread(places, count):
    """Return sorted numbers of places that are far from each other, the corners of all among them."""
    chosen, distance = [0], np.inf
    while len(chosen) < count:
        distance = np.minimum(distance, ((places - places[chosen[-1]]) ** 2).sum(axis=1))
        chosen.append(int(np.argmax(distance)))
    return np.unique(chosen)


class _Together:
    """The points of :func:`solve_together`; ``levels`` are of the rules on which points change by nearly nothing."""

    def __init__(self, kernel, tables_at, values, activations, arrays, rtol, begin, changes):
        self.kernel, self.tables_at, self.values, self.rtol = kernel, tables_at, values, rtol
        self.activations, self.arrays, self.begin = activations, arrays, begin
        self.changes = changes or (lambda now, before, numbers: kernel.changes(now, before))
        self.count = values.shape[1] // len(tables_at)
        self.levels = np.full(len(tables_at), kernel.levels)

    def climb(self, here):
        """Yield the numbers and outputs of some tables that settle on finer and finer rules."""
        kernel, rtol, before = self.kernel, self.rtol, None
        first = FIRST + (rtol < STRICT)
        levels = range(first, first + 1 + kernel.is_refinable)
        while here.size and levels and (here.size >= WORTH or levels[0] <= first + _SEVERAL):
            tabled, made = self._tables_of(here, tuple(levels))
            here = tabled
            for level, (tables, error, _) in zip(levels, made):
                if not here.size or kernel.is_refinable and not error <= max(rtol, 1e-12):
                    return
                at, now = self._solve(here, tabled, tables, before)
                good = converged(now)
                if kernel.is_refinable and before is not None:
                    moved = self.changes(now, before[at], at)
                    good &= moved <= rtol
                    has_all_digits = now[:, ITERATIONS] % 1.0 == 0.0
                    kernel.mark_few_digits(now, before[at], rtol)
                    if self.begin is None:
                        kernel.mark_edges(now.T, before[at].T)
                    good &= converged(now)
                    good[good] = self._is_seen(now[good], at[good], level)
                    clean = good & (moved <= _CLEARLY * rtol) & (~has_all_digits | (now[:, ITERATIONS] % 1.0 == 0.0))
                    self.levels[here[clean.reshape(-1, self.count).all(axis=1)]] = level
                if before is not None or not kernel.is_refinable:
                    settled = good.reshape(-1, self.count).all(axis=1)
                    yield from zip(here[settled], now.reshape(here.size, self.count, -1)[settled])
                    if not kernel.is_refinable:
                        return
                    good = converged(now).reshape(-1, self.count).all(axis=1) & ~settled
                else:
                    good = good.reshape(-1, self.count).all(axis=1)
                before = np.full((self.values.shape[1], now.shape[1]), np.nan)
                before[at] = now
                here = here[good]
            levels = range(level + 1, min(level + 2 + (here.size <= _SMALL), kernel.levels))

    def on_one_rule(self, here, level):
        """Yield the numbers and outputs of some tables that are solved on rules of a level."""
        here, made = self._tables_of(here, (level,))
        for tables, error, _ in made:
            at, now = self._solve(here, here, tables, None)
            good = converged(now) & (error <= max(self.rtol, 1e-12))
            good[good] = self._is_seen(now[good], at[good], level)
            settled = good.reshape(-1, self.count).all(axis=1)
            yield from zip(here[settled], now.reshape(here.size, self.count, -1)[settled])

    def _solve(self, here, tabled, tables, before):
        """Return numbers and outputs of the points of some of the tables, from the outputs ``before``."""
        kernel, count, begin = self.kernel, self.count, self.begin
        at = (here[:, None] * count + np.arange(count)).ravel()
        if at.size > tabled.size or here.size < tabled.size:
            tables = select_points(tables, np.repeat(np.searchsorted(tabled, here), count))
        near = begin and {n: v[at] for n, v in begin.items()}
        if near is None and before is not None and kernel.module.TORN:
            near = {n: before[at, kernel.module.OUTPUTS.index(n)] for n in kernel.module.TORN}
        return at, kernel.batch(self.values[:, at], tables, near)[0].T

    def _is_seen(self, now, at, level):
        """Find where the rules of a level, and the coarser one, miss no narrow feature."""
        return self.kernel.steps_over(level - 1, self.values[:, at], now.T) == 0

    def _tables_of(self, here, levels):
        """Return the numbers of the tables that share rules, and these tables of all levels."""
        while here.size:
            columns = np.array([self.tables_at[k] for k in here], dtype=float).T
            at = [c[:, None] if np.any(c != c[0]) else float(c[0]) for c in columns]
            try:
                return here, self.kernel.ladder(levels, at, self.activations, self.arrays, None)
            except NoCommonRule as other:
                here = here[~other.args[0]]
        return here, []
