r"""Averages over several normals written over as few as their integrands need, and averages in averages as one.

Averages over several normals whose kinks move, taken over one of them first.

Over one normal most kinks are affine, whatever the others do: a residual is affine in its noise.
There the average closes, or its kinks are brought to a standstill.

Kinks and jumps that move, or lie across several normals, put on an axis where a rule can meet them.

The normal law looks the same from all sides, so that a border ``a x + b y + c = 0`` may be turned to ``u = k``; and

.. math:: E F(u) = E\bigl[F(u+s)\,e^{-su-s^2/2}\bigr]

for every s: with s = k the border is at 0 for all parameters and unknowns.  Beyond :data:`FARTHEST`
the shift stays where it is: there the border has a weight of ``exp(-FARTHEST**2/2) = 1e-70``.
"""

from functools import lru_cache

from sympy import Abs, Add, Dummy, Heaviside, Max, Min, Mul, Piecewise, S, exp, expand, false, sign, sqrt, true
from sympy.core.relational import Eq, Ne, Relational

from ..nodes import Applied, Average, averages, holds, holds_within, remove_names
from ..numbers.functions import entry
from ..numbers.functions.classes import Side
from .measure import Gaussian, Shifted
from .moving_kinks import affine, affine_parts, ratio, with_fixed_kinks

#: most variables of one average that nested averages are merged into
_MOST = 3


def over_fewer(expr):
    """Rewrite averages of known functions over as few normals, and in as few levels, as possible.

    An integrand of one combination ``a x + b y`` of normals is one of a single normal times ``sqrt(a**2 + b**2)``; an
    average that enters another one linearly is an average over both.
    """
    known = {}                      # nested averages occur in many places

    def walk(e):
        if not e.args:
            return e
        if e not in known:
            args = [walk(a) for a in e.args]
            known[e] = _over_fewer_here(e if all(a is b for a, b in zip(args, e.args)) else e.func(*args))
        return known[e]

    return walk(expr)


def _over_fewer_here(expr):
    if isinstance(expr, Average) and isinstance(expr.measure, Gaussian) and not holds(expr, (Applied,)):
        expr = _drawn_together(expr)
        if isinstance(expr, Average) and len(expr.bound_symbols) > 1:
            used = [b for b in expr.bound_symbols if b in expr.integrand.free_symbols]
            expr = _one_direction(expr if len(used) == len(expr.bound_symbols) else
                                  Average(expr.integrand, Gaussian(*used)))
    return expr


def _drawn_together(average):
    """Merge averages that enter an integrand linearly with the average over it."""
    integrand, bound = remove_names(average.integrand), average.bound_symbols
    inside = [a for a in averages(integrand) if isinstance(a.measure, Gaussian)]
    size = max((len(a.bound_symbols) for a in inside), default=0)
    if not inside or len(bound) + size > _MOST or any(a.integrand.has(Average) for a in inside):
        return average
    marks = {a: Dummy(real=True) for a in inside}
    form = integrand.xreplace(marks)
    own = [Dummy(real=True) for _ in range(size)]
    terms = []
    for term in Add.make_args(form):
        held = [m for m in marks.values() if m in term.free_symbols]
        if len(held) > 1 or held and term.diff(held[0]).free_symbols & set(held):
            return average
        terms.append(term)
    back = {m: a.integrand.xreplace(dict(zip(a.bound_symbols, own))) for a, m in marks.items()}
    return Average(Add(*terms).xreplace(back), Gaussian(*bound, *own))


def _one_direction(average):
    if not isinstance(average, Average) or len(average.bound_symbols) < 2:
        return average
    integrand, bound = remove_names(average.integrand), average.bound_symbols
    parts = affine_parts(integrand, bound)
    if not parts:
        return average
    reference = next(iter(sorted(parts, key=lambda e: e.sort_key())))
    slopes = parts[reference][0]
    ratios = {e: ratio(s, slopes) for e, (s, _) in parts.items()}
    if None in ratios.values():
        return average
    u = Dummy("u", real=True)
    length = sqrt(Add(*(s**2 for s in slopes)))
    new = {e: constant + ratios[e] * length * u for e, (_, constant) in parts.items()}
    return Average(integrand.xreplace(new), Gaussian(u))


def over_one_first(average):
    """Return an equal expression with one variable averaged out, or with its kinks at 0; None where there is none."""
    integrand = remove_names(average.integrand)
    if integrand.has(Applied, Average):
        return None
    bound = [(b, Dummy(b.name, real=True)) for b in average.bound_symbols]
    integrand = integrand.xreplace(dict(bound))
    variables = [d for _, d in bound]
    for close in (_closed, _at_rest):
        for v in reversed(variables):
            found = close(integrand, v, [u for u in variables if u is not v])
            if found is not None:
                return found
    return None


def _closed(integrand, v, others):
    mean = Average(integrand, Gaussian(v)).doit()
    return None if mean.has(Average) else Average(mean, Gaussian(*others))


def _at_rest(integrand, v, others):
    outside, inner = Average(integrand, Gaussian(v)).as_independent(Average, as_Add=False)
    fixed = with_fixed_kinks(inner) if isinstance(inner, Average) else None
    if fixed is None:
        return None
    return Add(*(_flat(outside * term, others) for term in Add.make_args(fixed)))


def _flat(term, others):
    """Merge a product with one average into an average over its variable and the others, which the factors hold."""
    factor, inner = term.as_independent(Average, as_Add=False)
    if not isinstance(inner, Average):
        return Average(term, Gaussian(*others))
    w = Dummy("w", real=True)
    return Average(factor * inner.integrand.xreplace({inner.bound_symbols[0]: w}), Gaussian(w, *others))


FARTHEST = 18


def fix_kinks(expr):
    """Rewrite averages over normals so that their kinks are fixed on an axis.

    That is possible where all borders in an integrand are one line; other averages stay as they are.
    """
    if not expr.args or not _has_kinks(expr):
        return expr
    if isinstance(expr, Average):
        return _straight(expr)
    args = [fix_kinks(a) for a in expr.args]
    return expr if all(a is b for a, b in zip(args, expr.args)) else expr.func(*args)


@lru_cache(maxsize=50_000)
def _has_kinks(expr):
    known = entry(type(expr).__name__)
    return known is not None and known.is_kinked or any(map(_has_kinks, expr.args))


def _straight(average):
    bound = average.bound_symbols
    if type(average.measure) is not Gaussian or len(bound) > 2 or holds_within(average.integrand, (Applied, Average)):
        return average
    integrand = remove_names(average.integrand)
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
    others = {s for form in places.values() for s in form.free_symbols if isinstance(s, Dummy)} - {u}
    others = sorted(others, key=lambda s: s.name)
    return Average(flat * weight, (Shifted if moves else Gaussian)(u, *others))


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
