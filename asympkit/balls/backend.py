"""The optional ball arithmetic behind the certificates, and exact conversions from sympy numbers.

The precision of the ball library is one number of the whole process: :func:`workprec` puts it back on leaving,
also after an error, and holds the lock of exact work meanwhile, so that threads do not set it for each other.
"""

from contextlib import contextmanager
from fractions import Fraction

from ..errors import NotAvailableError
from ..exclusive import lock

try:
    import flint
except ImportError:
    raise NotAvailableError("certify: python-flint is not installed; install asympkit[certify]") from None

from flint import acb, acb_poly, arb, arb_mat, arb_poly, arb_series, fmpq

__all__ = ["acb", "acb_poly", "arb", "arb_mat", "arb_poly", "arb_series", "exact", "fraction_above", "ratio",
           "series_length", "versions", "workprec"]


@contextmanager
def workprec(bits):
    """Context in which ball arithmetic has the given number of bits; other threads wait."""
    with lock():
        before, flint.ctx.prec = flint.ctx.prec, int(bits)
        try:
            yield
        finally:
            flint.ctx.prec = before


@contextmanager
def series_length(n):
    """Context in which power series keep n terms."""
    with lock():
        before, flint.ctx.cap = flint.ctx.cap, n
        try:
            yield
        finally:
            flint.ctx.cap = before


def versions():
    """Versions of the ball library, for the record."""
    return {"python-flint": flint.__version__, "FLINT": flint.__FLINT_VERSION__}


def ratio(number):
    """A sympy Rational, an int or a Fraction as a ball of rounding size."""
    if isinstance(number, int):
        return arb(number)
    if isinstance(number, Fraction):
        return arb(fmpq(number.numerator, number.denominator))
    return arb(fmpq(int(number.p), int(number.q)))


def exact(number):
    """The Fraction equal to a ball without radius."""
    mantissa, exponent = (int(part) for part in number.man_exp())
    return Fraction(mantissa) * Fraction(2) ** exponent


def fraction_above(number):
    """A Fraction not below any point of a finite real ball."""
    return exact(number.mid()) + exact(number.rad())
