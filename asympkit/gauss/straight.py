r"""Kinks and jumps that move, or lie across several normals, put on an axis where a rule can meet them.

The normal law looks the same from all sides, so that a border ``a x + b y + c = 0`` may be turned to ``u = k``; and

.. math:: E F(u) = E\bigl[F(u+s)\,e^{-su-s^2/2}\bigr]

for every s: with s = k the border is at 0 for all parameters and unknowns.  Beyond :data:`FARTHEST`
the shift stays where it is: there the border has a weight of ``exp(-FARTHEST**2/2) = 1e-70``.
"""

from functools import lru_cache

from sympy import Abs, Add, Dummy, Heaviside, Max, Min, Mul, Piecewise, S, exp, expand, false, sign, sqrt, true
from sympy.core.relational import Eq, Ne, Relational

from ..nodes import Applied, Average, holds_within, unname
from ..numbers.functions import entry
from ..numbers.functions.classes import Side
from .affine import affine, ratio
from .measure import Gaussian, Shifted

__all__ = ["FARTHEST", "straightened"]

FARTHEST = 18


def straightened(expr):
    """Rewrite averages over normals so that their kinks are fixed on an axis.

    That is possible where all borders in an integrand are one line; other averages stay as they are.
    """
    if not expr.args or not _has_kinks(expr):
        return expr
    if isinstance(expr, Average):
        return _straight(expr)
    args = [straightened(a) for a in expr.args]
    return expr if all(a is b for a, b in zip(args, expr.args)) else expr.func(*args)


@lru_cache(maxsize=50_000)
def _has_kinks(expr):
    known = entry(type(expr).__name__)
    return known is not None and known.is_kinked or any(map(_has_kinks, expr.args))


def _straight(average):
    bound = average.bound_symbols
    if type(average.measure) is not Gaussian or len(bound) > 2 or holds_within(average.integrand, (Applied, Average)):
        return average
    integrand = unname(average.integrand)
    found = _borders(integrand, set(bound))
    if all(len(b.free_symbols) == 1 for b in found):
        return average                          # kinks on axes are fixed already
    forms = [affine(b, bound) for b in found]
    if None in forms:
        return average
    slopes, constant = forms[0]
    turned = _turned(bound, slopes)
    ratios = [ratio((*s, c), (*slopes, constant)) for s, c in forms]
    if turned is None or any(r is None or not (r.is_positive or r.is_negative) for r in ratios):
        return average
    u, length, places = turned
    place = -constant / length
    moves = expand(place) != 0
    shift = Max(Min(place, FARTHEST), -FARTHEST) if moves else S.Zero
    new = {x: form.xreplace({u: u + shift}) for x, form in places.items()}
    signs = {b: (1 if r.is_positive else -1) * u for b, r in zip(found, ratios)}
    weight = exp(-shift * u - shift**2 / 2) if moves else S.One
    flat = _decided(integrand, signs).xreplace(new)
    others = (s for s in _normals(places) if s != u)
    return Average(flat * weight, (Shifted if moves else Gaussian)(u, *others))


def _normals(places):
    """Return the new variables, in a fixed order."""
    return sorted({s for form in places.values() for s in form.free_symbols if isinstance(s, Dummy)},
                  key=lambda s: s.name)


def _turned(bound, slopes):
    """Return ``(u, length, {variable: combination of new ones})`` with the slopes of ``length * u``; or None."""
    u, v = Dummy("u", real=True), Dummy("v", real=True)
    used = [(b, s) for b, s in zip(bound, slopes) if s != 0]
    others = {b: Dummy(f"w{k}", real=True) for k, b in enumerate(bound) if b not in dict(used)}
    if len(used) == 1:
        (b, s), = used
        if not (s.is_positive or s.is_negative):        # the mean is the same for either sign
            return u, s * Side(s), {b: u * Side(s), **others}
        return u, (s if s.is_positive else -s), {b: u if s.is_positive else -u, **others}
    (x, a), (y, b) = used
    length = sqrt(a**2 + b**2)
    return u, length, {x: (a * u - b * v) / length, y: (b * u + a * v) / length, **others}


def _borders(expr, bound):
    """Return expressions that vanish where functions in an expression switch between formulas."""
    if not expr.free_symbols & bound:
        return {}
    found = {}
    if isinstance(expr, Abs | sign | Heaviside):
        found[expr.args[0]] = None
    elif isinstance(expr, Max | Min) and len(expr.args) == 2:
        found[expr.args[0] - expr.args[1]] = None
    elif isinstance(expr, Max | Min):
        found[expr] = None                      # of many corners: not affine, so left as it is
    elif isinstance(expr, Relational):
        found[expr.lhs - expr.rhs] = None
    for a in expr.args:
        found |= _borders(a, bound)
    return {b: None for b in found if b.free_symbols & bound}


def _decided(expr, signs):
    """Decide the side of every border in an expression by a variable: ``{border: expression of its sign}``."""
    if not expr.args:
        return expr
    if isinstance(expr, Max | Min) and len(expr.args) == 2:
        a, b = expr.args
        if a - b in signs:
            left, right = _decided(a, signs), _decided(b, signs)
            side = Heaviside(signs[a - b], S.Half)
            return side * (left - right) + right if isinstance(expr, Max) else side * (right - left) + left
    if isinstance(expr, Relational):
        if expr.lhs - expr.rhs not in signs:
            return expr
        return {Eq: false, Ne: true}.get(type(expr)) if isinstance(expr, Eq | Ne) else \
            type(expr)(signs[expr.lhs - expr.rhs], 0)
    args = [_decided(a, signs) for a in expr.args]
    if isinstance(expr, Abs | sign | Heaviside) and expr.args[0] in signs:
        side = signs[expr.args[0]]
        return Mul(args[0], sign(side)) if isinstance(expr, Abs) else sign(side) if isinstance(expr, sign) \
            else Heaviside(side, S.Half)
    if isinstance(expr, Piecewise):
        return Piecewise(*[(a.args[0], a.args[1]) for a in args], evaluate=False)
    return expr.func(*args) if not isinstance(expr, Add) else Add(*args)
