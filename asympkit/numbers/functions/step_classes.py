"""Proximal steps and smoothed kinks as sympy functions, which differentiate by the envelope theorem.

Slope and envelope of the logistic loss have multiprecision values here too, by Newton's method from doubles.
"""

from __future__ import annotations

from sympy import Expr, Float, Function, Integer, exp
from sympy.core.function import ArgumentIndexError

from . import entry
from .classes import SoftPlus, _StandIn, real_numbers
from .routines.elementary import logistic_slope as slope_of_floats
from .routines.elementary import logistic_slope_batch as slopes_of_floats

#: Newton steps from doubles: each has twice the digits
_MOST_STEPS = 12


class Proximal(Function):
    """A real function of real numbers whose multiprecision value comes from the list of functions.

    Most take a width V >= 0 and a point t.  Subclasses define their printed names: ``head`` in LaTeX,
    ``shown`` in texts.
    """

    nargs = 2

    def by_slope(self) -> Expr | None:
        """Return the same in terms of the slope at the same point; None for a slope."""
        return None

    def bounded_by(self) -> tuple[Expr, ...]:
        """Return expressions whose absolute values together bound this one's for V >= 0, where no growth is listed."""
        return ()

    def _eval_is_extended_real(self):
        return True if all(a.is_extended_real for a in self.args) else None

    _eval_is_real = _eval_is_extended_real

    def _eval_is_finite(self):
        return True if all(a.is_real for a in self.args) else None

    def _eval_evalf(self, prec):
        found = real_numbers(self.args, prec + 30)
        if found is None:
            return None
        mp, numbers = found
        return Float._new(mp.convert(entry(type(self).__name__).at_digits(mp, *numbers))._mpf_, prec)

    def _sympystr(self, printer):
        return f"{self.shown}({', '.join(map(printer._print, self.args))})"

    def _latex(self, printer, exp=None):
        body = rf"{self.head}\left({', '.join(map(printer._print, self.args))}\right)"
        return body if exp is None else rf"{body}^{{{exp}}}"


class LogisticSlope(Proximal):
    r""":math:`f=(p-t)/V` for the p with the least :math:`(p-t)^2/(2V)+\log(1+e^{-p})`; 1/(1 + exp(p)) there.

    Examples
    --------
    >>> LogisticSlope(2, 1).evalf(20)
    0.16404600541016653937
    """

    head, shown = r"f^{\mathrm{logistic}}", "f_logistic"

    @classmethod
    def eval(cls, V: Expr, t: Expr) -> Expr | None:
        return 1 / (1 + exp(t)) if V.is_zero else None

    def fdiff(self, argindex: int = 1) -> Expr:
        curvature = self * (1 - self)
        along = -curvature / (1 + self.args[0] * curvature)
        return along if argindex == 2 else self * along

    def _eval_is_positive(self):
        return True if all(a.is_real for a in self.args) else None


class LogisticEnvelope(Proximal):
    r"""The least :math:`(p-t)^2/(2V)+\log(1+e^{-p})`."""

    head, shown = r"M^{\mathrm{logistic}}", "M_logistic"

    def fdiff(self, argindex: int = 1) -> Expr:
        f = LogisticSlope(*self.args)
        return -f if argindex == 2 else -(f**2) / Integer(2)

    def by_slope(self) -> Expr:
        V, t = self.args
        f = LogisticSlope(V, t)
        return V * f**2 / 2 + SoftPlus(-t - V * f)

    def _eval_is_positive(self):
        return True if all(a.is_real for a in self.args) else None


class Saturated(_StandIn):
    """``b/(1 + V b)`` of V, b >= 0, with the bound 1/V that proofs know of it."""

    nargs = 2
    _eval_is_extended_real = _eval_is_real = Proximal._eval_is_real
    _eval_evalf = Proximal._eval_evalf

    def stands_for(self) -> Expr:
        V, b = self.args
        return b / (1 + V * b)

    def fdiff(self, argindex: int = 1) -> Expr:
        V, b = self.args
        return -(self**2) if argindex == 1 else 1 / (1 + V * b) ** 2

    def _eval_is_finite(self):
        return True if all(a.is_nonnegative for a in self.args) else None


class NormalBlur(Proximal):
    r"""Mean of :math:`u^j\varphi^{(n)}(c+hu)` over u between -1/2 and 1/2, without polynomials of the right side.

    For n < 0, n - j >= -2, the derivative stands for the repeated integrals of the normal density from the left.  h is
    positive.  ``left`` and ``right`` are the sides of c - h/2 and c + h/2, 1 or -1, and count as constants: where one
    is 1, the polynomial that the integral becomes on the right is left out.
    """

    nargs = 6
    head, shown = r"\overline{\varphi}", "blurred"

    def fdiff(self, argindex: int = 1) -> Expr:
        j, n, *others = self.args
        if argindex in (3, 4):
            return NormalBlur(j + argindex - 3, n + 1, *others)
        if argindex in (5, 6):
            return Integer(0)
        raise ArgumentIndexError(self, argindex)

    def _latex(self, printer, exp=None):
        j, n, *others = map(printer._print, self.args)
        body = rf"\overline{{u^{{{j}}}\varphi^{{({n})}}}}\left({', '.join(others)}\right)"
        return body if exp is None else rf"{body}^{{{exp}}}"


# -- multiprecision values of the logistic loss ------------------------------------------------------


def _root(mp, V, t):
    """Find p by Newton's method from its value in double precision; each step doubles the right digits."""
    wanted, precision = mp.prec, 50
    with mp.workprec(wanted + 10):
        p = t + V * mp.mpf(slope_of_floats(float(V), float(t)))
        while True:
            mp.prec = min(2 * precision, wanted) + 10
            f = 1 / (1 + mp.exp(p))
            step = (p - t - V * f) / (1 + V * f * (1 - f))
            p = p - step
            # a step leaves an error of its square
            reached = -2 * mp.mag(step) if step else wanted
            if reached >= wanted and precision >= wanted:
                return p
            precision = min(max(reached, 50), 2 * precision)


def logistic_slope(mp, V, t):
    return 1 / (1 + mp.exp(_root(mp, mp.convert(V), mp.convert(t))))


def logistic_envelope(mp, V, t):
    V = mp.convert(V)
    p = _root(mp, V, mp.convert(t))
    f = 1 / (1 + mp.exp(p))
    return V * f**2 / 2 + max(-p, mp.zero) + mp.log1p(mp.exp(-abs(p)))


def refined_slope(numbers, V, t, start, rates):
    """Refine the root f of ``f + g'(t + V f)`` in multiprecision arrays, by Newton's method from doubles.

    ``numbers`` has ``of_floats``, ``floats`` and ``bits``; ``rates`` gives the first two derivatives of g at a place.
    """
    f, enough = numbers.of_floats(start), 2.0 ** (-numbers.bits() / 2 - 4)
    for _ in range(_MOST_STEPS):
        first, second = rates(t + V * f)
        step = (f + first) / (1 + V * second)
        f = f - step
        # Newton's method converges quadratically
        if (abs(numbers.floats(step)) <= enough * abs(start)).all():
            break
    return f


def refined_logistic_slope(numbers, V, t):
    exp = numbers.function_named("exp")

    def rates(p):
        s = 1 / (1 + exp(p))
        return -s, s * (1 - s)

    return refined_slope(numbers, V, t, slopes_of_floats(numbers.floats(V), numbers.floats(t)), rates)
