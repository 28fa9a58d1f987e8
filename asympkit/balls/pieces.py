"""The analytic branches of a piecewise analytic function, with proof.

Like :mod:`asympkit.properties.cells`, but no decision rests on rounded numbers: switching points are
exact sympy numbers, no zero can be missed, and signs are those of balls that exclude zero. Where symbols stand
for balls, switching points are formulas in them, and order and signs are proved for all numbers in the balls.

Find all real zeros of an analytic formula as exact numbers, or raise; nothing is searched numerically.  The analytic
branches of a function of several variables whose kinks lie on parallels of the axes, with proof.
"""

from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import inf

import sympy as sp

from ..errors import AsympkitError, DomainError, NotAvailableError
from ..exact import is_zero
from ..properties.cells import SWITCHING, formula_at, on_side, singular_arguments, switching_borders
from .analytic import constant
from .backend import workprec
from .growth import interval, number_range


def real_zeros(expr, z, values=None):
    """Return exact numbers that contain all real zeros of ``expr``; DomainError if no rule proves them complete.

    With ``values``, the balls of its other symbols, the zeros are formulas in these symbols, and the list is
    complete for all numbers in the balls.
    """
    low, high = interval(expr, z, values=values)
    if low > 0 or high < 0 or not expr.has(z):
        return []
    if expr.is_polynomial(z):
        return _polynomial(expr, z, values)
    expr = sp.factor_terms(expr)
    if expr.is_Mul:
        return [zero for factor in expr.args if factor.has(z) for zero in real_zeros(factor, z, values)]
    if isinstance(expr, sp.exp | sp.cosh):
        return []
    if expr.is_Pow:
        if not expr.base.has(z) or expr.exp.is_negative:
            return []
        return real_zeros(expr.base, z, values)
    if expr.is_rational_function(z):
        return real_zeros(sp.expand(sp.fraction(sp.together(expr))[0]), z, values)
    inverse = _inverted(expr, z, values)
    if inverse is None:
        raise _refuse(expr, "only rational and strictly monotone functions of them are solved exactly")
    return [zero for argument in inverse if argument.has(z) for zero in real_zeros(argument, z, values)]


def _refuse(expr, why):
    return DomainError(f"the zeros of {str(expr)[:80]}, where the function switches, are not proved: {why}")


def _polynomial(expr, z, values):
    poly = sp.Poly(expr, z)
    coefficients = poly.all_coeffs()
    if all(c.is_Rational for c in coefficients):
        return list(dict.fromkeys(sp.real_roots(poly)))
    if poly.degree() > 2 or any(c.has(sp.Float) for c in coefficients):
        raise _refuse(expr, "its coefficients are not rational")
    low, high = number_range(coefficients[0], values)
    if low <= 0 <= high:
        raise _refuse(expr, f"its leading coefficient {coefficients[0]} is not proved to be other than zero")
    if poly.degree() == 1:
        return [_simple(-coefficients[1] / coefficients[0])]
    a, b, c = coefficients
    square = _simple(b**2 - 4 * a * c)
    low, high = number_range(square, values)
    if high < 0:
        return []
    if square != 0 and low <= 0:
        raise _refuse(expr, "the sign of its discriminant is undecided")
    return list(dict.fromkeys([(-b - sp.sqrt(square)) / (2 * a), (-b + sp.sqrt(square)) / (2 * a)]))


def _simple(number):
    """Return 0 for a closed number proved to be zero; return others and formulas in symbols unchanged."""
    return sp.S.Zero if not number.free_symbols and is_zero(number) else number


