r"""Inner Gaussian means on complex neighbourhoods of the real line, with their digits relative to themselves.

A mean :math:`M(x)=E\,u(a(x)+bz)` is entire; about a real centre its Taylor coefficients are Hermite moments, each one a
trapezoidal sum in balls.  Where a student saturates, variances and slopes are tiny differences of such means: they are
formed of the polynomials, where nothing is lost but rounding at the working precision, before numbers of machine size
are made of them.
"""

from functools import partial
from math import ceil, comb

import numpy as np

from ..balls.backend import arb, arb_mat, arb_poly, arb_series, series_length, workprec
from ..errors import ProofError
from .absolute import MARGIN, above
from .complex_forms import Circle, Disc
from .forms import ball_function
from .lattice import Member, hermite_norm, orthonormal, plan
from .taylor import TaylorMeans, absolute_hermite, hermite_parts

__all__ = ["BallMeans", "BallSeries", "discs_of"]

_DERIVATIVES = 8        # of a polynomial at the centre of a cell; the remainder is bounded on the disc
_UNIT = 1e-15           # some roundings


class BallSeries:
    """``|f(t) - p(t)| <= rest`` for ``|t| <= 1``, p a polynomial with balls for coefficients.

    Parameters
    ----------
    poly : arb_poly
    rest : arb
    order : int
        Number of terms.
    """

    def __init__(self, poly, rest, order):
        self.poly, self.rest, self.order = poly, rest, order

    @property
    def size(self):
        """Upper bound on the disc."""
        return sum((abs(c) for c in self.poly.coeffs()), arb(0)) + self.rest

    def _as_series(self, other):
        return other if isinstance(other, BallSeries) else BallSeries(arb_poly([arb(other)]), arb(0), self.order)

    def __add__(self, other):
        other = self._as_series(other)
        return BallSeries(self.poly + other.poly, self.rest + other.rest, self.order)

    __radd__ = __add__

    def __mul__(self, other):
        other = self._as_series(other)
        rest = self.rest * other.size + self.size * other.rest
        coefficients = (self.poly * other.poly).coeffs()
        dropped = sum((abs(c) for c in coefficients[self.order:]), arb(0))
        return BallSeries(arb_poly(coefficients[:self.order]), arb((rest + dropped).upper()), self.order)

    __rmul__ = __mul__


class BallMeans(TaylorMeans):
    """Taylor coefficients as of :class:`TaylorMeans`, as balls.

    Parameters
    ----------
    inner, spacing, count, order
        As there.
    digits : int
        Absolute digits of the Hermite moments, relative to the size of the activation.
    """

    def __init__(self, inner, spacing, count, order, digits):
        self.digits = digits
        super().__init__(inner, spacing, count, order)

    def series(self, centre, radius):
        """Return ``{(i, j): BallSeries}`` about a centre, given by its number, on a disc of a radius."""
        x, out = self.ratio * radius * MARGIN, {}
        for key, rows in self.rows.items():
            rest = float(self._remainder(*key, np.full(len(self.centres), x))[centre])
            power, coefficients = arb(1), []
            for c in rows[centre]:
                coefficients.append(c * power)
                power *= arb(radius)
            out[key] = BallSeries(arb_poly(coefficients), arb(rest), self.order)
        return out

    def _lattice_rows(self, spacing, count):
        """Compute coefficients from Hermite moments: one product of matrices of balls."""
        inner, top = self.inner, self.order + max(j for _, j in self.inner.wanted)
        farthest = above(inner.start) + above(inner.rate) * self.centres[-1]
        members = {i: Member(i, (partial(hermite_norm, top),), absolute_hermite(top),
                             10.0**-self.digits * inner.source.scale**i) for i in sorted({i for i, _ in inner.wanted})}
        plan_ = plan(inner.source, members, farthest, above(inner.slope))
        bits = int(3.33 * self.digits) + 40
        step = arb(plan_.step * (1 - 1e-9))
        window = ceil(plan_.reach / float(step))
        weights = orthonormal(step, window, top)
        with workprec(bits):
            nodes = [d * step for d in range(-window, window + 1)]
            starts = [inner.start + inner.rate * float(c) for c in self.centres]
            values = np.array([inner.source.values([a + inner.slope * z for z in nodes], bits) for a in starts],
                              dtype=object)
            edge = (window + 0.5) * step
            moments = {i: _product(_powers(values, i), weights) + arb(0, error)
                       for i, error in plan_.errors(step, edge, edge).items()}
            return {(i, j): self._combined(j, moments[i]) for i, j in inner.wanted}

    def _combined(self, j, moments):
        """Return the coefficients of ``x**n``: the n-th is ``ratio**n/n! E[z**j He_n u]``."""
        ratio, rows = self.inner.rate / self.inner.slope, 0
        for q, factor in hermite_parts(j):
            scale, scales = arb(1), []
            for n in range(self.order):
                scales.append(scale * (arb(n + q).fac()).sqrt() / arb(n).fac() * factor)
                scale = scale * ratio
            rows = rows + moments[:, q:q + self.order] * np.array(scales, dtype=object)
        return rows

    def _closed_rows(self):
        """Compute coefficients from power series of the closed forms."""
        from .inner import SLOPE, START

        inner, out = self.inner, {}
        for key in inner.wanted:
            run, rows = ball_function(inner.closed[key]), []
            for centre in self.centres:
                with workprec(int(3.33 * self.digits) + 40), series_length(self.order):
                    start = inner.start + inner.rate * float(centre)
                    series = arb_series(run({START: arb_series([start, inner.rate]), SLOPE: inner.slope})) + 0
                    if series.prec < self.order:
                        raise ProofError(f"certify: the closed form of the averages of "
                                         f"{inner.source.activation.name!r} has no power series at {start}")
                    balls = [arb(b) for b in series.coeffs()]
                rows.append(balls + [arb(0)] * (self.order - len(balls)))
            out[key] = np.array(rows, dtype=object)
        return out


