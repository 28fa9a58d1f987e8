"""Where a function of one real variable switches, and which analytic formula holds in between.

The real line is cut at the *critical points*: zeros of the arguments of Abs, sign, Heaviside, of the
differences in Max and Min and of the comparisons of a Piecewise, and zeros at which log, a negative or a
fractional power, tan or asin stop being analytic. Between two cuts the function is one analytic *branch*.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from ..errors import DomainError
from ..parsing.from_sympy import from_sympy
from ..parsing.to_mpmath import Undefined, context, evaluate
from .roots import real_roots

__all__ = ["Cell", "branch", "critical_points", "singular_arguments", "split", "value_at"]


@dataclass(frozen=True)
class Cell:
    """An open interval (None for an infinite end), a rational point in it, and the branch there."""

    low: object
    high: object
    sample: object
    formula: object


def value_at(expr, z, point, digits=60):
    """Multiple-precision value of an expression at a real point; :class:`Undefined` where it has none."""
    import sympy as sp

    number = context(digits + 10).mpf(str(sp.N(point, digits + 10)))
    return evaluate(from_sympy(expr), {z.name: number}, digits)


def switching_arguments(node):
    """Expressions whose zeros are where this node switches between branches."""
    import sympy as sp

    if isinstance(node, sp.Abs | sp.sign | sp.Heaviside):
        return [node.args[0]]
    if isinstance(node, sp.Max | sp.Min):
        return [a - b for a, b in combinations(node.args, 2)]
    if isinstance(node, sp.Piecewise):
        atoms = set().union(*(c.atoms(sp.core.relational.Relational) for _, c in node.args))
        return [atom.lhs - atom.rhs for atom in sorted(atoms, key=sp.default_sort_key)]
    return []


def singular_arguments(node):
    """Expressions whose zeros are where this node stops being analytic without switching."""
    import sympy as sp

    if isinstance(node, sp.log):
        return [node.args[0]]
    if isinstance(node, sp.tan):
        return [sp.cos(node.args[0])]
    if isinstance(node, sp.asin):
        return [node.args[0] - 1, node.args[0] + 1]
    if node.is_Pow and node.base is not sp.E and not (node.exp.is_Integer and node.exp > 0):
        return [node.base]
    return []


def _sign_at(expr, z, sample):
    value = value_at(expr, z, sample)
    return 0 if abs(value) < 1e-45 else (1 if value > 0 else -1)


def _holds(condition, z, sample):
    import sympy as sp

    try:
        return condition.subs(z, sample) == sp.true
    except (TypeError, ValueError):       # sympy's answers to a comparison of numbers that are not real
        raise Undefined(f"{condition} at {z} = {sample}") from None


def branch(expr, z, sample):
    """The analytic formula of ``expr`` on the cell that contains ``sample``."""
    import sympy as sp

    if not expr.args or not expr.has(z):
        return expr
    if isinstance(expr, sp.Piecewise):
        for value, condition in expr.args:
            if condition == sp.true or _holds(condition, z, sample):
                return branch(value, z, sample)
        raise DomainError(f"{expr} has no value at {z} = {sample}; give its last branch the condition True")
    args = [branch(arg, z, sample) for arg in expr.args]
    if isinstance(expr, sp.Abs):
        return args[0] if _sign_at(args[0], z, sample) >= 0 else -args[0]
    if isinstance(expr, sp.sign):
        return sp.Integer(_sign_at(args[0], z, sample))
    if isinstance(expr, sp.Heaviside):
        return sp.Integer(_sign_at(args[0], z, sample) > 0)
    if isinstance(expr, sp.Max | sp.Min):
        pick = max if isinstance(expr, sp.Max) else min
        return pick(args, key=lambda arg: value_at(arg, z, sample))
    return expr.func(*args)


def _order(point):
    import sympy as sp

    return sp.N(point, 40)


def _merge(points):
    """Sorted points without repetitions (numbers closer than 1e-30 are one point)."""
    kept = []
    for point in sorted(points, key=_order):
        if not kept or _order(point) - _order(kept[-1]) > 1e-30:
            kept.append(point)
    return kept


def samples(points):
    """``(low, high, sample)`` for the cells between sorted points; the samples are rational."""
    import sympy as sp

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
    """Sorted tuple of all points where ``expr`` may fail to be analytic.

    Raises
    ------
    DomainError
        If there are infinitely many, or if they cannot be found reliably.
    """
    import sympy as sp

    points = []
    for node in sp.postorder_traversal(expr):
        if not isinstance(node, sp.Expr):
            continue
        for argument in [*switching_arguments(node), *singular_arguments(node)]:
            if argument.has(z):
                points += _zeros(argument, z)
    return tuple(_merge(points))


def _zeros(argument, z):
    """Zeros of a piecewise analytic argument, cell by cell; an argument zero on a whole cell adds none."""
    found = []
    for low, high, sample in samples(critical_points(argument, z)):
        try:
            formula = branch(argument, z, sample)
        except Undefined:
            continue  # undefined there; whoever evaluates the whole expression says so
        if formula.has(z):
            found += [r for r in real_roots(formula, z)
                      if (low is None or _order(r) > _order(low) - _tiny())
                      and (high is None or _order(r) < _order(high) + _tiny())]
    return found


def _tiny():
    import sympy as sp

    return sp.Float("1e-30", 40)


def split(expr, z, points=None):
    """List of :class:`Cell` of an expression, from left to right."""
    points = critical_points(expr, z) if points is None else points
    return [Cell(low, high, sample, branch(expr, z, sample)) for low, high, sample in samples(points)]
