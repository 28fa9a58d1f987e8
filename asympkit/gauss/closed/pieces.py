"""Kinks: turn Abs, sign, Heaviside, Max, Min and Piecewise into smooth pieces on intervals."""

from sympy import (
    Abs,
    And,
    Eq,
    Ge,
    Gt,
    Heaviside,
    Le,
    Lt,
    Max,
    Min,
    Ne,
    Not,
    Or,
    Piecewise,
    S,
    false,
    postorder_traversal,
    sign,
    true,
)
from sympy.core.relational import Relational

from ...nodes import Average
from .decide import OutsideClass
from .polynomials import sign_changes, split_interval

KINKS = (Abs, sign, Heaviside, Max, Min, Piecewise)
MAX_PIECES = 64
"""Most intervals met before an integrand is given up (a guard on running time only)."""


def smooth_pieces(expr, z, lo=S.NegativeInfinity, hi=S.Infinity):
    """Split an interval so that the expression is smooth on every part.

    Parameters
    ----------
    expr : Expr
        The expression, with kinks anywhere in it.
    z : Symbol
        The (real) variable.
    lo, hi : Expr
        Ends of the interval, the real line by default.

    Returns
    -------
    list of (Expr, Expr, Expr)
        ``(lo, hi, smooth)`` from left to right, without gaps.

    Raises
    ------
    OutsideClass
        If the place of a kink, or the order of two of them, is not known.
    """
    kink = _innermost(expr, z)
    if kink is None:
        return [(lo, hi, expr)]
    switch, branch = _rule(kink, z)
    parts = []
    for left, right, at in split_interval(lo, hi, *sign_changes(switch, z)):
        parts += smooth_pieces(expr.xreplace(branch(at)), z, left, right)
        if len(parts) > MAX_PIECES:
            raise OutsideClass("too many pieces")
    return parts


def _innermost(expr, z):
    """Return the first kink that holds no other one; those inside an average do not switch with z."""
    if isinstance(expr, Average):
        return None
    for a in expr.args:
        found = _innermost(a, z)
        if found is not None:
            return found
    return expr if isinstance(expr, KINKS) and z in expr.free_symbols else None


def _rule(kink, z):
    """Return the function whose sign decides, and the replacement to make for each sign."""
    first = kink.args[0]
    if isinstance(kink, Abs):
        return first, lambda s: {kink: s * first}
    if isinstance(kink, sign):
        return first, lambda s: {kink: S(s)}
    if isinstance(kink, Heaviside):
        return first, lambda s: {kink: _step(s, kink)}
    if isinstance(kink, (Max, Min)):
        return _extremum(kink)
    return _condition(kink, z)


def _step(s, kink):
    return S.One if s > 0 else S.Zero if s < 0 else kink.func(S.Zero, *kink.args[1:])


def _extremum(kink):
    # Two arguments at a time; the others wait for the next round.
    x, y, *rest = kink.args
    largest = isinstance(kink, Max)
    return x - y, lambda s: {kink: kink.func(x if (s > 0) == largest else y, *rest)}


def _condition(kink, z):
    """Decide the first relation met in the conditions of a Piecewise."""
    for _, condition in kink.args:
        relation = next((c for c in postorder_traversal(condition) if isinstance(c, Relational)), None)
        if relation is not None:
            break
    else:
        raise OutsideClass(f"no rule for the conditions of {kink}")
    if not isinstance(relation, (Eq, Ne, Lt, Le, Gt, Ge)):
        raise OutsideClass(f"no rule for {relation}")
    return relation.lhs - relation.rhs, lambda s: {kink: _decided(kink, relation, s)}


def _decided(kink, relation, s):
    truth = true if _holds(relation, s) else false
    branches = []
    for value, condition in kink.args:
        condition = _substitute(condition, relation, truth)
        if condition is true:
            # Later branches are unreachable; a lone one stands without its Piecewise.
            return Piecewise(*branches, (value, True), evaluate=False) if branches else value
        if condition is not false:
            branches.append((value, condition))
    if not branches:
        raise OutsideClass(f"{kink} is not defined everywhere")
    return Piecewise(*branches, evaluate=False)


def _holds(relation, s):
    # At a sign change the value is that of a single point and does not matter; s == 0 only for
    # two sides that are equal throughout.
    if isinstance(relation, Eq):
        return s == 0
    if isinstance(relation, Ne):
        return s != 0
    if isinstance(relation, Gt):
        return s > 0
    if isinstance(relation, Ge):
        return s >= 0
    if isinstance(relation, Lt):
        return s < 0
    return s <= 0


def _substitute(condition, relation, truth):
    if condition == relation:
        return truth
    if isinstance(condition, (And, Or, Not)):
        return condition.func(*[_substitute(c, relation, truth) for c in condition.args])
    if condition in (true, false) or isinstance(condition, Relational):
        return condition
    raise OutsideClass(f"no rule for the condition {condition}")
