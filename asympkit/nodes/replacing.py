"""Exact replacement in large expressions: equal parts are rewritten once, and what holds nothing is left."""

from .average import Average
from .named import Named

__all__ = ["replaced"]


def replaced(expr, rule):
    """The expression that ``expr.xreplace(rule)`` is, which walks every copy of what parts share.

    Parameters
    ----------
    expr : Expr
    rule : dict of Expr to Expr
        What is put in the place of something holds no symbol that this does not hold, or symbols that occur nowhere
        else: no average can capture it.
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
    """Whether free symbols, where an expression remembers them, tell that it holds no old part."""
    return isinstance(expr, Average | Named) and not any(n <= expr._free for n in needs)
