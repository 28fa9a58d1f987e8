"""Exact parity: numbers refute it, algebra on the branches proves it, doubt means no parity."""

from ..exact import is_zero
from ..numbers.functions import entry
from ..parsing.to_mpmath import Undefined
from .cells import branch, critical_points, split_cells
from .values import value_at

__all__ = ["parity"]


def parity(expr, z):
    """``"odd"``, ``"even"`` or None, up to the values at jumps; a doubtful case is None."""
    import sympy as sp

    signs = _numeric_parity(expr, z)
    if not signs:
        return None
    proved = _structural(expr, z)
    if proved is not None and proved in signs:
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
    """The signs s (+1 before -1) for which ``f(-x) = s f(x)`` at a few points to 30 digits."""
    import sympy as sp

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


def _structural(expr, z):
    """Parity by its calculus: +1, -1, or None where the rules do not decide."""
    import sympy as sp

    if not expr.has(z):
        return 1
    if expr == z:
        return -1
    if isinstance(expr, sp.Piecewise):
        return None
    parts = [_structural(arg, z) for arg in expr.args]
    if all(part == 1 for part in parts):
        return 1
    if None in parts:
        return None
    if expr.is_Add:
        return parts[0] if len(set(parts)) == 1 else None
    if expr.is_Mul:
        return sp.prod(parts)
    if expr.is_Pow and expr.exp.is_Integer:
        return 1 if expr.exp.is_even else parts[0]
    known = entry(type(expr).__name__)
    if known is None or -1 in parts[:-1] or known.arity > 1 + known.orders:
        return None
    return known.parity_at(*map(int, expr.args[:known.orders])) or None
