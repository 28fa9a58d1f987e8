"""Kinks, jumps and the domain of a piecewise analytic function, from its cells."""

from ..errors import DomainError
from ..exact import is_zero
from ..parsing.to_mpmath import Undefined
from .cells import Cell, critical_points, singular_arguments, split_cells
from .limits import limit
from .values import digits_at, value_at

__all__ = ["check_bounded", "check_domain", "jumps", "kinks"]


def _analytic_at(formula, z, point):
    import sympy as sp

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
    """Whether two analytic formulas are equal; numbers refute, algebra proves, doubt counts as different."""
    import sympy as sp

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
    """Points where the function is not analytic, as a sorted tuple of sympy numbers."""
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
    """``(location, height)`` of each discontinuity among the given kinks."""
    import sympy as sp

    out, kinked = [], set(points)
    cells = split_cells(expr, z)         # of all critical points: a sample must not lie on one, be it no kink
    for left, right in zip(cells, cells[1:]):
        if left.high in kinked:
            height = limit(right.formula, z, left.high, +1) - limit(left.formula, z, left.high, -1)
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
    """:func:`asympkit.properties.cells.split` with undefined branches told as a domain error."""
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
    import sympy as sp

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
