"""Tables whose entries differ from point to point."""

import numpy as np

__all__ = ["PointTable", "select_points"]


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
