r"""Piecewise linear-quadratic losses: decide convexity, give envelope and proximal step in closed form.

With pieces :math:`g_j(t)=a_jt^2/2+b_jt+d_j` that meet at :math:`c_1<\ldots<c_k` the map
:math:`t=p+Vg'(p)` increases, and :math:`p=c_j` for all t from :math:`c_j+Vg'(c_j-)` to :math:`c_j+Vg'(c_j+)`.
"""

from itertools import pairwise

from sympy import Dummy, Piecewise, Poly, PolynomialError, S, oo

from ..errors import DomainError
from ..exact import is_zero
from ..gauss.moving_kinks import split_at_switch

_V = Dummy("V", positive=True)


def pieces_of(g, t, shown):
    """Return ``(places, pieces)``, one piece more than places; None for a function without kinks or parabolas.

    A piece is ``(a, b, d)``, or None if the function is infinite there.
    """
    tree = _tree(g, t, shown)
    places = _ordered(_places(tree), shown)
    pieces = [_coefficients(_formula(tree, places, j), t) for j in range(len(places) + 1)]
    if False in pieces:
        if not places:
            return None
        raise DomainError(f"expr: {shown.expr} has a kink and is not linear or quadratic between its kinks; expected "
                          "a smooth loss, or a piecewise linear-quadratic one (Abs, Max, Min and Piecewise of them)")
    same = [k for k in range(len(places)) if pieces[k] == pieces[k + 1]]
    return ([c for k, c in enumerate(places) if k not in same],
            [piece for k, piece in enumerate(pieces) if k not in same])


def _tree(g, t, shown):
    found = split_at_switch(g, t)
    if found is None:
        raise DomainError(f"expr: {shown.expr} switches between formulas at a place that is not known; expected kinks "
                          "where an affine function of the prediction vanishes, with a slope of known sign")
    if found == ():
        return g
    place, *sides = found
    return place, *(_tree(side, t, shown) for side in sides)


def _places(tree):
    if not isinstance(tree, tuple):
        return {}
    return {tree[0]: None} | _places(tree[1]) | _places(tree[2])


def _ordered(places, shown):
    ordered = []
    for c in places:
        k = 0
        while k < len(ordered) and _is_above(c, ordered[k], shown):
            k += 1
        ordered.insert(k, c)
    return ordered


def _is_above(a, b, shown):
    gap = (a - b).expand()
    if gap.is_positive or gap.is_negative:
        return bool(gap.is_positive)
    raise DomainError(f"expr: whether the kink of {shown.expr} at {a} or that at {b} comes first is not known; declare "
                      "the symbols positive=True, or put numbers in their place")


def _formula(tree, places, j):
    """Return the formula of a tree between the places j - 1 and j."""
    while isinstance(tree, tuple):
        tree = tree[2] if places.index(tree[0]) < j else tree[1]
    return tree


def _coefficients(formula, t):
    """Return ``(a, b, d)``; None for infinity, False for other functions."""
    if formula is oo:
        return None
    try:
        poly = Poly(formula, t)
    except PolynomialError:
        return False
    if poly.degree() > 2 or t in poly.free_symbols_in_domain:
        return False
    return 2 * poly.coeff_monomial(t**2), poly.coeff_monomial(t), poly.coeff_monomial(1)


