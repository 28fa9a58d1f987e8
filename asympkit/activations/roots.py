"""Real zeros of an analytic expression: exactly where possible, else isolated and refined numerically."""

from ..errors import DomainError
from ..exact import is_zero
from .growth import enclosure, growth_of_branch

__all__ = ["real_roots"]

_DIGITS = 60


def real_roots(expr, z):
    """All real zeros of ``expr`` (analytic in ``z`` and not constant) as sympy numbers.

    Raises
    ------
    DomainError
        If there are infinitely many zeros, or a zero cannot be told from a near miss.
    """
    import sympy as sp

    if expr.is_positive or expr.is_negative:
        return []
    expr = sp.factor_terms(expr)
    if expr.is_Mul:
        return [root for factor in expr.args if factor.has(z) for root in real_roots(factor, z)]
    if expr.is_Pow:
        if expr.base is sp.E or not expr.base.has(z):
            return []
        return [] if expr.exp.is_negative else real_roots(expr.base, z)
    if isinstance(expr, sp.exp | sp.cosh):
        return []
    if expr.is_polynomial(z):
        return _polynomial(expr, z)
    low, high = enclosure(expr, z)
    if low > 0 or high < 0:
        return []
    inverse = _invert(expr, z)
    if inverse is not None:
        return [root for argument in inverse for root in (real_roots(argument, z) if argument.has(z) else [])]
    return _numeric(expr, z)


def _polynomial(expr, z):
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
    return _numeric(expr, z)


def _invert(expr, z):
    """For ``c*f(h) + d`` with an invertible f: the expressions in z that vanish at the zeros, else None."""
    import sympy as sp

    constant, rest = expr.as_independent(z, as_Add=True)
    factor, f = rest.as_independent(z, as_Add=False)
    if not f.is_Function or f.is_Piecewise or len(f.args) != 1:
        return None
    h, value = f.args[0], -constant / factor
    inside = bool(-1 < sp.N(value) < 1)
    match f:
        case sp.exp():
            return [h - sp.log(value)] if value.is_positive or sp.N(value) > 0 else []
        case sp.log():
            return [h - sp.exp(value)]
        case sp.tanh():
            return [h - sp.atanh(value)] if inside else []
        case sp.erf():
            return [h - sp.N(sp.erfinv(value), _DIGITS)] if inside else []
        case sp.erfc():
            return [h - sp.N(sp.erfcinv(value), _DIGITS)] if 0 < sp.N(value) < 2 else []
        case sp.sinh():
            return [h - sp.asinh(value)]
        case sp.asin():
            return [h - sp.sin(value)] if abs(sp.N(value)) <= sp.N(sp.pi / 2) else []
        case sp.atan():
            return [h - sp.tan(value)] if abs(sp.N(value)) < sp.N(sp.pi / 2) else []
        case sp.cosh():
            return [h - sp.acosh(value), h + sp.acosh(value)] if sp.N(value) >= 1 else []
        case sp.sin() | sp.cos():
            return [] if abs(sp.N(value)) > 1 else None
    return None


def _oscillates(expr, z):
    """Whether a sine, cosine or tangent of an unbounded argument occurs."""
    import sympy as sp

    for node in expr.atoms(sp.sin, sp.cos, sp.tan):
        if node.has(z):
            for side in (-1, 1):
                g = growth_of_branch(node.args[0], z, side)
                if (g.curvature, g.rate, g.power) > (0, 0, 0):
                    return True
    return False


def _numeric(expr, z):
    """Zeros from sign changes on a fine grid, refined to all digits; near misses are refused."""
    import numpy as np
    import sympy as sp

    from ..parsing.from_sympy import from_sympy
    from ..parsing.to_mpmath import Undefined, context, evaluate

    if _oscillates(expr, z):
        raise DomainError(f"{expr} may vanish at infinitely many points; an activation may stop being "
                          "analytic at finitely many points only")
    tree, mp = from_sympy(expr), context(_DIGITS)

    def f(x):
        try:
            return evaluate(tree, {z.name: x}, _DIGITS)
        except Undefined:
            return mp.nan

    far = np.geomspace(30, 1e4, 60)
    points = np.concatenate([-far[::-1], np.arange(-29.99, 30, 0.04), far])
    grid = [mp.mpf(float(x)) for x in points]
    values = [mp.mpf(float(v)) if sure else f(x) for x, v, sure in zip(grid, *_floats(tree, z.name, points))]
    roots = []
    for i in range(len(grid) - 1):
        left, right = values[i], values[i + 1]
        if mp.isnan(left) or mp.isnan(right):
            continue
        if left == 0:
            raise DomainError(f"cannot decide where {expr} vanishes: it is 0 to {_DIGITS} digits at "
                              f"{float(grid[i]):.6g}")
        if left * right < 0:
            roots.append(_refine(f, grid[i], grid[i + 1], left))
        elif i and left * values[i - 1] > 0 and abs(left) < min(abs(right), abs(values[i - 1])):
            _refuse_touching(expr, f, grid[i - 1], grid[i + 1], abs(left))
    return [sp.Float(str(root), 50) for root in roots]


def _floats(tree, name, x):
    """Values in double precision, and where their signs are certain: far above what rounding the point changes."""
    import numpy as np

    from ..parsing.to_numpy import to_numpy

    f = to_numpy(tree, (name,))
    values = f(x)
    with np.errstate(all="ignore"):
        noise = np.abs(f(x * (1 + 1e-15)) - values) + np.abs(f(x * (1 - 1e-15)) - values)
        return values, np.isfinite(values) & (np.abs(values) > 1e4 * noise + 1e-9)


def _refine(f, low, high, at_low):
    """The zero between two points of different sign: Ridders' method, and bisection where that does not shrink."""
    mp, at_high = at_low.context, f(high)
    if abs(at_low) > 1e-9:
        at_low = f(low)
    for _ in range(190):
        middle, width = (low + high) / 2, high - low
        if width <= abs(middle) * mp.eps:
            break
        at_middle = f(middle)
        if mp.isnan(at_middle) or mp.isnan(at_low) or mp.isnan(at_high):
            break
        if at_middle == 0:
            return middle
        root = mp.sqrt(at_middle**2 - at_low * at_high)
        guess = middle + (middle - low) * mp.sign(at_low - at_high) * at_middle / root
        for x, value in sorted(((middle, at_middle), (guess, None)), key=lambda pair: pair[0]):
            value = f(x) if value is None else value
            if value == 0:
                return x
            if not low < x < high:
                continue
            if (value > 0) == (at_low > 0):
                low, at_low = x, value
            else:
                high, at_high = x, value
                break
    middle = (low + high) / 2
    return mp.zero if abs(middle) < 1e-20 and f(mp.zero) == 0 else middle


def _refuse_touching(expr, f, low, high, scale):
    """A minimum of |f| without a change of sign must stay clear of zero."""
    for step in range(60):
        third = (high - low) / 3
        a, b = low + third, high - third
        if step == 15 and abs(f(a)) > scale / 100:
            return                       # a square would be far below that here
        if abs(f(a)) < abs(f(b)):
            high = b
        else:
            low = a
    if abs(f((low + high) / 2)) < scale * 1e-6:
        raise DomainError(f"cannot decide whether {expr} vanishes near {float((low + high) / 2):.6g}; write "
                          "it so that it changes sign there, or factor it")
