"""The optional ball arithmetic of the certificates, exact conversions from sympy numbers, and budgets of integrals.

The precision of the ball library is one number of the whole process: :func:`workprec` restores it on leaving,
also after an error, and holds the lock of exact work meanwhile, so that threads do not set it for each other.

A budget counts evaluations, so that every proof ends, at the same place on every machine; it grows with the precision.
The evaluations of an ordinary integral are not charged: a theory may have any number of these.
"""

from contextlib import contextmanager
from fractions import Fraction
from math import inf

from ..errors import ConvergenceError, DomainError, NotAvailableError
from ..once import lock

__all__ = ["Budget", "LONGEST", "SpentError", "TooDearError", "Work", "acb", "acb_poly", "arb", "arb_mat", "arb_poly",
           "arb_series", "ctx", "exact", "fmpz_mat", "fmpz_poly", "fraction_above", "of_size", "get_outer_ends",
           "ratio",
           "series_length", "versions", "workprec"]


try:
    import flint
    from flint import acb, acb_poly, arb, arb_mat, arb_poly, arb_series, ctx, fmpq, fmpz_mat, fmpz_poly
except ImportError:
    raise NotAvailableError("certify: python-flint is not installed; install asympkit[certify]") from None


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


def get_outer_ends(number):
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


class SpentError(ConvergenceError):
    """A budget that is spent: more digits help only where rounding kept the goal out of reach."""


class TooDearError(ConvergenceError):
    """A budget that rules over several variables have spent: it is the dimension that is too much, not the rounding."""


class Budget:
    """Evaluations that the rules of one mean over several variables may take together."""

    def __init__(self, most):
        self.most = self.left = most

    def charge(self, count, shown):
        """Take evaluations; raise :class:`TooDearError` with the integrand where none are left."""
        self.left -= count
        if self.left < 0:
            raise TooDearError(
                f"certify: no enclosure of the integral of {str(shown)[:80]} against the normal density with "
                f"{self.most} evaluations: its variables are too many for so many digits, or it oscillates or comes "
                "near its singularities too often; pass fewer digits, or give a closed form of the average")


def ordinary():
    """Return the evaluations at the precision in force that no budget is charged for."""
    return 1000 + 10 * ctx.prec


class Work:
    """The budget that the integrals of one proof share beyond the ordinary evaluations; ``1000 b + b**2`` at b bits."""

    def __init__(self, left=None):
        self.left = 1000 * ctx.prec + ctx.prec**2 if left is None else left

    def integral(self, function, low, high, absolute, relative, shown):
        """Enclose an integral of ``function(ball, analytic)`` along the line, to the wider of two goals for the radius.

        ``shown`` is the integrand for the error text; :class:`SpentError` if the budget is spent before.
        """
        used = 0

        def counted(x, analytic):
            nonlocal used
            used += 1
            return function(x, analytic)

        most = ordinary() + self.left
        value = acb.integral(counted, acb(low), acb(high), abs_tol=absolute, rel_tol=relative, eval_limit=most)
        self.left -= max(used - ordinary(), 0)
        # a rule with more nodes than the remaining budget is not begun
        if used + ctx.prec >= most and not value.real.rad() <= absolute:
            text = str(shown)
            raise SpentError(
                f"certify: no enclosure of the integral of {text[:80]} against the normal density over "
                f"[{float(low):g}, {float(high):g}] after {used} evaluations: it is singular there, or oscillates or "
                "comes near its singularities too often; give a closed form of the average, or move the parameters")
        return value
