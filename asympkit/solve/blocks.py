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
#: tables that are many: of how many one is solved on two rules, how many of these decide about one beside them
_MANY, _SHARE, _BESIDE = 64, 16, 4
#: changes by how much less than what counts as settled are accepted beside a table, and the power of the change before
#: that others must be below for the next rule to be accepted: those of a rule converging exponentially are; rounding is
#: not
_CLEARLY, _FALLING = 0.1, 1.2


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
    Of many tables some, spread over all, are solved on finer and finer rules first.  What lies between those that
    settle is solved on one rule alone: the finest of theirs, or a finer one where they settled barely.
    """
    together = _Together(kernel, tables_at, values, activations, arrays, rtol, begin, changes)
    if len(tables_at) < _MANY or not kernel.is_refinable:
        yield from together.climb(np.arange(len(tables_at)))
        return
    places = np.transpose([np.unique(column, return_inverse=True)[1] for column in zip(*tables_at)]) / len(tables_at)
    some, left = _spread(places, len(tables_at) // _SHARE), np.ones(len(tables_at), bool)
    for k, rows in together.climb(some, looks=True):
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
    """The points of :func:`solve_together`; ``levels`` are of the rules that what lies beside tables is solved on."""

    def __init__(self, kernel, tables_at, values, activations, arrays, rtol, begin, changes):
        self.kernel, self.tables_at, self.values, self.rtol = kernel, tables_at, values, rtol
        self.activations, self.arrays, self.begin = activations, arrays, begin
        self.changes = changes or (lambda now, before, numbers: kernel.changes(now, before))
        self.count = values.shape[1] // len(tables_at)
        self.levels = np.full(len(tables_at), kernel.levels)

    def climb(self, here, looks=False):
        """Yield the numbers and outputs of some tables all of whose points settle on finer and finer rules.

        With ``looks`` points that settle barely on the first two are solved on a third, for their ``levels``.
        """
        kernel, rtol, count = self.kernel, self.rtol, self.count
        out, changed, needed = None, *np.full((2, self.values.shape[1]), np.nan)
        waits = np.ones(changed.size, bool)
        first = FIRST + (rtol < STRICT)
        levels = range(first, first + 1 + kernel.is_refinable)
        while here.size and levels and (here.size >= WORTH or levels[0] <= first + _SEVERAL):
            here, made = self._tables_of(here, tuple(levels))
            if not here.size:
                return
            tabled = here
            for level, (tables, error, _) in zip(levels, made):
                if not here.size or kernel.is_refinable and not error <= max(rtol, 1e-12):
                    return
                at = self._points_of(here)
                at = at[waits[at]]
                now = self._solve(at, tabled, tables, out)
                good = converged(now)
                if not kernel.is_refinable:
                    waits[at] = ~good
                elif out is not None:
                    moved = self.changes(now, out[at], at)
                    good &= moved <= rtol
                    has_all_digits = now[:, ITERATIONS] % 1.0 == 0.0
                    kernel.mark_few_digits(now, out[at], rtol)
                    if self.begin is None:
                        kernel.mark_edges(now.T, out[at].T)
                    good &= converged(now)
                    good[good] = self._is_seen(now[good], at[good], level)
                    falls = moved <= changed[at] ** _FALLING
                    needed[at] = np.where(moved <= _CLEARLY * rtol, level, np.where(falls, level + 1, kernel.levels))
                    needed[at[has_all_digits & (now[:, ITERATIONS] % 1.0 > 0.0)]] = kernel.levels
                    waits[at] = ~good | looks & (level == first + 1) & (needed[at] == kernel.levels)
                    changed[at] = moved
                out = np.full((waits.size, now.shape[1]), np.nan) if out is None else out
                out[at] = now
                settled = ~waits.reshape(-1, count)[here].any(axis=1)
                yield from zip(here[settled], out.reshape(-1, count, out.shape[1])[here[settled]])
                if not kernel.is_refinable:
                    return
                self.levels[here[settled]] = needed.reshape(-1, count)[here[settled]].max(axis=1)
                is_lost = waits & ~converged(out)
                here = here[~settled & ~is_lost.reshape(-1, count)[here].any(axis=1)]
            levels = range(level + 1, min(level + 2 + (here.size <= _SMALL), kernel.levels))

    def on_one_rule(self, here, level):
        """Yield the numbers and outputs of some tables that are solved on rules of a level."""
        here, made = self._tables_of(here, (level,))
        for tables, error, _ in made:
            at = self._points_of(here)
            now = self._solve(at, here, tables, None)
            good = converged(now) & (error <= max(self.rtol, 1e-12))
            good[good] = self._is_seen(now[good], at[good], level)
            settled = good.reshape(-1, self.count).all(axis=1)
            yield from zip(here[settled], now.reshape(here.size, self.count, -1)[settled])

    def _points_of(self, here):
        """Return the numbers of the points of some of the tables."""
        return (here[:, None] * self.count + np.arange(self.count)).ravel()

    def _solve(self, at, tabled, tables, before):
        """Return the outputs of some points of some of the tables, from the outputs ``before``."""
        kernel, near = self.kernel, self.begin and {n: v[at] for n, v in self.begin.items()}
        if not np.array_equal(of := at // self.count, tabled):
            tables = select_points(tables, np.searchsorted(tabled, of))
        if near is None and before is not None and kernel.module.TORN:
            near = {n: before[at, kernel.module.OUTPUTS.index(n)] for n in kernel.module.TORN}
        return kernel.batch(self.values[:, at], tables, near)[0].T

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
