"""Averages over several normals written over as few as their integrands need, and averages in averages as one."""

from sympy import Add, Dummy, sqrt

from ..nodes import Applied, Average, averages, holds, unname
from .affine import affine_parts, ratio
from .measure import Gaussian

__all__ = ["over_fewer"]

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
            expr = _one_direction(_without_unused(expr))
    return expr


def _drawn_together(average):
    """Merge averages that enter an integrand linearly with the average over it."""
    integrand, bound = unname(average.integrand), average.bound_symbols
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


def _without_unused(average):
    used = [b for b in average.bound_symbols if b in average.integrand.free_symbols]
    return average if len(used) == len(average.bound_symbols) else Average(average.integrand, Gaussian(*used))


def _one_direction(average):
    if not isinstance(average, Average) or len(average.bound_symbols) < 2:
        return average
    integrand, bound = unname(average.integrand), average.bound_symbols
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
