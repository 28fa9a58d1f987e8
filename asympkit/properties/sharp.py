"""Places where a smooth function changes within a small fraction of the unit: rules are split there.

A rule can step over a bump such as exp(-10**6*(z-1/3)**2) without meeting it, or take a steep erf for a
jump.  Steep functions turn where their argument vanishes or is stationary, and roots, logarithms and
quotients where the modulus of their argument is smallest.
"""

import numpy as np

from ..numbers.functions import entry, entry_of_text
from ..parsing.to_numpy import to_numpy
from ..parsing.tree import Call, Chain, Num, Pow, walk
from .tree_derivative import derivative
from .tree_forms import inline, polynomial, varies

__all__ = ["sharp_points", "sharp_points_of_tree"]

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
    """Points that bracket the features narrower than 1/50, as an ascending tuple of floats.

    For a feature at c of width d these are c and ``c +- d, c +- 6 d, ...`` up to the distance 1/2.
    """
    import sympy as sp

    found = []
    for node in sorted(set(sp.preorder_traversal(expr)), key=str):
        if not isinstance(node, sp.Expr) or not node.has(z):
            continue
        known = entry(type(node).__name__)
        if known is not None and known.is_steep and known.arity == 1:
            found += _turns(*_numeric(node.args[0], z))
        elif known is not None and known.is_partial or node.is_Pow and not (node.exp.is_Integer and node.exp > 0):
            found += _near_zeros(*_numeric(node.args[0], z))
    return _bracketed(found)


def _is_singular(name):
    known = entry_of_text(name)
    return name == "sqrt" or known is not None and known.is_partial


def sharp_points_of_tree(tree):
    """The same for a syntax tree in one variable, without algebra."""
    found = []
    arguments = []
    for node in walk(inline(tree)):
        match node:
            case Call(name, (u,)) if varies(u) and (known := entry_of_text(name)) is not None and known.is_steep:
                form = polynomial(u, float)
                if form is None or form[2]:
                    arguments.append((_turns, u))
                else:
                    found += _of_line(*form[:2])
            case Call(name, (u,)) if varies(u) and _is_singular(name):
                arguments.append((_near_zeros, u))
            case Chain(_, rest):
                arguments += [(_near_zeros, u) for op, u in rest if op == "/" and varies(u)]
            case Pow(u, power) if varies(u) and not (isinstance(power, Num) and power.value.denominator == 1):
                arguments.append((_near_zeros, u))
    for places, u in set(arguments):
        found += places(*_slopes(u))
    return _bracketed(found)


def merged(points):
    """Ascending points without repetitions up to rounding."""
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
    return merged(points)


def _of_line(constant, slope):
    """(place, width) of the zero of a line, as the argument of a steep function."""
    if slope == 0.0 or 1.0 / abs(slope) >= WIDTH or not _GRID[0] < -constant / slope < _GRID[-1]:
        return []
    return [(0.0 - constant / slope, 1.0 / abs(slope))]


def _turns(u, slope, bend):
    """(place, width) of zeros and stationary points of the argument of a steep function."""
    places = [*_sign_changes(u), *_sign_changes(slope)]
    if len(places) > _MANY:
        return []
    widths = [1.0 / max(abs(float(slope(c))), np.sqrt(abs(float(bend(c))) / 2.0), 1e-300) for c in places]
    return [(c, w) for c, w in zip(places, widths) if 0.0 < w < WIDTH]     # 0 is a pole: it is a kink already


def _near_zeros(u, slope, bend):
    """(place, width) where an argument comes nearest to zero: a singularity is that far from the line."""
    places = _sign_changes(slope)
    if len(places) > _MANY:
        return []
    widths = [np.sqrt(2.0 * abs(float(u(c))) / max(abs(float(bend(c))), 1e-300)) for c in places]
    return [(c, w) for c, w in zip(places, widths) if 0.0 < w < WIDTH]


def _slopes(tree):
    """The function of a tree and its first two derivatives, as functions of floats."""
    first = derivative(tree)
    return [to_numpy(t) for t in (tree, first, derivative(first))]


def _numeric(expr, z):
    """The same for an expression; a derivative that the grammar cannot write has no sign changes."""
    from ..errors import AsympkitError
    from ..parsing.from_sympy import from_sympy

    def function(k):
        try:
            return to_numpy(from_sympy(expr.diff(z, k)), (z.name,))
        except AsympkitError:
            return np.zeros_like

    return [function(k) for k in range(3)]


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
