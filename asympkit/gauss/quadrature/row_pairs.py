r"""Covariances of ``f(a_i + s_i X)`` and ``g(b_i + t_i Y)`` for many pairs of correlated normals at once.

The linear parts are subtracted at the nodes, and their common part is added afterwards; the remainder is
:math:`\sum_{q\ge2}c_q\tilde c_q\rho^q` without cancellation.
"""

from dataclasses import dataclass

import numpy as np

from ...errors import ConvergenceError
from .row_moments import chunks, cut_of_rows, geometric, kink_places, lattice, panels_of_rows, refine_until_stable

#: target error of the sums, relative to the root of the product of the variances of the two sides
_AIM = 1e-13
_EPS = np.finfo(float).eps
_STEPS = [2.0**-k for k in range(1, 8)]
#: coarsest step in the arguments of smooth functions: on coarser lattices they may look like 0
_COARSEST = 0.5
#: steps of lattices, widths of panels, and from which distance on these are graded towards kinks
_PANELS = [(0.5, 5.0, None), (0.25, 4.0, None), (0.125, 2.0, None), (0.0625, 1.0, None), (0.125, 2.0, 1e-9),
           (0.0625, 1.0, 1e-11)]


def row_pairs(f, g, a, s, b, t, rho, left, right):
    """Compute ``Cov(f, g) - rho * s * t * left.slope * right.slope``, f at N(a, s**2), g at N(b, t**2), row by row.

    ``rho`` are the correlations of the arguments, in [-1, 1]; left and right the :class:`RowMoments` of f and g.
    Panels end at kinks and jumps at every correlation; ConvergenceError if a row does not converge.
    """
    values = np.zeros(len(rho))
    linear = (left.rest == 0.0) | (right.rest == 0.0) | (rho == 0.0)
    edge = np.abs(rho) >= 1.0
    for rows, evaluate in ((np.flatnonzero(edge & ~linear), _same), (np.flatnonzero(~edge & ~linear), _different)):
        if rows.size:
            sides = [_PairFunction(h, m[rows], d[rows], of.mean[rows], of.slope[rows] * d[rows])
                     for h, m, d, of in ((f, a, s, left), (g, b, t, right))]
            values[rows] = _settled(*sides, rho[rows], evaluate, _tolerance(left, right, rows))
    return values


@dataclass(frozen=True, eq=False)
class _PairFunction:
    """A function of one of the two normals, without its mean and its linear part."""

    function: object
    shift: np.ndarray
    scale: np.ndarray
    mean: np.ndarray
    slope: np.ndarray

    def __call__(self, rows, z):
        """Evaluate the function without its linear part at nodes of shape (rows, ...)."""
        shift, scale, mean, slope = (v[rows].reshape(-1, *[1] * (z.ndim - 1)) for v in
                                     (self.shift, self.scale, self.mean, self.slope))
        return self.function(shift + scale * z) - mean - slope * z

    def kinks(self, rows):
        """Return the values of the normal variable at the kinks, shape (rows, kinks)."""
        return kink_places(np.asarray(self.function.kinks_float, float), self.shift[rows], self.scale[rows])

    @property
    def is_kinked(self):
        return bool(self.function.kinks_float)

    @property
    def cut(self):
        return cut_of_rows(self.function, self.shift, self.scale)


def _tolerance(left, right, rows):
    """Return the accepted difference of two levels: function values carry rounding of their own size."""
    sizes, rests = (np.array([getattr(m, name)[rows] for m in (left, right)]) for name in ("second", "rest"))
    rounding = np.sqrt(sizes[0] * rests[1]) + np.sqrt(sizes[1] * rests[0])
    return _AIM * np.sqrt(rests[0] * rests[1]) + 64.0 * _EPS * rounding


