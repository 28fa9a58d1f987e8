r"""Normal means of Moreau envelopes that are made of parabolas, in closed form.

An envelope is :math:`q(t)+\sum_jk_j(t_j-t)_+^2`, smooth where two parabolas meet.  A kink of the loss, whose slope
jumps by J there, is a window of the envelope: a parabola of curvature 1/V between places that are VJ apart.  The sum of
its two squares is J times the mean of :math:`(t_0+u-t)_+` over the u of the window, and that has a normal mean whose
digits no V takes, :class:`~asympkit.numbers.functions.blur_classes.NormalBlur`: squares by themselves would lose them
where noise is wide and a student is saturated, with V near 0.

Where t varies little about its middle C, :math:`E(t_j-t)_+^2` is :math:`(t_j-C)^2` almost, and differences of such
squares lose digits too.  So the parabola is the one at C, exactly, and what is left are tails beyond places: each place
has a :class:`~asympkit.numbers.functions.classes.Side`.  A window that is narrower than the spread of t lies on one
side as a whole.
"""

from sympy import Dummy, Poly, S, cancel, erfc, exp, pi, sqrt

from ...nodes import Composite
from ...numbers.functions.blur_classes import NormalBlur
from ...numbers.functions.classes import Side
from ...numbers.functions.pair_classes import BivariateNormalCDF

__all__ = ["a", "cdf", "density", "k", "normal_mean", "tilted_mean"]


def _variable(name, index, **known):
    """A symbol that nobody else has: it is bound."""
    return Dummy(name, dummy_index=910_000 + index, **(known or {"real": True}))


#: mean of what the target says, in units of its spread, and its correlation with predictions; place of a square
a, k, c = (_variable(n, 4 + i) for i, n in enumerate(("a", "k", "c")))
#: from this place on what a loss costs at 0 is lost beside squares about it
_REMOTE = 8
#: width of a window
_h = _variable("h", 7, positive=True)
_left, _right, _t, _x = (_variable(n, 30 + i) for i, n in enumerate(("left", "right", "t", "x")))


def cdf(z):
    """Normal distribution function."""
    return erfc(-z / sqrt(2)) / 2


def density(z):
    """Normal density."""
    return exp(-(z**2) / 2) / sqrt(2 * pi)


def normal_mean(pieces, V, others, middle, width, label, has_windows=True):
    """Mean envelope of ``t = middle + width*x``, x a standard normal.

    Parameters
    ----------
    pieces : Pieces
    V, middle, width : Expr
    others : dict
        What stands in the place of symbols of the pieces.
    label : str
        Beginning of the names of functions.
    has_windows : bool
        Whether t may be wide where V is small: without noise it is not.
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
    r"""The same times the probability :math:`\Phi((a+kx)/\sqrt{1-k^2})`, with a and k at their values."""
    moments = cdf(at), tilt * density(at), cdf(at) - at * tilt**2 * density(at)
    return _mean(pieces, V, others, middle, width, label, moments, _TILTED, {a: at, k: tilt})


def _mean(pieces, V, others, middle, width, label, moments, form, values=None):
    """By squares alone.  ``moments`` are those of x, and ``form`` is :data:`_SQUARE` or :data:`_TILTED`, at ``values``.

    Nothing is large without a kink of the loss: then one parabola does, and squares on one side of their places.
    """
    _, squares = pieces.squares(V, _t, others)
    places = [(place - middle) / width for _, place in squares]
    if pieces.is_smooth:
        # a place far on the right is not passed: what is beyond it, which is little, counts there
        sides = [S.One if S(place).is_number and place > _REMOTE else -S.One for place in pieces.places]
        forms = [form.xreplace({_far: side}) for side in sides]
    else:
        # by name, like the squares: balls and floats are on one side of a place then, wherever it stands
        sides = [Composite.of(f"S{label}{j}", _far, {c: place}) for j, place in enumerate(places, 1)]
        forms = [form] * len(places)
    return _at_middle(pieces, V, others, middle, width, moments, [(1 + side) / 2 for side in sides]) + sum(
        bend * width**2 * Composite.of(f"{label}{j}", form, {c: place, **(values or {})})
        for j, ((bend, _), place, form) in enumerate(zip(squares, places, forms), 1))


def _at_middle(pieces, V, others, middle, width, moments, below):
    """Mean of the parabola that the middle is on; ``below`` says whether it is below each place."""
    means = [sum(factor * moments[degree] for (degree,), factor in
                 Poly(parabola.xreplace({_t: middle + width * _x}), _x).terms())
             for parabola in pieces.parabolas(V, _t, others)]
    below = [S.Zero, *below, S.One]
    return sum((after - before) * mean for before, after, mean in zip(below, below[1:], means))


def _square():
    """``E max(0, c - x)**2`` of a standard normal x, for c > 0 minus ``E max(0, x - c)**2``: what is smaller."""
    return c * density(c) - _far * (1 + c**2) * cdf(-_far * c)


def _tilted_square():
    """The same where another normal y < a, of correlation -k with x: by parts, from the orthant."""
    height = sqrt(1 - k**2)
    orthant = BivariateNormalCDF(a, -_far * c, _far * k)
    at_c = density(c) * cdf((a + k * c) / height)
    at_a = density(a) * cdf(-_far * (c + k * a) / height)
    both = density(a) * density((c + k * a) / height)
    return -_far * (1 + c**2) * orthant + c * at_c + _far * k * (2 * c + k * a) * at_a - k * height * both


def _ends():
    """Sides of the ends of a window: those of its middle, where it is narrow."""
    reach = _h / 2 * (1 + Side(_h - 1)) / 2
    return Side(c - reach), Side(c + reach)


_far = Side(c)
_ENDS = _ends()
_MOMENTS = S.One, S.Zero, S.One
_SQUARE, _TILTED = _square(), _tilted_square()
