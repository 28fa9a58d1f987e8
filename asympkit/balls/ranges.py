"""Proved range of a real expression over an interval: the hypotheses of the other proofs.

A range is a pair (low, high) of Fractions or infinities. Only monotone and bounded functions are known;
everything else has the range of all reals, which proves nothing. Symbols other than the variable stand for
balls, given as ``values``; a range then holds for every choice of numbers in them.
"""

from fractions import Fraction
from math import inf

from .backend import arb, outward, ratio, workprec
from .printer import constant

__all__ = ["interval", "number_range"]

_ALL = (-inf, inf)
_HIGHEST = 1000         # powers beyond it have no exact range: their fractions would only be long
_BOUNDED = {"OwenT": (Fraction(-1, 4), Fraction(1, 4)), "BivariateNormalCDF": (Fraction(0), Fraction(1))}


def number_range(expr, values=None):
    """Range of a real expression without a variable; ``values`` are the balls of its symbols."""
    with workprec(96):
        return outward(constant(expr, values))


def interval(expr, z, domain=_ALL, values=None):
    """Range of ``expr`` for z in an interval, or all reals where no rule proves more."""
    if not expr.has(z):
        return number_range(expr, values)
    if expr == z:
        return domain
    if expr.is_Add:
        parts = [interval(arg, z, domain, values) for arg in expr.args]
        return _sum(p[0] for p in parts), _sum(p[1] for p in parts)
    if expr.is_Mul:
        total = (Fraction(1), Fraction(1))
        for arg in expr.args:
            part = interval(arg, z, domain, values)
            ends = [_times(x, y) for x in total for y in part]
            total = min(ends), max(ends)
        return total
    if expr.is_Pow:
        return _power(expr, z, domain, values)
    return _function(expr, z, domain, values)


def _sum(ends):
    total = Fraction(0)
    for end in ends:
        total = end if end in (inf, -inf) else total if total in (inf, -inf) else total + end
    return total


def _times(x, y):
    return Fraction(0) if x == 0 or y == 0 else x * y if inf not in (abs(x), abs(y)) else (
        inf if (x > 0) == (y > 0) else -inf)


def _power(expr, z, domain, values):
    base, exponent = expr.args
    if not exponent.is_Rational:
        return (Fraction(0), inf) if not base.has(z) and number_range(base, values)[0] > 0 else _ALL
    low, high = interval(base, z, domain, values)
    n = abs(exponent)
    if n > _HIGHEST:
        return (Fraction(0), inf) if n.is_Integer and int(n) % 2 == 0 or low >= 0 else _ALL
    if n.is_Integer:
        across = low < 0 < high and int(n) % 2 == 0
        ends = [_raised(low, int(n)), _raised(high, int(n))]
        low, high = (Fraction(0) if across else min(ends)), max(ends)
    elif low >= 0:
        low, high = _rooted(low, n)[0], _rooted(high, n)[1]
    else:
        return _ALL
    if exponent > 0:
        return low, high
    if low > 0:
        return (1 / high if high != inf else Fraction(0)), 1 / low
    if high < 0:
        return 1 / high, (1 / low if low != -inf else Fraction(0))
    return (Fraction(0), inf) if low == 0 else _ALL


def _raised(x, n):
    return x**n if abs(x) != inf else (inf if x > 0 or n % 2 == 0 else -inf)


def _rooted(x, exponent):
    if x in (0, inf):
        return x, x
    with workprec(96):
        return outward(ratio(x) ** ratio(exponent))


def _monotone(function, low, high, bottom, top):
    """Range of an increasing function with the given limits."""
    with workprec(96):
        return (bottom if low == -inf else max(bottom, outward(function(ratio(low)))[0]),
                top if high == inf else min(top, outward(function(ratio(high)))[1]))


def _function(expr, z, domain, values):
    import sympy as sp

    if type(expr).__name__ in _BOUNDED:
        return _BOUNDED[type(expr).__name__]
    low, high = interval(expr.args[0], z, domain, values)
    match expr:
        case sp.exp():
            # beyond a thousand the exact numbers would only be long
            return _monotone(arb.exp, low if low > -1000 else -inf, high if high < 1000 else inf, Fraction(0), inf)
        case sp.tanh() | sp.erf():
            name = arb.tanh if isinstance(expr, sp.tanh) else arb.erf
            low, high = (x if abs(x) < 1000 else (inf if x > 0 else -inf) for x in (low, high))
            return _monotone(name, low, high, Fraction(-1), Fraction(1))
        case sp.log() if low >= 0:
            return _monotone(arb.log, low or -inf, high, -inf, inf)
        case sp.sin() | sp.cos():
            return Fraction(-1), Fraction(1)
        case sp.erfc():
            return Fraction(0), Fraction(2)
        case sp.cosh():
            return Fraction(1), inf
        case sp.atan():
            return Fraction(-11, 7), Fraction(11, 7)
        case sp.asin() if low >= -1 and high <= 1:
            return Fraction(-11, 7), Fraction(11, 7)
        case sp.sinh():
            return (Fraction(0) if low >= 0 else -inf), (Fraction(0) if high <= 0 else inf)
    return _ALL
