r"""Compute covariances of the features of one layer to all orders: the dual kernel, entry by entry.

The covariance of :math:`f(a_i+s_iX)` and :math:`g(b_j+t_jY)` at correlation :math:`\rho_{ij}` is a closed expression of
:math:`s_i,t_j,\rho_{ij}` if the Gaussian calculus derives one (as for arcsine and arc-cosine kernels), else
:math:`\sum_{q\ge1}c_q(i)\tilde c_q(j)\rho_{ij}^q` over Hermite coefficients. The sum is truncated if Cauchy-Schwarz
proves the rest to be rounding; other entries are integrated.
"""

from functools import lru_cache

import numpy as np
import sympy as sp

from ..errors import AsympkitError, ConvergenceError, DomainError
from ..exclusive import exclusive
from ..gauss import BivariateNormalCDF, E, OwenT
from ..gauss.quadrature.row_moments import chunks, cut_of_rows, kink_places, lattice, panels_of_rows, row_moments
from ..gauss.quadrature.row_pairs import row_pairs
from ..nodes import Average
from ..parsing.expressions import translate
from ..properties.values import array_function
from .recursion import LayerStep, Passed, identical_units

__all__ = ["exact_covariances"]

#: orders of the series, and accepted truncation, relative to the root of the product of the variances
_ORDERS, _AIM = 120, 1e-13
#: how often quadrature rules for the coefficients are refined
_HALVINGS = 5
#: number of entries at which a closed form is compared with the integral, and accepted difference
_CHECKED, _SAME = 24, 1e-12


def exact_covariances(student, target, inputs, pairs):
    """Return exact means and covariances of the features of one layer each.

    Parameters
    ----------
    student, target : tuple of Layer
        One layer for the student, one or none for the target.
    inputs : ndarray, shape (d, d)
    pairs : list of ndarray of int
        Paired units, whose rows may be the same.

    Returns
    -------
    Passed

    Raises
    ------
    DomainError
        For deeper networks.
    """
    if len(student) > 1 or len(target) > 1:
        raise DomainError(f"method='exact': the student has {len(student)} and the target {len(target)} layers; "
                          "expected one layer at most, or method='neuron-wise'")
    own = _Units(student[0], inputs)
    Omega = _symmetric(own)
    if not target:
        return Passed(Omega, own.slopes[:, None] * (own.layer.weights @ inputs), inputs,
                      (own.moments.mean, np.zeros(len(inputs))), ([own.step], []))
    other = _Units(target[0], inputs)
    shared = own.layer.weights @ inputs @ other.layer.weights.T
    rho = _correlations(shared, own.s, other.s)
    units = pairs[0]
    same = units[identical_units(own.layer, other.layer, units, True)]
    rho[same, same] = 1.0
    return Passed(Omega, _kernel(own, other, rho), _symmetric(other), (own.moments.mean, other.moments.mean),
                  ([own.step], [other.step]))


class _Units:
    """Hold the units of one layer: moments, and Hermite coefficients on demand."""

    def __init__(self, layer, inputs):
        self.layer, self.inputs = layer, inputs
        self.variances = np.einsum("ij,jk,ik->i", layer.weights, inputs, layer.weights, optimize=True)
        self.s = np.sqrt(np.maximum(self.variances, 0.0))
        self.moments = row_moments(layer.activation, layer.bias, self.s)
        self.slopes = self.moments.slope
        self._coefficients = None

    @property
    def step(self):
        m = self.moments
        return LayerStep(self.layer.bias, self.variances, m.mean, m.slope, m.rest)

    @property
    def coefficients(self):
        """Return orthonormal Hermite coefficients of each unit, orders 0 .. _ORDERS, shape (orders, width)."""
        if self._coefficients is None:
            self._coefficients = _hermite_rows(self.layer.activation, self.layer.bias, self.s)
        return self._coefficients


def _correlations(shared, s, t):
    size = np.outer(s, t)
    return np.clip(np.divide(shared, size, out=np.zeros_like(size), where=size > 0.0), -1.0, 1.0)


def _symmetric(units):
    """Return the covariance of the features of one layer with themselves."""
    shared = units.layer.weights @ units.inputs @ units.layer.weights.T
    rho = _correlations(0.5 * (shared + shared.T), units.s, units.s)
    np.fill_diagonal(rho, 0.0)
    kernel = _kernel(units, units, rho)
    kernel = 0.5 * (kernel + kernel.T)
    np.fill_diagonal(kernel, units.moments.variance)
    return kernel


def _kernel(own, other, rho):
    """Return the covariances of all units of one layer with all of another."""
    closed = _by_formula(own, other, rho)
    return _by_series(own, other, rho) if closed is None else closed