def _inverted(expr, z, values):
    """Return an expression with the zeros of ``c f(h) + d``, f strictly monotone; None for another form."""
    offset, rest = expr.as_independent(z, as_Add=True)
    factor, f = rest.as_independent(z, as_Add=False)
    if not f.args or len(f.args) != 1:
        return None
    h, value = f.args[0], _simple(-offset / factor)
    low, high = number_range(value, values)
    match f:
        case sp.sinh():
            return [h - sp.log(value + sp.sqrt(value**2 + 1))]
        case sp.erf() if value == 0:
            return [h]
        case sp.erfc() if value == 1:
            return [h]
        case sp.log():
            return [h - sp.exp(value)]
        case sp.exp() if low > 0:
            return [h - sp.log(value)]
        case sp.exp() if value == 0 or high < 0:
            return []
        case sp.tanh() if low > -1 and high < 1:
            return [h - sp.log((1 + value) / (1 - value)) / 2]
        case sp.tanh() | sp.erf() if value in (1, -1) or low > 1 or high < -1:
            return []
        case sp.atan() if low > -1.57 and high < 1.57:
            return [h - sp.tan(value)]
    return None


_PRECISIONS = (128, 1024, 8192)


@dataclass(frozen=True)
class AnalyticPiece:
    """An open interval (None for an infinite end) and the analytic formula there."""

    low: object
    high: object
    formula: object


def pieces(expr, z, values=None):
    """Split into :class:`AnalyticPiece` from left to right; ``values`` are balls of the other symbols.

    DomainError if the switching points or the order of two numbers cannot be proved.
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
    found = []
    for node in sp.preorder_traversal(expr):
        if not isinstance(node, sp.Expr) or not node.has(z):
            continue
        for argument in switching_borders(node):
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
    if not points:
        return [sp.Rational(1, 7)]
    ranges = [number_range(point, values) for point in points]
    inner = [(high + low) / 2 for (_, high), (low, _) in zip(ranges, ranges[1:])]
    values = [ranges[0][0] - 1, *inner, ranges[-1][1] + 1]
    return [sp.Rational(value.numerator, value.denominator) for value in values]


def _branch(expr, z, sample, values):
    """Return the analytic formula on the interval of a sample."""
    def sign_of(part):
        return _sign(_branch(part, z, sample, values), z, sample, values)

    return formula_at(expr, f"{z} = {sample}", sign_of, lambda part: not (values or part.has(z)))


def _sign(formula, z, sample, values):
    """Prove the sign of an analytic formula at a sample, which is no isolated zero of it."""
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


@dataclass(frozen=True)
class ProductPiece:
    """For each variable an open interval (None for an infinite end), and the analytic formula on their product."""

    sides: tuple
    formula: object


def product_pieces(expr, variables):
    """Split into :class:`ProductPiece`, one for each box of the grid of kinks and jumps.

    A kink that depends on several variables, or on another symbol, raises NotAvailableError; switching points that
    cannot be proved DomainError.
    """
    borders = [b for b in _borders(expr) if b.has(*variables)]
    for b in borders:
        if len(b.free_symbols) > 1:
            raise NotAvailableError(
                f"certify: {str(expr)[:60]} has a kink or a jump at {b} = 0, which lies across several normals or "
                "moves with a symbol, and is not enclosed; close the average (.doit()), turn the normals so that the "
                "kink depends on one of them alone, or call precise() for digits without a proof")
    rows = [_sides([b for b in borders if b.has(x)], x) for x in variables]
    found = []
    for choice in product(*rows):
        signs = {b: s for _, own in choice for b, s in own.items()}
        found.append(ProductPiece(tuple(side for side, _ in choice), _decided(expr, signs)))
    return tuple(found)


def _borders(expr):
    """List the expressions at the zeros of which some part switches, nested ones too."""
    found = {}
    for node in sp.preorder_traversal(expr):
        if isinstance(node, sp.Expr):
            found.update(dict.fromkeys(switching_borders(node)))
    return list(found)


def _sides(borders, x):
    """Return ``[((low, high), {border: its sign there})]``."""
    if not borders:
        return [((None, None), {})]
    together = sp.Function("together")(*[sp.sign(b, evaluate=False) for b in borders])      # nothing cancels in it
    return [((p.low, p.high), dict(zip(borders, p.formula.args))) for p in pieces(together, x)]


def _decided(expr, signs):
    """Return the formula that holds where borders have the given signs."""
    while (border := next((b for b in switching_borders(expr) if b in signs), None)) is not None:
        expr = on_side(expr, border, signs[border])
    if not expr.args or not expr.has(*SWITCHING):
        return expr
    return expr.func(*[_decided(a, signs) for a in expr.args])
