"""Proved ranges of real expressions, and growth bounds ``|f(x)| <= P(|x|) exp(rate |x| + curvature x**2)``.

A range over an interval is a pair (low, high) of Fractions or infinities. Only monotone and bounded functions are
known; everything else has the range of all reals, which proves nothing. Symbols other than the variable stand for
balls, given as ``values``; a range then holds for every choice of numbers in them.

A growth bound holds at every point of one half-line, not only in the limit.  Of several variables |x| is the Euclidean
length: every variable is at most that, and a quadratic form at most its largest eigenvalue times ``|x|**2``.  All
coefficients are Fractions rounded up, those of P are not negative. Without a proof, DomainError is raised.
"""

from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from math import inf

import sympy as sp

from ..errors import DomainError
from ..numbers.functions import entry
from ..numbers.functions.classes import ExpMinusOne, LogOnePlus
from .analytic import constant
from .backend import fraction_above, get_outer_ends, ratio, workprec

_ALL = (-inf, inf)
_HIGHEST = 1000         # powers beyond it have no exact range: their fractions would only be long


def number_range(expr, values=None):
    """Enclose a real expression without a variable; ``values`` are the balls of its symbols."""
    with workprec(96):
        return get_outer_ends(constant(expr, values))


class Known(tuple):
    """Variables of a proof, ``plain``, and symbols for functions of them with known growth bounds and ranges."""

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
        return _power_range(expr, z, domain, values)
    return _function_range(expr, z, domain, values)


def _sum(ends):
    total = Fraction(0)
    for end in ends:
        total = end if end in (inf, -inf) else total if total in (inf, -inf) else total + end
    return total


def _times(x, y):
    return Fraction(0) if x == 0 or y == 0 else x * y if inf not in (abs(x), abs(y)) else (
        inf if (x > 0) == (y > 0) else -inf)


def _power_range(expr, z, domain, values):
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


def _function_range(expr, z, domain, values):
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
    ends = [_end(known, x) for x in (low, high)]
    if known.monotone < 0:
        ends.reverse()
    return max(bottom, ends[0][0]), min(top, ends[1][1])


def _exact(ends):
    return tuple(x if x in (inf, -inf) else Fraction(x) for x in ends)


def _end(known, x):
    """Enclose a monotone function at an end of an interval; all reals unless it is a moderate number."""
    # beyond a thousand the exact numbers would only be long
    if abs(x) >= 1000 or x in known.domain:
        return _ALL
    with workprec(96):
        return get_outer_ends(known.at_balls(ratio(x)))


@dataclass(frozen=True)
class GrowthBound:
    """``P(|x|) exp(rate |x| + curvature x**2)`` with ``P(t) = sum(coefficients[n] t**n)``."""

    coefficients: tuple = (Fraction(0),)
    rate: Fraction = Fraction(0)
    curvature: Fraction = Fraction(0)

    def text(self, name):
        """Write the bound for users, rounded up, in a variable of the given name."""
        size = f" |{name}|"
        powers = ("", size, *(f"{size}^{n}" for n in range(2, len(self.coefficients))))
        terms = [_text_above(c) + p for c, p in zip(self.coefficients, powers) if c]
        exponent = [_text_above(c) + p for c, p in ((self.rate, size), (self.curvature, f" {name}^2")) if c]
        text = " + ".join(terms) or "0"
        if not exponent:
            return text
        return f"{text if len(terms) == 1 else f'({text})'} exp({' + '.join(exponent)})"

    def __add__(self, other):
        pairs = [[0, 0] for _ in range(max(len(self.coefficients), len(other.coefficients)))]
        for which, bound in enumerate((self, other)):
            for n, c in enumerate(bound.coefficients):
                pairs[n][which] = c
        return GrowthBound(tuple(Fraction(a + b) for a, b in pairs), max(self.rate, other.rate),
                     max(self.curvature, other.curvature))

    def __mul__(self, other):
        product = [Fraction(0)] * (len(self.coefficients) + len(other.coefficients) - 1)
        for i, a in enumerate(self.coefficients):
            for j, b in enumerate(other.coefficients):
                product[i + j] += a * b
        return GrowthBound(tuple(product), self.rate + other.rate, self.curvature + other.curvature)


def _text_above(number):
    """Write a number, or one slightly above, as a short text."""
    if number.denominator == 1 and abs(number) < 10**6:
        return str(number)
    upward = Context(prec=4, rounding=ROUND_CEILING)
    return f"{upward.divide(Decimal(number.numerator), Decimal(number.denominator)).normalize():g}"


