"""Kinks, jumps with their one-sided limits, and the domain of a piecewise analytic function, from its cells."""

import sympy as sp

from ..errors import DomainError
from ..exact import is_zero
from .cells import Cell, critical_points, singular_arguments, split_cells
from .noisy import Undefined
from .values import digits_at, value_at

__all__ = ["check_bounded", "check_domain", "jumps", "kinks"]


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


def _float(value, digits=50):
    if abs(value) < _SMALLEST:          # its decimal text would take an exact power of ten
        return sp.Integer(0)
    return sp.Float(str(value), digits)


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
