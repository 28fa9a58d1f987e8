"""Multiprecision numbers as midpoints of balls, many times as fast as mpmath, if the ball library is installed.

Radii are ignored and prove nothing: results become numbers of mpmath, and their error is estimated as elsewhere.
"""

import operator
from contextlib import contextmanager

import numpy as np
from mpmath.ctx_mp import MPContext

from ..balls.backend import arb, ctx, workprec
from ..numbers.evaluation import COMPARE
from ..numbers.functions import require_entry
from ..numbers.functions.balls import RealBalls

__all__ = ["from_midpoints", "to_midpoints", "enter_midpoints"]


@contextmanager
def enter_midpoints(bits):
    """Enter the number system at a precision, for which other threads wait, and yield it."""
    with workprec(bits):
        yield _MIDDLES


def to_midpoints(x):
    """Convert a number of mpmath, or an array of some, for the ball library, at the precision in force there."""
    return _converted(x) if isinstance(x, np.ndarray) else _one(x)


def from_midpoints(x, mp):
    """Convert the midpoint of a ball to a context of mpmath."""
    if not hasattr(x, "mid"):
        return mp.convert(x)
    if not x.is_finite():
        return mp.nan
    mantissa, exponent = x.mid().man_exp()
    return mp.ldexp(mp.mpf(int(mantissa)), int(exponent))


def _one(x):
    return x if isinstance(x, int) else arb(x)


_converted, _of_double = np.frompyfunc(_one, 1, 1), np.frompyfunc(arb, 1, 1)
_middle = np.frompyfunc(lambda b: b.mid() if isinstance(b, arb) else b, 1, 1)


class Middles(RealBalls):
    """Real balls with every comparison decided by the midpoints."""

    def function_named(self, name):
        known = require_entry(name, "high precision")
        if known.refined is not None:
            return lambda *x: known.refined(self, *x)
        if isinstance(known.balls, str) and known.balls:
            return self._method(known.balls)
        if known.has_balls:
            return super().function_named(name)
        return lambda *x: self._by_mpmath(known, *x)

    @staticmethod
    def _method(name):
        """Return a method of balls, called often, without intermediate layers."""
        method = operator.methodcaller(name)
        of_arrays = np.frompyfunc(method, 1, 1)
        return lambda x: of_arrays(x) if isinstance(x, np.ndarray) else method(arb(x))

    def function_of(self, expr):
        return self.function_named(type(expr).__name__)

    def constant_function(self, expr):
        if expr.is_Float:
            number = arb(float(expr))
            return lambda v: number
        return super().constant_function(expr)

    def dot(self, values, weights):
        return (np.broadcast_to(values, weights.shape) * weights).sum()

    def holds(self, relation, left, right):
        found = COMPARE[relation](_middle(left), _middle(right))
        return found.astype(bool) if isinstance(found, np.ndarray) else bool(found)

    @staticmethod
    def floats(x):
        """Convert to double precision."""
        return np.asarray(x, dtype=object).astype(float)

    @staticmethod
    def of_floats(x):
        """Convert doubles to exact numbers."""
        return _of_double(np.asarray(x)) if np.ndim(x) else arb(float(x))

    @staticmethod
    def bits():
        """Return the precision in force, in bits."""
        return ctx.prec

    @staticmethod
    def _by_mpmath(known, *arguments):
        mp = MPContext()
        mp.prec = ctx.prec

        def value(*row):
            return arb(known.at_digits(mp, *(from_midpoints(x, mp) for x in row)))

        if any(isinstance(x, np.ndarray) for x in arguments):
            return np.frompyfunc(value, len(arguments), 1)(*arguments)
        return value(*arguments)


_MIDDLES = Middles()
