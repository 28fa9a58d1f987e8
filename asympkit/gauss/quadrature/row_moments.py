r"""Moments of ``f(a_i + s_i Z)`` and covariances with ``g(b_i + t_i Y)`` for many rows at once, for layers of neurons.

The linear part is subtracted at every node before squares and products are summed, and a common part is added
afterwards: :math:`E f^2-(Ef)^2-s^2(Ef')^2` is a small difference where f is nearly linear, and so is the remainder of
a covariance, :math:`\sum_{q\ge2}c_q\tilde c_q\rho^q`.
"""

from dataclasses import dataclass

import numpy as np

from ...errors import ConvergenceError, DomainError
from .averages import AIM, Integrands, gaussian_quadrature

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

    Panels of a width from -cut to cut are cut once more at the points, shape (rows, k).
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
    """Return points at doubling distances on both sides of each centre, from a width that differs from row to row."""
    count = int(np.ceil(np.log2(2.0 * cut / max(widths.min(initial=cut), 1e-16)))) + 1
    if count < 1 or not centres.size:
        return np.empty((len(widths), 0))
    steps = widths[:, None] * 2.0 ** np.arange(count)
    sides = np.concatenate([-steps, steps], axis=1)
    centres = np.clip(centres, -1e3, 1e3)       # points outside are cut off, and may be infinite
    return (centres[:, :, None] + sides[:, None, :]).reshape(len(widths), -1)


def refine_until_stable(rows, levels, evaluate, agree):
    """Refine a rule until two levels agree, row by row; return values, and the rows on which no two levels do.

    ``evaluate(index, level)`` gives values of the rows, shape (len(index), quantities); ``agree(coarse, fine)`` for
    each row whether the fine values are accepted.
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


_EPS = np.finfo(float).eps
_STEPS = [2.0**-k for k in range(1, 12)]
#: coarsest step in the argument of a smooth function, and of two: on coarser lattices, whose nodes are nodes of the
#: finer ones, bumps and frequencies of order 1 are invisible, and two of them agree
_COARSEST, _PAIR_COARSEST = 0.25, 0.5
#: where there are kinks: steps of lattices beside panels, widths of panels, and from which distance on these are graded
#: towards kinks
_PANELS = [(0.5, 5.0, None), (0.25, 4.0, None), (0.125, 2.0, None), (0.0625, 1.0, None), (0.125, 2.0, 1e-9),
           (0.0625, 1.0, 1e-11)]


@dataclass(frozen=True, eq=False)
class RowMoments:
    """Moments of f(h), h normal with mean a and standard deviation s, one entry a row.

    ``slope`` is ``E (h - a) f(h) / s**2``, by Stein's lemma the mean derivative where there are no jumps; where s = 0
    the derivative at a.  ``rest`` is ``Var f(h) - s**2 * slope**2``, the variance of the nonlinear part; not negative.
    """

    mean: np.ndarray
    slope: np.ndarray
    variance: np.ndarray
    rest: np.ndarray

    @property
    def second(self):
        """``E f(h)**2``."""
        return self.variance + self.mean**2


def row_moments(activation, a, s):
    """Compute moments of an activation at normal variables of many means and standard deviations.

    They are right to about 1e-13 of powers of the root of ``E f(h)**2``, else ConvergenceError; panels end at kinks and
    jumps.
    """
    a, s = np.broadcast_arrays(np.atleast_1d(np.asarray(a, float)), np.atleast_1d(np.asarray(s, float)))
    if not (np.isfinite(a).all() and np.isfinite(s).all() and (s >= 0.0).all()):
        raise DomainError("a, s: expected finite means, and standard deviations that are not negative")
    found = np.zeros((a.size, 4))
    point = s == 0.0
    if point.any():
        found[point, 0], found[point, 1] = activation(a[point]), activation.derivative(a[point])
    spread = np.flatnonzero(~point)
    if spread.size:
        found[spread] = _spread(activation, a[spread], s[spread])
    return RowMoments(*found.T)


def _spread(activation, a, s):
    activation.require_second_moment(float(s.max()) ** 2)
    cut = cut_of_rows(activation, a, s)
    kinks = np.asarray(activation.kinks_float, float)

    def evaluate(index, level):
        out = np.empty((index.size, 4))
        for part in chunks(index.size, _nodes(cut, kinks.size, level)):
            i = index[part]
            z, weights = _rule(kinks.size, [kink_places(kinks, a[i], s[i])], cut, level)
            out[part] = _sums(activation(a[i, None] + s[i, None] * z), z, weights)
        return out

    steps = [step for step in _STEPS if step * s.max() <= _COARSEST] or _STEPS[:1]
    values, left = refine_until_stable(a.size, _PANELS if kinks.size else steps, evaluate, _agree)
    values[:, 1] /= s
    for i in left:
        (mean, slope, second), _ = gaussian_quadrature(activation, [(1, 0), (1, 1), (2, 0)], a[i], s[i])
        variance = max(second - mean**2, 0.0)
        values[i] = mean, slope / s[i], variance, max(variance - slope**2, 0.0)
    return values


def _rule(is_kinked, points, cut, level):
    """Return nodes and weights of one level: a lattice that serves all rows, or panels that end at the points.

    Panels are graded towards the first two kinds of points.
    """
    if not is_kinked:
        return lattice(cut, level if np.ndim(level) == 0 else level[0])
    _, width, nearest = level
    if nearest is not None:
        points = [*points, *(geometric(p, np.full(len(p), nearest), cut) for p in points[:2])]
    return panels_of_rows(cut, width, np.concatenate(points, axis=1))


def _nodes(cut, kinks, level):
    """Return an upper bound of the nodes of a row."""
    if not kinks:
        return 2.0 * cut / level
    _, width, nearest = level
    return 16.0 * (2.0 * cut / width + kinks * (1 if nearest is None else 100))


def _sums(f, z, weights):
    """Return mean, mean of Z f, variance, and variance without the linear part, one row a row of values."""
    mean = (weights * f).sum(axis=1)
    f = f - mean[:, None]
    slope = (weights * z * f).sum(axis=1)
    variance = (weights * f * f).sum(axis=1)
    f = f - slope[:, None] * z
    return np.stack([mean, slope, variance, (weights * f * f).sum(axis=1)], axis=1)


def _agree(coarse, fine):
    """Return whether the change is rounding, each quantity compared with its own size."""
    change = np.abs(fine - coarse)
    size = np.sqrt(fine[:, 2] + fine[:, 0] ** 2)
    rest = fine[:, 3]
    rounding = 64.0 * _EPS * size
    good = (change[:, 0] <= AIM * size) & (change[:, 1] <= AIM * size) & (change[:, 2] <= AIM * size**2)
    return good & (change[:, 3] <= 10.0 * AIM * rest + rounding * np.sqrt(rest) + rounding**2)


def kink_places(kinks, a, s):
    """Return the values of each row's normal variable at the kinks, shape (rows, kinks)."""
    with np.errstate(over="ignore"):
        return (kinks - a[:, None]) / s[:, None]


