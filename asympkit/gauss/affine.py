"""The affine functions of normals that an integrand is made of."""

from sympy import Expr, Poly, PolynomialError, S, expand

from ..nodes import Average

__all__ = ["affine", "affine_parts", "ratio"]


def affine(expr, bound):
    """Return ``(slopes, constant)`` of an expression that is affine in some symbols, or None."""
    slopes = [expr.diff(b) for b in bound]
    if any(s.free_symbols & set(bound) for s in slopes):
        return None
    return tuple(slopes), expr.xreplace(dict.fromkeys(bound, S.Zero))


def affine_parts(expr, bound):
    """Find the largest subexpressions affine in and containing the symbols; return None where one occurs elsewhere."""
    if not expr.free_symbols & set(bound):
        return {}
    if isinstance(expr, Average):
        return None
    form = _affine(expr, bound) if isinstance(expr, Expr) else None
    if form is not None:
        return {expr: form}
    found = {}
    for a in expr.args:
        part = affine_parts(a, bound)
        if part is None:
            return None
        found |= part
    return found or None


def _affine(expr, bound):
    try:
        poly = Poly(expr, *bound)
    except PolynomialError:
        return None
    if poly.total_degree() > 1 or poly.free_symbols_in_domain & set(bound):
        return None
    return tuple(poly.coeff_monomial(b) for b in bound), poly.coeff_monomial(1)


def ratio(slopes, reference):
    """Return the number r with ``slopes = r reference``, or None where none holds for all values of the symbols."""
    place = next(k for k, s in enumerate(reference) if s != 0)
    r = slopes[place] / reference[place]
    return r if all(expand(s - r * t) == 0 for s, t in zip(slopes, reference)) else None
