"""Ranges of expressions in one variable by interval arithmetic, for those that are certainly real and finite.

A range exists only for a function that is certainly real, finite, bounded on bounded sets, and analytic except where
an Abs, sign, Heaviside, Max, Min or Piecewise in it switches.  Doubt is None: then algebra decides.
"""

import math
from itertools import product

import sympy as sp
from sympy.core.relational import Relational

from ..numbers.functions import entry

__all__ = ["enclosure", "find_range"]

_INF = math.inf
_LINE = (-_INF, _INF)
#: a bound counts as positive from here on: it is computed in floats, and this is far above their rounding
_CLEAR = 1e-6


class _DoubtError(ArithmeticError):
    """The rules do not decide."""


def find_range(expr):
    """Return (low, high) that contain all values of an expression in a real symbol, or None in doubt."""
    try:
        return _range(expr)
    except (_DoubtError, OverflowError):
        return None


def enclosure(expr):
    """Return a crude interval that contains all values, to tell 2 + sin(z) from zero."""
    found = find_range(expr)
    if found is not None:
        return found
    return (0.0, _INF) if expr.is_nonnegative else _LINE


def _range(expr):
    if expr.is_Symbol:
        return (0.0, _INF) if expr.is_nonnegative else _LINE
    if not expr.free_symbols:
        value = float(expr)
        return value, value
    if isinstance(expr, sp.exp):
        return _exponential(*_range(expr.args[0]))
    if isinstance(expr, sp.Piecewise):
        return _of_cases(expr)
    if expr.is_Pow:
        return _power(*expr.args)
    parts = [_range(a) for a in expr.args]
    if expr.is_Add:
        low, high = (sum(ends) for ends in zip(*parts))
        return _widened(low, high, parts)
    if expr.is_Mul:
        low, high = 1.0, 1.0
        for part in parts:
            ends = [_times(x, y) for x, y in product((low, high), part)]
            low, high = min(ends), max(ends)
        return low, high
    if isinstance(expr, sp.Max | sp.Min):
        pick = max if isinstance(expr, sp.Max) else min
        return pick(p[0] for p in parts), pick(p[1] for p in parts)
    return _of_function(expr, *parts[-1])


def _widened(low, high, parts):
    """Widen a range by what rounding can do to it."""
    slack = 1e-12 * sum(abs(x) for part in parts for x in part if math.isfinite(x))
    return low - slack, high + slack


def _times(x, y):
    return 0.0 if 0.0 in (x, y) else x * y


def _exponential(low, high):
    return math.exp(min(low, 700.0)), math.exp(high) if high < 700.0 else _INF


def _of_cases(expr):
    for _, condition in expr.args:
        for relation in condition.atoms(Relational):
            _range(relation.lhs), _range(relation.rhs)
    parts = [_range(value) for value, _ in expr.args]
    return _widened(min(p[0] for p in parts), max(p[1] for p in parts), parts)


def _reciprocal(low, high):
    if low < _CLEAR and high > -_CLEAR:
        raise _DoubtError
    return 1.0 / high, 1.0 / low


def _power(base, exponent):
    if not base.free_symbols or not exponent.is_number:
        low, high = _range(base)
        if low < _CLEAR:
            raise _DoubtError
        logarithms = math.log(low), math.log(high) if high < _INF else _INF
        ends = [_times(x, y) for x, y in product(_range(exponent), logarithms)]
        return _exponential(min(ends), max(ends))
    low, high = _range(base)
    if not exponent.is_Integer:
        if low < _CLEAR:
            raise _DoubtError
        ends = low ** float(exponent), high ** float(exponent)
        return min(ends), max(ends)
    n = int(exponent)
    if n < 0:
        low, high, n = *_reciprocal(low, high), -n
    ends = low**n, high**n
    return 0.0 if n % 2 == 0 and low < 0.0 < high else min(ends), max(ends)


def _of_function(expr, low, high):
    """Bound a function of the list by its image, and by its ends where it is monotone on the range."""
    if isinstance(expr, sp.Heaviside):
        return 0.0, 1.0
    if isinstance(expr, sp.Abs):
        return (0.0 if low <= 0.0 <= high else min(abs(low), abs(high))), max(abs(low), abs(high))
    if isinstance(expr, sp.cosh):
        ends = [math.cosh(x) if abs(x) < 700.0 else _INF for x in (low, high)]
        return (1.0 if low <= 0.0 <= high else min(ends)), max(ends)
    if isinstance(expr, sp.tan):
        if not max(abs(low), abs(high)) <= 1.57:
            raise _DoubtError
        return math.tan(low), math.tan(high)
    known = entry(type(expr).__name__)
    if known is None or any(a.free_symbols for a in expr.args[:-1]):
        raise _DoubtError
    if known.is_partial and not known.domain[0] + _CLEAR <= low <= high <= known.domain[1] - _CLEAR:
        raise _DoubtError
    least, most = map(float, known.image)
    if known.monotone and known.arity == 1:
        plain = known.loops.removeprefix("math.")
        f = getattr(math, plain) if plain != known.loops else known.array_function
        ends = [float(f(x)) if math.isfinite(x) else None for x in (low, high)]
        first, last = ends if known.monotone > 0 else ends[::-1]
        least, most = (least if first is None else first), (most if last is None else last)
    return least, most
