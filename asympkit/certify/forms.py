"""Expressions of a program as functions: of balls, and of any algebra with a sum and a product.

Polynomials in ``|x|`` with non-negative coefficients: majorants and their Gaussian means, in float64.

Sums and products of non-negative floats have no cancellation: a few hundred operations lose less than
1e-12 relative, and ``MARGIN`` makes every result an upper bound again.  Coefficients run along the last
axis from the lowest degree; leading axes are cells.

Elementary expressions on small complex discs, holomorphic where they are finite; arrays of machine numbers.  Proof
errors that more working digits cannot change.
"""

from functools import cache, reduce
from math import comb, inf, lgamma, log, pi, sqrt
from operator import add, mul

import numpy as np

from ..balls.backend import SpentError, arb, ratio
from ..errors import ProofError
from ..numbers.evaluation import compile_expression
from ..numbers.functions.balls import REAL_BALLS


def ball_function(expr):
    """Compile an expression to a function ``{symbol: ball or array of balls} -> ball or array``."""
    return compile_expression(expr, REAL_BALLS)


def at_nodes(statement, columns, values):
    """Return pairs of a symbol and its integrand at the nodes of a table, for the sums of a statement."""
    inside = {**values, **columns}
    for symbol, expr in statement.locals:
        inside[symbol] = ball_function(expr)(inside)
    return [(symbol, ball_function(integrand)(inside)) for symbol, integrand, _ in statement.sums]


@cache
def form(expr, varying):
    """Compile an expression to a function ``(values, constant) -> element`` in any algebra.

    It is made of sums, products and natural powers of the varying symbols, which stand for elements of the algebra;
    ``constant(expr)`` gives the parts free of them.
    """
    if expr in varying:
        return lambda v, c: v[expr]
    if not expr.free_symbols & varying:
        return lambda v, c: c(expr)
    if expr.is_Pow and expr.exp.is_Integer and expr.exp > 0:
        base, n = form(expr.base, varying), int(expr.exp)
        return lambda v, c: REAL_BALLS.whole_power(base(v, c), n)
    if not (expr.is_Add or expr.is_Mul):
        raise ProofError(f"certify: {str(expr)[:60]} is not polynomial in the tabulated quantities")
    parts, add = [form(a, varying) for a in expr.args], expr.is_Add

    def value(v, c):
        total = parts[0](v, c)
        for part in parts[1:]:
            total = total + part(v, c) if add else total * part(v, c)
        return total

    return value


MARGIN = 1 + 1e-9


def bound_above(ball):
    """Return a float not below the absolute value of a ball."""
    return float(ball.abs_upper()) * (1 + 1e-14) if ball.is_finite() else inf


@cache
def absolute_moment(k):
    """Return ``E|Z|**k`` of a standard normal, rounded up."""
    exponent = k / 2 * log(2) + lgamma((k + 1) / 2)
    return float(np.exp(exponent)) / sqrt(pi) * MARGIN if exponent < 700 else inf


def product(p, q):
    """Multiply two polynomials."""
    p, q = np.asarray(p, float), np.asarray(q, float)
    out = np.zeros((*np.broadcast_shapes(p.shape[:-1], q.shape[:-1]), p.shape[-1] + q.shape[-1] - 1))
    for k in range(p.shape[-1]):
        out[..., k:k + q.shape[-1]] += p[..., k:k + 1] * q
    return out


def power(p, n):
    """Return ``p**n``."""
    out = np.ones((1,))
    for _ in range(n):
        out = product(out, p)
    return out


def argument(p, start, slope):
    """Return the polynomial ``p(start + slope t)`` in t, for non-negative ``start`` (an array) and ``slope``."""
    p, start = np.asarray(p, float), np.asarray(start, float)
    out = np.zeros((*start.shape, p.shape[-1]))
    for n in range(p.shape[-1]):
        for k in range(n + 1):
            out[..., k] += p[..., n] * comb(n, k) * start ** (n - k) * slope**k
    return out


def mean(p):
    """Return ``E p(|Z|)``, rounded up."""
    return sum(p[..., k] * absolute_moment(k) for k in range(p.shape[-1])) * MARGIN


