"""Replacement in large expressions: equal parts are rewritten once, and parts without the old ones are skipped."""

from functools import lru_cache

from sympy import Add, Function, Mul, Piecewise, Pow, Symbol

from .average import Average
from .named import Applied, Named
from .traversal import free_of

__all__ = ["put", "replaced"]

#: classes rebuilt from their arguments; for others sympy's ``subs`` is used
_REBUILT = Add | Mul | Pow | Function | Applied


def replaced(expr, rule):
    """Return ``expr.xreplace(rule)``, visiting shared parts once where that visits every copy.

    Parameters
    ----------
    expr : Expr
    rule : dict of Expr to Expr
        A new part may hold only symbols of the old one, or symbols that occur nowhere else, so that no average can
        capture them.
    """
    needs, known = [old.free_symbols for old in rule], {}

    def walk(e):
        if e not in known:
            known[e] = changed(e)
        return known[e]

    def changed(e):
        if e in rule:
            return rule[e]
        if not e.args or _holds_none(e, needs):
            return e
        if isinstance(e, Average):
            bound = set(e.bound_symbols)
            outer = {old: new for old, new in rule.items() if not old.free_symbols & bound}
            if len(outer) < len(rule):
                return replaced(e, outer) if outer else e
        args = [walk(a) for a in e.args]
        return e if all(a is b for a, b in zip(args, e.args)) else e.func(*args)

    return walk(expr)


def _holds_none(expr, needs):
    """Return whether the cached free symbols of an expression prove that it holds no old part."""
    return isinstance(expr, Average | Named) and not any(n <= expr._free for n in needs)


def put(expr, values):
    """Return ``expr.subs(values, simultaneous=True)`` for symbols: changed named expressions lose their names.

    Parameters
    ----------
    expr : Expr
    values : dict of Symbol to Expr
    """
    free = free_of(expr)
    used = {s: v for s, v in values.items() if s in free and s != v}
    return _put(expr, tuple(used.items())) if used else expr


@lru_cache(maxsize=100_000)
def _put(expr, pairs):
    """Substitute as :func:`put` for pairs of symbols, all in the expression, and values."""
    values = dict(pairs)
    if isinstance(expr, Symbol):
        return values[expr]
    if isinstance(expr, Named):
        if expr.has_own_rates and expr.others.isdisjoint(values):
            return expr.at(put(v, values) for v in expr.values.values())
        return put(expr.expr, values)
    if isinstance(expr, Average):
        bound = set(expr.bound_symbols)
        if any(free_of(v) & bound for v in values.values()):
            expr = expr._fresh()                    # rename its variables to avoid capture
        return Average(put(expr.integrand, values), expr.measure.subs(values, simultaneous=True))
    if isinstance(expr, _REBUILT) and not isinstance(expr, Piecewise):
        return expr.func(*(put(a, values) for a in expr.args))
    return expr.subs(values, simultaneous=True)
