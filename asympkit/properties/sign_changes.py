"""Zeros of an analytic expression by the changes of its sign on a grid; noise and near misses are refused."""

import numpy as np

from ..errors import DomainError
from ..parsing.from_sympy import from_sympy
from ..parsing.to_mpmath import Undefined, context, evaluate
from ..parsing.to_noisy import InNoiseError, with_noise
from ..parsing.to_numpy import to_numpy
from .growth import growth_of_branch

__all__ = ["zeros_by_signs"]

#: digits of a zero
_DIGITS = 60
#: digits for a sign that fewer leave in noise
_MORE_DIGITS = (60, 250, 1000, 4000)


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


def zeros_by_signs(expr, z, low=-np.inf, high=np.inf):
    """Zeros from sign changes on a fine grid, refined to all digits; near misses are refused, and signs in noise.

    Parameters
    ----------
    expr : sympy.Expr
    z : sympy.Symbol
    low, high : float
        Zeros outside are of no interest; some of those next to an end may be among the result.
    """
    import sympy as sp

    if _oscillates(expr, z):
        raise DomainError(f"{expr} may vanish at infinitely many points; an activation may stop being "
                          "analytic at finitely many points only")
    tree = from_sympy(expr)

    def f(x, digits=_DIGITS):
        try:
            return evaluate(tree, {z.name: x}, digits)
        except Undefined:
            return context(digits).nan

    def clear(x):
        """A value that is more than noise, in so many digits as that takes."""
        for digits in _MORE_DIGITS:
            try:
                value, _ = with_noise(tree, {z.name: (x, 0)}, digits)
            except InNoiseError:
                continue
            except Undefined:
                return context(digits).nan
            if value:
                return value
        raise DomainError(f"cannot decide where {str(expr)[:200]} vanishes: it is 0 to {digits} digits "
                          f"at {float(x):.6g}")

    mp, far = context(_DIGITS), np.geomspace(30, 1e4, 60)
    points = np.concatenate([-far[::-1], np.arange(-29.99, 30, 0.04), far])
    first, last = np.searchsorted(points, [low, high])
    points = points[max(0, first - 2):last + 2]
    grid = [mp.mpf(float(x)) for x in points]
    values = [mp.mpf(float(v)) if sure else clear(x) for x, v, sure in zip(grid, *_floats(tree, z.name, points))]
    roots = []
    for i in range(len(grid) - 1):
        left, right = values[i], values[i + 1]
        if mp.isnan(left) or mp.isnan(right):
            continue
        if left * right < 0:
            digits = max(left.context.dps, right.context.dps)
            ends = (context(digits).mpf(x) for x in (grid[i], grid[i + 1], left))
            roots.append(_refine(lambda x, n=digits: f(x, n), *ends))
        elif i and left * values[i - 1] > 0 and abs(left) < min(abs(right), abs(values[i - 1])):
            _refuse_touching(expr, f, grid[i - 1], grid[i + 1], abs(left))
    # None is a pole, which the search for kinks finds
    return [sp.Float(str(root), 50) for root in roots if root is not None]


def _floats(tree, name, x):
    """Values in double precision, and where their signs are certain: far above what rounding the point changes."""
    f = to_numpy(tree, (name,))
    values = f(x)
    with np.errstate(all="ignore"):
        noise = np.abs(f(x * (1 + 1e-15)) - values) + np.abs(f(x * (1 - 1e-15)) - values)
        return values, np.isfinite(values) & (np.abs(values) > 1e4 * noise + 1e-9)


def _refine(f, low, high, at_low):
    """The zero between two points of different sign, or None at a pole.

    Ridders' method; the next bracket is tried as narrow as its last two guesses are near to each other, and bisection
    goes on where that does not hold the zero.
    """
    mp, at_high, last, least = at_low.context, f(high), None, context(_DIGITS).eps
    if abs(at_low) > 1e-9:
        at_low = f(low)
    huge = 1e9 * (abs(at_low) + abs(at_high))
    for _ in range(190):
        middle, width = (low + high) / 2, high - low
        if width <= abs(middle) * least:
            break
        at_middle = f(middle)
        if mp.isnan(at_middle) or mp.isnan(at_low) or mp.isnan(at_high):
            break
        if min(abs(at_low), abs(at_high)) > huge:
            return None
        if at_middle == 0:
            return middle
        root = mp.sqrt(at_middle**2 - at_low * at_high)
        guess = middle + (middle - low) * mp.sign(at_low - at_high) * at_middle / root
        near = [guess]
        if last is not None and abs(guess - last) < width / 8:
            pad = abs(guess - last) + abs(guess) * least
            near = [guess - pad, guess, guess + pad]
        last = guess
        for x, value in sorted([(middle, at_middle), *((x, None) for x in near)], key=lambda pair: pair[0]):
            if not low < x < high:
                continue
            value = f(x) if value is None else value
            if value == 0:
                return x
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
