"""The proximal step of the logistic loss as sympy functions: they differentiate by the envelope theorem."""

from __future__ import annotations

from sympy import Expr, Float, Function, Integer, exp

from . import entry
from .classes import SoftPlus

__all__ = ["LogisticEnvelope", "LogisticSlope", "Proximal"]


class Proximal(Function):
    """A real function of a width V >= 0 and a place t, with a value of any number of digits from the list."""

    nargs = 2

    def by_slope(self) -> Expr | None:
        """The same in the slope at the same place; None for a slope."""
        return None

    def _eval_is_extended_real(self):
        return True if all(a.is_extended_real for a in self.args) else None

    _eval_is_real = _eval_is_extended_real

    def _eval_is_finite(self):
        return True if all(a.is_real for a in self.args) else None

    def _eval_evalf(self, prec):
        from .pair_digits import real_numbers

        found = real_numbers(self.args, prec + 30)
        if found is None:
            return None
        mp, numbers = found
        return Float._new(mp.convert(entry(type(self).__name__).at_digits(mp, *numbers))._mpf_, prec)

    def _sympystr(self, printer):
        return f"{self.shown}({', '.join(map(printer._print, self.args))})"

    def _latex(self, printer, exp=None):
        V, t, *others = map(printer._print, self.args)
        more = "".join(f", {a}" for a in others)
        body = rf"{self.head}_{{{V}}}\left({t}{more}\right)"
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
