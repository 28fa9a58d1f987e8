r"""Compute normal means of piecewise linear-quadratic Moreau envelopes, in closed form.

An envelope is :math:`q(t)+\sum_jk_j(t_j-t)_+^2`, smooth where two parabolas meet.  The envelope smooths a kink of the
loss, where its slope jumps by J, into a parabola of curvature 1/V over an interval of length VJ.  The sum of the two
squares at its ends is J times the mean of :math:`(t_0+u-t)_+` over the u of the interval; the normal mean of that, a
Gaussian convolution (:class:`~asympkit.numbers.functions.blur_classes.NormalBlur`), keeps its digits at any V, while
the squares cancel where noise is wide and a student is saturated, with V near 0.

If t varies little about its mean C, :math:`E(t_j-t)_+^2` is nearly :math:`(t_j-C)^2`, and differences of such squares
cancel too.  Therefore the parabola at C is used exactly, and only tails beyond the places :math:`t_j` are added; a
:class:`~asympkit.numbers.functions.classes.Side` says on which side of C a place lies.  A smoothed kink that is
narrower than the spread of t lies on one side as a whole.
"""

from sympy import Dummy, Poly, S, cancel, erfc, exp, pi, sqrt

from ...nodes import Composite
from ...numbers.functions.blur_classes import NormalBlur
from ...numbers.functions.classes import Side
from ...numbers.functions.pair_classes import BivariateNormalCDF

__all__ = ["a", "cdf", "density", "k", "normal_mean", "tilted_mean"]


def _variable(name, index, **known):
    """Return a dummy symbol, which is bound."""
    return Dummy(name, dummy_index=910_000 + index, **(known or {"real": True}))


#: mean of the target's argument in units of its spread, and its correlation with predictions; place of a square
a, k, c = (_variable(n, 4 + i) for i, n in enumerate(("a", "k", "c")))
#: from this place on the loss at 0 is lost in rounding beside squares about the place
_REMOTE = 8
#: width of a smoothed kink
_h = _variable("h", 7, positive=True)
_left, _right, _t, _x = (_variable(n, 30 + i) for i, n in enumerate(("left", "right", "t", "x")))


def cdf(z):
    """Return the normal distribution function."""
    return erfc(-z / sqrt(2)) / 2


def density(z):
    """Return the normal density."""
    return exp(-(z**2) / 2) / sqrt(2 * pi)


def normal_mean(pieces, V, others, middle, width, label, has_windows=True):
    """Return the mean envelope of ``t = middle + width*x``, x a standard normal.

    Parameters
    ----------
    pieces : Pieces
    V, middle, width : Expr
    others : dict
        Values of symbols of the pieces.
    label : str
        Prefix of the names of functions.
    has_windows : bool
        Whether t may be wide at small V, which needs noise: then smoothed kinks are used.
    """
    if not has_windows or pieces.is_smooth or not pieces.is_finite:
        return _mean(pieces, V, others, middle, width, label, _MOMENTS, _SQUARE)
    _, squares = pieces.squares(V, _t, others)
    bends, places = map(list, zip(*squares))
    sides = [Composite.of(f"S{label}{j}", _far, {c: (place - middle) / width}) for j, place in enumerate(places, 1)]
    total = S.Zero
    for j in pieces.windows:
        before, after = places[j - 1:j + 1]
        at = {c: cancel((before + after) / 2 - middle) / width, _h: cancel(after - before) / width}
        sides[j - 1:j + 1] = [Composite.of(f"S{label}{j + i}", form, at) for i, form in enumerate(_ENDS)]
        bends[j - 1], bends[j] = bends[j - 1] + 1 / (2 * V), bends[j] - 1 / (2 * V)
        total += cancel((after - before) / V) * width * Composite.of(
            f"{label}w{j}", NormalBlur(0, -2, c, _h, _left, _right), {**at, _left: sides[j - 1], _right: sides[j]})
    for j, (bend, place, far) in enumerate(zip(map(cancel, bends), places, sides), 1):
        total += bend * width**2 * Composite.of(f"{label}{j}", _SQUARE.xreplace({_far: _left}),
                                                {c: (place - middle) / width, _left: far})
    return total + _at_middle(pieces, V, others, middle, width, _MOMENTS, [(1 + s) / 2 for s in sides])


def tilted_mean(pieces, V, others, middle, width, label, at, tilt):
    r"""Return the same with the weight :math:`\Phi((a+kx)/\sqrt{1-k^2})`, with a and k at their values."""
    moments = cdf(at), tilt * density(at), cdf(at) - at * tilt**2 * density(at)
    return _mean(pieces, V, others, middle, width, label, moments, _TILTED, {a: at, k: tilt})


def _mean(pieces, V, others, middle, width, label, moments, form, values=None):
    """Return the mean by squares alone, from moments of x and the form of a square at ``values``.

    Without a kink of the loss no term is large: one parabola is enough, with squares on one side of their places.
    """
    _, squares = pieces.squares(V, _t, others)
    places = [(place - middle) / width for _, place in squares]
    if pieces.is_smooth:
        # a place far on the right is not passed: the small tail beyond it is added
        sides = [S.One if S(place).is_number and place > _REMOTE else -S.One for place in pieces.places]
        forms = [form.xreplace({_far: side}) for side in sides]
    else:
        # by name, like the squares, so that balls and floats use the same side of a place
        sides = [Composite.of(f"S{label}{j}", _far, {c: place}) for j, place in enumerate(places, 1)]
        forms = [form] * len(places)
    return _at_middle(pieces, V, others, middle, width, moments, [(1 + side) / 2 for side in sides]) + sum(
        bend * width**2 * Composite.of(f"{label}{j}", form, {c: place, **(values or {})})
        for j, ((bend, _), place, form) in enumerate(zip(squares, places, forms), 1))


def _at_middle(pieces, V, others, middle, width, moments, below):
    """Return the mean of the parabola at the mean of t; ``below`` tells whether that is below each place."""
    means = [sum(factor * moments[degree] for (degree,), factor in
                 Poly(parabola.xreplace({_t: middle + width * _x}), _x).terms())
             for parabola in pieces.parabolas(V, _t, others)]
    below = [S.Zero, *below, S.One]
    return sum((after - before) * mean for before, after, mean in zip(below, below[1:], means))


def _square():
    """Return ``E max(0, c - x)**2`` of a standard normal x for c <= 0, else ``-E max(0, x - c)**2``: the small tail."""
    return c * density(c) - _far * (1 + c**2) * cdf(-_far * c)


def _tilted_square():
    """Return the same restricted to another normal y < a, of correlation -k with x: by parts, from the orthant."""
    height = sqrt(1 - k**2)
    orthant = BivariateNormalCDF(a, -_far * c, _far * k)
    at_c = density(c) * cdf((a + k * c) / height)
    at_a = density(a) * cdf(-_far * (c + k * a) / height)
    both = density(a) * density((c + k * a) / height)
    return -_far * (1 + c**2) * orthant + c * at_c + _far * k * (2 * c + k * a) * at_a - k * height * both


def _ends():
    """Return the sides of the ends of a smoothed kink: those of its centre if it is narrow."""
    reach = _h / 2 * (1 + Side(_h - 1)) / 2
    return Side(c - reach), Side(c + reach)


_far = Side(c)
_ENDS = _ends()
_MOMENTS = S.One, S.Zero, S.One
_SQUARE, _TILTED = _square(), _tilted_square()