def _by_formula(own, other, rho):
    """Return closed covariances, if there is a finite formula that agrees with the integrals of a few entries."""
    if own.layer.bias.any() or other.layer.bias.any():
        return None
    formula = _closed_kernel(own.layer.activation, other.layer.activation)
    if formula is None:
        return None
    with np.errstate(all="ignore"):
        values = formula(own.s[:, None], other.s[None, :], rho) - np.outer(own.moments.mean, other.moments.mean)
    if np.shape(values) != rho.shape or not np.isfinite(values).all():
        return None
    rng = np.random.default_rng(0)
    i, j = rng.integers(0, rho.shape[0], _CHECKED), rng.integers(0, rho.shape[1], _CHECKED)
    sizes = np.sqrt(own.moments.second[i] * other.moments.second[j])
    return values if np.all(np.abs(values[i, j] - _integrals(own, other, rho, i, j)) <= _SAME * sizes) else None


@lru_cache(maxsize=64)
@exclusive
def _closed_kernel(f, g):
    """Return ``E f(s X) g(t Y)`` at correlation rho as a function of s, t, rho on arrays.

    None if no closed form is known, or none in functions that are fast on arrays.
    """
    x, y, rho = sp.symbols("x y rho", real=True)
    s, t = sp.symbols("s t", positive=True)
    mean = E(f.expr.xreplace({f.symbol: s * x}) * g.expr.xreplace({g.symbol: t * y}), (x, y), rho=rho)
    closed = mean.doit() if isinstance(mean, Average) else mean
    if closed.has(Average, BivariateNormalCDF, OwenT):
        return None
    try:
        return array_function(translate(closed), (s, t, rho))
    except AsympkitError:           # functions that texts do not have
        return None


def _by_series(own, other, rho):
    """Sum the Hermite series; integrate entries whose tail is not proved to be small."""
    c, e = own.coefficients, other.coefficients
    values = np.zeros_like(rho)
    for q in range(_ORDERS, 0, -1):
        values = rho * (values + np.outer(c[q], e[q]))
    tails = [np.maximum(u.moments.variance - np.square(u.coefficients[1:]).sum(axis=0), 0.0) for u in (own, other)]
    sizes = np.sqrt(np.outer(own.moments.variance, other.moments.variance))
    left_out = np.abs(rho) ** (_ORDERS + 1) * np.sqrt(np.outer(*tails))
    i, j = np.nonzero(left_out > _AIM * sizes)
    values[i, j] = _integrals(own, other, rho, i, j)
    return values


def _integrals(own, other, rho, i, j):
    """Return covariances of some pairs of units, by integration."""
    (f, g), (left, right) = (own.layer.activation, other.layer.activation), (own.moments, other.moments)
    parts = [type(m)(m.mean[k], m.slope[k], m.variance[k], m.rest[k]) for m, k in ((left, i), (right, j))]
    linear = rho[i, j] * own.s[i] * other.s[j] * left.slope[i] * right.slope[j]
    return linear + row_pairs(f, g, own.layer.bias[i], own.s[i], other.layer.bias[j], other.s[j], rho[i, j], *parts)


def _hermite_rows(activation, a, s):
    """Return coefficients of all rows, with quadrature rules that are refined until two agree."""
    kinks = np.asarray(activation.kinks_float, float)
    spread = np.flatnonzero(s > 0.0)
    found = np.zeros((_ORDERS + 1, a.size))
    found[0, s == 0.0] = activation(a[s == 0.0])
    if not spread.size:
        return found
    cut = max(cut_of_rows(activation, a[spread], s[spread]), 24.0)
    # polynomials of order q oscillate with period pi / sqrt(q): both rules resolve the highest
    coarsest = 1.0 if kinks.size else min(1.0 / 32.0, 0.25 / float(s.max()))
    before = None
    for width in coarsest / 2.0 ** np.arange(_HALVINGS + 1):
        now = np.empty((_ORDERS + 1, spread.size))
        for part in chunks(spread.size, 32 * cut / width if kinks.size else 2 * cut / width):
            i = spread[part]
            z, weights = (panels_of_rows(cut, width, kink_places(kinks, a[i], s[i])) if kinks.size
                          else lattice(cut, width))
            now[:, part] = _hermite_sums(activation(a[i, None] + s[i, None] * z), z, weights)
        if before is not None and np.all(np.abs(now - before) <= _AIM * np.linalg.norm(now, axis=0)):
            found[:, spread] = now
            return found
        before = now
    raise ConvergenceError(f"quadrature: the Hermite coefficients of {activation.name!r} do not converge at scales "
                           f"up to {s.max():.3g}; expected a smoother activation, or method='neuron-wise'")


def _hermite_sums(values, z, weights):
    """Return means of values with all orthonormal polynomials, shape (orders, rows)."""
    found, values = np.empty((_ORDERS + 1, len(values))), values * np.sqrt(weights)
    before, now = np.zeros_like(z), np.sqrt(weights)
    for q in range(_ORDERS + 1):
        found[q] = (values * now).sum(axis=1)
        before, now = now, (z * now - np.sqrt(q) * before) / np.sqrt(q + 1)
    return found