def _settled(f, g, rho, evaluate, tolerance):
    cut = max(f.cut, g.cut)
    if g.is_kinked and not f.is_kinked:
        f, g = g, f             # a mean without kinks is summed inside, on a lattice that serves all rows
    kinked = f.is_kinked

    def values(index, level):
        found = np.empty((index.size, 2))
        found[:, 1] = tolerance[index]
        order = np.argsort(np.abs(rho[index]))      # pairs with the same grading become neighbours
        for part in _batches(np.abs(rho[index[order]])):
            rows = order[part]
            each = evaluate(f, g, rho, index[rows[-1:]], cut, level)[1]
            for some in chunks(rows.size, each):
                found[rows[some], 0] = evaluate(f, g, rho, index[rows[some]], cut, level)[0]
        return found

    steepest = max(f.scale.max(), g.scale.max())
    steps = [step for step in _STEPS if step * steepest <= _COARSEST]
    found, left = refine_until_stable(rho.size, _PANELS if kinked else steps or _STEPS[-1:], values,
                         lambda coarse, fine: np.abs(fine - coarse)[:, 0] <= fine[:, 1])
    if left.size:
        raise ConvergenceError(f"quadrature: the covariances of {f.function.name!r} and {g.function.name!r} do not "
                               f"converge for {left.size} of {rho.size} pairs, the first with correlation "
                               f"{rho[left[0]]:.6g}; expected smoother activations, or fewer pairs of units")
    return found[:, 0]


def _batches(size):
    """Return slices of ascending correlations whose distances to 1 have the same power of 2."""
    power = np.floor(np.log2(np.maximum(1.0 - size, _EPS)))
    ends = np.flatnonzero(np.diff(power)) + 1
    return [slice(*pair) for pair in zip([0, *ends], [*ends, size.size])]


def _same(f, g, rho, rows, cut, level):
    """Evaluate pairs of correlation 1 or -1; return the rows' values and the count of numbers per row."""
    sign = np.sign(rho[rows])[:, None]
    z, weights = _nodes(f.is_kinked, [f.kinks(rows), sign * g.kinks(rows)], cut, level)
    return (weights * f(rows, z + 0.0 * sign) * g(rows, sign * z)).sum(axis=1), z.shape[1]


def _different(f, g, rho, rows, cut, level):
    """Evaluate pairs with a density: the mean of g given X, summed at the nodes of X.

    That mean has curvature within ``sqrt(1 - rho**2)`` of the kinks of g, towards which the nodes of X are graded.
    """
    r, across = rho[rows, None], np.sqrt((1.0 - rho[rows]) * (1.0 + rho[rows]))[:, None]
    with np.errstate(over="ignore"):
        centres, widths = g.kinks(rows) / r, (across / np.abs(r))[:, 0]
    x, outer = _nodes(f.is_kinked, [f.kinks(rows), centres, geometric(centres, widths, cut)], cut, level)
    x = np.broadcast_to(x, (rows.size, x.shape[1]))
    with np.errstate(over="ignore"):
        points = (g.kinks(rows)[:, None, :] - r[:, :, None] * x[:, :, None]) / across[:, :, None]
    y, inner = _nodes(g.is_kinked, [points.reshape(x.size, -1)], cut, level)
    shape = (*x.shape, -1) if g.is_kinked else (1, 1, -1)
    values = g(rows, r[:, :, None] * x[:, :, None] + across[:, :, None] * y.reshape(shape))
    given = np.einsum("ijk,ijk->ij", values, np.broadcast_to(inner.reshape(shape), values.shape))
    return (outer * f(rows, x) * given).sum(axis=1), x.shape[1] * y.shape[1]


def _nodes(kinked, points, cut, level):
    """Return nodes and weights of one level: a lattice that serves all rows, or panels that end at the points."""
    if not kinked:
        return lattice(cut, level if np.ndim(level) == 0 else level[0])
    _, width, nearest = level
    if nearest is not None:
        points = [*points, *(geometric(p, np.full(len(p), nearest), cut) for p in points[:2])]
    return panels_of_rows(cut, width, np.concatenate(points, axis=1))
