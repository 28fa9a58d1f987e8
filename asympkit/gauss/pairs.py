"""Products of a function of one normal and a function of another, correlated one."""

import sympy as sp

__all__ = ["split_product"]


def split_product(term, x, y, z):
    """Write a term as ``f(x) g(a x + b y)`` with ``a**2 + b**2 = 1``: ``(f, g, a, b)``, f and g in z, or None."""
    outer, inner = [], []
    for factor in sp.Mul.make_args(term):
        (inner if factor.has(y) else outer).append(factor)
    inner = sp.Mul(*inner)
    parts = list(_affine_parts(inner, x, y))
    slopes = {_slope(node, x, y) for node in parts}
    if len(slopes) != 1 or None in slopes:
        return None
    a, b = slopes.pop()
    u = sp.Dummy("u", real=True)
    inner = inner.xreplace({p: sp.Poly(p, x, y).coeff_monomial(1) + sp.Poly(p, x, y).coeff_monomial(y) / b * u
                            for p in parts})
    if inner.has(x):
        return None
    return sp.Mul(*outer).xreplace({x: z}), inner.xreplace({u: z}), a, abs(b)


def _affine_parts(expr, x, y):
    """Yield the largest subexpressions that are affine in x and y and hold y."""
    if not expr.has(y):
        return
    if isinstance(expr, sp.Expr) and expr.is_polynomial(x, y) and sp.Poly(expr, x, y).total_degree() == 1:
        yield expr
        return
    for arg in expr.args:
        yield from _affine_parts(arg, x, y)


def _slope(part, x, y):
    """Return the unit direction (a, b) of an affine expression, b > 0, or None."""
    a, b = (sp.Poly(part, x, y).coeff_monomial(v) for v in (x, y))
    length = sp.sqrt(sp.expand(a**2 + b**2)) * sp.sign(b)
    if not length.is_nonzero:
        return None
    return tuple(sp.radsimp(v / length) for v in (a, b))
