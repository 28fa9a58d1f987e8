"""Parity: numbers refute it, algebra on the branches proves it, doubt means no parity."""

from math import prod

import sympy as sp
from sympy.core.relational import Relational

from ..exact import is_zero
from ..numbers.functions import entry
from .cells import branch, critical_points, split_cells
from .noisy import Undefined
from .values import value_at

__all__ = ["parity", "parity_of_form"]


def parity(expr, z):
    """Return ``"odd"``, ``"even"`` or None, up to the values at jumps; a doubtful case is None."""
    signs = _numeric_parity(expr, z)
    if not signs:
        return None
    proved = parity_of_form(expr, z)
    if proved and proved in signs:
        return "even" if proved > 0 else "odd"
    points = critical_points(expr, z)
    # with zero among the points each cell lies on one side of it
    symmetric = sorted({*points, *(-p for p in points), sp.Integer(0)}, key=sp.N)
    mirrored = [c.sample for c in split_cells(expr, z, tuple(symmetric))]
    for sign in signs:
        parts = (branch(expr, z, x).subs(z, -z) - sign * branch(expr, z, -x) for x in mirrored if x > 0)
        if all(map(is_zero, parts)):
            return "even" if sign > 0 else "odd"
    return None


def _numeric_parity(expr, z):
    """Return the signs s (+1 before -1) for which ``f(-x) = s f(x)`` at a few points to 30 digits."""
    signs = [1, -1]
    for text in ("0.2113", "0.713", "1.3717", "2.917", "5.33"):
        x = sp.Rational(text)
        try:
            left, right = value_at(expr, z, -x), value_at(expr, z, x)
        except Undefined:               # a sample without a value is no evidence
            continue
        scale = abs(left) + abs(right)
        signs = [s for s in signs if abs(left - s * right) <= max(1e-30 * scale, 1e-45)]
    return signs


def parity_of_form(expr, z):
    """Return 1 for a function that is certainly even, -1 for odd, 0 where its form shows neither."""
    if not expr.has(z):
        return 1
    if expr == z:
        return -1
    if isinstance(expr, sp.Piecewise):
        values = {parity_of_form(value, z) for value, _ in expr.args}
        sides = [side for _, condition in expr.args for r in condition.atoms(Relational) for side in (r.lhs, r.rhs)]
        return values.pop() if len(values) == 1 and all(parity_of_form(side, z) == 1 for side in sides) else 0
    parts = [parity_of_form(arg, z) for arg in expr.args]
    if all(part == 1 for part in parts):
        return 1
    if expr.is_Add:
        return parts[0] if len(set(parts)) == 1 else 0
    if expr.is_Mul:
        return prod(parts)
    if expr.is_Pow:
        return (parts[0] if expr.exp.is_odd else abs(parts[0])) if expr.exp.is_Integer else 0
    known = entry(type(expr).__name__)
    if known is None or known.arity != 1 + known.orders or any(a.has(z) for a in expr.args[:-1]):
        return 0
    own = known.parity_at(*map(int, expr.args[:known.orders]))
    return parts[-1] if own < 0 else abs(parts[-1]) if own > 0 else 0