def normal_tail(p, edge, log_factor=0.0):
    """Bound the integral of ``p(x)`` against the normal density from ``edge`` to infinity from above.

    It needs ``edge**2 > degree``: the integral of ``x**k`` is at most
    ``edge**(k-1) density(edge) / (1 - (k-1)/edge**2)``.  The result is multiplied by ``exp(log_factor)``.
    """
    p, k = np.asarray(p, float), np.arange(np.shape(p)[-1])
    shrink = 1 - np.maximum(k - 1, 0) / edge**2
    if shrink[-1] <= 0:
        return inf
    # one exponential, as the power of the edge alone may overflow; underflow is not rounded to 0
    exponent = np.asarray(log_factor)[..., None] + (k - 1) * log(edge) - edge * edge / 2
    size = np.where(exponent < 700, np.exp(np.clip(exponent, -690, 700)), inf)
    return np.sum(p * size / shrink, axis=-1) / sqrt(2 * pi) * MARGIN


def refusal(text):
    """Return a :class:`ProofError` after which no further attempt is made."""
    error = ProofError(text)
    error.settled = True
    return error


def is_final(error):
    """Return whether no further attempt is to be made after an error."""
    return getattr(error, "settled", False)


def is_spent(error):
    """Return whether an error is a spent budget of evaluations, which is final the second time."""
    return isinstance(error.__cause__, SpentError)


_ROUNDING = 4e-16       # of a complex sum, product, quotient or root, relative to its terms


class Circle:
    """Numbers in discs about complex centres; arrays. A disc that is not finite may hold any number.

    ``side`` bounds the distance of imaginary parts from that of the centre, which is sharper than the radius where
    functions real on the real line are nearly constant.
    """

    __array_ufunc__ = None

    def __init__(self, centre, radius, side=None):
        self.centre, self.radius, self.side = centre, radius, radius if side is None else side

    @classmethod
    def of(cls, ball):
        """Convert a real ball."""
        middle = float(ball.mid())
        return cls(complex(middle), bound_above(ball - middle), 0.0)

    def __add__(self, other):
        a, b = self.centre, other.centre
        lost = _ROUNDING * (np.abs(a) + np.abs(b) + self.radius + other.radius)
        beside = _ROUNDING * (np.abs(a.imag) + np.abs(b.imag) + self.side + other.side)
        return Circle(a + b, self.radius + other.radius + lost, self.side + other.side + beside)

    def __mul__(self, other):
        a, b, r, s = self.centre, other.centre, self.radius, other.radius
        radius = np.abs(a) * s + np.abs(b) * r + r * s
        across = np.abs(a.real * b.imag) + np.abs(a.imag * b.real)
        side = ((np.abs(a.real) + r) * other.side + np.abs(a.imag) * s + (np.abs(b.real) + s) * self.side
                + np.abs(b.imag) * r)
        return Circle(a * b, radius * (1 + 8 * _ROUNDING) + 4 * _ROUNDING * np.abs(a) * np.abs(b),
                      side * (1 + 8 * _ROUNDING) + 4 * _ROUNDING * across)

    def inverse(self):
        """Return reciprocals; not finite where a circle may hold 0."""
        with np.errstate(all="ignore"):
            size = np.abs(self.centre)
            left = (size - self.radius) * (1 - 2 * _ROUNDING)
            radius = np.where(left > 0, self.radius / (size * left) + 8 * _ROUNDING / size, np.inf)
            return Circle(1 / self.centre, radius * (1 + 8 * _ROUNDING))

    def root(self):
        """Return roots with positive real part; not finite where a circle may meet the negative half-axis."""
        with np.errstate(all="ignore"):
            size = np.abs(self.centre)
            nearest = np.where(self.centre.real > 0, size, np.abs(self.centre.imag)) * (1 - 2 * _ROUNDING)
            # |sqrt(z) - sqrt(c)| = |z - c|/|sqrt(z) + sqrt(c)|, and z is within a right angle of c, so that the roots
            # are within half of one: their sum is no less than sqrt(c)
            radius = self.radius / np.sqrt(size) + 8 * _ROUNDING * np.sqrt(size)
            return Circle(np.sqrt(self.centre + 0j), np.where(nearest > self.radius, radius, np.inf))

    @property
    def size(self):
        return (np.abs(self.centre) + self.radius) * (1 + 4 * _ROUNDING)

    def power(self, halves):
        root = self.root() if halves % 2 else self
        count = abs(halves) if halves % 2 else abs(halves) // 2
        total = reduce(mul, [root] * count) if count else Circle(self.centre * 0 + 1, self.radius * 0)
        return total.inverse() if halves < 0 else total


