"""Derivatives of large expressions: shared parts are differentiated once."""

import re
from functools import lru_cache

from sympy import Add, Function, Integer, Mul, Pow
from sympy.core.function import ArgumentIndexError

from .named import Named
from .walks import LARGE, free_of, tree_size

__all__ = ["slope"]

_ZERO = Integer(0)


@lru_cache(maxsize=50_000)
def slope(expr, symbol):
    """Return ``expr.diff(symbol)`` without sympy's traversals of the whole tree at every node.

    That of a large named expression is named.
    """
    if symbol not in free_of(expr):
        return _ZERO
    if isinstance(expr, Named) and not expr.has_own_rates:
        found = slope(expr.expr, symbol)
        return found if tree_size(expr) < LARGE else Named(_rate_label(expr, symbol), found)
    if isinstance(expr, Add):
        return Add(*[slope(a, symbol) for a in expr.args])
    if isinstance(expr, Mul):
        args, terms = expr.args, []
        for k, a in enumerate(args):
            d = slope(a, symbol)
            if d is not _ZERO:
                terms.append(Mul(*args[:k], d, *args[k + 1:]))
        return Add(*terms)
    if isinstance(expr, Pow) and expr.exp.is_Integer:
        d = slope(expr.base, symbol)
        return _ZERO if d is _ZERO else expr * (d * expr.exp / expr.base)
    if isinstance(expr, Function) and type(expr)._eval_derivative is Function._eval_derivative:
        return _by_chain_rule(expr, symbol)
    return expr.diff(symbol)


def _by_chain_rule(function, symbol):
    """Differentiate a function of several arguments, with their derivatives taken from the cache."""
    rates = [(k, slope(a, symbol)) for k, a in enumerate(function.args, 1)]
    try:
        return Add(*[function.fdiff(k) * d for k, d in rates if not d.is_zero])
    except ArgumentIndexError:              # sympy leaves a Derivative
        return function.diff(symbol)


def _rate_label(named, symbol):
    """Return an identifier for a derivative, whatever the symbol's name."""
    return re.sub(r"\W", "_", f"d{named.label}_d{symbol.name}")
