"""Rules for one normal variable whose shift and scale inside a function differ from row to row."""

import numpy as np

__all__ = ["geometric", "lattice", "panels_of_rows", "settle"]

#: numbers that are held at once
CHUNK = 4_000_000
#: Gauss-Legendre nodes of a panel
_ORDER = 16


def lattice(cut, step):
    """Return nodes and normal weights of the trapezoidal rule, one row that serves all."""
    count = int(np.ceil(cut / step))
    z = step * np.arange(-count, count + 1)[None, :]
    return z, step * np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi)


def panels_of_rows(cut, width, points):
    """Return nodes and normal weights of Gauss-Legendre panels, which end at points that differ from row to row.

    Parameters
    ----------
    cut, width : float
        Panels of this width from -cut to cut are cut once more at the points.
    points : ndarray, shape (rows, k)

    Returns
    -------
    z, weights : ndarray, shape (rows, nodes)
    """
    base = np.linspace(-cut, cut, int(np.ceil(2.0 * cut / width)) + 1)
    inner = np.clip(points, -cut, cut)
    edges = np.sort(np.concatenate([np.broadcast_to(base, (len(points), base.size)), inner], axis=1), axis=1)
    x, w = np.polynomial.legendre.leggauss(_ORDER)
    half = 0.5 * np.diff(edges, axis=1)[:, :, None]
    z = 0.5 * (edges[:, 1:] + edges[:, :-1])[:, :, None] + half * x
    weights = half * w * np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi)
    return z.reshape(len(points), -1), weights.reshape(len(points), -1)


def geometric(centres, widths, cut):
    """Return points at doubling distances on both sides of each centre, from a width that differs from row to row.

    Parameters
    ----------
    centres : ndarray, shape (rows, k)
    widths : ndarray, shape (rows,)
    cut : float

    Returns
    -------
    ndarray, shape (rows, number of points)
    """
    count = int(np.ceil(np.log2(2.0 * cut / max(widths.min(initial=cut), 1e-16)))) + 1
    if count < 1 or not centres.size:
        return np.empty((len(widths), 0))
    steps = widths[:, None] * 2.0 ** np.arange(count)
    sides = np.concatenate([-steps, steps], axis=1)
    centres = np.clip(centres, -1e3, 1e3)       # points outside are cut off, and may be infinite
    return (centres[:, :, None] + sides[:, None, :]).reshape(len(widths), -1)


def settle(rows, levels, evaluate, agree):
    """Refine a rule until two levels agree, row by row.

    Parameters
    ----------
    rows : int
    levels : sequence
        The rules' resolutions, from coarse to fine.
    evaluate : callable
        ``evaluate(index, level)``: values of the rows, shape (len(index), quantities).
    agree : callable
        ``agree(coarse, fine)``: for each row whether the fine values are accepted.

    Returns
    -------
    values : ndarray, shape (rows, quantities)
    left : ndarray of int
        Rows on which no two levels agree.
    """
    left, before, values = np.arange(rows), None, None
    for level in levels:
        found = evaluate(left, level)
        if values is None:
            values = np.zeros((rows, found.shape[1]))
        if before is not None:
            good = agree(before, found)
            values[left[good]] = found[good]
            left, found = left[~good], found[~good]
        if not left.size:
            break
        before = found
    return values, left


def chunks(count, each):
    """Yield slices of that many rows, each with at most CHUNK numbers."""
    rows = max(1, int(CHUNK // max(each, 1)))
    for start in range(0, count, rows):
        yield slice(start, min(start + rows, count))
