"""Taylor models: polynomials in one complex variable on the unit disc, with a proved remainder.

Coefficients are float64 arrays (centres, degree); every operation adds a bound of its rounding
error to the remainder.
"""

from functools import partial
from math import comb, exp, lgamma, sqrt

import numpy as np

from ..balls.backend import arb, arb_series, series_length, workprec
from ..errors import ProofError
from .forms import MARGIN, argument, ball_function, bound_above, mean, power
from .inner import SLOPE, START
from .lattice import Member, hermite_norm, plan, trapezoid_grid

_ROUNDING = 1.2e-16
_EPS = 1e-15            # some roundings
_TOLERANCE = 1e-10      # of the Hermite moments, relative to the size of the activation
_BITS = 64
_NEGLIGIBLE = 1e-10


class Taylor:
    """``|f(t) - sum_n coefficients[:, n] t**n| <= rest`` for ``|t| <= 1``, one row for each centre."""

    __array_ufunc__ = None

    def __init__(self, coefficients, rest):
        self.coefficients, self.rest = coefficients, rest

    @classmethod
    def constant(cls, ball):
        """Make the model of a number, given as a ball."""
        mid = float(ball.mid())
        return cls(np.array([[mid]]), np.array([bound_above(ball - mid)]))

    @property
    def size(self):
        """Upper bound on the disc."""
        return (np.sum(np.abs(self.coefficients), axis=1) + self.rest) * MARGIN

    def __add__(self, other):
        other = _model(other)
        a, b = self.coefficients, other.coefficients
        if a.shape[1] < b.shape[1]:
            a, b = b, a
        out = np.array(np.broadcast_to(a, (max(len(a), len(b)), a.shape[1])))
        out[:, :b.shape[1]] += b
        return Taylor(out, (self.rest + other.rest + _ROUNDING * (self.size + other.size)) * MARGIN)

    __radd__ = __add__

    def __mul__(self, other):
        other = _model(other)
        a, b = self.coefficients, other.coefficients
        out = np.zeros((max(len(a), len(b)), a.shape[1] + b.shape[1] - 1))
        if a.shape[1] > b.shape[1]:
            a, b = b, a
        for n in range(a.shape[1]):
            out[:, n:n + b.shape[1]] += a[:, n:n + 1] * b
        terms = min(a.shape[1], b.shape[1]) + 2
        rest = self.rest * other.size + self.size * other.rest + terms * _ROUNDING * self.size * other.size
        return Taylor(out, rest * MARGIN)._shortened()

    __rmul__ = __mul__

    def _shortened(self):
        """Drop the highest terms, where they are negligible."""
        tails = np.cumsum(np.max(np.abs(self.coefficients), axis=0)[::-1])[::-1]
        keep = max(1, int(np.count_nonzero(tails > _NEGLIGIBLE * tails[0])))
        dropped = np.sum(np.abs(self.coefficients[:, keep:]), axis=1)
        return Taylor(self.coefficients[:, :keep], (self.rest + dropped) * MARGIN)


def _model(other):
    return other if isinstance(other, Taylor) else Taylor.constant(arb(other))


