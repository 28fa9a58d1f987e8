"""Places where a smooth function changes within a small fraction of the unit: rules are split there.

A rule can step over a bump such as exp(-10**6*(z-1/3)**2) without meeting it, or take a steep erf for a
jump.  Steep functions turn where their argument vanishes or is stationary, and roots, logarithms and
quotients where the modulus of their argument is smallest.  Derivatives are those almost everywhere: jumps and kinks
contribute nothing.
"""

import numpy as np
import sympy as sp

from ..errors import AsympkitError
from ..numbers.functions import entry
from .values import array_function

__all__ = ["derivative", "merge_points", "sharp_points"]


def derivative(expr, z):
    """Return the derivative where it exists: sign and Heaviside have derivative 0, ``Abs(u)`` has ``sign(u)*u'``."""
    if not expr.has(z):
        return sp.S.Zero
    if expr == z:
        return sp.S.One
    if expr.is_Add:
        return sp.Add(*(derivative(a, z) for a in expr.args))
    if expr.is_Mul:
        number, factors = expr.as_independent(z, as_Add=False)
        return number * _product(sp.Mul.make_args(factors), z)
    if isinstance(expr, sp.exp):
        return expr * derivative(expr.args[0], z)
    if expr.is_Pow:
        base, exponent = expr.args
        if not exponent.has(z):
            return exponent * base ** (exponent - 1) * derivative(base, z)
        return expr * derivative(exponent * sp.log(base), z)
    if isinstance(expr, sp.Piecewise):
        return sp.Piecewise(*((derivative(value, z), condition) for value, condition in expr.args))
    if isinstance(expr, sp.Max | sp.Min):
        return _extremum(expr, z)
    if isinstance(expr, sp.sign | sp.Heaviside):
        return sp.S.Zero
    if isinstance(expr, sp.Abs):
        return sp.sign(expr.args[0]) * derivative(expr.args[0], z)
    if isinstance(expr, sp.log):
        return _logarithm(expr.args[0], z)
    known = entry(type(expr).__name__)
    first = 0 if known is None else known.orders
    return sp.Add(*(expr.fdiff(k + 1) * derivative(expr.args[k], z) for k in range(first, len(expr.args))
                    if expr.args[k].has(z)))


def _product(factors, z):
    """Halve long products, so that the derivative stays small."""
    if len(factors) == 1:
        return derivative(factors[0], z)
    half = len(factors) // 2
    left, right = factors[:half], factors[half:]
    return sp.Mul(*right) * _product(left, z) + sp.Mul(*left) * _product(right, z)


def _logarithm(u, z):
    """Take tanh for a hyperbolic cosine at once, as the quotient sinh/cosh overflows."""
    _, factor = u.as_independent(z, as_Add=False)
    if isinstance(factor, sp.cosh):
        return sp.tanh(factor.args[0]) * derivative(factor.args[0], z)
    return derivative(u, z) / u


def _extremum(expr, z):
    """Take the derivative of ``rest`` at a tie: the part that does not move for max(0, z)."""
    first, *others = sorted(expr.args, key=lambda a: (not a.has(z), sp.default_sort_key(a)))
    rest = expr.func(*others)
    gap = first - rest if isinstance(expr, sp.Max) else rest - first
    slope, other = derivative(first, z), derivative(rest, z)
    return other + sp.Heaviside(gap, 0) * (slope - other)


#: features narrower than this may lie between the nodes of a rule for smooth functions
WIDTH = 1.0 / 50.0
#: where signs are compared, as far as a normal variable reaches in double precision; no round number is a node
_GRID = np.arange(-40.0, 40.0, 0.01) + 0.00123
#: more places than this are an oscillation
_MANY = 12
#: each interval around a feature is so many times wider than the one inside it, up to this distance
_GRADE, _END = 6.0, 0.5
#: smallest distance from a place, relative to it, that floats resolve
_LEAST = 1e-13


def sharp_points(expr, z):
    """Find points that bracket the features narrower than 1/50, as an ascending tuple of floats.

    For a feature at c of width d these are c and ``c +- d, c +- 6 d, ...`` up to the distance 1/2.
    """
    found = {}
    for node in sp.preorder_traversal(expr):
        if not isinstance(node, sp.Expr) or not node.args or not node.args[0].has(z):
            continue
        known = entry(type(node).__name__)
        if known is not None and known.is_steep and known.arity == 1:
            found[_turns, node.args[0]] = None
        elif known is not None and known.is_partial or node.is_Pow and not (node.exp.is_Integer and node.exp > 0):
            found[_near_zeros, node.args[0]] = None
    return _bracketed([feature for places, u in found for feature in places(u, z)])


def merge_points(points):
    """Sort points and leave out repetitions up to rounding."""
    kept = []
    for c in sorted(points):
        if not kept or c - kept[-1] > 1e-14 * (1.0 + abs(c)):
            kept.append(c)
    return tuple(kept)


def _bracketed(features):
    found = {}
    for c, width in features:
        found[c] = min(width, found.get(c, width))
    points = []
    for c, width in found.items():
        points.append(c)
        width = max(width, _LEAST * (1.0 + abs(c)))       # less than that would not move the point
        while width < _END:
            points += [c - width, c + width]
            width *= _GRADE
    return merge_points(points)


def _turns(u, z):
    """Return (place, width) of zeros and stationary points of the argument of a steep function."""
    slope = u.diff(z) if u.is_polynomial(z) else None
    if slope is not None and not slope.has(z):
        return _of_line(float(u.subs(z, 0)), float(slope))
    u, slope, bend = _slopes(u, z)
    places = [*_sign_changes(u), *_sign_changes(slope)]
    if len(places) > _MANY:
        return []
    widths = [1.0 / max(abs(float(slope(c))), np.sqrt(abs(float(bend(c))) / 2.0), 1e-300) for c in places]
    return [(c, w) for c, w in zip(places, widths) if 0.0 < w < WIDTH]     # 0 is a pole: it is a kink already


def _of_line(constant, slope):
    """Return (place, width) of the zero of a line, as the argument of a steep function."""
    if slope == 0.0 or 1.0 / abs(slope) >= WIDTH or not _GRID[0] < -constant / slope < _GRID[-1]:
        return []
    return [(0.0 - constant / slope, 1.0 / abs(slope))]


def _near_zeros(u, z):
    """Return (place, width) where an argument comes nearest to zero: a singularity is that far from the line."""
    u, slope, bend = _slopes(u, z)
    places = _sign_changes(slope)
    if len(places) > _MANY:
        return []
    widths = [np.sqrt(2.0 * abs(float(u(c))) / max(abs(float(bend(c))), 1e-300)) for c in places]
    return [(c, w) for c, w in zip(places, widths) if 0.0 < w < WIDTH]


def _slopes(u, z):
    """Return an expression and its first two derivatives as functions of floats.

    One with functions that no floats have, as closed forms may hold, has no sign changes.
    """
    first = derivative(u, z)
    try:
        return [array_function(e, [z]) for e in (u, first, derivative(first, z))]
    except AsympkitError:
        return [np.zeros_like] * 3


def _sign_changes(f):
    signs = np.sign(f(_GRID))
    low = np.nonzero(signs[:-1] * signs[1:] < 0.0)[0]
    places = []
    for i in low[:_MANY + 1]:
        a, b = _GRID[i], _GRID[i + 1]
        for _ in range(60):
            middle = 0.5 * (a + b)
            a, b = (middle, b) if f(middle) * signs[i] > 0.0 else (a, middle)
        place = float(0.5 * (a + b))
        places.append(0.0 if abs(place) < 1e-15 else place)
    return places
