"""Tables whose entries differ from point to point."""

from types import FunctionType

import numpy as np

from ..runtime.means import normal_means
from ..runtime.rules import NoCommonRule

__all__ = ["PointTable", "means_of_points", "rebind", "select_points"]


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


def select_points(tables, points):
    """Return tables for some of the points, which may be repeated."""
    return [t.at_points(points) if isinstance(t, PointTable) else t for t in tables]


def rebind(function, names):
    """Copy a function with replacements for some that it calls."""
    return FunctionType(function.__code__, {**function.__globals__, **names}, function.__name__,
                        function.__defaults__, function.__closure__)


def means_of_points(function, offset, slope, functional, *others, **named):
    """Compute means as :func:`~asympkit.runtime.means.normal_means`, those of points that are alike only once."""
    shape = np.broadcast_shapes(np.shape(offset), np.shape(slope))
    if len(shape) < 2:
        return normal_means(function, offset, slope, functional, *others, **named)
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
        return normal_means(function, offset, slope, functional, *others, **named)

    def of_first(z, s, at):
        return functional(z, s, lambda column: at(column[first] if np.ndim(column) == 2 else column))

    try:
        values, error = normal_means(function, columns[0][first], columns[1][first, :1], of_first, *others, **named)
    except NoCommonRule as other:
        raise NoCommonRule(other.args[0][back]) from None
    return [np.broadcast_to(v, (first.size, shape[1]))[back] for v in values], error
