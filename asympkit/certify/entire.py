r"""Inner Gaussian means on complex neighbourhoods of the real line: Taylor models, and regions that these cover.

A Taylor model is a polynomial in one complex variable on the unit disc, with a proved remainder: coefficients are
float64 arrays (centres, degree), whose rounding every operation adds to the remainder, or balls, with their digits
relative to themselves.

A mean :math:`M(x)=E\,u(a(x)+bz)` is entire; about a real centre its Taylor coefficients are Hermite moments, each one a
trapezoidal sum in balls.  Where a student saturates, variances and slopes are tiny differences of such means: they are
formed of the polynomials, where nothing is lost but rounding at the working precision, before numbers of machine size
are made of them.

A region around the real line on which the denominators of a theory are proved to have no zero.

The region is a row of cells ``[e_i, e_(i+1)] x [-s_i, s_i]``. Its height follows
``s(x) = top * max(1 - x**2/(2 L), 0.15)``: where the normal weight is already small a lower contour is
enough, so zeros in the far tail cost nothing.
"""

from functools import partial
from math import ceil, comb, exp, lgamma, log, pi, sqrt

import numpy as np

from ..balls.backend import arb, arb_mat, arb_poly, arb_series, series_length, workprec
from ..errors import ProofError
from ..numbers.functions.balls import REAL_BALLS
from .forms import MARGIN, Circle, Disc, argument, ball_function, bound_above, mean, power, refusal
from .inner import SLOPE, START
from .lattice import Member, hermite_norm, orthonormal, plan, trapezoid_grid

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


_DERIVATIVES = 8        # of a polynomial at the centre of a cell; the remainder is bounded on the disc
_UNIT = 1e-15           # some roundings


