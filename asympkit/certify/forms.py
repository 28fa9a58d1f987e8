"""Expressions of a program as functions: of balls, and of any algebra with a sum and a product."""

from functools import cache

from ..errors import ProofError
from ..numbers.evaluation import compiled
from ..numbers.real_balls import REAL_BALLS

__all__ = ["ball_function", "form"]


def ball_function(expr):
    """Compile an expression to a function ``{symbol: ball or array of balls} -> ball or array``."""
    return compiled(expr, REAL_BALLS)


@cache
def form(expr, varying):
    """Compile an expression to a function ``(values, constant) -> element`` in any algebra.

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
        return lambda v, c: REAL_BALLS.whole_power(base(v, c), n)
    if not (expr.is_Add or expr.is_Mul):
        raise ProofError(f"certify: {str(expr)[:60]} is not polynomial in the tabulated quantities")
    parts, add = [form(a, varying) for a in expr.args], expr.is_Add

    def value(v, c):
        total = parts[0](v, c)
        for part in parts[1:]:
            total = total + part(v, c) if add else total * part(v, c)
        return total

    return value
