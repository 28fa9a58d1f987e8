"""Kinks and jumps at sight: where affine arguments with rational coefficients switch.

Points and signs are exact fractions.  Whether two branches differ is told by numbers, which can refute
their equality but not prove it; doubt is None, and the algebra of :mod:`.kinks` decides.
"""

from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np

from ..parsing.to_numpy import to_numpy
from ..parsing.tree import Call, Chain, Compare, Neg, Num, Pow, Where, children, walk
from .tree_forms import inline, polynomial, varies

__all__ = ["switches"]

#: distances from a point at which its two sides are compared: on no lattice, so that they agree nowhere by chance
_OFFSETS = np.array([-0.7311, -0.2377, -0.0513, 0.0713, 0.2913, 0.8127])
_SWITCHING = ("abs", "sign", "step", "max", "min")
_COMPARE = {"<": lambda s: s < 0, "<=": lambda s: s <= 0, ">": lambda s: s > 0, ">=": lambda s: s >= 0,
            "==": lambda s: s == 0, "!=": lambda s: s != 0}


def switches(tree):
    """Points where a function with a :class:`~.tree_bounds.TreeBounds` is not analytic.

    Returns
    -------
    list of (Fraction, float) or None
        Each with the height of the jump there (exactly 0.0 where there is none), ascending.
    """
    tree = inline(tree)
    if not any(type(n) is Compare or type(n) is Call and n.name in _SWITCHING for n in walk(tree)):
        return []
    try:
        points = sorted(_points(tree))
        return [(p, _height(*sides, p)) for p in points if (sides := _sides(tree, points, p))]
    except _DoubtError:
        return None


class _DoubtError(ArithmeticError):
    """The rules do not decide."""


def _points(node):
    found = set()
    if not varies(node):
        return found
    for child in children(node):
        found |= _points(child)
    for argument in _switching(node):
        inner = sorted(_points(argument))
        for low, high in pairwise([None, *inner, None]):
            constant, slope = _affine(_branch(argument, _inside(low, high)))
            if slope:
                zero = -constant / slope
                if (low is None or low <= zero) and (high is None or zero <= high):
                    found.add(zero)
            elif constant == 0:      # it rests on the switch: which branch holds there is a matter of conventions
                raise _DoubtError
    return found


def _switching(node):
    match node:
        case Call("abs" | "sign" | "step", args):
            return [a for a in args if varies(a)]
        case Call("max" | "min", args):
            return [_difference(a, b) for a, b in combinations(args, 2) if varies(a) or varies(b)]
        case Compare(_, left, right) if varies(node):
            return [_difference(left, right)]
    return []


def _difference(a, b):
    return Chain(a, (("-", b),))


def _affine(node):
    form = polynomial(node)
    if form is None or form[2]:
        raise _DoubtError
    return form[:2]


def _inside(low, high):
    """A point of a cell."""
    if low is None:
        return Fraction(0) if high is None else high - 1
    return low + 1 if high is None else (low + high) / 2


def _sign(argument, sample):
    constant, slope = _affine(_branch(argument, sample))
    value = constant + slope * sample
    return (value > 0) - (value < 0)


def _branch(node, sample):
    """The analytic formula that holds in the cell around a point."""
    if not varies(node):
        return node
    match node:
        case Call("abs", (u,)):
            return _branch(u if _sign(u, sample) >= 0 else Neg(u), sample)
        case Call("sign", (u,)):
            sign = _sign(u, sample)
            return Neg(Num(Fraction(1))) if sign < 0 else Num(Fraction(sign))
        case Call("step", (u,)):
            return Num(Fraction(_sign(u, sample) > 0))
        case Call("max" | "min" as name, args):
            wanted, best = 1 if name == "max" else -1, args[0]
            for other in args[1:]:
                if _sign(_difference(other, best), sample) == wanted:
                    best = other
            return _branch(best, sample)
        case Where(Compare(op, left, right), yes, no):
            return _branch(yes if _COMPARE[op](_sign(_difference(left, right), sample)) else no, sample)
        case Neg(arg):
            return Neg(_branch(arg, sample))
        case Chain(first, rest):
            return Chain(_branch(first, sample), tuple((op, _branch(a, sample)) for op, a in rest))
        case Pow(base, exponent):
            return Pow(_branch(base, sample), _branch(exponent, sample))
        case Call(name, args):
            return Call(name, tuple(_branch(a, sample) for a in args))
    return node


def _sides(tree, points, point):
    """The formulas left and right of a point, or None where they are one formula and hold there too."""
    low, _, high = next(part for part in zip([None, *points], points, [*points[1:], None]) if part[1] == point)
    left, right = _branch(tree, _inside(low, point)), _branch(tree, _inside(point, high))
    if left != right:
        return left, right
    if any(isinstance(n, Compare) or isinstance(n, Call) and n.name in ("sign", "step") for n in walk(tree)):
        raise _DoubtError            # a value of its own at the point
    return None


def _height(left, right, point):
    """Jump at a point that is certainly a kink."""
    x = np.append(float(point) + _OFFSETS, float(point))
    before, after = to_numpy(left)(x), to_numpy(right)(x)
    gap, size = np.abs(after - before), 1.0 + np.abs(before) + np.abs(after)
    if not np.all(np.isfinite(gap)) or not np.max(gap[:-1] / size[:-1]) > 1e-6:
        raise _DoubtError
    if 0.0 < gap[-1] <= 1e-9 * size[-1]:
        raise _DoubtError
    return float(after[-1] - before[-1])
