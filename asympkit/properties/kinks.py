"""Kinks, jumps with their one-sided limits, and the domain of a piecewise analytic function, from its cells.

Places where a smooth function changes within a small fraction of the unit: rules are split there.

A rule can step over a bump such as exp(-10**6*(z-1/3)**2) without meeting it, or take a steep erf for a
jump.  Steep functions turn where their argument vanishes or is stationary, and roots, logarithms and
quotients where the modulus of their argument is smallest.  Derivatives are those almost everywhere: jumps and kinks
contribute nothing.
"""

import numpy as np
import sympy as sp

from ..errors import AsympkitError, DomainError
from ..exact import is_zero
from ..numbers.functions import entry
from ..runtime.features import MOST_PLACES, find_features
from .cells import Cell, critical_points, singular_arguments, split_cells
from .values import Undefined, array_function, digits_at, value_at

#: a limit that is less is zero: it is below all that a float can resolve
_SMALLEST = 1e-300


def _analytic_at(formula, z, point):
    for node in sp.preorder_traversal(formula):
        if isinstance(node, sp.Expr):
            for argument in singular_arguments(node):
                if argument.has(z):
                    try:
                        if abs(value_at(argument, z, point)) < 1e-40:
                            return False
                    except Undefined:
                        return False
    return True


def _same(a, b, z, low, high):
    """Decide whether two analytic formulas are equal; numbers refute, algebra proves, doubt counts as different."""
    if a == b:
        return True
    low = high - 2 if low is None else low
    high = low + 2 if high is None else high
    for weight in (sp.Rational(1, 5), sp.Rational(3, 7)):
        point = low + (high - low) * weight
        try:
            if abs(value_at(a, z, point) - value_at(b, z, point)) > 1e-40:
                return False
        except Undefined:
            return False
    return is_zero(a - b)


def _agree_at(a, b, z, point):
    try:
        return abs(value_at(a, z, point) - value_at(b, z, point)) < 1e-40
    except Undefined:
        return False


def kinks(expr, z):
    """Find the points where the function is not analytic, as a sorted tuple of sympy numbers."""
    cells = split_cells(expr, z)
    found = []
    for left, right in zip(cells, cells[1:]):
        point = left.high
        if not (_same(left.formula, right.formula, z, left.low, left.high)
                and _analytic_at(left.formula, z, point)
                and _agree_at(expr, left.formula, z, point)):
            found.append(point)
    return tuple(found)


def jumps(expr, z, points):
    """Return ``(location, height)`` of each discontinuity among the given kinks."""
    out, kinked = [], set(points)
    cells = split_cells(expr, z)         # of all critical points: a sample must not lie on one, be it no kink
    for left, right in zip(cells, cells[1:]):
        if left.high in kinked:
            height = _limit(right.formula, z, left.high, +1) - _limit(left.formula, z, left.high, -1)
            if abs(sp.N(height, 60)) > 1e-40:
                out.append((left.high, height))
    return tuple(out)


def check_domain(expr, z, shown):
    """Raise :class:`DomainError` unless the function is real and bounded near every point of the line."""
    for cell in split_or_explain(expr, z, shown):
        try:
            value_at(expr, z, cell.sample)
        except Undefined:
            raise DomainError(f"the activation {shown!r} has no real value {_where(cell)}; an activation "
                              "must be real on the whole line") from None
    for point in critical_points(expr, z):
        try:
            value_at(expr, z, point)
        except Undefined:
            raise DomainError(f"the activation {shown!r} is not defined at z = {float(point):.6g}; an "
                              "activation must have a finite real value everywhere, for example "
                              f"where(z == {float(point):.6g}, limit, ...)") from None
    check_bounded(expr, z, shown)


def check_bounded(expr, z, shown):
    """Raise :class:`DomainError` if the function is unbounded near a critical point."""
    for point in critical_points(expr, z):
        for side in (-1, 1):
            if _unbounded(expr, z, point, side):
                raise DomainError(f"the activation {shown!r} is unbounded near z = {float(point):.6g}; an "
                                  "activation must be bounded on bounded intervals")


def split_or_explain(expr, z, shown):
    """Split into cells; undefined branches are a domain error."""
    try:
        return split_cells(expr, z)
    except Undefined:
        raise DomainError(f"the activation {shown!r} is not real on the whole line") from None


def _where(cell: Cell):
    if cell.low is None:
        return "on the whole line" if cell.high is None else f"for z < {float(cell.high):.6g}"
    if cell.high is None:
        return f"for z > {float(cell.low):.6g}"
    return f"for {float(cell.low):.6g} < z < {float(cell.high):.6g}"


