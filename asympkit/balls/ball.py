"""The class :class:`Ball`: a real number known to lie in ``[mid - rad, mid + rad]``."""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import TYPE_CHECKING

from mpmath import mp
from mpmath.libmp import from_man_exp

from ..errors import DomainError
from ..notation import escape_html, one_screen
from ..once import Deferred

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from mpmath import mpf

    from ..annotations import Number

#: balls that are only read do without the ball library
_backend = Deferred("asympkit.balls.backend")

_PLAIN = 40         # digits before the point that are written without an exponent


@dataclass(frozen=True)
class Ball:
    """Enclose one real number, with proof.

    Attributes
    ----------
    mid, rad : mpmath.mpf
        Centre and radius, with all their bits, so that the interval is exactly the proved one; no arithmetic
        is defined on balls.
    hypotheses : tuple of str
        Unproved assumptions of the enclosure: growth bounds given by the user. Usually empty; the text of a
        ball names them. Not part of equality.

    Examples
    --------
    >>> import mpmath
    >>> b = Ball(mpmath.mpf(0.5), mpmath.mpf(0.001))
    >>> b.contains("0.4995"), b.contains("0.6")
    (True, False)
    """

    mid: mpf
    rad: mpf
    hypotheses: tuple[str, ...] = field(default=(), compare=False)

    @classmethod
    def from_arb(cls, number: Any, hypotheses: Iterable[str] = ()) -> Ball:
        """Make the ball of a finite ``flint.arb``, bit by bit; numbers too small to be exact go into the radius.

        Parameters
        ----------
        number : flint.arb
        hypotheses : iterable of str, optional
            Unproved assumptions.

        Returns
        -------
        Ball

        Raises
        ------
        DomainError
            If the ball is not finite.
        """
        if not number.is_finite():
            raise DomainError("the enclosure is not finite")
        return cls(*map(_mpf, _backend.of_size(number)), tuple(hypotheses))

    def to_arb(self) -> Any:
        """Return the same ball as a ``flint.arb``."""
        return _dyadic(self.mid) + _backend.arb(0, _dyadic(self.rad))

    def contains(self, x: Number) -> bool:
        """Return whether a number lies in the ball; exact.

        Parameters
        ----------
        x : int, Fraction, str, float, mpmath.mpf or sympy.Rational
            A string is read as an exact decimal or quotient, a float as its binary value.

        Returns
        -------
        bool
        """
        return abs(_fraction(x) - _fraction(self.mid)) <= _fraction(self.rad)

    def overlaps(self, other: Ball) -> bool:
        """Return whether two balls have a point in common; exact.

        Parameters
        ----------
        other : Ball

        Returns
        -------
        bool

        Raises
        ------
        DomainError
            If `other` is no ball.
        """
        if not isinstance(other, Ball):
            raise DomainError(f"other: got {other!r:.60}; expected a Ball; use contains() for a number")
        return abs(_fraction(self.mid) - _fraction(other.mid)) <= _fraction(self.rad) + _fraction(other.rad)

    def __float__(self) -> float:
        return float(self.mid)

    def __str__(self) -> str:
        return self._digits() + (", if " + " and ".join(self.hypotheses) if self.hypotheses else "")

    def __repr__(self) -> str:
        return one_screen(f"Ball({self})")

    def _repr_html_(self) -> str:
        return f"<span>{escape_html(str(self)).replace('+/-', '&plusmn;', 1)}</span>"

    def _digits(self):
        mid, rad = _fraction(self.mid), _fraction(self.rad)
        size = rad or abs(mid) / 10**30 or Fraction(1)
        last = _exponent(size) - 1
        unit = Fraction(10) ** last
        shown = round(mid / unit) * unit
        if not mid and not rad:
            return "0"
        text = _decimal(shown, last)
        error = rad + abs(mid - shown)
        if not error:
            return f"{text} +/- 0"
        last = _exponent(error) - 1
        steps = math.ceil(error / Fraction(10) ** last)
        if steps == 100:
            steps, last = 10, last + 1
        return f"{text} +/- {steps // 10}.{steps % 10}e{last + 1}"


def _mpf(number):
    mantissa, exponent = (int(part) for part in number.man_exp())
    return mp.make_mpf(from_man_exp(mantissa, exponent))


def _exponent(size):
    """Return the e with ``10**e <= size < 10**(e+1)``."""
    guess = math.floor((size.numerator.bit_length() - size.denominator.bit_length() - 1) * math.log10(2))
    while size >= Fraction(10) ** (guess + 1):
        guess += 1
    return guess


def _decimal(value, last):
    """Write a multiple of ``10**last`` exactly; with an exponent where it would be mostly zeros."""
    sign, digits = "-" if value < 0 else "", f"{Decimal(abs(int(value / Fraction(10) ** last))):f}"
    if not value:
        return "0." + "0" * -last if -10 * _PLAIN < last < 0 else "0"
    if last >= 0 and len(digits) + last <= _PLAIN:
        return sign + digits + "0" * last
    if last < 0 and Fraction(1, 10**4) <= abs(value) < Fraction(10) ** _PLAIN:
        digits = digits.rjust(1 - last, "0")
        return f"{sign}{digits[:last]}.{digits[last:]}"
    mantissa = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
    return f"{sign}{mantissa}e{last + len(digits) - 1}"


def _fraction(x):
    """Return the exact value of a number."""
    try:
        if isinstance(x, str):
            return Fraction(x) if "/" in x else Fraction(Decimal(x))
        if isinstance(x, numbers.Rational | float | Decimal):
            return Fraction(x)
        if hasattr(x, "_mpf_"):
            sign, mantissa, exponent, _ = x._mpf_
            if not mantissa and exponent:
                raise ValueError
            return (-1) ** sign * Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
        if getattr(x, "is_Rational", False):
            return Fraction(int(x.p), int(x.q))
        if hasattr(x, "item"):
            return _fraction(x.item())
    except (ValueError, OverflowError, InvalidOperation, ZeroDivisionError):
        pass
    raise DomainError(f"x: got {x!r}; expected a finite int, Fraction, decimal string, float or mpf")


def _dyadic(number):
    """Convert a floating-point number of mpmath, which is dyadic, to an exact ball."""
    arb = _backend.arb
    sign, mantissa, exponent, _ = number._mpf_
    return (-1) ** sign * arb(int(mantissa)) * arb(2) ** exponent
