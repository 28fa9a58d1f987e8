"""Passes over the statements of a program, and questions about them.

Dead statements: what no output needs is not printed.  What several integrands over many nodes have in common is
computed once: their functions and reciprocals.  Variables of an average that a parameter switches off: one node is
enough for them.  Whether the integrands over a grid may change within a thin layer around 0, as nearly certain
signs do.
"""

from dataclasses import replace
from itertools import count

from sympy import Dummy, Piecewise, Pow, cse, erf, erfc
from sympy.core.function import Application

from ..nodes import holds
from ..numbers.functions.pair_classes import BivariateNormalCDF
from .inner_sum import InnerSum
from .statements import Newton, Scalar, Sums, select_statements

__all__ = ["flat_conditions", "has_layer", "name_shared_functions"]


def prune(statements, outputs):
    """Return the statements that the outputs need.

    Parameters
    ----------
    statements : sequence
    outputs : iterable of Symbol
    """
    needed, kept = set(outputs), []
    for s in reversed(statements):
        if isinstance(s, Scalar):
            if s.symbol not in needed:
                continue
            needed |= s.expr.free_symbols
        elif isinstance(s, Sums):
            s = _prune_sums(s, needed)
            if not s.sums:
                continue
        elif isinstance(s, Newton):
            body = prune(s.body, s.wanted)
            s = replace(s, body=tuple(body))
            for inner in body:
                needed |= _inputs(inner)
        else:
            if needed.isdisjoint(s.outputs):
                continue
            needed |= s.inputs
        kept.append(s)
    return kept[::-1]


def _prune_sums(s, needed):
    sums = tuple(item for item in s.sums if item[0] in needed)
    inside = set().union(*(e.free_symbols for _, e, _ in sums)) if sums else set()
    local = []
    for symbol, expr in reversed(s.locals):
        if symbol in inside:
            local.append((symbol, expr))
            inside |= expr.free_symbols
    needed |= inside
    return replace(s, sums=sums, locals=tuple(local[::-1]))


def _inputs(s):
    if isinstance(s, Scalar):
        return s.expr.free_symbols
    if isinstance(s, Sums):
        return s.symbols
    return s.inputs


def name_shared_functions(integrands, has_products=False):
    """Name the functions and the negative or fractional powers in some expressions, inner ones first.

    Parameters
    ----------
    integrands : sequence of Expr
    has_products : bool
        Whether sums and products that are met twice have names too: of arrays there would be many at once.

    Returns
    -------
    list of (Symbol, Expr), list of Expr
        The definitions of the symbols, in order, and the expressions in these symbols.  Cases stay as they are:
        outside of its case a branch need not have a value.
    """
    names, steps = {}, []

    def walk(expr):
        if not expr.args or isinstance(expr, Piecewise):
            return expr
        if isinstance(expr, Pow) and expr.exp.is_Integer and expr.exp < -1:
            return walk(1 / expr.base) ** -expr.exp            # one division for all powers
        args = [walk(a) for a in expr.args]
        form = expr if all(a is b for a, b in zip(args, expr.args)) else expr.func(*args, evaluate=False) \
            if expr.is_Add or expr.is_Mul else expr.func(*args)
        is_plain_power = isinstance(form, Pow) and form.exp.is_Integer and form.exp > 0
        if not form.free_symbols or not isinstance(form, Application | Pow) or is_plain_power:
            return form
        if form not in names:
            names[form] = Dummy(f"shared_{len(names) + 1}", real=True)
            steps.append((names[form], form))
        return names[form]

    forms = [walk(e) for e in integrands]
    if not has_products or any(e.has(Piecewise) for e in forms):
        return steps, forms
    numbers = (Dummy(f"shared_{n}", real=True) for n in count(len(steps) + 1))
    products, forms = cse(forms, symbols=numbers)
    return steps + products, forms


def flat_conditions(program, grid):
    """Return variables that one table parameter switches off, ``{variable: parameter}``: no column holds them at 0."""
    found = {}
    for b in grid.bound:
        holding = [e for e in grid.columns if b in e.free_symbols]
        off = [p for p in program.table_parameters if holding and all(
            p in e.free_symbols and b not in e.subs(p, 0).free_symbols for e in holding)]
        if off:
            found[b] = off[0]
    return found


_STEPS = erf, erfc, BivariateNormalCDF


def has_layer(program, grid):
    """Return whether probabilities of normals that depend on unknowns stand in the sums over a grid."""
    return any(holds(e, _STEPS) for s in select_statements(Sums, program.statements) if s.grid is grid
               for e in (*(e for _, e in s.locals if not isinstance(e, InnerSum)), *(e for _, e, _ in s.sums)))