def _constant(value):
    return GrowthBound((Fraction(value),))


_ONE = _constant(1)


def growth_bound(expr, z, domain=(-inf, inf), values=None):
    """Prove a GrowthBound of an analytic formula for all real z in an interval, or raise DomainError with what failed.

    The formula is free of Abs, Max, Piecewise and the like; z may be a tuple of symbols or Known: several variables
    have the whole space as their domain.  ``values`` are balls of the other symbols; the bound holds for all numbers in
    them.
    """
    _require_real(expr, z, domain, values)
    return _bound(expr, z, domain, values)


def _require_real(expr, z, domain, values):
    """Raise for a formula that some logarithm, power or arcsine in it may make complex."""
    for node in sp.preorder_traversal(expr):
        if type(node).__name__ == "BivariateNormalCDF" and node.has(*variables_of(z)):
            low, high = interval(node.args[2], z, domain, values)
            if not -1 <= low <= high <= 1:
                raise _refuse(expr, f"the correlation {node.args[2]} is not proved to lie in [-1, 1]")
        known = entry(type(node).__name__)
        if not node.has(*variables_of(z)) or not (node.is_Pow or known is not None and known.is_partial):
            continue
        low, high = interval(node.args[0], z, domain, values)
        if node.is_Pow and low < 0 and not node.exp.is_Integer or known is not None and low < known.domain[0] == 0:
            raise _refuse(expr, f"{node.args[0]} is not proved non-negative, so {node} may not be real")
        if known is not None and not known.domain[0] <= low <= high <= known.domain[1]:
            raise _refuse(expr, f"{node.args[0]} is not proved to lie in {list(known.domain)}")


def _bound(expr, z, domain, values):
    if not expr.has(*variables_of(z)):
        low, high = number_range(expr, values)
        if inf in (-low, high):
            raise _refuse(expr, "the number is not finite")
        return _constant(max(abs(low), abs(high)))
    if isinstance(z, Known) and expr in z.bounds:
        return z.bounds[expr]
    if expr in variables_of(z):
        return GrowthBound((Fraction(0), Fraction(1)))
    if expr.is_Add:
        total = _constant(0)
        for arg in expr.args:
            total = total + _bound(arg, z, domain, values)
        return total
    if expr.is_Mul:
        total = _ONE
        for arg in expr.args:
            total = total * _bound(arg, z, domain, values)
        return total
    return _power(expr, z, domain, values) if expr.is_Pow else _function(expr, z, domain, values)


def _refuse(expr, why):
    return DomainError(f"no growth bound is proved for {str(expr)[:80]}: {why}")


def _power(expr, z, domain, values):
    base, exponent = expr.args
    if not base.has(*variables_of(z)):
        if number_range(base, values)[0] <= 0:
            raise _refuse(expr, "the base of the exponential is not proved positive")
        return _exponential(exponent * sp.log(base), z, domain, values)
    if not exponent.is_Rational:
        raise _refuse(expr, "its exponent is not rational")
    low, high = interval(base, z, domain, values)
    if exponent > 0:
        if exponent > 64:
            raise _refuse(expr, "its exponent is above 64")
        total, one = _ONE, _bound(base, z, domain, values)
        for _ in range(int(sp.ceiling(exponent))):
            total = total * one
        # u**p <= 1 + u**ceil(p)
        return total if exponent.is_Integer else total + _ONE
    distance = max(low, -high)
    if distance <= 0:
        raise _refuse(expr, f"the denominator {base} is not proved to stay away from zero")
    power = int(sp.ceiling(-exponent)) if distance < 1 else int(sp.floor(-exponent))
    return _constant((1 / Fraction(distance)) ** power if distance != inf else 0)


