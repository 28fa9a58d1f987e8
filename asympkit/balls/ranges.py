"""Proved range of a real expression over an interval: the hypotheses of the other proofs.

A range is a pair (low, high) of Fractions or infinities. Only monotone and bounded functions are known;
everything else has the range of all reals, which proves nothing. Symbols other than the variable stand for
balls, given as ``values``; a range then holds for every choice of numbers in them.
"""

from fractions import Fraction
from math import inf

from ..numbers.functions import entry
from .analytic import constant
from .backend import get_outer_ends, ratio, workprec

__all__ = ["Known", "interval", "number_range", "variables_of"]

_ALL = (-inf, inf)
_HIGHEST = 1000         # powers beyond it have no exact range: their fractions would only be long


def number_range(expr, values=None):
    """Enclose a real expression without a variable; ``values`` are the balls of its symbols."""
    with workprec(96):
        return get_outer_ends(constant(expr, values))


class Known(tuple):
    """Variables of a proof, and symbols that stand for functions of them of which bounds and ranges are known.

    Attributes
    ----------
    plain : tuple of Symbol
        The variables themselves.
    bounds : dict
        ``{symbol: GrowthBound}``
    ranges : dict
        ``{symbol: (low, high)}``
    """

    def __new__(cls, plain, bounds, ranges):
        self = super().__new__(cls, (*plain, *bounds))
        self.plain, self.bounds, self.ranges = tuple(plain), bounds, ranges
        return self


def variables_of(z):
    """Return the variables of a proof, one symbol or several, as a tuple."""
    return z if isinstance(z, tuple) else (z,)


def interval(expr, z, domain=_ALL, values=None):
    """Enclose ``expr`` for z, a symbol or a tuple of them, in an interval; all reals where no rule proves more."""
    variables = variables_of(z)
    if not expr.has(*variables):
        return number_range(expr, values)
    if expr in variables:
        return z.ranges.get(expr, domain) if isinstance(z, Known) else domain
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
        return (Fraction(0), inf) if not base.has(*variables_of(z)) and number_range(base, values)[0] > 0 else _ALL
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
        return get_outer_ends(ratio(x) ** ratio(exponent))


def _function(expr, z, domain, values):
    """Enclose a listed function by its image, and by its ends where it is monotone."""
    known = entry(type(expr).__name__)
    if known is None:
        return _ALL
    if known.orders:
        return _exact(known.image) if expr.args[0].is_nonnegative else _ALL
    if known.values is not None:
        return _exact(known.values(*(interval(a, z, domain, values) for a in expr.args)))
    bottom, top = _exact(known.image)
    low, high = interval(expr.args[-1], z, domain, values) if known.arity == 1 else _ALL
    first, last = known.domain
    if low < first or high > last or low == -inf and first > -inf:
        return _ALL if known.is_partial else (bottom, top)
    if not known.monotone or known.arity > 1:
        return bottom, top
    ends = [_end(known, x, side) for x, side in ((low, -1), (high, 1))]
    if known.monotone < 0:
        ends.reverse()
    return max(bottom, ends[0][0]), min(top, ends[1][1])


def _exact(ends):
    return tuple(x if x in (inf, -inf) else Fraction(x) for x in ends)


def _end(known, x, side):
    """Enclose a monotone function at an end of an interval; all reals unless it is a moderate number."""
    # beyond a thousand the exact numbers would only be long
    if abs(x) >= 1000 or x in known.domain:
        return _ALL
    with workprec(96):
        return get_outer_ends(known.at_balls(ratio(x)))
