"""Real balls (Arb) as a number system, at the precision in force when values are computed.

Values may be power series of balls too.  A comparison that overlapping balls leave undecided is
None, and a value that cannot be enclosed raises an error.
"""

import operator

import numpy as np
from flint import arb, fmpq

from ..errors import ProofError
from .functions import entry, known_names

#: comparison -> (method that proves it, method that disproves it)
_RELATIONS = {"<": ("lt", "ge"), "<=": ("le", "gt"), ">": ("gt", "le"), ">=": ("ge", "lt"), "==": ("eq", "ne"),
              "!=": ("ne", "eq")}


class RealBalls:
    """The number system of enclosures; arrays are numpy arrays of objects."""

    dtype = object

    def __init__(self):
        self.kept = {}

    def constant(self, name):
        return arb("nan") if name == "nan" else arb.pi() if name == "pi" else arb.const_e()

    def constant_function(self, expr):
        """Return a function that makes a constant, at the precision in force when it is called."""
        if expr.is_Integer:
            number = int(expr)
            return lambda v: number
        if expr.is_Rational:
            quotient = fmpq(int(expr.p), int(expr.q))
            return lambda v: arb(quotient)
        if expr.is_Float or not expr.is_finite:
            raise ProofError(f"certify: no rule in ball arithmetic for the inexact number {expr}; write it as a "
                             f"Rational; known are {known_names()}")
        number = arb.pi if str(expr) == "pi" else arb.const_e
        return lambda v: number()

    @staticmethod
    def quotient(above, below):
        """Divide; an exact zero below raises, where the ball library would return nan."""
        if isinstance(below, int | arb):
            if below == 0:
                raise ZeroDivisionError("certify: division by exact zero")
            below = arb(below)
        return above / below

    @staticmethod
    def whole_power(x, n):
        """Multiply x n times: the power function of the ball library loses everything on balls that hold 0."""
        total = x
        for _ in range(n - 1):
            total = total * x
        return total

    def half_power(self, x, n):
        return self.whole_power(_each(lambda b: b.sqrt(), x), n)

    @staticmethod
    def general_power(x, power):
        """Raise to a power by the logarithm; not finite where the base may be negative."""
        return _each(lambda b: b.exp(), power * _each(lambda b: b.log(), x))

    @staticmethod
    def larger(x, y):
        return _each(lambda a, b: a.max(b), x, y)

    @staticmethod
    def smaller(x, y):
        return _each(lambda a, b: a.min(b), x, y)

    def function_named(self, name):
        """Return a listed function, of balls and of arrays of them."""
        known = entry(name)
        return lambda *x: _each(known.at_balls, *x, orders=known.orders)

    def function_of(self, expr):
        """Return the function of an expression; raise ProofError with its name where it has no balls."""
        known = entry(type(expr).__name__)
        if known is None or not known.has_balls:
            raise ProofError(f"certify: no rule in ball arithmetic for the function {type(expr).__name__} in "
                             f"{str(expr)[:60]}; known are {known_names()}")
        return self.function_named(known.name)

    @staticmethod
    def holds(relation, left, right):
        if isinstance(left, np.ndarray) or isinstance(right, np.ndarray):
            raise ProofError("certify: a comparison switches inside a sum, which is not enclosed")
        compare, negated = (getattr(operator, name) for name in _RELATIONS[relation])
        left, right = arb(left), arb(right)
        return True if compare(left, right) else False if negated(left, right) else None

    @staticmethod
    def undecided(expr):
        raise ProofError(f"certify: which case of {str(expr)[:60]} holds is not decided for the numbers in question: "
                         "they lie on its border or too near it")


def _each(function, *arguments, orders=0):
    """Apply a function of balls, to arrays entry by entry; the first arguments may be ints that stay so."""
    first, rest = arguments[:orders], [_ball(x) for x in arguments[orders:]]
    if any(isinstance(x, np.ndarray) for x in rest):
        return np.frompyfunc(lambda *row: function(*first, *map(_ball, row)), len(rest), 1)(*rest)
    return function(*first, *rest)


def _ball(x):
    return arb(x) if isinstance(x, int) else x


REAL_BALLS = RealBalls()
