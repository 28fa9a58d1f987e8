r"""Bounds of means of Moreau envelopes of piecewise linear-quadratic losses, from the graph of the slope.

The proximal step of :math:`t=p+V\sigma` is p, for every point :math:`(p,\sigma)` of the graph of the subdifferential
of the loss g: no root is taken, and p and :math:`\sigma` stay real when V, :math:`t_0` and W do not.  So

.. math:: E\,M_V(t_0\pm Wx)\,P=\int_{graph}\Bigl(g(p)+\frac{V\sigma^2}2\Bigr)P\,\varphi(x)\,\frac{dt}{\pm W},\qquad
   x=\pm\frac{p+V\sigma-t_0}W,

which is the closed form where that is real, and its continuation off the line: both are holomorphic.  In derivatives
the integrand becomes :math:`\sigma` (by :math:`t_0`), :math:`-\sigma^2/2` (by V) and :math:`d\sigma/dt`, which is
:math:`a/(1+Va)` on quadratic pieces; where the slope jumps it is 1/V, and the integral one over :math:`d\sigma`.

Along the graph the real part of t grows, ``|dt| <= |V|/Re V d Re t``, and ``|Im(t - t0)| <= |Im V| |sigma| + |Im t0|``:
as :class:`~.masses.GaussianMass` needs.

One Gaussian above integrands of means over a normal, along paths beside the real line.

With :math:`x=(u+iv)/W`, :math:`|v|\le v_0+v_1|u|` and :math:`1/W^2=c-id` the density is

.. math:: |\varphi(x)|\le\tfrac1{\sqrt{2\pi}}e^{-cu^2/2+|d||u||v|+cv^2/2},

and :math:`|\Phi(z)|`, :math:`|e^{-z^2/2}|` are at most :math:`e^{(\mathrm{Im}z)^2/2}` (shift the path by ``Im z``),
with :math:`|\mathrm{Im}z|\le\beta_0+\beta_1|u|`: all is below one Gaussian in u, a small share of whose exponent pays
for factors that grow.

Bounds and degrees of expressions, read off their form: absolute values of terms are added, those of factors
multiplied.
"""

from functools import reduce
from itertools import pairwise
from operator import add, mul

import numpy as np
from sympy import Dummy, Integer, Rational, expand_mul, sqrt

from ..balls.backend import arb
from .forms import MARGIN, ball_function, bound_above, complex_function, refusal

SPARE = 0.05                                    # share of exponents that pays for factors that grow
GROWN = 1 / np.sqrt(np.e * SPARE) * MARGIN      # x <= GROWN exp(SPARE x**2/2) for all x


def bound_with_share(c, count=1):
    """Bound ``|u| exp(-share of c u**2/2)``, with the count-th part of the share."""
    return GROWN * np.sqrt(count / c)


class GaussianMass:
    """Bound of the integral of ``|phi(x)|`` times one of the factors with ``exp((Im z)**2/2)``.

    ``c`` are bounds (lower, upper) of the real part of ``1/W**2``, ``d`` bounds its imaginary part, ``inverse_width``
    bounds ``|1/W|``; ``v`` is a bound of v0, or those of v0 and v1; ``beta`` those of beta0 and beta1; ``stretch``
    bounds the length of the path in units of that of its real part.  All are arrays.

    ``total`` is the bound, infinite if none holds; ``peak`` bounds the integrand without ``|dx|``, in units of the
    total; ``reserve`` is the c of :func:`bound_with_share` for factors that grow.
    """

    def __init__(self, c, d, v, beta, inverse_width, stretch=1.0):
        with np.errstate(all="ignore"):
            (low, high), more = c, 1 + SPARE
            v0, v1 = v if isinstance(v, tuple) else (v, 0.0)
            beta0, beta1 = beta
            left = (low - (high * v1**2 + 2 * d * v1) * MARGIN - more * beta1**2 * MARGIN) / MARGIN
            slope = d * v0 + high * v0 * v1 + more * beta0 * beta1
            spared = left * (1 - SPARE)
            exponent = (slope**2 / (2 * spared) + high * v0**2 / 2 + more * beta0**2 / 2) * MARGIN
            size = np.exp(np.minimum(exponent, 700)) * MARGIN
            total = 2 * inverse_width * stretch / np.sqrt(spared) * size * MARGIN
            holds = (left > 0) & (low > 0) & (exponent < 690) & np.isfinite(total)
        self.total = np.where(holds, total, np.inf)
        self.peak = np.sqrt(np.maximum(spared, 0)) / (2 * stretch * inverse_width)
        self.reserve = np.maximum(left, 1e-300)


