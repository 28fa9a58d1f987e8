"""Kinks under averages with any number of digits: refused where no rule follows them, else panels.

Kinks and jumps under averages over normals that no multiprecision quadrature rule can follow.  Panels for activations
with kinks or sharp places, which the inner nodes of all outer nodes share.
"""

import numpy as np
from mpmath.libmp.libelefun import exp_fixed, ln2_fixed

from ..errors import ConvergenceError
from ..gauss.quadrature.digits import legendre
from ..nodes import Applied
from ..numbers.evaluation import Floats, evaluate
from ..program.passes import prune
from ..program.statements import InnerSum, Sums, select_statements
from ..properties.cells import switching_borders

__all__ = ["RuleCells", "grade_panels", "refuse_loose_kinks"]

#: digits that refined rules reach across a kink they do not know of
MOST_DIGITS = 6


#: how far out along a normal a border is looked for (its density is 1e-300 there), and at how many places: odd, with 0
_FAR, _PLACES = 37.0, {1: 4001, 2: 201, 3: 41}
#: part of its size above which a border is not met between two places
_CLEAR = 1e-3


def refuse_loose_kinks(program, digits, known):
    """Raise ConvergenceError early for a number of digits that no rule reaches.

    A rule follows a kink at a fixed place in one variable; a kink under an average over normals that moves with a
    symbol, or lies across several variables, is not at its nodes.  ``known`` are parameters and approximate unknowns:
    borders that no value meets are ignored.
    """
    if digits <= MOST_DIGITS:
        return
    clear = set()
    outputs = {*program.unknowns, *program.observables.values()}        # sizes of terms need not be resolved
    for grid, expr in _integrands(prune(program.statements, outputs)):
        border = _loose(expr, frozenset(grid.bound), known, clear)
        if border is None:
            continue
        is_single = len(grid.bound) == 1 and border.free_symbols.isdisjoint(_inner_variables(expr)) and not border.has(
            InnerSum)
        advice = ("certify() encloses it with as many digits" if is_single else
                  "close the average (.doit()), or turn the normals so that the kink depends on one alone")
        raise ConvergenceError(
            f"precise: an average has a kink or a jump at {str(border)[:80]} = 0, which moves, or lies across normals, "
            f"so that multiprecision rules do not follow it; {advice}, or pass at most {MOST_DIGITS} digits")


def _inner_variables(expr):
    return {b for inner in expr.atoms(InnerSum) for b in inner.bound}


def _integrands(statements):
    """Yield grids over normals, with the integrands over them in their own variables."""
    for s in select_statements(Sums, statements):
        if not (s.grid.given or s.grid.is_angle):
            inside = {symbol: expr for expr, symbol in s.grid.columns.items()}
            for symbol, expr in s.locals:
                inside[symbol] = expr.xreplace(inside)
                yield s.grid, inside[symbol]
            for _, expr, _ in s.sums:
                yield s.grid, expr.xreplace(inside)


def _is_met(border, bound, known):
    """Return whether a border is 0 somewhere, according to values in double precision."""
    inside = sorted(border.free_symbols & bound, key=str)
    if len(inside) > len(_PLACES) or border.has(InnerSum) or not border.free_symbols <= bound | set(known):
        return True
    line = np.linspace(-_FAR, _FAR, _PLACES[len(inside)])
    places = dict(zip(inside, np.meshgrid(*[line] * len(inside), indexing="ij")))
    try:
        with np.errstate(all="ignore"):
            found = np.asarray(evaluate(border, {**known, **places}, Floats()), dtype=float)
    except (ArithmeticError, TypeError, ValueError):
        return True
    low, high = found.min(), found.max()
    return not (low > _CLEAR * high > 0.0 or high < _CLEAR * low < 0.0)


def _loose(expr, bound, known, clear):
    """Return a border between formulas whose place depends on more than one variable alone; or None.

    ``clear`` holds parts in which there is no such place.
    """
    if isinstance(expr, InnerSum):
        return _loose(expr.integrand, bound | set(expr.bound), known, clear)
    if isinstance(expr, Applied) or (expr, bound) in clear:
        return None
    for border in switching_borders(expr):
        here = border.free_symbols & bound
        if here and (len(border.free_symbols) > 1 or border.has(InnerSum)) and _is_met(border, bound, known):
            return border
    for a in expr.args:
        found = _loose(a, bound, known, clear)
        if found is not None:
            return found
    clear.add((expr, bound))
    return None


#: largest ratio of neighbouring panels
_GROWTH = 2


class RuleCells:
    """Gauss-Legendre panels of the activation's variable x = a + b z, cut at its kinks, in fixed point.

    The cells are the same for every offset a: values computed once for a node serve all offsets whose window holds it;
    ``value`` is that function of a node's place.  ``slope`` is b, ``cut`` the largest |z|; twelve cells make a window;
    ``parts`` are the panels between two neighbouring edges; ``fixed`` converts a number to an integer of ``bits``.
    """

    def __init__(self, mp, value, kinks, slope, cut, parts, fixed, bits):
        self.mp, self.value, self.kinks, self.slope, self.cut, self.parts = mp, value, kinks, slope, cut, parts
        self.width, self.fixed, self.bits = slope * cut / 6, fixed, bits
        self.density, self.log2 = 1 / (slope * mp.sqrt(2 * mp.pi)), ln2_fixed(bits)
        self.rule = legendre(mp, max(24, int(0.9 * mp.dps)))
        self._known = {}

    def around(self, offset):
        """Return nodes z and weights of the normal density in fixed point, and values, of all cells in the window of an
        offset."""
        first, last = (int(self.mp.floor((offset + side * self.slope * self.cut) / self.width)) for side in (-1, 1))
        centre, bits, log2 = self.fixed(offset / self.slope), self.bits, self.log2
        nodes, weights, values = [], [], []
        for i in range(first, last + 1):
            if i not in self._known:
                self._known[i] = self._cell(i)
            for place, weight, value in self._known[i]:
                z = place - centre
                nodes.append(z)
                weights.append(weight * exp_fixed(-(z * z >> bits + 1), bits, log2) >> bits)
                values.append(value)
        return nodes, weights, values

    def _cell(self, i):
        left, right = i * self.width, (i + 1) * self.width
        edges = [left, *(k for k in sorted(self.kinks) if left < k < right), right]
        edges = [q + (r - q) * j / self.parts for q, r in zip(edges, edges[1:]) for j in range(self.parts)] + edges[-1:]
        found = []
        for q, r in zip(edges, edges[1:]):
            half, middle = (r - q) / 2, (r + q) / 2
            for node, weight in zip(*self.rule):
                x = middle + half * node
                found.append((self.fixed(x / self.slope), self.fixed(half * weight * self.density), self.value(x)))
        return found


def grade_panels(points, reach=4):
    """Insert points between and around ascending ones, so that neighbouring panels differ by a factor of three.

    ``reach`` is how far from the outermost points panels grow.

    A singularity near the line is as far from each panel as the panel is wide.
    """
    edges = [points[0] - reach, *points, points[-1] + reach]
    k = 0
    while k < len(edges) - 1:
        width = edges[k + 1] - edges[k]
        left = edges[k] - edges[k - 1] if k else width
        right = edges[k + 2] - edges[k + 1] if k + 2 < len(edges) else width
        if width > (_GROWTH + 1) * min(left, right):
            edges.insert(k + 1, edges[k] + _GROWTH * left if left <= right else edges[k + 1] - _GROWTH * right)
            k = max(k - 1, 0)
        else:
            k += 1
    return edges[1:-1]
