"""Mean, slope and variances of ``f(a_i + s_i Z)`` for many shifts and scales at once, for layers of neurons.

The linear part is subtracted at every node before squares are summed, so that
:math:`E f^2-(Ef)^2-s^2(Ef')^2`, which is a small difference where f is nearly linear, is accurate.

Rules for one normal variable whose shift and scale inside a function differ from row to row.
"""

from dataclasses import dataclass

import numpy as np

from ...errors import DomainError
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
#: coarsest step in the argument of a smooth function: on coarser lattices, whose nodes are nodes of the finer ones,
#: bumps and frequencies of order 1 are invisible, and two of them agree
_COARSEST = 0.25
#: widths of panels, and from which distance on they are graded towards kinks
_PANELS = [(5.0, None), (4.0, None), (2.0, None), (1.0, None), (2.0, 1e-9), (1.0, 1e-11)]


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
            z, weights = _rule(cut, kink_places(kinks, a[i], s[i]), level)
            out[part] = _sums(activation(a[i, None] + s[i, None] * z), z, weights)
        return out

    values, left = refine_until_stable(a.size, _PANELS if kinks.size else _steps(float(s.max())), evaluate, _agree)
    values[:, 1] /= s
    for i in left:
        (mean, slope, second), _ = gaussian_quadrature(activation, [(1, 0), (1, 1), (2, 0)], a[i], s[i])
        variance = max(second - mean**2, 0.0)
        values[i] = mean, slope / s[i], variance, max(variance - slope**2, 0.0)
    return values


def _steps(slope):
    """Return the steps that resolve a smooth function of this slope; the first alone if none does."""
    return [step for step in _STEPS if step * slope <= _COARSEST] or _STEPS[:1]


def _rule(cut, points, level):
    """Return nodes and weights of one level: a lattice, or panels that end at the points."""
    if not points.size:
        return lattice(cut, level)
    width, nearest = level
    if nearest is not None:
        points = np.concatenate([points, geometric(points, np.full(len(points), nearest), cut)], axis=1)
    return panels_of_rows(cut, width, points)


def _nodes(cut, kinks, level):
    """Return an upper bound of the nodes of a row."""
    if not kinks:
        return 2.0 * cut / level
    width, nearest = level
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
