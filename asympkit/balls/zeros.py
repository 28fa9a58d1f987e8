"""Find all real zeros of an analytic formula as exact numbers, or raise; nothing is searched numerically."""

from ..errors import DomainError
from ..exact import is_zero
from .ranges import interval, number_range

__all__ = ["real_zeros"]


def real_zeros(expr, z, values=None):
    """Return a list of exact numbers that contains all real zeros of ``expr``.

    With ``values``, the balls of its other symbols, the zeros are formulas in these symbols, and the list is
    complete for all numbers in the balls.

    Raises
    ------
    DomainError
        If no rule proves the list complete.
    """
    import sympy as sp

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
    inverse = _inverted(expr, z, values)
    if inverse is None:
        raise _refuse(expr, "only polynomials and strictly monotone functions of them are solved exactly")
    return [zero for argument in inverse if argument.has(z) for zero in real_zeros(argument, z, values)]


def _refuse(expr, why):
    return DomainError(f"the zeros of {str(expr)[:80]}, where the function switches, are not proved: {why}")


def _polynomial(expr, z, values):
    import sympy as sp

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
    import sympy as sp

    return sp.S.Zero if not number.free_symbols and is_zero(number) else number


def _inverted(expr, z, values):
    """Return an expression with the zeros of ``c f(h) + d``, f strictly monotone; None for another form."""
    import sympy as sp

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
