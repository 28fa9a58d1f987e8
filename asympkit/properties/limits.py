"""One-sided limits of analytic formulas: exact where a rule gives them, by numbers that settle, else refused."""

from ..errors import DomainError
from ..parsing.to_mpmath import Undefined
from .values import digits_at, value_at

__all__ = ["limit"]

#: a limit that is less is zero: it is below all that a float can resolve
_SMALLEST = 1e-300


def limit(formula, z, point, side):
    """One-sided limit of an analytic branch at an end of its cell, exact where its parts have limits there."""
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
    import sympy as sp

    if abs(value) < _SMALLEST:          # its decimal text would take an exact power of ten
        return sp.Integer(0)
    return sp.Float(str(value), digits)


def _is_number(value):
    """Whether an expression is a finite real number that can be computed."""
    import sympy as sp

    if value.has(sp.nan, sp.zoo, sp.oo, sp.I, sp.AccumBounds):
        return False
    number = sp.N(value, 15)
    return number.is_Number and number.is_finite


def _has_plain_powers(formula, z):
    """Whether no exponent moves: exact powers of fractions with long exponents take time without bound."""
    import sympy as sp

    return not any(p.exp.has(z) for p in formula.atoms(sp.Pow) if p.base is not sp.E)


def _near(point, side, places=90):
    """A point beside another; one that was found numerically is not known well enough for the nearest."""
    import sympy as sp

    if point.has(sp.Float):
        places = places * 4 // 10
    return digits_at(point, 300) + side * sp.Float(f"1e-{places}", 300)


def _limit_of_values(formula, z, point, side):
    """The limit where values nearer and nearer settle; nothing is claimed where they do not."""
    try:
        values = [value_at(formula, z, _near(point, side, places), digits=250) for places in (50, 70, 90)]
    except Undefined:
        values = []
    if values and max(abs(v - values[-1]) for v in values) <= 1e-12 * (1 + abs(values[-1])):
        return _float(values[-1])
    raise DomainError(f"{str(formula)[:200]} has no limit that can be told {'right' if side > 0 else 'left'} of z = "
                      f"{float(point):.6g}; an activation must have a limit from both sides where it is not "
                      "continuous: define it there by one that has, with where(...)")


def _limit_of_parts(expr, z, point, side):
    """The limit of a function of the limits of its arguments, with a side at poles; nan where that is undecided."""
    import sympy as sp

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
    import sympy as sp

    if number.is_zero or number.is_finite is False:
        return number.is_zero
    size = abs(sp.N(number, 60))
    return size.is_Number and size < 1e-45
