"""Jumps that move: where a derivative has a point mass, and where it forgets one."""

from sympy import DiracDelta, Integer, Piecewise, false, true
from sympy.core.relational import Relational

from ..errors import StructureError
from ..exact import is_zero
from .walks import free_of, holds, parts

__all__ = ["between_jumps", "refuse_moving_jumps"]


def between_jumps(rate):
    """Return a derivative without the point masses of jumps that no variable of an average decides.

    It is right between the jumps; at a jump the caller must raise an error.
    """
    from .average import Average

    if not holds(rate, (DiracDelta,)):
        return rate
    bound = {s for a in parts(rate, (Average,)) for s in a.bound_symbols}
    masses = [d for d in parts(rate, (DiracDelta,)) if not d.free_symbols & bound]
    return rate.xreplace(dict.fromkeys(masses, Integer(0))) if masses else rate


def refuse_moving_jumps(integrand, symbol, bound):
    """Raise where the place of a jump in the bound variables depends on the symbol.

    Sympy differentiates the branches of a Piecewise and omits the contribution of the moving border. That is right
    for branches that meet, and wrong for a jump.
    """
    for piecewise in parts(integrand, (Piecewise,)):
        if symbol not in free_of(piecewise):
            continue
        borders = [c for _, condition in piecewise.args for c in condition.atoms(Relational)]
        moving = [c for c in borders if symbol in c.free_symbols and c.free_symbols & set(bound)]
        if moving and not all(_meet(piecewise, c, bound) for c in moving):
            raise StructureError(f"averages: {piecewise} jumps at a place that depends on {symbol}; its derivative has "
                                 "a point mass there that is not represented; write the jump with sign(), or as an "
                                 "activation of the argument")


def _meet(piecewise, relation, bound):
    """Return whether the branches on the two sides of a border provably agree there."""
    border = relation.lhs - relation.rhs
    for v in sorted(border.free_symbols, key=lambda v: (v not in bound, str(v))):
        slope = border.diff(v)
        if v not in slope.free_symbols and slope.is_nonzero is not False:
            there = {v: v - border / slope}
            sides = [[(e.subs(there), c.xreplace({relation: side}).subs(there)) for e, c in piecewise.args]
                     for side in (true, false)]
            return is_zero(Piecewise(*sides[0]) - Piecewise(*sides[1]))
    return False