class Disc:
    """A holomorphic function on a disc: its value at the centre, on the disc, and radius times derivative on the disc.

    By the mean value theorem (for convex sets) a function differs from its value at the centre by at most the largest
    ``|derivative| * radius``: for dependent variables that is far less than by circles alone.
    """

    __array_ufunc__ = None

    def __init__(self, point, whole, slope):
        self.point, self.slope = point, slope
        near, beside = ((r + slope.size) * (1 + 2 * _ROUNDING) for r in (point.radius, point.side))
        is_near = (near < whole.radius) & np.isfinite(whole.radius)
        self.whole = Circle(*(np.where(is_near, one, other) for one, other in (
            (point.centre, whole.centre), (near, whole.radius), (beside, whole.side))))

    @classmethod
    def of(cls, number):
        """Make a constant from a ball."""
        if isinstance(number, cls):
            return number
        circle = Circle.of(arb(number))
        return cls(circle, circle, Circle(0j, 0.0))

    def __add__(self, other):
        other = Disc.of(other)
        return Disc(self.point + other.point, self.whole + other.whole, self.slope + other.slope)

    def __mul__(self, other):
        other = Disc.of(other)
        return Disc(self.point * other.point, self.whole * other.whole,
                    self.slope * other.whole + self.whole * other.slope)

    __radd__, __rmul__ = __add__, __mul__

    def power(self, halves):
        """Raise to half-integer powers, by the root with positive real part; not finite without a branch."""
        rate = Circle(complex(halves / 2), 0.0) * self.whole.power(halves - 2)
        return Disc(self.point.power(halves), self.whole.power(halves), rate * self.slope)

    @property
    def size(self):
        """Upper bounds of absolute values; infinite where nothing is known."""
        return _known(self.whole.size)

    @property
    def real(self):
        """Upper bounds of absolute values of real parts."""
        return _known((np.abs(self.whole.centre.real) + self.whole.radius) * (1 + 4 * _ROUNDING))

    @property
    def imag(self):
        """Upper bounds of absolute values of imaginary parts."""
        return _known((np.abs(self.whole.centre.imag) + self.whole.side) * (1 + 4 * _ROUNDING))

    @property
    def least(self):
        """Lower bounds of real parts."""
        low = self.whole.centre.real - self.whole.radius - 4 * _ROUNDING * self.size
        return np.where(np.isnan(low), -np.inf, low)


def _known(x):
    return np.where(np.isnan(x), np.inf, x)


def is_elementary(expr):
    """Return whether an expression is made of sums, products, integer powers and square roots."""
    if expr.is_Symbol or expr.is_Rational:
        return True
    if expr.is_Pow:
        return bool((2 * expr.exp).is_Integer) and is_elementary(expr.base)
    return (expr.is_Add or expr.is_Mul) and all(map(is_elementary, expr.args))


@cache
def complex_function(expr):
    """Compile to a function ``{symbol: Disc} -> Disc``.

    A finite value proves that the expression is holomorphic in its symbols on the given discs.
    """
    if expr.is_Symbol:
        return lambda v: v[expr]
    if expr.is_Rational:
        return lambda v: Disc.of(ratio(expr))
    if expr.is_Add or expr.is_Mul:
        parts, fold = [complex_function(a) for a in expr.args], add if expr.is_Add else mul
        return lambda v: reduce(fold, (part(v) for part in parts))
    if expr.is_Pow and (2 * expr.exp).is_Integer:
        base, halves = complex_function(expr.base), int(2 * expr.exp)
        return lambda v: base(v).power(halves)
    raise refusal(f"certify: {str(expr)[:60]} occurs in a sum whose bounds off the real line take sums, products, "
                  "integer powers and square roots alone")