def _unbounded(expr, z, point, side):
    sizes = []
    for k in (10, 20, 40):
        near = digits_at(point, 300) + side * sp.Float(f"1e-{k}", 300)
        try:
            sizes.append(abs(value_at(expr, z, near, digits=250)))
        except Undefined:
            return True
    first, second = sizes[1] - sizes[0], sizes[2] - sizes[1]
    # A bounded function settles; a logarithm gains twice as much, a power far more.
    return first > 1e-8 and second > 1.6 * first


# -- one-sided limits: exact where a rule gives them, by numbers that settle, else refused -------------------


def _limit(formula, z, point, side):
    """Find the one-sided limit of an analytic branch at an end of its cell, exact where its parts have limits there."""
    if not formula.has(z):
        return formula
    try:
        here = value_at(formula, z, point)
        if not _has_plain_powers(formula, z):
            return _float(here)
        if _is_number(value := formula.subs(z, point)):
            return value
    except Undefined:
        pass
    try:
        if _has_plain_powers(formula, z) and _is_number(value := _limit_of_parts(formula, z, point, side)):
            return value
    except Undefined:
        pass
    return _limit_of_values(formula, z, point, side)


def _float(value):
    if abs(value) < _SMALLEST:          # its decimal text would take an exact power of ten
        return sp.Integer(0)
    return sp.Float(str(value), 50)


def _is_number(value):
    """Return whether an expression is a finite real number that can be computed."""
    if value.has(sp.nan, sp.zoo, sp.oo, sp.I, sp.AccumBounds):
        return False
    number = sp.N(value, 15)
    return number.is_Number and number.is_finite


def _has_plain_powers(formula, z):
    """Return whether no exponent moves: exact powers of fractions with long exponents take time without bound."""
    return not any(p.exp.has(z) for p in formula.atoms(sp.Pow) if p.base is not sp.E)


def _near(point, side, places=90):
    """Return a point beside another; one that was found numerically is not known well enough for the nearest."""
    if point.has(sp.Float):
        places = places * 4 // 10
    return digits_at(point, 300) + side * sp.Float(f"1e-{places}", 300)


def _limit_of_values(formula, z, point, side):
    """Find the limit to which closer and closer values converge; nothing is claimed where they do not."""
    try:
        values = [value_at(formula, z, _near(point, side, places), digits=250) for places in (50, 70, 90)]
    except Undefined:
        values = []
    if values and max(abs(v - values[-1]) for v in values) <= 1e-12 * (1 + abs(values[-1])):
        return _float(values[-1])
    raise DomainError(f"no limit of {str(formula)[:200]} was found {'right' if side > 0 else 'left'} of z = "
                      f"{float(point):.6g}; an activation must have a limit from both sides where it is not "
                      "continuous: define it there by one that has, with where(...)")


def _limit_of_parts(expr, z, point, side):
    """Find the limit of a function of the limits of its arguments, with a side at poles; nan if undecided."""
    if not expr.has(z):
        return expr
    if expr == z:
        return point
    args = [_limit_of_parts(a, z, point, side) for a in expr.args]
    if any(a.has(sp.nan, sp.zoo, sp.AccumBounds) for a in args):
        return sp.nan
    if expr.is_Pow and expr.exp.is_negative and _vanishes(args[0]):
        near = value_at(expr.base, z, _near(point, side), digits=250)
        return sp.oo if near > 0 or expr.exp.is_even else -sp.oo if expr.exp.is_odd else sp.nan
    if isinstance(expr, sp.log) and _vanishes(args[0]):
        return -sp.oo
    return expr.func(*args)


def _vanishes(number):
    if number.is_zero or number.is_finite is False:
        return number.is_zero
    size = abs(sp.N(number, 60))
    return size.is_Number and size < 1e-45


def derivative(expr, z):
    """Return the derivative where it exists: sign and Heaviside have derivative 0, ``Abs(u)`` has ``sign(u)*u'``."""
    if not expr.has(z):
        return sp.S.Zero
    if expr == z:
        return sp.S.One
    if expr.is_Add:
        return sp.Add(*(derivative(a, z) for a in expr.args))
    if expr.is_Mul:
        number, factors = expr.as_independent(z, as_Add=False)
        return number * _product(sp.Mul.make_args(factors), z)
    if isinstance(expr, sp.exp):
        return expr * derivative(expr.args[0], z)
    if expr.is_Pow:
        base, exponent = expr.args
        if not exponent.has(z):
            return exponent * base ** (exponent - 1) * derivative(base, z)
        return expr * derivative(exponent * sp.log(base), z)
    if isinstance(expr, sp.Piecewise):
        return sp.Piecewise(*((derivative(value, z), condition) for value, condition in expr.args))
    if isinstance(expr, sp.Max | sp.Min):
        return _extremum(expr, z)
    if isinstance(expr, sp.sign | sp.Heaviside):
        return sp.S.Zero
    if isinstance(expr, sp.Abs):
        return sp.sign(expr.args[0]) * derivative(expr.args[0], z)
    if isinstance(expr, sp.log):
        return _logarithm(expr.args[0], z)
    known = entry(type(expr).__name__)
    first = 0 if known is None else known.orders
    return sp.Add(*(expr.fdiff(k + 1) * derivative(expr.args[k], z) for k in range(first, len(expr.args))
                    if expr.args[k].has(z)))


