"""Derivatives of large expressions, and numbers put into them: what several parts share is done once."""

import re
from functools import lru_cache

from sympy import Add, Integer, Mul, Pow, Symbol

from .named import Named
from .walks import LARGE, free_of, tree_size

__all__ = ["put", "slope"]

_ZERO = Integer(0)


@lru_cache(maxsize=50_000)
def slope(expr, symbol):
    """The derivative that ``expr.diff(symbol)`` is, which looks through whole trees at every node of them.

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
    return expr.diff(symbol)


def _rate_label(named, symbol):
    """An identifier, whatever a person calls the symbol."""
    return re.sub(r"\W", "_", f"d{named.label}_d{symbol.name}")


def put(expr, values):
    """What ``expr.subs(values, simultaneous=True)`` is for symbols: names of what changes are dropped.

    Parameters
    ----------
    expr : Expr
    values : dict of Symbol to Expr
    """
    known = {}

    def replaced(e):
        if e not in known:
            known[e] = changed(e)
        return known[e]

    def changed(e):
        if isinstance(e, Symbol):
            return values.get(e, e)
        if free_of(e).isdisjoint(values):
            return e
        if isinstance(e, Named):
            if e.has_own_rates and e.others.isdisjoint(values):
                return e.at(map(replaced, e.values.values()))
            return replaced(e.expr)
        if not isinstance(e, Add | Mul | Pow):
            return e.subs(values, simultaneous=True) if e.args else e
        args = [replaced(a) for a in e.args]
        return e if all(a is b for a, b in zip(args, e.args)) else e.func(*args)

    return replaced(expr)
