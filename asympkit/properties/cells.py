"""The cells of a function of one real variable: where it switches, and which analytic formula holds in between.

The real line is cut at the *critical points*: zeros of the arguments of Abs, sign, Heaviside, of the
differences in Max and Min and of the comparisons of a Piecewise, and zeros at which log, a negative or a
fractional power, tan or asin stop being analytic. Between two cuts the function is one analytic *branch*.

Parity is refuted by numbers and proved by algebra on the branches; doubt means no parity.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import inf, prod

import sympy as sp
from sympy.core.relational import Relational

from ..errors import DomainError
from ..exact import is_zero
from ..numbers.functions import entry
from .noisy import Undefined
from .roots import real_roots
from .values import digits_at, sign_at, value_at

__all__ = ["Cell", "critical_points", "parity", "parity_of_form", "singular_arguments", "split_cells"]


@dataclass(frozen=True)
class Cell:
    """An open interval (None for an infinite end), a rational point in it, and the branch there."""

    low: object
    high: object
    sample: object
    formula: object


def switching_arguments(node):
    """Return the expressions whose zeros are where a node switches between branches."""
    if isinstance(node, sp.Abs | sp.sign | sp.Heaviside):
        return [node.args[0]]
    if isinstance(node, sp.Max | sp.Min):
        return [a - b for a, b in combinations(node.args, 2)]
    if isinstance(node, sp.Piecewise):
        atoms = set().union(*(c.atoms(sp.core.relational.Relational) for _, c in node.args))
        return [atom.lhs - atom.rhs for atom in sorted(atoms, key=sp.default_sort_key)]
    return []


def singular_arguments(node):
    """Return the expressions whose zeros are where a node stops being analytic without switching."""
    if isinstance(node, sp.tan):
        return [sp.cos(node.args[0])]
    known = entry(type(node).__name__)
    if known is not None and known.is_partial:
        return [node.args[-1] - end for end in known.domain[::-1] if abs(end) < inf]
    if node.is_Pow and node.base is not sp.E and not (node.exp.is_Integer and node.exp > 0):
        return [node.base]
    return []


_SIGNS = {"<": (-1,), "<=": (-1, 0), ">": (1,), ">=": (0, 1), "==": (0,), "!=": (-1, 1)}


def _holds(condition, z, sample):
    """Decide a condition at a rational point: by numbers, as exact powers of fractions have no bound."""
    if isinstance(condition, sp.Not):
        return not _holds(condition.args[0], z, sample)
    if isinstance(condition, sp.And | sp.Or):
        return (all if isinstance(condition, sp.And) else any)(_holds(part, z, sample) for part in condition.args)
    if isinstance(condition, sp.core.relational.Relational):
        return sign_at(condition.lhs - condition.rhs, z, sample) in _SIGNS[condition.rel_op]
    return condition == sp.true


def branch(expr, z, sample):
    """Return the analytic formula of ``expr`` on the cell that contains ``sample``."""
    if not expr.args or not expr.has(z):
        return expr
    if isinstance(expr, sp.Piecewise):
        for value, condition in expr.args:
            if condition == sp.true or _holds(condition, z, sample):
                return branch(value, z, sample)
        raise DomainError(f"{expr} has no value at {z} = {sample}; give its last branch the condition True")
    args = [branch(arg, z, sample) for arg in expr.args]
    if isinstance(expr, sp.Abs):
        return args[0] if sign_at(args[0], z, sample) >= 0 else -args[0]
    if isinstance(expr, sp.sign):
        return sp.Integer(sign_at(args[0], z, sample))
    if isinstance(expr, sp.Heaviside):
        return sp.Integer(sign_at(args[0], z, sample) > 0)
    if isinstance(expr, sp.Max | sp.Min):
        wanted, best = 1 if isinstance(expr, sp.Max) else -1, args[0]
        for other in args[1:]:
            if sign_at(other - best, z, sample) == wanted:
                best = other
        return best
    return expr.func(*args)


def _order(point):
    return digits_at(point, 40)


def _merge(points):
    """Sort points and leave out repetitions: numbers closer than 1e-30 are one point, the exact one if one is exact."""
    kept = []
    for place, point in sorted(((_order(p), p) for p in points), key=lambda pair: pair[0]):
        if not kept or place - kept[-1][0] > 1e-30:
            kept.append((place, point))
        elif kept[-1][1].has(sp.Float) and not point.has(sp.Float):
            kept[-1] = place, point
    return [point for _, point in kept]


def samples(points):
    """Return ``(low, high, sample)`` for the cells between sorted points; the samples are rational."""
    if not points:
        return [(None, None, sp.Rational(1, 7))]
    out = [(None, points[0], sp.floor(points[0]) - 1)]
    for low, high in zip(points, points[1:]):
        middle = (_order(low) + _order(high)) / 2
        out.append((low, high, sp.Rational(str(middle))))
    out.append((points[-1], None, sp.floor(points[-1]) + 2))
    return out


@lru_cache(maxsize=512)
def critical_points(expr, z):
    """Find the points, in their order, where ``expr`` may fail to be analytic.

    Raises
    ------
    DomainError
        If there are infinitely many, or if they cannot be found reliably.
    """
    points = []
    for node in sp.postorder_traversal(expr):
        if not isinstance(node, sp.Expr):
            continue
        for argument in [*switching_arguments(node), *singular_arguments(node)]:
            if argument.has(z):
                points += _zeros(argument, z)
    return tuple(_merge(points))


def _zeros(argument, z):
    """Return zeros of a piecewise analytic argument, cell by cell; an argument zero on a whole cell adds none."""
    found = []
    for low, high, sample in samples(critical_points(argument, z)):
        try:
            formula = branch(argument, z, sample)
            if not formula.has(z) or formula.has(sp.nan, sp.zoo, sp.oo, sp.I):
                continue
            value_at(formula, z, sample)
        except Undefined:
            continue  # undefined there; whoever evaluates the whole expression says so
        for root in real_roots(formula, z, -inf if low is None else float(_order(low)),
                               inf if high is None else float(_order(high))):
            place = _order(root)
            if not place.is_Number:
                raise DomainError(f"cannot tell where {str(argument)[:200]} vanishes: {str(root)[:200]} has no value "
                                  "that can be computed; write the argument of the switch in another way")
            if (low is None or place > _order(low) - _tiny()) and (high is None or place < _order(high) + _tiny()):
                found.append(root)
    return found


def _tiny():
    return sp.Float("1e-30", 40)


def split_cells(expr, z, points=None):
    """Split an expression into its :class:`Cell` objects, from left to right."""
    points = critical_points(expr, z) if points is None else points
    return [Cell(low, high, sample, branch(expr, z, sample)) for low, high, sample in samples(points)]


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