def _exponential(u, z, domain, values):
    """Bound exp(u) term by term: exactly for degree two and less, else from above."""
    constant, rate, curvature, variables = Fraction(0), Fraction(0), Fraction(0), variables_of(z)
    plain = z.plain if isinstance(z, Known) else variables
    form = {}
    for term in sp.Add.make_args(sp.expand(u)):
        coefficient, rest = term.as_independent(*variables, as_Add=False)
        above = interval(term, z, domain, values)[1]
        pair = _square(rest, plain)
        if pair or rest in plain:
            low, high = number_range(coefficient, values)
            if pair:
                form[pair] = tuple(a + b for a, b in zip(form.get(pair, (0, 0)), (low, high)))
            elif domain[0] >= 0 or domain[1] <= 0:
                rate += high if domain[0] >= 0 else -low
            else:
                rate += max(abs(low), abs(high))
        elif above != inf:
            constant += above
        else:
            inner = _bound(term, z, domain, values)
            if inner.rate or inner.curvature > 0 or len(inner.coefficients) > 3:
                raise _refuse(sp.exp(u), f"the exponent's term {term} is not proved to be bounded above or of "
                                         "degree at most two")
            a, b, c = (*inner.coefficients, 0, 0)[:3]
            constant, rate, curvature = constant + a, rate + b, curvature + c
    curvature += _largest_eigenvalue(form, plain)
    if constant > 10000:
        raise _refuse(sp.exp(u), "the constant in the exponent is above 10000")
    with workprec(64):      # from above: a smaller factor would only be a longer number
        factor = fraction_above(ratio(max(constant, Fraction(-1000))).exp())
    return GrowthBound((factor,), max(rate, Fraction(0)), curvature)


def _square(expr, variables):
    """Return the two variables, or one of them twice, of a product of two; else None."""
    if expr.is_Pow and expr.base in variables and expr.exp == 2:
        return expr.base, expr.base
    if expr.is_Mul and len(expr.args) == 2 and set(expr.args) <= set(variables):
        return tuple(sorted(expr.args, key=variables.index))
    return None


def _largest_eigenvalue(form, variables):
    """Bound the largest eigenvalue of a quadratic form by Gershgorin, ``{(x, y): range of its coefficient}``."""
    rows = {x: form.get((x, x), (Fraction(0), Fraction(0)))[1] for x in variables}
    for (x, y), ends in form.items():
        if x != y:
            rows[x] += max(map(abs, ends)) / 2
            rows[y] += max(map(abs, ends)) / 2
    return max(rows.values())


def _function(expr, z, domain, values):
    known, u = entry(type(expr).__name__), expr.args[-1]
    if isinstance(expr, sp.exp):
        return _exponential(u, z, domain, values)
    if isinstance(expr, sp.log) and len(expr.args) == 1:
        return _logarithm(expr, u, z, domain, values)
    if isinstance(expr, LogOnePlus | ExpMinusOne):
        return _bound(expr.stands_for(), z, domain, values)
    ends = [abs(x) for x in interval(expr, z, domain, values)]
    if known is not None and inf in ends and known.growth is None:
        ends = _ends_on_interval(known, expr, interval(u, z, domain, values))
    if inf in ends and (bounds := getattr(expr, "bounded_by", tuple)()):
        return sum((_bound(e, z, domain, values) for e in bounds), _constant(0))
    if known is None or inf in ends and known.growth is None:
        raise _refuse(expr, f"the function {type(expr).__name__} has no rule")
    if inf not in ends:
        return _constant(max(ends))
    inner = _bound(u, z, domain, values) if len(known.growth.powers) > 1 else _ONE
    total, power = _constant(0), _ONE
    for c in known.growth.powers:
        total, power = total + _constant(c) * power, power * inner
    if known.growth.rate:
        rate = known.growth.rate
        total = total * (_exponential(rate * u, z, domain, values) + _exponential(-rate * u, z, domain, values))
    return total


def _ends_on_interval(known, expr, where):
    """Bound a function whose argument stays in a closed interval inside its domain."""
    low, high = where
    if known.arity > 1 + known.orders or inf in (-low, high) or not known.domain[0] < low <= high < known.domain[1]:
        return [inf]
    with workprec(64):
        ball = known.at_balls(*map(int, expr.args[:known.orders]), ratio(low).union(ratio(high)))
        return [fraction_above(abs(ball))] if ball.is_finite() else [inf]


def _logarithm(expr, u, z, domain, values):
    """Bound ``|log u| <= |log low| + P + rate |x| + curvature x**2`` where ``low <= u <= P exp(...)``."""
    low = interval(u, z, domain, values)[0]
    if low <= 0:
        raise _refuse(expr, f"the argument {u} is not proved to stay above a positive number")
    bound = _bound(u, z, domain, values)
    below = Fraction(0)
    if low < 1:
        below = abs(number_range(sp.log(sp.Rational(low.numerator, low.denominator)))[0])
    return GrowthBound(bound.coefficients) + GrowthBound((below, bound.rate, max(bound.curvature, Fraction(0))))
