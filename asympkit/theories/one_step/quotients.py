"""Carry functions of a variable with their difference quotients at zero, to avoid cancellation."""

from __future__ import annotations

from sympy import Expr, Integer

from ...nodes import Named

__all__ = ["Quotient", "Twofold"]


class Quotient:
    r"""Represent a function f of g with its start f(0) and its slope :math:`(f(0)-f(g))/g`, under arithmetic.

    Parameters
    ----------
    value, slope, start : Expr
        By default a constant.

    Examples
    --------
    >>> from sympy import Symbol
    >>> g = Symbol("g")
    >>> (1 / (1 + Quotient.variable(g))).slope
    1/(g + 1)
    """

    def __init__(self, value: Expr | int, slope: Expr | int = 0, start: Expr | int | None = None) -> None:
        self.value, self.slope = Integer(0) + value, Integer(0) + slope
        self.start = self.value if start is None else Integer(0) + start

    @classmethod
    def variable(cls, g: Expr) -> Quotient:
        """Return the variable itself."""
        return cls(g, -1, 0)

    def __add__(self, other: Quotient | Expr | int) -> Quotient:
        other = _quotient(other)
        return Quotient(self.value + other.value, self.slope + other.slope, self.start + other.start)

    def __mul__(self, other: Quotient | Expr | int) -> Quotient:
        other = _quotient(other)
        return Quotient(self.value * other.value, self.slope * other.value + self.start * other.slope,
                        self.start * other.start)

    def __rtruediv__(self, other: Quotient | Expr | int) -> Quotient:
        return other * Quotient(1 / self.value, -self.slope / (self.value * self.start), 1 / self.start)

    def __sub__(self, other: Quotient | Expr | int) -> Quotient:
        return self + -1 * _quotient(other)

    __radd__, __rmul__ = __add__, __mul__

    def named(self, label: str) -> Quotient:
        """Return the same with named parts, so that programs compute each once."""
        parts = {"": self.value, "_slope": self.slope, "_start": self.start}
        return Quotient(*(e if e.is_Atom else Named(label + end, e) for end, e in parts.items()))


class Twofold:
    r"""Represent matrices :math:`\begin{pmatrix}a&gb\\c&d\end{pmatrix}` of such functions; they form an algebra."""

    def __init__(self, g: Quotient, a: Quotient, b: Quotient, c: Quotient, d: Quotient) -> None:
        self.g, self.a, self.b, self.c, self.d = g, *map(_quotient, (a, b, c, d))

    def __matmul__(self, other: Twofold) -> Twofold:
        return Twofold(self.g, self.a * other.a + self.g * (self.b * other.c), self.a * other.b + self.b * other.d,
                       self.c * other.a + self.d * other.c, self.d * other.d + self.g * (self.c * other.b))

    def __add__(self, other: Twofold) -> Twofold:
        return Twofold(self.g, self.a + other.a, self.b + other.b, self.c + other.c, self.d + other.d)

    def __sub__(self, other: Twofold) -> Twofold:
        return self + -1 * other

    def __rmul__(self, factor: Expr | int) -> Twofold:
        return Twofold(self.g, factor * self.a, factor * self.b, factor * self.c, factor * self.d)

    def named(self, label: str) -> Twofold:
        """Return the same with named parts, as :meth:`Quotient.named`."""
        return Twofold(self.g, *(getattr(self, n).named(f"{label}_{n}") for n in "abcd"))


def _quotient(value):
    return value if isinstance(value, Quotient) else Quotient(value)