class Sizes:
    """Upper bounds of absolute values, from known ones of symbols, floats or arrays.

    ``special(expr)`` bounds an expression that is neither sum, product nor integer power.
    """

    total, times = add, mul

    def __init__(self, known, special=None):
        self.known, self.special = known, special

    def __call__(self, expr):
        if expr in self.known:
            return self.known[expr]
        if not expr.free_symbols:
            return self.number(expr)
        if expr.is_Add or expr.is_Mul:
            parts = [self(a) for a in expr.args]
            with np.errstate(all="ignore"):
                return self.kept(reduce(type(self).total if expr.is_Add else type(self).times, parts))
        if expr.is_Pow and expr.exp.is_Integer and expr.exp > 0:
            with np.errstate(all="ignore"):
                return self.kept(self.power(self(expr.base), int(expr.exp)))
        found = self.special(expr) if self.special else None
        if found is None:
            raise refusal(f"certify: no bound off the real line is known for {str(expr)[:80]}; the losses 'square' "
                          "and, with labels='sign', 'logistic' are certified; precise() computes digits without a "
                          "proof")
        return found

    @staticmethod
    def number(expr):
        return bound_above(arb(ball_function(expr)({})))

    @staticmethod
    def power(x, n):
        return x**n

    @staticmethod
    def kept(x):
        """Round up; 0 times infinity bounds nothing."""
        return np.where(np.isnan(x), np.inf, x) * MARGIN


class Degrees(Sizes):
    """Degrees of polynomial bounds."""

    times = add

    @staticmethod
    def total(x, y):
        return max(x, y)

    @staticmethod
    def number(expr):
        return 0

    @staticmethod
    def power(x, n):
        return n * x

    @staticmethod
    def kept(x):
        return x


_FACTORS = 4            # most factors that grow with t: a quadratic loss, and one by its derivative
_MOMENT = 2.0           # E |x|**n <= 2**n
#: marks for the parts of integrands besides P, which is at most its bound in the Gaussian
_value, _slope, _rate, _x, _density = (Dummy(n, real=True) for n in ("M", "s", "ds", "x", "E"))


class Graph:
    """Numbers of a piecewise linear-quadratic loss.

    ``curvature``, ``line``, ``constant`` are the largest coefficients of ``a t**2/2 + b t + d``, ``steepest`` bounds
    all slopes (None if nothing does), ``corner`` those where pieces meet, and ``jumps`` is the sum of all jumps of the
    slope.
    """

    def __init__(self, part):
        label, pieces = dict(part.label), part.pieces
        if None in pieces.pieces:
            raise refusal("certify: the loss is infinite somewhere, and the slopes of its envelope have no bound; "
                          "precise() computes digits without a proof")
        rows = [[_exactly(c, label) for c in piece] for piece in pieces.pieces]
        places = [_exactly(c, label) for c in pieces.places]
        self.curvature, self.line, self.constant = (max(bound_above(row[i]) for row in rows) for i in range(3))
        sides = [(left[0] * c + left[1], right[0] * c + right[1]) for c, (left, right) in zip(places, pairwise(rows))]
        self.corner = max((bound_above(s) for pair in sides for s in pair), default=0.0)
        self.jumps = sum(bound_above(right - left) for left, right in sides if not (right - left).is_zero())
        ends = rows[0], rows[-1]
        flat = all(row[0].is_zero() for row in ends)
        self.steepest = max(self.corner, *(bound_above(row[1]) for row in ends)) if flat else None

    def slope(self, start, width):
        """Return ``(S0, S1)`` with ``|sigma| <= S0 + S1 |Re(t - t0)|`` where ``|Re t0| <= start``, ``Re V >= width``.
        """
        if self.steepest is not None:
            return self.steepest, 0.0
        rate = self.curvature / (1 + self.curvature * width) * MARGIN
        return (max(self.line, self.corner) + rate * start) * MARGIN, rate

    def value(self, place):
        """Return a bound of ``|g(p)|`` for ``|p| <= place``."""
        if self.steepest is not None:               # g(0) is the constant of a piece
            return (self.constant + self.steepest * place) * MARGIN
        return (self.constant + self.line * place + self.curvature / 2 * place * place) * MARGIN


def _exactly(expr, label):
    found = expr.xreplace(label)
    if found.free_symbols:
        raise refusal(f"certify: the loss holds {found}; expected a loss with numbers in its place")
    return arb(ball_function(found)({}))