class PiecewiseQuadratic:
    """Represent a convex piecewise linear-quadratic function of t, from the result of :func:`pieces_of`.

    ``shown`` is for messages.  ``windows`` are indices of the parabolas of the envelope that smooth the kinks of the
    function.
    """

    def __init__(self, places, pieces, t, shown):
        self.t, self.places, self.pieces = t, places, pieces
        self.is_finite = None not in pieces
        _check(places, pieces, shown)
        #: slope and envelope below each border in t, and that border
        self._cases, windows = [], []
        for j, (a, b, d) in ((j, piece) for j, piece in enumerate(pieces) if piece is not None):
            below = places[j - 1] if j else None
            if j and _jumps(places[j - 1], pieces[j - 1], pieces[j]):
                value, rate = a * below**2 / 2 + b * below + d, a * below + b
                windows.append(len(self._cases))
                self._cases.append(((below - t) / _V, (t - below) ** 2 / (2 * _V) + value, below + _V * rate))
            top = None if j == len(places) else places[j] + _V * (a * places[j] + b)
            width = 1 + _V * a
            self._cases.append((-(a * t + b) / width, (a * t**2 / 2 + b * t - _V * b**2 / 2) / width + d, top))
        if pieces[-1] is None:
            c, (a, b, d) = places[-1], pieces[-2]
            windows.append(len(self._cases))
            self._cases.append(((c - t) / _V, (t - c) ** 2 / (2 * _V) + a * c**2 / 2 + b * c + d, None))
        self.windows = tuple(windows)

    @property
    def is_smooth(self):
        """Return whether the function has no kinks."""
        return not self.windows

    def slope(self, V, t, others=None):
        """Return ``(p - t)/V``."""
        return self._chosen(0, V, t, others)

    def envelope(self, V, t, others=None):
        """Return the minimum of ``(p - t)**2/(2 V) + g(p)``."""
        return self._chosen(1, V, t, others)

    def squares(self, V, t, others=None):
        """Return ``(q, [(k, place)])`` of the envelope ``q(t) + sum of k*max(0, place - t)**2``, with a parabola q.

        The envelope is smooth: the difference of two adjacent parabolas is a square about the place where they meet.
        """
        at = {_V: V, self.t: t, **(others or {})}
        curvatures = [case[1].diff(self.t, 2) for case in self._cases]
        squares = [((curvatures[j] - curvatures[j + 1]) / 2, top) for j, (_, _, top) in enumerate(self._cases[:-1])]
        return self._cases[-1][1].xreplace(at), [(k.xreplace(at), top.xreplace(at)) for k, top in squares]

    def parabolas(self, V, t, others=None):
        """Return the parabolas of the envelope between the places of :meth:`squares`, one more than these."""
        at = {_V: V, self.t: t, **(others or {})}
        return [case[1].xreplace(at) for case in self._cases]

    def _chosen(self, which, V, t, others):
        at = {_V: V, self.t: t, **(others or {})}
        cases = [(case[which].xreplace(at), None if case[2] is None else case[2].xreplace(at)) for case in self._cases]
        return Piecewise(*((value, True if top is None else t < top) for value, top in cases))


def _jumps(c, left, right):
    """Return whether the derivative jumps at a place."""
    return left is None or not is_zero(right[0] * c + right[1] - left[0] * c - left[1])


def _check(places, pieces, shown):
    """Raise unless the function is proved convex."""
    inside = [piece for piece in pieces if piece is not None]
    if not inside or None in pieces[1:-1]:
        raise DomainError(f"expr: {shown.expr} is infinite between its kinks, or everywhere: it is not convex")
    for a, _, _ in inside:
        _require(a, shown, f"curves down by {a} between its kinks")
    for c, (left, right) in zip(places, pairwise(pieces)):
        if left is None or right is None:
            continue
        gap = _value(right, c) - _value(left, c)
        if not is_zero(gap):
            raise DomainError(f"expr: {shown.expr} is not convex: it jumps by {gap} at its kink {c}")
        turn = right[0] * c + right[1] - left[0] * c - left[1]
        _require(turn.expand(), shown, f"its slope changes by {turn.expand()} at its kink {c}")


def _value(piece, c):
    a, b, d = piece
    return a * c**2 / 2 + b * c + d


def _require(size, shown, why):
    if S(size).is_nonnegative:
        return
    if S(size).is_negative:
        raise DomainError(f"expr: {shown.expr} is not convex: {why}")
    raise DomainError(f"expr: whether {shown.expr} is convex is not known: {why}, of unknown sign; declare its symbols "
                      "positive=True, or put numbers in their place")
