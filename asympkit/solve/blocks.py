"""Points with tables of their own, whose tables are made and which are solved together.

Every point is judged by its own change between two rules.  Points that do not settle, or that need nodes of their own,
are left to others.
"""

import numpy as np

from ..runtime.rules import NoCommonRule
from ..tolerances import LARGEST_ERROR, RESIDUAL
from .ladder import FIRST, STRICT
from .tables import select_points

__all__ = ["converged", "solve_together", "suits"]

#: tables that are worth the climb to many levels, and levels of fewer
WORTH, _SEVERAL = 4, 2


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
    """
    module, here, before = kernel.module, np.arange(len(tables_at)), None
    count = values.shape[1] // here.size
    level = FIRST + (rtol < STRICT)
    levels = (level, level + 1) if kernel.is_refinable else (level,)
    while here.size and levels[-1] < kernel.levels and (here.size >= WORTH or levels[-1] <= level + _SEVERAL):
        tabled, made = _tables_of(kernel, [tables_at[k] for k in here], here, activations, arrays, levels)
        here = tabled
        for tables, error, _ in made:
            if not here.size or kernel.is_refinable and not error <= max(rtol, 1e-12):
                return
            at = (here[:, None] * count + np.arange(count)).ravel()
            if at.size > tabled.size or here.size < tabled.size:
                tables = select_points(tables, np.repeat(np.searchsorted(tabled, here), count))
            near = begin and {n: v[at] for n, v in begin.items()}
            if near is None and before is not None and module.TORN:
                near = {n: before[at, module.OUTPUTS.index(n)] for n in module.TORN}
            now = kernel.batch(values[:, at], tables, near)[0].T
            good = converged(now)
            if kernel.is_refinable and before is not None:
                moved = kernel.changes(now, before[at]) if changes is None else changes(now, before[at], at)
                good &= moved <= rtol
                kernel.mark_few_digits(now, before[at], rtol)
                if begin is None:
                    kernel.mark_edges(now.T, before[at].T)
                good &= converged(now)
                good[good] = kernel.steps_over(levels[-1] - 1, values[:, at[good]], now[good].T) == 0
            if before is not None or not kernel.is_refinable:
                settled = good.reshape(-1, count).all(axis=1)
                yield from zip(here[settled], now.reshape(here.size, count, -1)[settled])
                if not kernel.is_refinable:
                    return
                good = converged(now).reshape(-1, count).all(axis=1) & ~settled
            else:
                good = good.reshape(-1, count).all(axis=1)
            before = np.full((values.shape[1], now.shape[1]), np.nan)
            before[at] = now
            here = here[good]
        levels = (levels[-1] + 1,)


def _tables_of(kernel, tables_at, here, activations, arrays, levels):
    """Return the numbers of the tables that share rules, and these tables of all levels."""
    while here.size:
        columns = np.array(tables_at, dtype=float).T
        at = [c[:, None] if np.any(c != c[0]) else float(c[0]) for c in columns]
        try:
            return here, kernel.ladder(levels, at, activations, arrays, None)
        except NoCommonRule as other:
            keep = ~other.args[0]
            here, tables_at = here[keep], [row for row, kept in zip(tables_at, keep) if kept]
    return here, []
