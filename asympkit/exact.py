"""Decide exact questions within bounded work, without a search for simpler forms, which may never end."""

import math

import sympy as sp

from .once import exclusive

#: bounds on operations of an expression, terms of its expanded numerator, and denominators: above them it is undecided
_OPERATIONS, _TERMS, _DENOMINATORS = 400, 3000, 8
_TINY = 1e-40


@exclusive
def digits_of(number, digits):
    """Return a closed sympy number as decimal text."""
    return str(number.evalf(digits))


@exclusive
def is_zero(expr):
    """Return whether an expression in real symbols is proved to be zero; ``False`` means nonzero, or undecided.

    Hyperbolic functions are written in exponentials, everything is brought over one denominator and expanded, and
    squares of cosines are written in sines. Expressions beyond the bounds are left undecided.
    """
    if expr.is_Number:
        return expr == 0
    if not expr.free_symbols:
        size = abs(sp.N(expr, 60))
        if not size.is_Number or not size < _TINY:      # not a number: undecided
            return False
    if expr.count_ops() > _OPERATIONS:
        return False
    expr = _in_exponentials(expr)
    below = {f.base for f in expr.atoms(sp.Pow) if f.exp.is_negative}
    if len(below) > _DENOMINATORS or expr.count_ops() > 4 * _OPERATIONS:
        return False
    top, _ = sp.fraction(sp.together(expr))
    for _ in range(2):
        if _terms(top) > _TERMS:
            return False
        top = sp.expand(top)
        if top == 0:
            return True
        top = top.xreplace({p: _lowered(p) for p in top.atoms(sp.Pow) if isinstance(p.base, sp.cos) and p.exp.is_Integer
                            and p.exp > 1})
    return False


def expand(expr):
    """Expand products and powers of sums, unless there are too many terms: then the expression stays as it is."""
    return sp.expand(expr) if _terms(expr) <= _TERMS else expr


def _in_exponentials(expr):
    if not expr.args:
        return expr
    args = [_in_exponentials(a) for a in expr.args]
    if isinstance(expr, sp.tanh | sp.sinh | sp.cosh):
        return expr.func(*args).rewrite(sp.exp)
    return expr.func(*args)


def _lowered(power):
    """Return a power of a cosine with at most one cosine in it."""
    u, n = power.base.args[0], int(power.exp)
    return (1 - sp.sin(u) ** 2) ** (n // 2) * sp.cos(u) ** (n % 2)


def _terms(expr):
    """Return a bound on the number of terms after expansion, of the largest part of an expression."""
    parts = [_terms(a) for a in expr.args]
    if expr.is_Add:
        return sum(parts)
    if expr.is_Mul:
        return math.prod(parts)
    if expr.is_Pow and expr.exp.is_Rational:
        count, power = min(parts[0], _TERMS), min(abs(int(expr.exp)), _TERMS)
        return math.comb(power + count - 1, count - 1)
    return max(parts, default=1)
