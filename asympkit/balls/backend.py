"""The optional ball arithmetic of the certificates, and exact conversions from sympy numbers.

The precision of the ball library is one number of the whole process: :func:`workprec` restores it on leaving,
also after an error, and holds the lock of exact work meanwhile, so that threads do not set it for each other.
"""

from contextlib import contextmanager
from fractions import Fraction
from math import inf

from ..errors import DomainError, NotAvailableError
from ..exclusive import lock

try:
    import flint
except ImportError:
    raise NotAvailableError("certify: python-flint is not installed; install asympkit[certify]") from None

from flint import acb, acb_poly, arb, arb_mat, arb_poly, arb_series, ctx, fmpq, fmpz_mat, fmpz_poly

__all__ = ["LONGEST", "acb", "acb_poly", "arb", "arb_mat", "arb_poly", "arb_series", "ctx", "exact",
           "fmpz_mat", "fmpz_poly", "fraction_above", "of_size", "outward", "ratio", "series_length", "versions",
           "workprec"]

#: exact fractions are made of numbers between 2**-LONGEST and 2**LONGEST: beyond, they would only be long
LONGEST = 2**17


@contextmanager
def workprec(bits):
    """Set the precision of ball arithmetic in bits within a ``with`` block; other threads wait."""
    with lock():
        before, flint.ctx.prec = flint.ctx.prec, int(bits)
        try:
            yield
        finally:
            flint.ctx.prec = before


@contextmanager
def series_length(n):
    """Truncate power series to n terms within a ``with`` block."""
    with lock():
        before, flint.ctx.cap = flint.ctx.cap, n
        try:
            yield
        finally:
            flint.ctx.cap = before


def versions():
    """Return the versions of the ball library, for the record."""
    return {"python-flint": flint.__version__, "FLINT": flint.__FLINT_VERSION__}


def ratio(number):
    """Convert a sympy Rational, an int or a Fraction to a ball whose radius is rounding."""
    if isinstance(number, int):
        return arb(number)
    if isinstance(number, Fraction):
        return arb(fmpq(number.numerator, number.denominator))
    return arb(fmpq(int(number.p), int(number.q)))


def exact(number):
    """Return the Fraction equal to a ball without radius."""
    mantissa, exponent = (int(part) for part in number.man_exp())
    if abs(exponent + mantissa.bit_length()) > LONGEST:
        raise DomainError(f"certify: the number {number.str(6, radius=False)} is beyond 2**{LONGEST} or below its "
                          "reciprocal; work with its logarithm")
    return Fraction(mantissa) * Fraction(2) ** exponent


def outward(number):
    """Return Fractions or infinities (low, high) that enclose a real ball: its ends, unless these are out of size."""
    if not number.is_finite():
        return -inf, inf
    if not (_is_long(number.mid()) or _is_long(number.rad())):
        mid, rad = exact(number.mid()), exact(number.rad())
        return mid - rad, mid + rad
    return _at_most(number.lower()), -_at_most(-number.upper())


def of_size(number):
    """Return centre and radius of a ball that holds a finite one, both zero or of an exactly represented size."""
    mid, rad = number.mid(), number.rad()
    if abs(mid) > 1 and _is_long(mid) or rad > 1 and _is_long(rad):
        raise DomainError(f"certify: the enclosure {number.str(6)} is beyond 2**{LONGEST}; enclose its logarithm")
    if _is_long(mid):
        mid, rad = arb(0), number.abs_upper()
    return mid, arb(2) ** (1 - LONGEST) if _is_long(rad) else rad


def _is_long(number):
    mantissa, exponent = (int(part) for part in number.man_exp())
    return mantissa != 0 and abs(exponent + mantissa.bit_length()) > LONGEST


def _at_most(number):
    """Return a number not above a ball without radius, equal to it unless it is out of size."""
    if not _is_long(number):
        return exact(number)
    if abs(number) > 1:
        return Fraction(2) ** LONGEST if number > 0 else -inf
    return Fraction(0) if number > 0 else -Fraction(2) ** -LONGEST


def fraction_above(number):
    """Return a Fraction not below any point of a finite real ball."""
    return exact(number.mid()) + exact(number.rad())
