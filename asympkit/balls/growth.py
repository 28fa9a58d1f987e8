"""Proved growth bounds ``|f(x)| <= P(|x|) exp(rate |x| + curvature x**2)`` on one half-line.

All coefficients are Fractions rounded up, those of P are not negative, and the bound holds at every
point of the half-line, not only in the limit. What no rule proves is refused.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import inf

from ..errors import DomainError
from .backend import fraction_above, ratio, workprec
from .ranges import interval, number_range

__all__ = ["Bound", "growth_bound"]


@dataclass(frozen=True)
class Bound:
    """``P(|x|) exp(rate |x| + curvature x**2)`` with ``P(t) = sum(coefficients[n] t**n)``."""

    coefficients: tuple = (Fraction(0),)
    rate: Fraction = Fraction(0)
    curvature: Fraction = Fraction(0)

    def __add__(self, other):
        pairs = [[0, 0] for _ in range(max(len(self.coefficients), len(other.coefficients)))]
        for which, bound in enumerate((self, other)):
            for n, c in enumerate(bound.coefficients):
                pairs[n][which] = c
        return Bound(tuple(Fraction(a + b) for a, b in pairs), max(self.rate, other.rate),
                     max(self.curvature, other.curvature))

    def __mul__(self, other):
        product = [Fraction(0)] * (len(self.coefficients) + len(other.coefficients) - 1)
        for i, a in enumerate(self.coefficients):
            for j, b in enumerate(other.coefficients):
                product[i + j] += a * b
        return Bound(tuple(product), self.rate + other.rate, self.curvature + other.curvature)


def _constant(value):
    return Bound((Fraction(value),))


_ONE = _constant(1)


def growth_bound(expr, z, domain=(-inf, inf)):
    """Bound of an analytic formula for all real z in an interval.

    Parameters
    ----------
    expr : sympy.Expr
        Free of Abs, Max, Piecewise and the like.
    z : sympy.Symbol
    domain : tuple
        Ends of the interval, Fractions or infinities.

    Returns
    -------
    Bound

    Raises
    ------
    DomainError
        If no rule proves a bound; the message says which hypothesis failed.
    """
    _require_real(expr, z, domain)
    return _bound(expr, z, domain)


def _require_real(expr, z, domain):
    """Refuse a formula that some logarithm, power or arcsine in it may make complex."""
    import sympy as sp

    for node in sp.preorder_traversal(expr):
        if not (isinstance(node, sp.log | sp.asin | sp.Pow) and node.has(z)):
            continue
        low, high = interval(node.args[0], z, domain)
        if low < 0 and (isinstance(node, sp.log) or node.is_Pow and not node.exp.is_Integer):
            raise _refuse(expr, f"{node.args[0]} is not proved non-negative, so {node} may not be real")
        if isinstance(node, sp.asin) and not -1 <= low <= high <= 1:
            raise _refuse(expr, f"{node.args[0]} is not proved to lie in [-1, 1]")


def _bound(expr, z, domain):
    if not expr.has(z):
        low, high = number_range(expr)
        if inf in (-low, high):
            raise _refuse(expr, "the number is not finite")
        return _constant(max(abs(low), abs(high)))
    if expr == z:
        return Bound((Fraction(0), Fraction(1)))
    if expr.is_Add:
        total = _constant(0)
        for arg in expr.args:
            total = total + _bound(arg, z, domain)
        return total
    if expr.is_Mul:
        total = _ONE
        for arg in expr.args:
            total = total * _bound(arg, z, domain)
        return total
    return _power(expr, z, domain) if expr.is_Pow else _function(expr, z, domain)


def _refuse(expr, why):
    return DomainError(f"no growth bound is proved for {str(expr)[:80]}: {why}")


def _power(expr, z, domain):
    import sympy as sp

    base, exponent = expr.args
    if not base.has(z):
        if number_range(base)[0] <= 0:
            raise _refuse(expr, "the base of the exponential is not proved positive")
        return _exponential(exponent * sp.log(base), z, domain)
    if not exponent.is_Rational:
        raise _refuse(expr, "its exponent is not rational")
    low, high = interval(base, z, domain)
    if exponent > 0:
        if exponent > 64:
            raise _refuse(expr, "its exponent is above 64")
        total, one = _ONE, _bound(base, z, domain)
        for _ in range(int(sp.ceiling(exponent))):
            total = total * one
        # u**p <= 1 + u**ceil(p)
        return total if exponent.is_Integer else total + _ONE
    distance = max(low, -high)
    if distance <= 0:
        raise _refuse(expr, f"the denominator {base} is not proved to stay away from zero")
    power = int(sp.ceiling(-exponent)) if distance < 1 else int(sp.floor(-exponent))
    return _constant((1 / Fraction(distance)) ** power if distance != inf else 0)


def _exponential(u, z, domain):
    """Bound of exp(u), term by term: exactly for degree two and less, else from above."""
    import sympy as sp

    constant, rate, curvature = Fraction(0), Fraction(0), Fraction(0)
    for term in sp.Add.make_args(sp.expand(u)):
        coefficient, rest = term.as_independent(z, as_Add=False)
        above = interval(term, z, domain)[1]
        if rest in (z, z**2):
            low, high = number_range(coefficient)
            if rest == z**2:
                curvature += high
            elif domain[0] >= 0 or domain[1] <= 0:
                rate += high if domain[0] >= 0 else -low
            else:
                rate += max(abs(low), abs(high))
        elif above != inf:
            constant += above
        else:
            inner = _bound(term, z, domain)
            if inner.rate or inner.curvature > 0 or len(inner.coefficients) > 3:
                raise _refuse(sp.exp(u), f"the exponent's term {term} is not proved to be bounded above or of "
                                         "degree at most two")
            a, b, c = (*inner.coefficients, 0, 0)[:3]
            constant, rate, curvature = constant + a, rate + b, curvature + c
    if constant > 10000:
        raise _refuse(sp.exp(u), "the constant in the exponent is above 10000")
    with workprec(64):
        factor = fraction_above(ratio(constant).exp())
    return Bound((factor,), max(rate, Fraction(0)), curvature)


def _function(expr, z, domain):
    import sympy as sp

    u = expr.args[0]
    match expr:
        case sp.tanh() | sp.erf() | sp.sin() | sp.cos():
            return _ONE
        case sp.erfc() | sp.atan() | sp.asin():
            return _constant(2)
        case sp.exp():
            return _exponential(u, z, domain)
        case sp.cosh() | sp.sinh():
            return _exponential(u, z, domain) + _exponential(-u, z, domain)
        case sp.log() if len(expr.args) == 1:
            return _logarithm(expr, u, z, domain)
    raise _refuse(expr, f"the function {type(expr).__name__} has no rule")


def _logarithm(expr, u, z, domain):
    """``|log u| <= |log low| + P + rate |x| + curvature x**2`` where ``low <= u <= P exp(...)``."""
    import sympy as sp

    low = interval(u, z, domain)[0]
    if low <= 0:
        raise _refuse(expr, f"the argument {u} is not proved to stay above a positive number")
    bound = _bound(u, z, domain)
    below = Fraction(0)
    if low < 1:
        below = abs(number_range(sp.log(sp.Rational(low.numerator, low.denominator)))[0])
    return Bound(bound.coefficients) + Bound((below, bound.rate, max(bound.curvature, Fraction(0))))
