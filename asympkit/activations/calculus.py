"""Derivative almost everywhere, jumps, kinks and exact parity of a piecewise analytic function."""

from ..errors import DomainError
from ..parsing.to_mpmath import Undefined
from .cells import Cell, branch, critical_points, singular_arguments, split, value_at

__all__ = ["check_domain", "derivative", "jumps", "kinks", "parity"]


def derivative(expr, z):
    """Derivative where it exists: sign and step have derivative 0, ``|u|`` has ``sign(u)*u'``."""
    import sympy as sp

    if expr == z:
        return sp.Integer(1)
    if not expr.has(z):
        return sp.Integer(0)
    if isinstance(expr, sp.sign | sp.Heaviside):
        return sp.Integer(0)
    if isinstance(expr, sp.Abs):
        return sp.sign(expr.args[0]) * derivative(expr.args[0], z)
    if isinstance(expr, sp.Max | sp.Min):
        return _of_extremum(type(expr), list(expr.args), z)
    if isinstance(expr, sp.Piecewise):
        return sp.Piecewise(*((derivative(value, z), condition) for value, condition in expr.args))
    # Chain rule through placeholders, so that sympy never differentiates a switching function itself.
    slots = [sp.Dummy(f"u{i}", real=True) for i in range(len(expr.args))]
    outer = expr.func(*slots, evaluate=False) if expr.is_Add or expr.is_Mul else expr.func(*slots)
    back = dict(zip(slots, expr.args))
    total = sp.Integer(0)
    for slot, arg in back.items():
        if arg.has(z):
            total += _partial(expr, outer, slot, back) * derivative(arg, z)
    return total


def _partial(expr, outer, slot, back):
    import sympy as sp

    if expr.is_Add:
        return sp.Integer(1)
    if expr.is_Mul:
        return sp.Mul(*(arg for other, arg in back.items() if other is not slot))
    if expr.is_Pow:
        base, exponent = expr.args
        if slot is next(iter(back)):
            return exponent * base ** (exponent - 1)
        return expr * sp.log(base)
    return outer.diff(slot).xreplace(back)


def _of_extremum(kind, args, z):
    import sympy as sp

    first, rest = args[0], (args[1] if len(args) == 2 else kind(*args[1:]))
    if not first.has(z) or len(args) > 2:
        first, rest = rest, first
    # At a tie the derivative is that of `rest`, the part that does not move for max(0, z).
    gap = first - rest if kind is sp.Max else rest - first
    chosen = sp.Heaviside(gap, 0)
    da, db = derivative(first, z), derivative(rest, z)
    return db + chosen * (da - db)


def _limit(formula, z, point, side):
    """One-sided limit of an analytic branch at an end of its cell, exact where it is continuous there."""
    import sympy as sp

    try:
        value_at(formula, z, point)
        value = formula.subs(z, point)
        if value.is_finite is not False and not value.has(sp.nan, sp.zoo, sp.oo):
            return sp.simplify(value)
    except Undefined:
        pass
    return sp.limit(formula, z, point, "-" if side < 0 else "+")


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
    return sp.simplify(a - b) == 0


def kinks(expr, z):
    """Points where the function is not analytic, as a sorted tuple of sympy numbers."""
    cells = split(expr, z)
    found = []
    for left, right in zip(cells, cells[1:]):
        point = left.high
        smooth = (_same(left.formula, right.formula, z, left.low, left.high)
                  and _analytic_at(left.formula, z, point)
                  and abs(value_at(expr, z, point) - value_at(left.formula, z, point)) < 1e-40)
        if not smooth:
            found.append(point)
    return tuple(found)


def jumps(expr, z, points):
    """``(location, height)`` of each discontinuity among the given kinks."""
    import sympy as sp

    out = []
    cells = split(expr, z, points)
    for left, right in zip(cells, cells[1:]):
        height = _limit(right.formula, z, left.high, +1) - _limit(left.formula, z, left.high, -1)
        if abs(sp.N(height, 60)) > 1e-40:
            out.append((left.high, sp.simplify(height)))
    return tuple(out)


def check_domain(expr, z, shown):
    """Raise :class:`DomainError` unless the function is real and bounded near every point of the line."""
    for cell in split_or_explain(expr, z, shown):
        try:
            value_at(expr, z, cell.sample)
        except Undefined:
            raise DomainError(f"the activation {shown!r} has no real value {_where(cell)}; an activation must be "
                              "real on the whole line") from None
    for point in critical_points(expr, z):
        try:
            value_at(expr, z, point)
        except Undefined:
            raise DomainError(f"the activation {shown!r} is not defined at z = {point}; an activation must have a "
                              f"finite real value everywhere, for example where(z == {point}, limit, ...)") from None
        for side in (-1, 1):
            if _unbounded(expr, z, point, side):
                raise DomainError(f"the activation {shown!r} is unbounded near z = {point}; an activation must be "
                                  "bounded on bounded intervals")


def split_or_explain(expr, z, shown):
    """:func:`asympkit.activations.cells.split` with undefined branches told as a domain error."""
    try:
        return split(expr, z)
    except Undefined:
        raise DomainError(f"the activation {shown!r} is not real on the whole line") from None


def _where(cell: Cell):
    if cell.low is None:
        return "on the whole line" if cell.high is None else f"for z < {cell.high}"
    return f"for z > {cell.low}" if cell.high is None else f"for {cell.low} < z < {cell.high}"


def _unbounded(expr, z, point, side):
    import sympy as sp

    sizes = []
    for k in (10, 20, 40):
        near = sp.N(point, 300) + side * sp.Float(f"1e-{k}", 300)
        try:
            sizes.append(abs(value_at(expr, z, near, digits=250)))
        except Undefined:
            return True
    first, second = sizes[1] - sizes[0], sizes[2] - sizes[1]
    # A bounded function settles; a logarithm gains twice as much, a power far more.
    return first > 1e-8 and second > 1.6 * first


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
    mirrored = [c.sample for c in split(expr, z, tuple(sorted({*points, *(-p for p in points)}, key=sp.N)))]
    for sign in signs:
        parts = (branch(expr, z, x).subs(z, -z) - sign * branch(expr, z, -x) for x in mirrored if x > 0)
        if all(sp.simplify(part) == 0 for part in parts):
            return "even" if sign > 0 else "odd"
    return None


def _numeric_parity(expr, z):
    """The signs s (+1 before -1) for which ``f(-x) = s f(x)`` at a few points to 30 digits."""
    import sympy as sp

    signs = [1, -1]
    for text in ("0.2113", "0.713", "1.3717", "2.917", "5.33"):
        x = sp.Rational(text)
        left, right = value_at(expr, z, -x), value_at(expr, z, x)
        signs = [s for s in signs if abs(left - s * right) <= 1e-30 * (abs(left) + abs(right))]
    return signs


_ODD = ("tanh", "erf", "sin", "sinh", "tan", "atan", "asin", "sign")
_EVEN = ("cosh", "cos", "Abs")


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
    name = type(expr).__name__
    if expr.is_Add:
        return parts[0] if len(set(parts)) == 1 else None
    if expr.is_Mul:
        return sp.prod(parts)
    if expr.is_Pow and expr.exp.is_Integer:
        return 1 if expr.exp.is_even else parts[0]
    if name in _ODD:
        return -1
    return 1 if name in _EVEN else None