def _product(factors, z):
    """Halve long products, so that the derivative stays small."""
    if len(factors) == 1:
        return derivative(factors[0], z)
    half = len(factors) // 2
    left, right = factors[:half], factors[half:]
    return sp.Mul(*right) * _product(left, z) + sp.Mul(*left) * _product(right, z)


def _logarithm(u, z):
    """Take tanh for a hyperbolic cosine at once, as the quotient sinh/cosh overflows."""
    _, factor = u.as_independent(z, as_Add=False)
    if isinstance(factor, sp.cosh):
        return sp.tanh(factor.args[0]) * derivative(factor.args[0], z)
    return derivative(u, z) / u


def _extremum(expr, z):
    """Take the derivative of ``rest`` at a tie: the part that does not move for max(0, z)."""
    first, *others = sorted(expr.args, key=lambda a: (not a.has(z), sp.default_sort_key(a)))
    rest = expr.func(*others)
    gap = first - rest if isinstance(expr, sp.Max) else rest - first
    slope, other = derivative(first, z), derivative(rest, z)
    return other + sp.Heaviside(gap, 0) * (slope - other)


#: features narrower than this may lie between the nodes of a rule for smooth functions
WIDTH = 1.0 / 50.0
#: where signs are compared, as far as a normal variable reaches in double precision; no round number is a node
_GRID = np.arange(-40.0, 40.0, 0.01) + 0.00123
#: each interval around a feature is so many times wider than the one inside it, up to this distance
_GRADE, _END = 6.0, 0.5
#: smallest distance from a place, relative to it, that floats resolve
_LEAST = 1e-13


def sharp_points(expr, z):
    """Find points that bracket the features narrower than 1/50, as an ascending tuple of floats.

    For a feature at c of width d these are c and ``c +- d, c +- 6 d, ...`` up to the distance 1/2.
    """
    found = {}
    for node in sp.preorder_traversal(expr):
        if not isinstance(node, sp.Expr) or not node.args or not node.args[0].has(z):
            continue
        known = entry(type(node).__name__)
        if known is not None and known.is_steep and known.arity == 1:
            found[True, node.args[0]] = None
        elif known is not None and known.is_partial or node.is_Pow and not (node.exp.is_Integer and node.exp > 0):
            found[False, node.args[0]] = None
    return _bracketed([feature for is_steep, u in found for feature in _features(u, z, is_steep)])


def merge_points(points):
    """Sort points and leave out repetitions up to rounding."""
    kept = []
    for c in sorted(points):
        if not kept or c - kept[-1] > 1e-14 * (1.0 + abs(c)):
            kept.append(c)
    return tuple(kept)


def _bracketed(features):
    found = {}
    for c, width in features:
        found[c] = min(width, found.get(c, width))
    points = []
    for c, width in found.items():
        points.append(c)
        width = max(width, _LEAST * (1.0 + abs(c)))       # less than that would not move the point
        while width < _END:
            points += [c - width, c + width]
            width *= _GRADE
    return merge_points(points)


def _features(u, z, is_steep):
    """Return (place, width) of the narrow features of a function of an argument."""
    slope = u.diff(z) if is_steep and u.is_polynomial(z) else None
    if slope is not None and not slope.has(z):
        constant, slope = float(u.subs(z, 0)), float(slope)
        if slope == 0.0 or 1.0 / abs(slope) >= WIDTH or not _GRID[0] < -constant / slope < _GRID[-1]:
            return []
        return [(0.0 - constant / slope, 1.0 / abs(slope))]
    forms = _slopes(u, z)
    with np.errstate(all="ignore"):
        found = find_features(lambda x: [f(x) for f in forms], is_steep, _GRID)
    narrow = [(0.0 if abs(c) < 1e-15 else c, w) for c, w in zip(*(a.tolist() for a in found)) if w < WIDTH]
    return narrow if len(narrow) <= MOST_PLACES else []


def _slopes(u, z):
    """Return an expression and its first two derivatives as functions of floats.

    One with functions that no floats have, as closed forms may hold, has no sign changes.
    """
    first = derivative(u, z)
    try:
        return [array_function(e, [z]) for e in (u, first, derivative(first, z))]
    except AsympkitError:
        return [np.zeros_like] * 3