class TaylorMeans:
    """Taylor coefficients of the moments of :class:`EnclosedMeans` at centres ``-count .. count`` times a spacing.

    With ``t = rate/slope * (x - centre)``, x the outer variable, the shifted Gaussian gives
    ``E[He_q(z) u(a(x) + b z)] = sum_n t**n/n! E[He_{n+q}(z) u(a(centre) + b z)]`` and
    ``|E[He_m u]| <= sqrt(m!) E[u**2]**(1/2)``, which bounds the remainder after ``order`` terms for every u.
    """

    def __init__(self, inner, spacing, count, order):
        self.inner, self.order = inner, order
        self.centres = spacing * np.arange(-count, count + 1)
        self.ratio = bound_above(inner.rate) / float(inner.slope.lower()) * MARGIN
        self.spread = 0.0 if inner.kind == "closed" else sum(
            bound_above(b - b.mid()) / float(abs(b).lower()) for b in (inner.rate, inner.slope) if b != 0)
        with workprec(_BITS):
            self.rows = self._closed_rows() if inner.kind == "closed" else self._lattice_rows(spacing, count)

    def models(self, radius):
        """Return ``{(i, j): Taylor}`` on discs of given radii (array over centres) about the centres."""
        n = np.arange(self.order)
        scale = radius[:, None] ** n
        # a centre is known up to rounding and the uncertainty of rate and slope
        moved = (self.spread + _EPS) * (np.abs(self.centres) / radius + 1)
        moved = np.where(moved * self.order < 0.5, moved, np.inf)[:, None]
        x, out = self.ratio * radius * MARGIN, {}
        for (i, j), (rows, errors) in self.rows.items():
            size = np.abs(rows) * scale
            rest = np.sum(errors * scale + size * (2 * moved + _EPS) * (n + 1), axis=1) + self._remainder(i, j, x)
            out[i, j] = Taylor(rows * scale, rest * MARGIN)
        return out

    def _remainder(self, i, j, x):
        total, n = 0.0, self.order
        for q, factor in hermite_parts(j):
            growth = x * sqrt(n + 1 + q) / (n + 1)
            lead = np.exp(n * np.log(np.maximum(x, 1e-300)) + lgamma(n + q + 1) / 2 - lgamma(n + 1))
            total = total + factor * np.where(growth < 1, lead / np.maximum(1 - growth, 1e-9), np.inf)
        return total * self._norm(i)

    def _norm(self, i):
        """Return ``E[u**2]**(1/2)`` at the centres, u the i-th power of the activation."""
        inner = self.inner
        offset = bound_above(inner.start) + bound_above(inner.rate) * np.abs(self.centres)
        return np.sqrt(mean(argument(power(inner.source.growth, 2 * i), offset, bound_above(inner.slope)))) * MARGIN

    def _lattice_rows(self, spacing, count):
        """Compute coefficients from Hermite moments, all of them in one product of matrices."""
        top, plan_ = self._plan(_TOLERANCE)
        moments = trapezoid_grid(self.inner.source, plan_, self.inner, spacing, count, top)
        return {(i, j): self._combine(j, *moments[i]) for i, j in self.inner.wanted}

    def _plan(self, tolerance):
        """Return the highest order of Hermite moments, and one step and window for those of all powers."""
        inner, top = self.inner, self.order + max(j for _, j in self.inner.wanted)
        farthest = bound_above(inner.start) + bound_above(inner.rate) * self.centres[-1]
        weight, norms = absolute_hermite(top), (partial(hermite_norm, top),)
        members = {i: Member(i, norms, weight, tolerance * inner.source.scale**i) for i, _ in inner.wanted}
        return top, plan(inner.source, members, farthest, bound_above(inner.slope))

    def _combine(self, j, moments, error):
        """Return the coefficients of x**n from the moments of orthonormal Hermite polynomials."""
        ratio = float(self.inner.rate) / float(self.inner.slope)
        n = np.arange(self.order)
        rows, errors = 0.0, 0.0
        for q, factor in hermite_parts(j):
            logs = np.array([lgamma(k + q + 1) for k in n])
            size = np.array([exp(log / 2 - lgamma(k + 1)) for k, log in zip(n, logs)]) * factor
            scale = size * np.power(ratio, n)
            part = moments[:, q:q + self.order] * scale
            # a logarithm loses its own size in units of rounding, a power its exponent
            lost = 4 * _EPS * (logs + 1) + (n + 1) * (self.spread + _EPS)
            rows = rows + part
            errors = errors + error * np.abs(scale) * (1 + lost) * MARGIN + (lost + 4 * _EPS) * np.abs(part)
        return rows, errors

    def _closed_rows(self):
        """Compute coefficients from power series of the closed forms."""
        out = {}
        for key, rows in self._closed_balls().items():
            midpoints = [[float(b.mid()) for b in row] for row in rows]
            errors = [[bound_above(b - m) for b, m in zip(*pair)] for pair in zip(rows, midpoints)]
            out[key] = np.array(midpoints), np.array(errors)
        return out

    def _closed_balls(self):
        """Compute the coefficients as balls, ``{(i, j): a row for each centre}``."""
        inner, out = self.inner, {}
        for key in inner.wanted:
            run, out[key] = ball_function(inner.closed[key]), []
            for centre in self.centres:
                start = inner.start + inner.rate * float(centre)
                with series_length(self.order):
                    series = arb_series(run({START: arb_series([start, inner.rate]), SLOPE: inner.slope})) + 0
                    if series.prec < self.order:
                        raise ProofError(f"certify: the closed form of the averages of "
                                         f"{inner.source.activation.name!r} has no power series at {start}")
                    balls = [arb(b) for b in series.coeffs()]
                out[key].append(balls + [arb(0)] * (self.order - len(balls)))
        return out


def hermite_parts(j):
    """Return ``[(q, factor)]`` with ``z**j = sum factor He_q(z)``."""
    parts, odd = [], 1
    for k in range(j // 2 + 1):
        parts.append((j - 2 * k, comb(j, 2 * k) * odd))
        odd *= 2 * k + 1
    return parts


def absolute_hermite(top):
    """Return coefficients in ``|z|`` that bound all orthonormal Hermite polynomials up to an order."""
    rows = [np.array([1.0])]
    for k in range(top):
        row = np.zeros(k + 2)
        row[1:] += rows[k]
        if k:
            row[:k] += sqrt(k) * rows[k - 1]
        rows.append(row / sqrt(k + 1))
    return np.max([np.pad(row, (0, top + 1 - len(row))) for row in rows], axis=0) * MARGIN


def order_for(x):
    """Return the count of terms after which the remainder of a product of two models is small, for ``|t| <= x``."""
    n = 8
    while n < 400 and n * np.log(max(1.5 * x, 1e-9)) - lgamma(n + 1) / 2 > np.log(1e-7):
        n += 2
    return n
