"""Functions that switch between formulas: where they do, and the formula that holds on a side."""

from itertools import combinations

from sympy import Abs, And, Heaviside, Max, Min, Not, Or, Piecewise, S, sign, true
from sympy.core.relational import Relational

from ..errors import DomainError

#: functions that switch
SWITCHING = (Abs, sign, Heaviside, Max, Min, Piecewise)

#: signs of the difference of its sides for which a relation holds
_SIGNS = {"<": (-1,), "<=": (-1, 0), ">": (1,), ">=": (0, 1), "==": (0,), "!=": (-1, 1)}


def switching_borders(node):
    """Return the expressions whose zeros are where a node switches between formulas."""
    if isinstance(node, Abs | sign | Heaviside):
        return [node.args[0]]
    if isinstance(node, Max | Min):
        return [a - b for a, b in combinations(node.args, 2)]
    if isinstance(node, Piecewise):
        return sorted({c.lhs - c.rhs for _, when in node.args for c in when.atoms(Relational)}, key=str)
    return []


def on_side(node, border, side):
    """Return what a node is where one of its borders has a sign; nan if no condition of a Piecewise can hold there."""
    if isinstance(node, Abs):
        return border * side
    if isinstance(node, sign):
        return S(side)
    if isinstance(node, Heaviside):
        return S.One if side > 0 else S.Zero if side < 0 else node.func(S.Zero, *node.args[1:])
    if isinstance(node, Max | Min):
        first, second = next(pair for pair in combinations(node.args, 2) if pair[0] - pair[1] == border)
        dropped = second if (side > 0) == isinstance(node, Max) else first
        return node.func(*(a for a in node.args if a != dropped))
    signs = {border: side, -border: -side}
    known = {c: S(signs[c.lhs - c.rhs] in _SIGNS[c.rel_op]) for _, when in node.args for c in when.atoms(Relational)
             if c.lhs - c.rhs in signs}
    left = []
    for value, condition in node.args:
        condition = condition.xreplace(known)
        if condition is S.true:         # later branches are not reached
            return Piecewise(*left, (value, True), evaluate=False) if left else value
        if condition is not S.false:
            left.append((value, condition))
    return Piecewise(*left, evaluate=False) if left else S.NaN


def formula_at(expr, place, sign_of, is_constant):
    """Return the analytic formula of a function around a place, where ``sign_of(part)`` is -1, 0 or 1.

    Its parts may switch too; those that are constant stay.  ``place`` is text for an error.
    """
    def around(part):
        return formula_at(part, place, sign_of, is_constant)

    if not expr.has(*SWITCHING) or is_constant(expr):
        return expr
    if isinstance(expr, Piecewise):
        for value, condition in expr.args:
            if _holds(condition, sign_of):
                return around(value)
        raise DomainError(f"{expr} has no value at {place}; give its last branch the condition True")
    args = [around(arg) for arg in expr.args]
    if isinstance(expr, Abs | sign | Heaviside):
        return on_side(expr, args[0], sign_of(args[0]))
    if isinstance(expr, Max | Min):
        wanted, best = 1 if isinstance(expr, Max) else -1, args[0]
        for other in args[1:]:
            best = other if sign_of(other - best) == wanted else best
        return best
    return expr.func(*args)


def _holds(condition, sign_of):
    """Decide a condition, from no more signs than that takes."""
    if isinstance(condition, Not):
        return not _holds(condition.args[0], sign_of)
    if isinstance(condition, And | Or):
        return (all if isinstance(condition, And) else any)(_holds(part, sign_of) for part in condition.args)
    if isinstance(condition, Relational):
        return sign_of(condition.lhs - condition.rhs) in _SIGNS[condition.rel_op]
    return condition == true