def cut_of_rows(activation, a, s):
    """Find the cut-off beyond which all rows' integrands are below rounding, from the rows of extreme arguments."""
    extreme = {int(np.argmax(s)), *(int(np.argmax(sign * a + 9.0 * s)) for sign in (1, -1))}
    return max(Integrands(activation, ((1, 0), (1, 1), (2, 0)), float(a[i]), float(s[i])).cut for i in extreme)


# -- pairs of normals --------------------------------------------------------------------------------------------------


#: target error of the sums, relative to the root of the product of the variances of the two sides
_AIM = 1e-13


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
    steps = [step for step in _STEPS[:7] if step * steepest <= _PAIR_COARSEST]
    found, left = refine_until_stable(rho.size, _PANELS if kinked else steps or _STEPS[6:7], values,
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
    z, weights = _rule(f.is_kinked, [f.kinks(rows), sign * g.kinks(rows)], cut, level)
    return (weights * f(rows, z + 0.0 * sign) * g(rows, sign * z)).sum(axis=1), z.shape[1]


def _different(f, g, rho, rows, cut, level):
    """Evaluate pairs with a density: the mean of g given X, summed at the nodes of X.

    That mean has curvature within ``sqrt(1 - rho**2)`` of the kinks of g, towards which the nodes of X are graded.
    """
    r, across = rho[rows, None], np.sqrt((1.0 - rho[rows]) * (1.0 + rho[rows]))[:, None]
    with np.errstate(over="ignore"):
        centres, widths = g.kinks(rows) / r, (across / np.abs(r))[:, 0]
    x, outer = _rule(f.is_kinked, [f.kinks(rows), centres, geometric(centres, widths, cut)], cut, level)
    x = np.broadcast_to(x, (rows.size, x.shape[1]))
    with np.errstate(over="ignore"):
        points = (g.kinks(rows)[:, None, :] - r[:, :, None] * x[:, :, None]) / across[:, :, None]
    y, inner = _rule(g.is_kinked, [points.reshape(x.size, -1)], cut, level)
    shape = (*x.shape, -1) if g.is_kinked else (1, 1, -1)
    values = g(rows, r[:, :, None] * x[:, :, None] + across[:, :, None] * y.reshape(shape))
    given = np.einsum("ijk,ijk->ij", values, np.broadcast_to(inner.reshape(shape), values.shape))
    return (outer * f(rows, x) * given).sum(axis=1), x.shape[1] * y.shape[1]
