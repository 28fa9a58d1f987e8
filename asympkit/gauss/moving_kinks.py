r"""Averages whose kinks and jumps move with a symbol, as averages in which they are fixed.

An integrand that switches where an affine argument vanishes is a sum of smooth functions times steps,
:math:`f=\sum_Sf_S\prod_{c\in S}\Theta(z-c)`, and a product of steps is the step at the largest place.  With
:math:`z=c+sw`, :math:`s=\sqrt{1+c^2}`, a step is at :math:`w=0`:

.. math:: E\,\Theta(z-c)\,g(z)=E\,\Theta(w)\,s\,e^{-(c^2(1+w^2)+2csw)/2}\,g(c+sw)

exactly; the exponential is at most :math:`\sqrt e`, and a rule in w reaches its mass for every c.  The derivative by
a symbol that moves the step is then that of a smooth function.

The affine functions of normals that an integrand is made of.
"""


import sympy as sp

from ..nodes import Applied, Average, remove_names
from ..numbers.functions import entry
from ..numbers.functions.classes import Side, SlopeSize
from ..properties.cells import SWITCHING, on_side, switching_borders


def affine(expr, bound):
    """Return ``(slopes, constant)`` of an expression that is affine in some symbols, or None."""
    slopes = [expr.diff(b) for b in bound]
    if any(s.free_symbols & set(bound) for s in slopes):
        return None
    return tuple(slopes), expr.xreplace(dict.fromkeys(bound, sp.S.Zero))


def affine_parts(expr, bound):
    """Find the largest subexpressions affine in and containing the symbols; return None where one occurs elsewhere."""
    if not expr.free_symbols & set(bound):
        return {}
    if isinstance(expr, Average):
        return None
    form = _affine(expr, bound) if isinstance(expr, sp.Expr) else None
    if form is not None:
        return {expr: form}
    found = {}
    for a in expr.args:
        part = affine_parts(a, bound)
        if part is None:
            return None
        found |= part
    return found or None


def _affine(expr, bound):
    try:
        poly = sp.Poly(expr, *bound)
    except sp.PolynomialError:
        return None
    if poly.total_degree() > 1 or poly.free_symbols_in_domain & set(bound):
        return None
    return tuple(poly.coeff_monomial(b) for b in bound), poly.coeff_monomial(1)


def ratio(slopes, reference):
    """Return the number r with ``slopes = r reference``, or None where none holds for all values of the symbols."""
    place = next(k for k, s in enumerate(reference) if s != 0)
    r = slopes[place] / reference[place]
    return r if all(sp.expand(s - r * t) == 0 for s, t in zip(slopes, reference)) else None


#: places beyond which an integrand is left as it is
_MOST = 5
#: deviations beyond which a place of a kink stays: of a normal variable exp(-800) lies there
FARTHEST = 40


def with_fixed_kinks(average):
    """Return an equal sum of averages over one normal whose kinks are fixed.

    None where a place is not affine, or where the order of places that count depends on symbols.
    """
    integrand = remove_names(average.integrand)
    if len(average.bound_symbols) != 1 or integrand.has(Applied, Average):
        return None
    (z,) = average.bound_symbols
    integrand, slopes = with_known_slopes(integrand, z)
    terms = _resolved(integrand, z)
    if terms is None:
        return None
    by_place = {}
    for places, g in terms.items():
        place = sp.Max(*places) if places else None
        by_place[place] = by_place.get(place, sp.S.Zero) + g
    size = next(iter(slopes), sp.S.One)
    parts, between, order = [*by_place.items()], [], None
    if not all(_is_defined_everywhere(g, z) for g in by_place.values()):
        order = _ordered(set().union(*terms))
        if order is None:           # a formula would be asked for on sides where it has no value
            return None
    if order:
        # each side by its own formula alone: log(1 - u) has no value beyond the side of log(1 + abs(u)) that it is for
        sides = [_on_side(integrand, z, order[:k]) for k in range(len(order) + 1)]
        parts = [(order[-1], sides[-1]), (-order[0], sides[0].xreplace({z: -z}))]
        between = [_mean_between(*ends, g, z, average.measure) for *ends, g in zip(order, order[1:], sides[1:])]
    between += [_mean(place, g, z, average.measure, size) for place, g in parts if g != 0]
    return sp.Add(*between).xreplace(slopes)


def _ordered(places):
    """Return places in ascending order, or None where it depends on symbols."""
    order = []
    for place in sorted(places, key=str):
        gaps = [sp.cancel(place - other) for other in order]
        if not all(gap.is_positive or gap.is_negative for gap in gaps):
            return None
        order.insert(sum(bool(gap.is_positive) for gap in gaps), place)
    return order


def _on_side(expr, z, below):
    """Return the formula of an integrand that holds above some places, and below all others."""
    while found := split_at_switch(expr, z):
        place, left, right = found
        expr = right if place in below else left
    return expr