class GraphMean:
    """A derivative of a mean envelope; its source is an :class:`~asympkit.losses.loss.EnvelopeMean`."""

    def __init__(self, origin):
        source, self.values = origin.source, origin.values
        self.V, self.W = source.V, source.W
        self.parts = [(part.weight.xreplace(self.values), part, Graph(part),
                       (origin.factor * _derived(source, part, origin.orders)).xreplace(self.values))
                      for part in source.parts]

    # -- beside the real line ----------------------------------------------------------------------

    def size(self, inside, sizes):
        """Return upper bounds on discs by symbol; ``sizes`` are those of the same symbols, and of parameters."""
        total = 0
        with np.errstate(all="ignore"):
            for weight, part, graph, integrand in self.parts:
                if integrand != 0:
                    total = total + sizes(weight) * self._part_size(part, graph, integrand, inside, sizes)
        return np.where(np.isnan(total), np.inf, total)

    def _part_size(self, part, graph, integrand, inside, sizes):
        V, inverse = inside[self.values[self.V]], inside[self.values[self.W]].power(-2)
        start = complex_function(part.start.xreplace(self.values))(inside)
        square, wide = inverse * inverse, V.size
        s0, s1 = graph.slope(start.size, np.maximum(V.least, 0))
        v0, v1 = (V.imag * s0 + start.imag) * MARGIN, V.imag * s1 * MARGIN
        stretch = 1 + V.imag / V.least
        mass = GaussianMass((square.least, square.real), square.imag, (v0, v1), self._beside(part, inside, inverse,
                                                                                              (v0, v1)),
                            inverse.size, stretch)
        u = bound_with_share(mass.reserve, _FACTORS)
        slope, far = (s0 + s1 * u) * MARGIN, ((1 + v1) * u + v0) * MARGIN
        place = (start.size + u + wide * slope) * MARGIN
        marks = {_x: inverse.size * far, _slope: slope, _density: 0.4,
                 _value: graph.value(place) + wide * slope**2 / 2 * MARGIN,
                 _rate: graph.curvature / (1 + graph.curvature * V.least) + np.minimum(
                     (graph.jumps > 0) / V.least, graph.jumps * inverse.size * mass.peak)}
        found = mass.total * Sizes({**sizes.known, **marks}, sizes.special)(integrand)
        return np.where(V.least > 0, found, np.inf)

    def _beside(self, part, inside, inverse, v):
        """Return how far the argument of the target's share leaves the real line."""
        if part.tilt is None:
            return 0.0, 0.0
        a, k = (e.xreplace(self.values) for e in part.tilt[:2])
        steep = 1 / sqrt(1 - k**2)
        at, by = (complex_function(e)(inside) for e in (a * steep, k * steep))
        by = by * inverse
        return (at.imag + by.real * v[0]) * MARGIN, (by.imag + by.real * v[1]) * MARGIN

    # -- on the real line --------------------------------------------------------------------------

    def edge(self, size, floor):
        """Bound the mean on the real line, where V and W may vanish.

        ``size`` bounds the parts of the integrands; ``floor`` gives a lower bound of an expression, which may be 0.
        """
        total = 0.0
        for weight, part, graph, integrand in self.parts:
            if integrand == 0:
                continue
            start = size(part.start.xreplace(self.values))
            V, W = size(self.values[self.V]), size(self.values[self.W])
            least = floor(self.values[self.V])
            s0, s1 = graph.slope(start, 0.0)
            u = W * _MOMENT * MARGIN
            slope = (s0 + s1 * u) * MARGIN
            marks = {_x: _MOMENT, _slope: slope, _density: 0.4,
                     _value: graph.value((start + u + V * slope) * MARGIN) + V * slope**2 / 2 * MARGIN}
            if integrand.has(_rate):
                narrow = floor(self.values[self.W])
                if graph.jumps and not (least or narrow):
                    raise refusal("certify: the loss has kinks, and predictions are not proved to vary on all of the "
                                  "real line; precise() computes digits without a proof")
                jump = min((1 / x for x in (least, 2.5 * narrow / graph.jumps) if x), default=0.0) if (
                    graph.jumps) else 0.0
                marks[_rate] = (graph.curvature + jump) * MARGIN
            total += float(size(weight)) * float(Sizes({**size.known, **marks}, size.special)(integrand))
        return total * MARGIN

    def degree(self, degree):
        """Return the degree of a polynomial that bounds it on the real line."""
        found = []
        for _, part, graph, integrand in self.parts:
            start, V, W = (degree(e) for e in (part.start.xreplace(self.values), self.values[self.V],
                                               self.values[self.W]))
            slope = 0 if graph.steepest is not None else max(start, W)
            place = max(start, W, V + slope)
            marks = {_x: 0, _density: 0, _rate: 0, _slope: slope,
                     _value: max(place * (1 if graph.steepest is not None else 2), V + 2 * slope)}
            found.append(Degrees({**degree.known, **marks}, degree.special)(integrand))
        return max(found)


def _derived(source, part, orders):
    """Return the integrand of a derivative by some variables, in marks."""
    expr = _value
    for v in orders:
        expr = _rate_of(expr, v, source, part)
    return expand_mul(expr)         # roots of sums stay as they are


def _rate_of(expr, v, source, part):
    move = part.start.diff(v) + (part.sign * _x if v == source.W else 0)
    wider = Integer(int(v == source.V))
    found = (expr.diff(v) + expr.diff(_value) * (_slope * move - _slope**2 / 2 * wider)
             + expr.diff(_slope) * _rate * (move - _slope * wider))
    if part.tilt is not None and v in part.tilt[:2]:
        a, k, y = part.tilt
        found += expr * _density * y * (1 / sqrt(1 - k**2) if v == a else (_x + a * k) * (1 - k**2) ** Rational(-3, 2))
    if expr.has(_rate) or expr.has(_density):
        raise refusal("certify: a derivative of a loss with kinks of such an order has no bound here")
    return found