class BallSeries:
    """``|f(t) - p(t)| <= rest`` for ``|t| <= 1``, p a polynomial of ``order`` terms with balls for coefficients."""

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

    ``digits`` are those of the Hermite moments, relative to the size of the activation.
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
        inner, (top, plan_) = self.inner, self._plan(10.0**-self.digits)
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
            moments = {i: _product(REAL_BALLS.whole_power(values, i), weights) + arb(0, error)
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
        with workprec(int(3.33 * self.digits) + 40):
            return {key: np.array(rows, dtype=object) for key, rows in self._closed_balls().items()}


def _product(rows, columns):
    """Multiply matrices of balls."""
    found = arb_mat(rows.tolist()) * arb_mat(columns.tolist())
    return np.array(found.entries(), dtype=object).reshape(len(rows), columns.shape[1])


def discs_of(series, points, radius):
    """Evaluate a series on small discs about complex points, as a :class:`Disc` of arrays.

    Points and radii are in units of the radius of the series' disc; points with their discs stay below 0.8.
    """
    balls = series.poly.coeffs() or [arb(0)]
    c = np.array([float(b.mid()) for b in balls])
    slack, n = [bound_above(b - float(m)) for b, m in zip(balls, c)], len(c)
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
    rest = bound_above(series.rest)
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


_LEAST = 1e-4           # a denominator is proved to stay above this
_LOWEST = 0.02
_HIGHEST = 6.0
_FARTHEST = 4.0         # in units of the inner normal variable
_DIVISIONS = 14
_HEIGHTS = 16           # of each cell at which zeros are looked for
_STEPS = 8              # of Newton's method from there
_BELOW_ZERO = 0.9       # how far a region is tried, of the height of the lowest zero found
_MOST = 8000            # cells


class RegionCells:
    """Cells of the outer variable on ``[-reach, reach]``, equal ones unless edges are given, of height ``top`` at 0.

    ``x`` is the largest ``|Re|`` in each cell, ``mass`` an upper bound of its normal weight.
    """

    def __init__(self, reach, width, top, digits, edges=None):
        count = ceil(reach / width)
        self.edges = width * np.arange(-count, count + 1) if edges is None else edges
        low, high = self.edges[:-1], self.edges[1:]
        self.x = np.maximum(np.abs(low), np.abs(high)) * MARGIN
        self.near = np.where(low * high < 0, 0.0, np.minimum(np.abs(low), np.abs(high))) / MARGIN
        self.heights = top * np.maximum(1 - self.near**2 / (2 * (digits + 2) * log(10)), 0.15)
        self.density = np.exp(-self.near**2 / 2) / sqrt(2 * pi) * MARGIN

    @property
    def mass(self):
        return np.diff(self.edges) * self.density * MARGIN


class Region:
    """Search for the highest row of cells that can be proved.

    ``means`` are those that the denominators depend on; ``build({id of means: models}, centres, radius)`` returns the
    denominators as Taylor models; ``estimate(tops)`` the steps of the outer rule that heights would allow without
    zeros.
    """

    def __init__(self, reach, digits, means, build, estimate):
        self.reach, self.digits, self.means, self.build = reach, digits, means, build
        steep = max([float(m.rate.abs_upper()) / float(m.slope.lower()) for m in means], default=0.0)
        self.width = min(0.5, 0.6 / steep) if steep else 0.5
        if 2 * reach / self.width > _MOST:
            raise refusal("certify: the inner averages of the denominators change too fast for a certificate: in "
                          f"f(a + r x + b z) the quotient r/b is {steep:.4g}, and at most "
                          f"{0.3 * _MOST / reach:.3g} is examined")
        self.spacing = self.width if steep * 2 * reach > 0.6 else 2.5 * reach
        self.count = ceil(reach / self.spacing) if self.spacing < reach else 0
        # far from its centre a Taylor model needs too many terms
        tops = np.geomspace(_LOWEST, min(_HIGHEST, _FARTHEST / steep) if steep else _HIGHEST, 60)
        top = float(tops[np.argmax(estimate(tops))])
        self.taylor = [TaylorMeans(m, self.spacing, self.count, order_for(steep * self._radius(top))) for m in means]
        self._place(top)
        top = self._promising(top)
        while top >= _LOWEST:
            self._place(top)
            self.least = self._proved()
            if self.least is not None:
                return
            top *= 0.9
        largest = max((float(np.max(m.size)) for m in self.models), default=0.0)
        raise refusal("certify: no region without zeros of the denominators is proved around the real line: they "
                      f"have zeros too near it, or they vary too much (up to {largest:.1e}) to be separated from "
                      "zero in double precision; move the parameters off the singular point, or scale the functions")

    def _radius(self, top):
        return sqrt(self.spacing**2 + top**2) if self.count else sqrt((self.reach + self.width) ** 2 + top**2)

    def _place(self, top):
        """Compute the cells of a given height, the centre each belongs to, and models on discs that hold the cells."""
        self.cells = cells = RegionCells(self.reach, self.width, top, self.digits)
        middle = (cells.edges[:-1] + cells.edges[1:]) / 2
        self.index = np.clip(np.rint(middle / self.spacing), -self.count, self.count).astype(int) + self.count
        self.centres = centres = self.spacing * np.arange(-self.count, self.count + 1)
        far = np.abs(middle - centres[self.index]) + self.width / 2
        self.radius = np.full(len(centres), 1e-3)
        np.maximum.at(self.radius, self.index, np.hypot(far, cells.heights) * (1 + 1e-6))
        node = Taylor(np.stack([centres, self.radius], axis=1), np.full(len(centres), 1e-14 * self.reach))
        self.models = self.build({id(t.inner): t.models(self.radius) for t in self.taylor}, node)

    def _promising(self, top):
        """Return a height a little below the lowest zero that Newton's method finds; a guess without proof."""
        cells, best = self.cells, 1.0
        middle = (cells.edges[:-1] + cells.edges[1:]) / 2
        k, cell = np.tile(self.index, _HEIGHTS), np.tile(np.arange(len(middle)), _HEIGHTS)
        z = middle[cell] + 1j * np.repeat(np.linspace(0, 1, _HEIGHTS), len(middle)) * cells.heights[cell]
        for model in self.models:
            p = np.broadcast_to(model.coefficients, (len(self.centres), model.coefficients.shape[1]))
            value, slope = _horner(p[k], (z - self.centres[k]) / self.radius[k])
            # points whose tangent has a zero close by
            near = np.abs(value) < np.abs(slope) / self.radius[k] * self.width * 2
            point, c, r, rows, home = z[near], self.centres[k][near], self.radius[k][near], p[k][near], cell[near]
            for _ in range(_STEPS):
                value, slope = _horner(rows, (point - c) / r)
                step = np.divide(value, slope, out=np.zeros_like(value), where=slope != 0) * r
                point = point - step * np.minimum(1, 0.3 / np.maximum(np.abs(step), 1e-300))
            y = np.abs(point.imag) / cells.heights[home]
            found = (np.abs(step) < 1e-6) & (np.abs(point.real - middle[home]) < self.width) & (y < 1)
            if found.any():
                best = min(best, _BELOW_ZERO * float(np.min(y[found])))
        return max(top * best, _LOWEST)

    def _proved(self):
        """Bound all denominators from below on all cells, or return None."""
        rows = []
        for model in self.models:
            row = _least(model, self.cells, self.index, self.centres, self.radius)
            if row is None:
                return None
            rows.append(row)
        return rows


def _least(model, cells, index, centres, radius):
    """Bound a model's absolute value from below on each cell (upper half), by division; None if one fails."""
    p, rest = np.broadcast_arrays(model.coefficients, np.zeros((len(centres), 1)))[0], np.broadcast_to(
        model.rest, len(centres))
    n = np.arange(p.shape[1])
    bend = np.sum(np.abs(p) * n * (n - 1), axis=1) / 2 * MARGIN
    slopes = np.sum(np.abs(p) * n, axis=1)
    # Horner's rule, twice, and the rounding of points far from zero on small discs
    noise = rest + 1e-15 * (8 + p.shape[1]) * (np.sum(np.abs(p), axis=1) + slopes) + 4e-15 * (
        cells.edges[-1] / radius + 1) * slopes
    if not np.all(np.isfinite(noise[np.unique(index)])):
        return None
    least = np.full(len(index), np.inf)
    low, high = cells.edges[:-1], cells.edges[1:]
    cell = np.arange(len(index))
    x, y, w, h = (low + high) / 2, cells.heights / 2, (high - low) / 2 * MARGIN, cells.heights / 2 * MARGIN
    for depth in range(_DIVISIONS):
        k = index[cell]
        t = (x - centres[k] + 1j * y) / radius[k]
        value, slope = _horner(p[k], t)
        r = np.hypot(w, h) / radius[k] * MARGIN
        bound = np.abs(value) - (np.abs(slope) * r + bend[k] * r**2 + noise[k]) * MARGIN
        good = bound >= np.maximum(0.25 * np.abs(value), _LEAST)
        if depth == _DIVISIONS - 1:
            good = bound >= _LEAST
        np.minimum.at(least, cell[good], bound[good])
        if depth == 0:
            typical = np.abs(value)
        if good.all():
            return least / MARGIN, typical
        hopeless = np.abs(value) < np.maximum(noise[k], _LEAST)
        if hopeless.any() or np.count_nonzero(~good) > 20000:
            return None
        cell, x, y, w, h = (a[~good] for a in (cell, x, y, w, h))
        wide = w >= h
        sx, sy = np.where(wide, w / 2, 0), np.where(wide, 0, h / 2)
        cell = np.concatenate([cell, cell])
        x, y = np.concatenate([x - sx, x + sx]), np.concatenate([y - sy, y + sy])
        w, h = np.tile(np.where(wide, w / 2, w), 2) * MARGIN, np.tile(np.where(wide, h, h / 2), 2) * MARGIN
    return None


def _horner(p, t):
    """Return values and derivatives of polynomials, one row for each point."""
    value, slope = np.zeros(len(t), complex), np.zeros(len(t), complex)
    for k in range(p.shape[1] - 1, -1, -1):
        slope = slope * t + value
        value = value * t + p[:, k]
    return value, slope
