"""The analytic branches of a piecewise analytic function, with proof.

Like :mod:`asympkit.properties.cells`, but no decision rests on rounded numbers: switching points are
exact sympy numbers, no zero can be missed, and signs are those of balls that exclude zero. Where symbols stand
for balls, switching points are formulas in them, and order and signs are proved for all numbers in the balls.
"""

from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from math import inf

from ..errors import AsympkitError, DomainError
from ..exact import is_zero
from ..properties.cells import singular_arguments, switching_arguments
from .analytic import constant
from .backend import workprec
from .ranges import interval, number_range
from .zeros import real_zeros

__all__ = ["AnalyticPiece", "pieces"]

_PRECISIONS = (128, 1024, 8192)


@dataclass(frozen=True)
class AnalyticPiece:
    """An open interval (None for an infinite end) and the analytic formula there."""

    low: object
    high: object
    formula: object


def pieces(expr, z, values=None):
    """Split into :class:`AnalyticPiece` from left to right.

    Parameters
    ----------
    expr : sympy.Expr
    z : sympy.Symbol
    values : dict, optional
        Balls of the other symbols.

    Raises
    ------
    DomainError
        If the switching points or the order of two numbers cannot be proved.
    """
    return _split(expr, z, values) if values else _split_closed(expr, z)


@lru_cache(maxsize=256)
def _split_closed(expr, z):
    return _split(expr, z, None)


def _split(expr, z, values):
    points = _points(expr, z, values)
    ends = [None, *points, None]
    return tuple(AnalyticPiece(low, high, _branch(expr, z, sample, values))
                 for low, high, sample in zip(ends, ends[1:], _samples(points, values)))


def _points(expr, z, values):
    import sympy as sp

    found = []
    for node in sp.preorder_traversal(expr):
        if not isinstance(node, sp.Expr) or not node.has(z):
            continue
        for argument in switching_arguments(node):
            if argument.has(z):
                found += _zeros(argument, z, values)
        for argument in singular_arguments(node):
            if argument.has(z):
                with suppress(AsympkitError):      # a cut there only helps; the integrand watches itself
                    found += _zeros(argument, z, values)
    kept = []
    for point in found:
        if inf in map(abs, number_range(point, values)):
            raise DomainError(f"the switching point {point} is not proved to be finite")
        if not any(_same(point, other, values) for other in kept):
            kept.append(point)
    return tuple(sorted(kept, key=lambda point: number_range(point, values)[0]))


def _zeros(argument, z, values):
    """Return a set that contains every isolated zero of a piecewise analytic function."""
    found = []
    for piece in pieces(argument, z, values):
        found += [p for p in (piece.low, piece.high) if p is not None]
        if piece.formula.has(z):
            found += real_zeros(piece.formula, z, values)
    return found


def _same(a, b, values):
    """Return whether two numbers are equal; raise if neither that nor the opposite is proved."""

    if a == b:
        return True
    (low, high), (other_low, other_high) = number_range(a, values), number_range(b, values)
    if high < other_low or other_high < low:
        return False
    if is_zero(a - b):
        return True
    raise DomainError(f"cannot prove whether the switching points {a} and {b} are equal")


def _samples(points, values):
    """Return a rational number inside each interval."""
    import sympy as sp

    if not points:
        return [sp.Rational(1, 7)]
    ranges = [number_range(point, values) for point in points]
    inner = [(high + low) / 2 for (_, high), (low, _) in zip(ranges, ranges[1:])]
    values = [ranges[0][0] - 1, *inner, ranges[-1][1] + 1]
    return [sp.Rational(value.numerator, value.denominator) for value in values]


def _branch(expr, z, sample, values):
    """Return the analytic formula on the interval of a sample."""
    import sympy as sp

    if not expr.args or not (values or expr.has(z)):
        return expr
    if isinstance(expr, sp.Piecewise):
        for value, condition in expr.args:
            if _holds(condition, z, sample, values):
                return _branch(value, z, sample, values)
        raise DomainError(f"{expr} has no value at {z} = {sample}; give its last branch the condition True")
    args = [_branch(arg, z, sample, values) for arg in expr.args]
    if isinstance(expr, sp.Abs):
        return args[0] * _sign(args[0], z, sample, values)
    if isinstance(expr, sp.sign):
        return sp.Integer(_sign(args[0], z, sample, values))
    if isinstance(expr, sp.Heaviside):
        side = _sign(args[0], z, sample, values)
        return sp.Integer(side > 0) if side else expr.func(*args)
    if isinstance(expr, sp.Max | sp.Min):
        wanted, best = (1 if isinstance(expr, sp.Max) else -1), args[0]
        for arg in args[1:]:
            best = arg if _sign(arg - best, z, sample, values) == wanted else best
        return best
    return expr.func(*args)


def _holds(condition, z, sample, values):
    import sympy as sp

    if condition in (sp.true, sp.false):
        return condition == sp.true
    truth = {}
    for atom in condition.atoms(sp.core.relational.Relational):
        side = _sign(_branch(atom.lhs - atom.rhs, z, sample, values), z, sample, values)
        truth[atom] = {"<": side < 0, "<=": side <= 0, ">": side > 0, ">=": side >= 0,
                       "==": side == 0, "!=": side != 0}[atom.rel_op]
    return condition.xreplace({atom: sp.true if value else sp.false for atom, value in truth.items()}) == sp.true


def _sign(formula, z, sample, values):
    """Prove the sign of an analytic formula at a sample, which is no isolated zero of it."""
    import sympy as sp

    if formula.is_zero or sp.expand(formula).is_zero:
        return 0
    low, high = interval(formula, z, values=values)
    if low > 0 or high < 0:
        return 1 if low > 0 else -1
    value = formula.xreplace({z: sample})
    for precision in _PRECISIONS:
        with workprec(precision):
            ball = constant(value, values)
            if ball.is_finite() and not ball.contains(0):
                return 1 if ball > 0 else -1
    raise DomainError(f"cannot prove the sign of {str(formula)[:80]} at {z} = {sample}")
