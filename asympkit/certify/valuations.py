"""Bounds and degrees of expressions, read off their form: absolute values of terms are added, those of factors
multiplied."""

from functools import reduce
from operator import add, mul

import numpy as np

from ..balls.backend import arb
from .absolute import MARGIN, above
from .forms import ball_function
from .refusal import refusal

__all__ = ["Degrees", "Sizes"]


class Sizes:
    """Upper bounds of absolute values.

    Parameters
    ----------
    known : dict
        ``{symbol: float or array}``.
    special : callable, optional
        ``special(expr)``: the bound of an expression that is neither sum, product nor integer power.
    """

    total, times = add, mul

    def __init__(self, known, special=None):
        self.known, self.special = known, special

    def __call__(self, expr):
        if expr in self.known:
            return self.known[expr]
        if not expr.free_symbols:
            return self.number(expr)
        if expr.is_Add or expr.is_Mul:
            parts = [self(a) for a in expr.args]
            with np.errstate(all="ignore"):
                return self.kept(reduce(type(self).total if expr.is_Add else type(self).times, parts))
        if expr.is_Pow and expr.exp.is_Integer and expr.exp > 0:
            with np.errstate(all="ignore"):
                return self.kept(self.power(self(expr.base), int(expr.exp)))
        found = self.special(expr) if self.special else None
        if found is None:
            raise refusal(f"certify: no bound off the real line is known for {str(expr)[:80]}; the losses 'square' "
                          "and, with labels='sign', 'logistic' are certified; precise() computes digits without a "
                          "proof")
        return found

    @staticmethod
    def number(expr):
        return above(arb(ball_function(expr)({})))

    @staticmethod
    def power(x, n):
        return x**n

    @staticmethod
    def kept(x):
        """Round up; 0 times infinity bounds nothing."""
        return np.where(np.isnan(x), np.inf, x) * MARGIN


class Degrees(Sizes):
    """Degrees of polynomial bounds."""

    times = add

    @staticmethod
    def total(x, y):
        return max(x, y)

    @staticmethod
    def number(expr):
        return 0

    @staticmethod
    def power(x, n):
        return n * x

    @staticmethod
    def kept(x):
        return x
