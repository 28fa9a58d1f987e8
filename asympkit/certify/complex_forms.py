"""Elementary expressions on small complex discs, holomorphic where they are finite; arrays of machine numbers."""

from functools import cache, reduce
from operator import add, mul

import numpy as np

from ..balls.backend import arb, ratio
from .absolute import above
from .refusal import refusal

__all__ = ["Circle", "Disc", "complex_function", "is_elementary"]

_ROUNDING = 4e-16       # of a complex sum, product, quotient or root, relative to its terms


class Circle:
    """Numbers in discs about complex centres; arrays. A disc that is not finite may hold any number.

    Parameters
    ----------
    centre : array
    radius : array
        Bound of the distance from the centre.
    side : array, optional
        Bound of the distance of imaginary parts, which is sharper where functions real on the real line are nearly
        constant.
    """

    __array_ufunc__ = None

    def __init__(self, centre, radius, side=None):
        self.centre, self.radius, self.side = centre, radius, radius if side is None else side

    @classmethod
    def of(cls, ball):
        """Convert a real ball."""
        middle = float(ball.mid())
        return cls(complex(middle), above(ball - middle), 0.0)

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
