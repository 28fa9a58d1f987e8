"""Check whether a smooth function is convex: by a proof from its second derivative, or on a grid."""

from itertools import product

import numpy as np
from sympy import Function, Pow, Rational, factor, simplify

from ..errors import DomainError
from ..numbers.evaluation import evaluate
from ..numbers.floats import Floats

__all__ = ["check_convexity"]

_PLACES = np.concatenate([np.linspace(-30.0, 30.0, 2401), np.geomspace(31.0, 1e3, 60), -np.geomspace(31.0, 1e3, 60)])
#: points at which a loss of one variable must be defined; the shift avoids removable singularities
_EVERYWHERE = np.linspace(-3.0, 3.0, 61) + 0.0137
_OTHERS = (-2.0, -1.0, -0.3, 0.0, 0.5, 1.0, 3.0)
#: rounding of a second derivative, relative to the largest met
_NOISE = 1e-10
#: number of the most negative points that are recomputed with more digits, and that number of digits
_CONFIRMED, _DIGITS = 5, 20
#: forms of an expression that may show its sign, with the largest number of operations for which they are tried; and
#: the largest number inside functions and powers
_FORMS, _LARGEST_POWER = ((factor, 40), (simplify, 20)), 32


def check_convexity(g, t, shown):
    """Return True if convexity is proved, False if it holds at all points of a grid.

    Parameters
    ----------
    g : Expr
        The function, smooth.
    t : Symbol
        Its variable; others are parameters.
    shown : Loss
        For messages.

    Raises
    ------
    DomainError
        With a counterexample: a point of the grid where the second derivative is negative, or the function undefined.
    """
    _check_values(g, t, shown)
    bend = g.diff(t, 2)
    if bend.is_nonnegative:
        return True
    others = sorted(bend.free_symbols - {t}, key=str)
    for values in product(*[[v for v in _OTHERS if _may_be(s, v)] for s in others]):
        at = dict(zip(others, values))
        with np.errstate(all="ignore"):
            found = np.broadcast_to(np.asarray(evaluate(bend, {t: _PLACES, **at}, Floats()), float), _PLACES.shape)
        usual = np.nanmax(np.abs(found), initial=0.0, where=np.isfinite(found))
        below = np.flatnonzero(found < -_NOISE * max(usual, 1e-300))
        for worst in below[np.argsort(found[below])][:_CONFIRMED]:
            if _is_negative(bend.subs({t: Rational(float(_PLACES[worst])), **at})):
                _refuse(g, t, shown, at, worst, found)
    return any(_is_small(bend, most) and form(bend).is_nonnegative for form, most in _FORMS)


def _is_negative(number):
    """Return whether a closed number is negative: in doubles terms may cancel."""
    value = number.evalf(_DIGITS, maxn=500)
    return value.is_Float and value < 0


def _is_small(expr, operations):
    """Return whether other forms of an expression can be computed quickly: powers become degrees of polynomials."""
    inside = {a for f in expr.atoms(Function, Pow) for part in (f.args[1:] if f.is_Pow else f.args)
              for a in part.atoms(Rational)}
    return expr.count_ops() <= operations and all(max(abs(a.p), a.q) <= _LARGEST_POWER for a in inside)


def _check_values(g, t, shown):
    """Reject a function that is undefined on a part of the line: predictions are normal, and take all values."""
    if g.free_symbols != {t}:
        return
    with np.errstate(all="ignore"):
        found = np.broadcast_to(np.asarray(evaluate(g, {t: _EVERYWHERE}, Floats()), float), _EVERYWHERE.shape)
    missing = np.flatnonzero(np.isnan(found))
    if missing.size:
        raise DomainError(f"expr: {shown.expr} has no real value everywhere: as a function t of {shown.variable_text} "
                          f"none at t = {_EVERYWHERE[missing[0]]:.4g}; expected a loss of all real predictions")


def _may_be(symbol, value):
    return not (symbol.is_positive and value <= 0 or symbol.is_nonnegative and value < 0)


def _refuse(g, t, shown, at, worst, found):
    """Raise with the counterexample as three points: the middle one lies above the mean of the others."""
    middle = float(_PLACES[worst])
    for width in (1.0, 0.3, 0.1, 0.03, 0.01):
        with np.errstate(all="ignore"):
            low, mid, high = (float(evaluate(g, {t: np.float64(p), **at}, Floats())) for p in
                              (middle - width, middle, middle + width))
        if mid > (low + high) / 2:
            break
    where = "".join(f", {s} = {v:g}" for s, v in at.items())
    raise DomainError(
        f"expr: {shown.expr} is not convex: as a function t of {shown.variable_text}{where} its second derivative at "
        f"t = {middle:.4g} is {found[worst]:.3g} (values at {middle - width:.4g}, {middle:.4g} and "
        f"{middle + width:.4g}: {low:.6g}, {mid:.6g} and {high:.6g}); expected a convex loss, which has one proximal "
        "point")
