"""Real zeros of an analytic expression: exactly where possible, else isolated and refined numerically."""

from math import inf

from ..exact import is_zero
from ..parsing.to_mpmath import context
from .growth import enclosure
from .sign_changes import zeros_by_signs

__all__ = ["real_roots"]

#: digits of a zero that has no closed form
_DIGITS = 60


def real_roots(expr, z, low=-inf, high=inf):
    """All real zeros of ``expr`` (analytic in ``z``, not constant) between two floats, and maybe some beyond.

    Raises
    ------
    DomainError
        If there are infinitely many zeros, or a zero cannot be told from a near miss.
    """
    import sympy as sp

    if expr.is_positive or expr.is_negative:
        return []
    expr = sp.factor_terms(_without_cancelling(expr))
    if expr.is_Mul:
        return [root for factor in expr.args if factor.has(z) for root in real_roots(factor, z, low, high)]
    if expr.is_Pow:
        if expr.base is sp.E or not expr.base.has(z):
            return []
        return [] if expr.exp.is_negative else real_roots(expr.base, z, low, high)
    if isinstance(expr, sp.exp | sp.cosh):
        return []
    if expr.is_polynomial(z):
        return _polynomial(expr, z, low, high)
    least, most = enclosure(expr, z)
    if least > 0 or most < 0:
        return []
    inverse = _invert(expr, z)
    if inverse is not None:
        return [root for argument in inverse if argument.has(z) for root in real_roots(argument, z, low, high)]
    return zeros_by_signs(expr, z, low, high)


def _without_cancelling(expr):
    """``v + log(2*cosh(v))`` as ``log(1 + exp(2*v))``: the sum tends to zero by cancelling, which hides its sign."""
    import sympy as sp

    if not expr.is_Add:
        return expr
    for term in expr.args:
        factor, f = term.as_coeff_Mul()
        if not isinstance(f, sp.log):
            continue
        scale, cosh = f.args[0].as_coeff_Mul()
        if isinstance(cosh, sp.cosh) and scale.is_positive:
            for v in (cosh.args[0], -cosh.args[0]):
                rest = expr - term - factor * v
                if not rest.free_symbols:
                    return factor * sp.log(scale / 2 * (1 + sp.exp(2 * v))) + rest
    return expr


def _polynomial(expr, z, low, high):
    import sympy as sp

    poly = sp.Poly(expr, z)
    if all(c.is_Rational for c in poly.all_coeffs()):
        return list(dict.fromkeys(sp.real_roots(poly)))
    if poly.degree() == 1:
        a, b = poly.all_coeffs()
        return [-b / a]
    if poly.degree() == 2:
        a, b, c = poly.all_coeffs()
        square = b**2 - 4 * a * c
        square = sp.S.Zero if is_zero(square) else square
        if sp.N(square, _DIGITS) < 0:
            return []
        root = sp.sqrt(square)
        return list(dict.fromkeys([(-b - root) / (2 * a), (-b + root) / (2 * a)]))
    return zeros_by_signs(expr, z, low, high)


def _invert(expr, z):
    """For ``c*f(h) + d`` with an invertible f: the expressions in z that vanish at the zeros, else None."""
    import sympy as sp

    constant, rest = expr.as_independent(z, as_Add=True)
    factor, f = rest.as_independent(z, as_Add=False)
    if not f.is_Function or f.is_Piecewise or len(f.args) != 1:
        return None
    h, value = f.args[0], -constant / factor
    number = sp.N(value, _DIGITS, maxn=1000)
    if not number.is_Number:
        return None
    gap = sp.N(1 - abs(value), 15, maxn=1000)           # a value may be nearer to 1 than its digits tell
    inside = bool(gap > 0)
    match f:
        case sp.exp():
            return [h - sp.log(value)] if value.is_positive or number > 0 else []
        case sp.log():
            return [h - sp.exp(value)]
        case sp.tanh():
            near_end = gap < 1e-15 and sp.atanh(value).has(sp.atanh)
            return [h - (_inverse("atanh", value, gap) if near_end else sp.atanh(value))] if inside else []
        case sp.erf():
            return [h - _inverse("erfinv", value, gap)] if inside else []
        case sp.erfc():
            gap = sp.N(1 - abs(1 - value), 15, maxn=1000)
            return [h - _inverse("erfinv", 1 - value, gap)] if gap > 0 else []
        case sp.sinh():
            return [h - sp.asinh(value)]
        case sp.asin():
            return [h - sp.sin(value)] if abs(number) <= sp.N(sp.pi / 2, _DIGITS) else []
        case sp.atan():
            return [h - sp.tan(value)] if abs(number) < sp.N(sp.pi / 2, _DIGITS) else []
        case sp.cosh():
            return [h - sp.acosh(value), h + sp.acosh(value)] if number >= 1 else []
        case sp.sin() | sp.cos():
            return [] if abs(number) > 1 else None
    return None


def _inverse(name, value, gap):
    """atanh or erfinv of a number between -1 and 1, with digits for the gap to the nearer end."""
    import sympy as sp

    mp = context(_DIGITS + 10 + max(0, int(-sp.log(gap, 10).evalf(5))))
    return sp.Float(str(getattr(mp, name)(mp.mpf(str(sp.N(value, mp.dps, maxn=2000))))), _DIGITS)
