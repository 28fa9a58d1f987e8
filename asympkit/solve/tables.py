"""Tables whose entries differ from point to point."""

from types import FunctionType

import numpy as np

from ..runtime.means import normal_means
from ..runtime.rules import NoCommonRule

__all__ = ["ChargedTable", "PointTable", "SpentBudgetError", "means_of_points", "rebind", "select_points"]


class PointTable(np.ndarray):
    """Rows of a table whose entries differ from point to point, of shape (rows, points, nodes), or one of them.

    Products with numbers of points, and sums over nodes, are taken point by point::

        (points, rows) @ table -> (points, nodes),   table @ (nodes, points) -> (rows, points),
        (points, nodes) @ row -> (points,)

    Sums inside sums are those over the last axis of what is made of rows, of shape (points, nodes, nodes inside).
    """

    def __matmul__(self, other):
        table, other = self.view(np.ndarray), np.asarray(other)
        if table.ndim == 3 and other.ndim == 2:
            return np.einsum("rpn,np->rp", table, other)
        return np.einsum("pn,pn->p", table, other) if other.ndim == 2 else table @ other

    def __rmatmul__(self, other):
        table, other = self.view(np.ndarray), np.asarray(other)
        return np.einsum("pr,rpn->pn", other, table) if table.ndim == 3 else np.einsum("pn,pn->p", other, table)

    def at_points(self, points):
        """Return the entries of some of the points."""
        return self[..., points, :]


class SpentBudgetError(Exception):
    """More evaluations than a point may cost: placed nodes are counted while they are made."""


class ChargedTable(np.ndarray):
    """A table of sums whose nodes may be placed: their number, times ``price``, is taken from ``left`` of a budget.

    SpentBudgetError where less than ``least`` is left.
    """

    @classmethod
    def of(cls, table, left, least, price):
        made = table.view(cls)
        made.left, made.least, made.price = left, least, price
        return made

    def charge(self, evaluations):
        self.left[0] -= evaluations * self.price
        if self.left[0] < self.least:
            raise SpentBudgetError


def select_points(tables, points):
    """Return tables for some of the points, which may be repeated."""
    return [t.at_points(points) if isinstance(t, PointTable) else t for t in tables]


def rebind(function, names):
    """Copy a function with replacements for some that it calls."""
    return FunctionType(function.__code__, {**function.__globals__, **names}, function.__name__,
                        function.__defaults__, function.__closure__)


#: means that are kept, of one function each
_KEPT, _MOST = {}, 64


def means_of_points(function, offset, slope, functional, signs=None, pairs=None, floors=None):
    """Compute means as :func:`~asympkit.runtime.means.normal_means`, those of points that are alike only once.

    Means that were computed before are returned again if their functional picks from no columns.
    """
    others, plain = (signs, pairs, floors), getattr(functional, "plain", functional)
    if plain.__closure__ is not None:
        return _means(function, offset, slope, functional, *others)
    numbers = ((np.shape(x), np.asarray(x, dtype=float).tobytes()) for x in (offset, slope))
    key = function, plain.__code__, repr((signs, floors)), *numbers
    if (found := _KEPT.get(key)) is None:
        if len(_KEPT) >= _MOST:
            _KEPT.clear()
        found = _KEPT[key] = _means(function, offset, slope, functional, *others)
    return [v.copy() for v in found[0]], found[1]


def _means(function, offset, slope, functional, *others):
    shape = np.broadcast_shapes(np.shape(offset), np.shape(slope))
    if len(shape) < 2:
        return normal_means(function, offset, slope, functional, *others)
    columns = [np.broadcast_to(offset, shape), np.broadcast_to(slope, shape)]

    def see(column):
        if np.ndim(column) == 2:
            columns.append(np.broadcast_to(column, shape))
        return np.ravel(column)[0]

    with np.errstate(all="ignore"):
        functional(np.zeros((1, 1)), np.ones((1, 1)), see)
    ends = np.column_stack([c[:, [0, -1]] for c in columns])
    _, first, back = np.unique(ends, axis=0, return_index=True, return_inverse=True)
    if 2 * first.size > shape[0] or any(np.any(c != c[first][back]) for c in columns):
        return normal_means(function, offset, slope, functional, *others)

    def of_first(z, s, at):
        return functional(z, s, lambda column: at(column[first] if np.ndim(column) == 2 else column))

    vars(of_first).update(vars(functional))
    try:
        values, error = normal_means(function, columns[0][first], columns[1][first, :1], of_first, *others)
    except NoCommonRule as other:
        raise NoCommonRule(other.args[0][back]) from None
    return [np.broadcast_to(v, (first.size, shape[1]))[back] for v in values], error
