"""The proximal step of the logistic loss as sympy functions: they differentiate by the envelope theorem."""

from __future__ import annotations

from sympy import Expr, Float, Function, Integer, exp

from . import entry
from .classes import SoftPlus, _StandIn
from .pair_digits import real_numbers

__all__ = ["LogisticEnvelope", "LogisticSlope", "Proximal", "Saturated"]


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