def _powers(values, i):
    out = values
    for _ in range(i - 1):
        out = out * values
    return out


def _product(rows, columns):
    """Multiply matrices of balls."""
    found = arb_mat(rows.tolist()) * arb_mat(columns.tolist())
    return np.array(found.entries(), dtype=object).reshape(len(rows), columns.shape[1])


def discs_of(series, points, radius):
    """Evaluate a series on small discs about complex points.

    Parameters
    ----------
    series : BallSeries
    points : array of complex
        Centres, in units of the radius of the series' disc; with the small discs about them they stay below 0.8.
    radius : float or array
        Of the small discs, in the same units.

    Returns
    -------
    Disc
        With arrays.
    """
    balls = series.poly.coeffs() or [arb(0)]
    c = np.array([float(b.mid()) for b in balls])
    slack, n = [above(b - float(m)) for b, m in zip(balls, c)], len(c)
    rows = np.zeros((_DERIVATIVES, len(points)), complex)        # derivatives over factorials, by Horner's rule
    for k in range(n - 1, -1, -1):
        for d in range(_DERIVATIVES - 1, 0, -1):
            rows[d] = rows[d] * points + rows[d - 1]
        rows[0] = rows[0] * points + c[k]
    rows *= radius ** np.arange(_DERIVATIVES)[:, None]
    largest = float(np.max(radius))
    size, powers = np.abs(c), np.arange(n)
    size[0] = 0.0               # a constant moves nothing: beside it there may be much less
    grown = size * (1 + largest) ** powers
    # roundings: no partial sum is above that of absolute values; |t| <= 1
    rounding = _UNIT * (4 * n + 8 * _DERIVATIVES) * float(np.sum(grown)) + sum(slack[1:])
    near = sum(_binomials(n, d) * largest**d for d in range(_DERIVATIVES))
    far = float(np.sum(np.maximum(grown * (1 + 1e-12) - size * near, 0)))
    # the remainder is at most `rest` on the disc, its derivative at most rest/(1 - 0.8)
    rest = above(series.rest)
    beside = (rounding + rest) * MARGIN
    value = (beside + slack[0] + 4 * _UNIT * abs(c[0])) * MARGIN
    bend = sum(d * np.abs(rows[d]) for d in range(2, _DERIVATIVES))
    slope = (bend + n * (far + rounding) + 5 * rest * radius) * MARGIN
    spread = (np.abs(rows[1]) + slope) * MARGIN
    point = Circle(rows[0], np.full(len(points), value), np.full(len(points), beside))
    return Disc(point, Circle(rows[0], spread + value, spread + beside), Circle(rows[1], slope))


def _binomials(n, d):
    """Return the floats ``comb(k, d)`` for k below n."""
    return np.array([float(comb(k, d)) for k in range(n)])