def _mean_between(low, high, g, z, measure):
    """Average g between two places: a share of the interval, the normal distribution function, is uniform."""
    share = sp.erfc(-z / sp.sqrt(2)) / 2
    at = (low + (high - low).expand() * share).expand()
    return Average((high - low).expand() * sp.exp(-(at**2) / 2) / sp.sqrt(2 * sp.pi) * g.xreplace({z: at}), measure)


def _is_defined_everywhere(expr, z):
    """Tell whether no logarithm, root or quotient limits where an expression has values."""
    for node in sp.preorder_traversal(expr):
        known = entry(type(node).__name__) if isinstance(node, sp.Expr) and node.args else None
        if known is not None and known.is_partial and node.has(z):
            return False
        is_power = isinstance(node, sp.Pow) and node.base.has(z)
        if is_power and not (node.exp.is_Integer and node.exp > 0 or node.base.is_positive):
            return False
    return True


def with_known_slopes(integrand, z):
    """Return ``(integrand, {A: abs(a)})`` with the same mean over a normal z, kinked where ``h + A*z`` is 0, A > 0.

    A slope a of unknown sign is its sign times A, and the mean over ``sign(a)*z`` is that over z: whichever sign is
    taken, the mean is the same, and so are its derivatives.  Slopes that are no multiples of one stay.
    """
    borders = [b for node in integrand.atoms(*SWITCHING) if (b := switching_border(node, z)) is not None and b.has(z)
               and not b.has(*SWITCHING)]           # those that are switched inside follow from the others
    unknown = [a for a in sorted({b.diff(z) for b in borders}, key=str) if not (a.is_positive or a.is_negative)]
    if not unknown or any(a.has(z) or not sp.cancel(a / unknown[0]).is_number for a in unknown):
        return integrand, {}
    first, size = unknown[0], sp.Dummy("A", positive=True)
    side, new = Side(first), {}
    for part, ((a,), h) in (affine_parts(integrand, (z,)) or {}).items():
        ratio = sp.cancel(a / first)
        new[part] = h + (ratio * size if ratio.is_number else a * side) * z
    return (integrand.xreplace(new), {size: SlopeSize(first)}) if new else (integrand, {})


def _mean(place, g, z, measure, size):
    """Average g above a place, which is moved to 0; ``size`` is the denominator that scales places."""
    if place is None:
        return Average(g, measure)
    if not place.free_symbols:
        return Average(sp.Heaviside(z - place) * g, measure)
    s = sp.sqrt(size**2 + (size * place).expand() ** 2) / size
    if size is not sp.S.One or place.is_Mul:    # where a slope is small the place is far: the mass lies between nodes
        place = sp.Max(sp.Min(place, FARTHEST), -FARTHEST)
        s = sp.sqrt(1 + place**2)
    weight = s * sp.exp(-(place**2 * (1 + z**2) + 2 * place * s * z) / 2)
    has_pole = any(p.exp.is_number and 2 * p.exp <= -1 and p.base.has(z) for p in g.atoms(sp.Pow))
    # nodes on the other side do not count
    inside = z if _is_defined_everywhere(g, z) else sp.Max(z, 0) if has_pole else sp.Abs(z)
    return Average(sp.Heaviside(z) * weight * g.xreplace({z: place + s * inside}), measure)


def _resolved(expr, z, known=()):
    """Write a sum of products of steps as ``{places: smooth function}``, or None."""
    found = split_at_switch(expr, z)
    if found == ():
        return {frozenset(): expr}
    if found is None or len(known) == _MOST:
        return None
    place, *sides = found
    left, right = sides = [_resolved(side, z, (*known, place)) for side in sides]
    if None in sides:
        return None
    found = dict(left)
    for places in {**left, **right}:
        jump = right.get(places, sp.S.Zero) - left.get(places, sp.S.Zero)
        if jump != 0:
            at = places | {place}
            found[at] = found.get(at, sp.S.Zero) + jump
    return found


def split_at_switch(expr, z):
    """Return ``(place, left of it, right of it)`` of one switch in z; () without one, None where it is not affine."""
    node = _innermost(expr, z)
    if node is None:
        return ()
    border = switching_border(node, z)
    slope = border.diff(z)
    if z in slope.free_symbols or not (slope.is_positive or slope.is_negative):
        return None
    place = (-border.subs(z, 0) / slope).expand()
    return place, *(expr.xreplace({node: on_side(node, border, side if slope.is_positive else -side)})
                    for side in (-1, 1))


def _innermost(expr, z):
    """Find a switching function of z whose arguments do not switch, the first in a fixed order."""
    for node in sorted(expr.atoms(*SWITCHING), key=lambda n: (n.count_ops(), str(n))):
        inside = [e for a in node.args for e in sp.preorder_traversal(a)]
        if node.has(z) and not any(isinstance(e, SWITCHING) and e.has(z)
                                   for e in inside) and switching_border(node, z) is not None:
            return node
    return None


def switching_border(node, z):
    """Return the expression that vanishes where a function switches: the first that holds z, or None."""
    return next((border for border in switching_borders(node) if border.has(z)), None)
