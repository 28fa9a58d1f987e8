"""Expressions of a program as functions: of balls, and of any algebra with a sum and a product."""

from functools import cache, lru_cache

import numpy as np

from ..balls.backend import arb, ratio
from ..errors import ProofError

__all__ = ["ball_function", "form"]


@lru_cache(maxsize=4096)
def ball_function(expr):
    """Function ``{symbol: ball or array of balls} -> ball or array`` of an expression.

    Powers are products: the power function of the ball library loses everything on balls that hold 0.
    """
    import sympy as sp

    if expr.is_Symbol:
        return lambda v: v[expr]
    if expr.is_Rational:
        return (lambda v, n=int(expr): n) if expr.is_Integer else (lambda v: ratio(expr))
    if expr is sp.pi or expr is sp.E:
        return lambda v: arb.pi() if expr is sp.pi else arb.const_e()
    if expr.is_Mul:
        below = [a for a in expr.args if a.is_Pow and a.exp.could_extract_minus_sign() and a.base is not sp.E]
        above = [a for a in expr.args if a not in below]
        top = _chain([ball_function(a) for a in above], arb.__mul__) if above else (lambda v: 1)
        if not below:
            return top
        bottom = _chain([ball_function(1 / a) for a in below], arb.__mul__)
        return lambda v: quotient(top(v), bottom(v))
    if expr.is_Add:
        return _chain([ball_function(a) for a in expr.args], arb.__add__)
    if expr.is_Pow and expr.base is not sp.E:
        return _power(expr)
    return _function(expr)


def _chain(parts, operation):
    first, *rest = parts
    if operation is arb.__add__:
        def value(v):
            total = first(v)
            for part in rest:
                total = total + part(v)
            return total
    else:
        def value(v):
            total = first(v)
            for part in rest:
                total = total * part(v)
            return total
    return value


def _power(expr):
    base, exponent = ball_function(expr.base), expr.exp
    if exponent.could_extract_minus_sign():
        positive = ball_function(1 / expr)
        return lambda v: quotient(1, positive(v))
    if exponent.is_Integer:
        n = int(exponent)
        return lambda v: repeated(base(v), n)
    if exponent.is_Rational and exponent.q == 2:
        n = int(exponent.p)
        return lambda v: repeated(each("sqrt", base(v)), n)
    raise ProofError(f"certify: the power {expr} has no rule in ball arithmetic")


def quotient(above, below):
    """A quotient; an exact zero below raises, where the ball library would answer nan."""
    if isinstance(below, int | arb):
        if below == 0:
            raise ZeroDivisionError("certify: division by exact zero")
        below = arb(below)
    return above / below


def repeated(x, n):
    """``x**n`` as a product, for n >= 1."""
    total = x
    for _ in range(n - 1):
        total = total * x
    return total


def _function(expr):
    name, parts = type(expr).__name__, [ball_function(a) for a in expr.args]
    if name == "MPResolvent":
        return lambda v: resolvent(*(arb(p(v)) for p in parts))
    name = {"Abs": "__abs__"}.get(name, name)
    if len(parts) != 1 or not hasattr(arb, name):
        raise ProofError(f"certify: the function {name} in {str(expr)[:60]} has no rule in ball arithmetic")
    return lambda v: each(name, parts[0](v))


def each(name, x):
    """A method of a ball, a power series of balls, or every ball of an array."""
    if isinstance(x, np.ndarray):
        return np.array([getattr(y, name)() for y in x], dtype=object)
    return getattr(arb(x) if isinstance(x, int) else x, name)()


def resolvent(a, b, scale, proportion):
    """``E 1/(a D + b)`` over Marchenko-Pastur eigenvalues D; two equal forms, chosen by sign for accuracy."""
    x = a * scale
    shifted = b + x * (1 - proportion)
    cross = 4 * proportion * x * b
    root = (shifted * shifted + cross).sqrt()
    return 2 / (shifted + root) if shifted.mid() >= 0 else 2 * (root - shifted) / cross


@cache
def form(expr, varying):
    """Function ``(values, constant) -> element`` in any algebra.

    Parameters
    ----------
    expr : Expr
        Sums, products and natural powers of varying symbols, with coefficients of any form.
    varying : frozenset of Symbol
        Symbols that stand for elements of the algebra; ``constant(expr)`` gives those free of them.
    """
    if expr in varying:
        return lambda v, c: v[expr]
    if not expr.free_symbols & varying:
        return lambda v, c: c(expr)
    if expr.is_Pow and expr.exp.is_Integer and expr.exp > 0:
        base, n = form(expr.base, varying), int(expr.exp)
        return lambda v, c: repeated(base(v, c), n)
    if not (expr.is_Add or expr.is_Mul):
        raise ProofError(f"certify: {str(expr)[:60]} is not polynomial in the tabulated quantities")
    parts, add = [form(a, varying) for a in expr.args], expr.is_Add

    def value(v, c):
        total = parts[0](v, c)
        for part in parts[1:]:
            total = total + part(v, c) if add else total * part(v, c)
        return total

    return value
