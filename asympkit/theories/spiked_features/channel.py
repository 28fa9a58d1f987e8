r"""Compute the channel term: the mean Moreau envelope of a convex loss at a given projection on the spike.

Given :math:`\kappa` the prediction of a readout that has not seen a sample is :math:`\omega=C+Wx` there, x a standard
normal, and the channel term is the Moreau envelope of width V, in closed form for piecewise linear-quadratic losses
(:mod:`.envelope_means`).

Compute normal means of piecewise linear-quadratic Moreau envelopes, in closed form.

An envelope is :math:`q(t)+\sum_jk_j(t_j-t)_+^2`, smooth where two parabolas meet.  The envelope smooths a kink of the
loss, where its slope jumps by J, into a parabola of curvature 1/V over an interval of length VJ.  The sum of the two
squares at its ends is J times the mean of :math:`(t_0+u-t)_+` over the u of the interval; the normal mean of that, a
Gaussian convolution (:class:`~asympkit.numbers.functions.classes.NormalBlur`), keeps its digits at any V, while
the squares cancel where noise is wide and a student is saturated, with V near 0.

If t varies little about its mean C, :math:`E(t_j-t)_+^2` is nearly :math:`(t_j-C)^2`, and differences of such squares
cancel too.  Therefore the parabola at C is used exactly, and only tails beyond the places :math:`t_j` are added; a
:class:`~asympkit.numbers.functions.classes.Side` says on which side of C a place lies.  A smoothed kink that is
narrower than the spread of t lies on one side as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sympy import Dummy, Expr, Poly, Rational, S, Symbol, cancel, erfc, exp, pi, sqrt

from ...gauss import E
from ...gauss.moving_kinks import with_fixed_kinks
from ...losses.loss import EnvelopeMean, EnvelopePart, Margins, is_of_residuals
from ...nodes import Average, Composite, slope
from ...numbers.functions.classes import NormalBlur, Side
from ...numbers.functions.pair_classes import BivariateNormalCDF
from .parts import MIXED, NOISELESS

if TYPE_CHECKING:
    from ...losses import Loss


def _variable(name, index, **known):
    """Return a dummy symbol, which is bound."""
    return Dummy(name, dummy_index=910_000 + index, **(known or {"real": True}))


#: mean of the target's argument in units of its spread, and its correlation with predictions; place of a square
a, k, c = (_variable(n, 4 + i) for i, n in enumerate(("a", "k", "c")))
#: from this place on the loss at 0 is lost in rounding beside squares about the place
_REMOTE = 8
#: width of a smoothed kink
_h = _variable("h", 7, positive=True)
_left, _right, _t, _point = (_variable(n, 30 + i) for i, n in enumerate(("left", "right", "t", "x")))


def cdf(z):
    """Return the normal distribution function."""
    return erfc(-z / sqrt(2)) / 2


def density(z):
    """Return the normal density."""
    return exp(-(z**2) / 2) / sqrt(2 * pi)


def normal_mean(pieces, V, others, middle, width, label, has_windows=True):
    """Return the mean envelope of ``t = middle + width*x``, x a standard normal.

    ``others`` are values of symbols of the pieces; names of functions begin with ``label``.  With ``has_windows`` t may
    be wide at small V, which needs noise: then smoothed kinks are used.
    """
    if not has_windows or pieces.is_smooth or not pieces.is_finite:
        return _mean(pieces, V, others, middle, width, label, _MOMENTS, _SQUARE)
    _, squares = pieces.squares(V, _t, others)
    curvatures, places = map(list, zip(*squares))
    sides = [Composite.of(f"S{label}{j}", _far, {c: (place - middle) / width}) for j, place in enumerate(places, 1)]
    total = S.Zero
    for j in pieces.windows:
        before, after = places[j - 1:j + 1]
        at = {c: cancel((before + after) / 2 - middle) / width, _h: cancel(after - before) / width}
        sides[j - 1:j + 1] = [Composite.of(f"S{label}{j + i}", form, at) for i, form in enumerate(_ENDS)]
        curvatures[j - 1], curvatures[j] = curvatures[j - 1] + 1 / (2 * V), curvatures[j] - 1 / (2 * V)
        total += cancel((after - before) / V) * width * Composite.of(
            f"{label}w{j}", NormalBlur(0, -2, c, _h, _left, _right), {**at, _left: sides[j - 1], _right: sides[j]})
    for j, (bend, place, far) in enumerate(zip(map(cancel, curvatures), places, sides), 1):
        total += bend * width**2 * Composite.of(f"{label}{j}", _SQUARE.xreplace({_far: _left}),
                                                {c: (place - middle) / width, _left: far})
    return total + _at_middle(pieces, V, others, middle, width, _MOMENTS, [(1 + s) / 2 for s in sides])


def average_tilted(pieces, V, others, middle, width, label, at, tilt):
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
                 Poly(parabola.xreplace({_t: middle + width * _point}), _point).terms())
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


C, T, A, B = (_variable(n, i) for i, n in enumerate(("C", "T", "A", "B")))
W, V, spread, Q = (_variable(n, 10 + i, positive=True) for i, n in enumerate(("W", "V", "spread", "Q")))
#: covariance of a prediction and the target's argument, as far as a width tilts the spike, where the target lies along
#: it; the same in units of the spread of labels
tilt, relative_tilt = (_variable(n, 50 + i) for i, n in enumerate(("tilt", "relative_tilt")))
#: how predictions move with the square of the projection on the rest of the target
bend = _variable("bend", 52)
tau, side, clean_a = (_variable(n, 20 + i) for i, n in enumerate(("tau", "side", "a_clean")))
kappa, gamma = (_variable(n, 27 + i) for i, n in enumerate(("kappa", "gamma")))
rho = _variable("rho", 24, positive=True)
#: 1/sqrt(1 - k**2); covariance of a prediction and the target's argument in units of its spread; variance of residuals
steepness, covariance, square_spread = (_variable(n, 40 + i, positive=i != 1 or None, real=True) for i, n in enumerate(
    ("steepness", "covariance", "S2")))
#: mean squared residual of a sample that was left out
mean_square = _variable("R", 25, positive=True)
#: share of flipped labels
FLIP = Symbol("flip", nonnegative=True)
_x, _s = Symbol("x", real=True), Symbol("s", real=True)


@dataclass(frozen=True)
class Channel:
    """Hold the channel term and the observables of a loss, in the variables of this file."""

    #: mean Moreau envelope at a given kappa
    cost: Expr
    #: misclassification of fresh labels, and of clean ones; None for regression
    test_error: Expr | None = None
    clean_error: Expr | None = None
    #: the derivatives of the cost by variances and covariances, as for :class:`~asympkit.nodes.Diffused`
    rules: dict[Symbol, tuple[Expr, tuple[Symbol, ...]]] = field(default_factory=dict)
    passive: frozenset[Symbol] = frozenset()
    #: the derivative of an affine target: residuals are then normal, and the part of the target beside the spike enters
    #: their variance. None if that part is averaged over separately.
    rate: Expr | None = None
    #: the envelope whose mean is the closed form of the cost
    source: EnvelopeMean | None = None
    #: whether closed forms with kinks are averaged over the part of the target beside the spike
    is_steep: bool = False
    #: terms that the tilt of a spike along the target adds to the means of cost and clean error, at the projection 0
    #: where clean labels jump
    at_zero: Expr = S.Zero
    clean_at_zero: Expr = S.Zero


def sign_labels(loss: Loss, teacher: str, has_tilt: bool = False) -> Channel:
    """Return the channel of labels that are the sign of the target's argument, noisy or flipped at random.

    A width tilts the spike; where the target lies along it, that enters to first order of the covariance of prediction
    and target, by Price's theorem.
    """
    along = (1 + side) / 2
    source = None
    if teacher == NOISELESS:
        cost = sum(_kept(along if y > 0 else 1 - along) * _plain(loss, y) for y in (1, -1))
    elif loss.pieces is None:
        positive = _kept(cdf(A + B * _x))
        cost = E(positive * _moreau(loss, 1) + (1 - positive) * _moreau(loss, -1), _x)
    else:
        cost = sum(FLIP * _plain(loss, y) + (1 - 2 * FLIP) * _tilted(loss, y) for y in (1, -1))
        source = EnvelopeMean(V, W, tuple(part for y in (1, -1) for part in (
            _part(loss, y, FLIP), _part(loss, y, 1 - 2 * FLIP, (a, k, y)))))
    rules, passive = _rates(loss, teacher)
    positive = cdf(C / W)
    clean = _disagreement(clean_a, T / W) if teacher == MIXED else positive + along * (1 - 2 * positive)
    error = _kept(clean if teacher == NOISELESS else _disagreement(a, k))
    if not has_tilt or teacher == MIXED:
        return Channel(cost, error, clean, rules, passive, source=source)
    at = loss.pieces is None and teacher == NOISELESS
    ahead, behind = (_moreau(loss, y).xreplace({_x: kappa}) if at else _plain(loss, y) for y in (1, -1))
    apart = (1 - 2 * FLIP) * (slope(ahead, C) - slope(behind, C))
    crossing = -2 * density(C / W) / W
    at_zero = {"clean_at_zero": density(S.Zero) * tilt * crossing}
    if teacher == NOISELESS:
        return Channel(cost, error, clean, rules, passive, at_zero=density(S.Zero) * tilt * apart, **at_zero)
    height = relative_tilt * density(a if loss.pieces is not None else A)
    return Channel(cost + height * apart, error + (1 - 2 * FLIP) * height * crossing, clean, rules, passive, **at_zero)


def _rates(loss, teacher):
    """Return rules and passive variables of sign labels, without variables that the teacher lacks."""
    if loss.pieces is not None:         # closed forms are differentiated directly: higher orders would be long
        return {}, frozenset()
    if teacher == NOISELESS:            # a is infinite
        return {Q: _HEAT}, frozenset({W})
    return _RULES, frozenset({A, B, W, steepness})


def regression(loss: Loss, target: Expr, z: Symbol, teacher: str, has_tilt: bool = False,
               has_bend: bool = False) -> Channel:
    """Return the channel of labels that are a function of the target's argument, with noise; as for signs.

    With a bend the residual of an affine target is not normal, and is averaged as that of others is.
    """
    heat: dict[str, Any] = {"rules": {square_spread: _HEAT}, "passive": frozenset({spread})}
    if teacher != MIXED:
        cost = _residual(loss, target.xreplace({z: tau}) - C)
        return Channel(cost - tilt * slope(slope(cost, C), C) if has_tilt else cost, **heat)
    rate = target.diff(z)
    if z not in rate.free_symbols and not has_bend:
        middle = target.xreplace({z: gamma * kappa}) - C
        source = None if loss.pieces is None else EnvelopeMean(V, spread, (
            EnvelopePart(S.One, loss.pieces, (), middle, 1),))
        return Channel(_residual(loss, middle), rate=rate, source=source, **heat)
    residual = target.xreplace({z: gamma * kappa + rho * _s}) - C - T * _s - (bend * (_s**2 - 1) if has_bend else 0)
    if loss.pieces is None:
        return Channel(E(loss.form.moreau(residual + spread * _x, S.Zero, V), (_s, _x)), **heat)
    cost = E(_residual(loss, residual), _s)
    fixed = with_fixed_kinks(cost) if isinstance(cost, Average) else None       # kinks that do not move with kappa
    return Channel(cost if fixed is None else fixed, is_steep=bool(loss.pieces.places), **heat)


def _kept(share):
    """Return a probability of labels after flips."""
    return FLIP + (1 - 2 * FLIP) * share


def _disagreement(at, correlation):
    """Return the probability that normals of means ``at`` and C/W and variance 1 have different signs."""
    return BivariateNormalCDF(at, -C / W, -correlation) + BivariateNormalCDF(-at, C / W, -correlation)


def _moreau(loss, y):
    return loss.form.moreau(S(y), C + W * _x, V)


def _residual(loss, middle):
    """Return the mean envelope of a normal residual."""
    if loss.pieces is None:
        return E(loss.form.moreau(middle + spread * _x, S.Zero, V), _x)
    return normal_mean(loss.pieces, V, {}, middle, spread, "K")


#: rule of the derivative by a variance
_HEAT = Rational(1, 2), (C, C)
#: rules of the derivatives by the variance of predictions, their covariance with the target's argument, and its mean a
_RULES = {Q: _HEAT, covariance: (S.One, (a, C)), a: (steepness, (A,))}


# -- envelopes of piecewise linear-quadratic losses -----------------------------------------------------------------


def _place(loss, y):
    """Return ``(t0, sign)``: the loss of a label is a function of t = t0 + sign*W*x."""
    if is_of_residuals(loss):
        return y - C, -1
    return (y * C, y) if loss.form.__class__ is Margins else (C, 1)


def _part(loss, y, weight, tilt=None):
    """Return the envelope whose mean is the closed form of a label."""
    start, sign = _place(loss, y)
    return EnvelopePart(weight, loss.pieces, ((loss.label, S(y)),), start, sign, tilt)


def _plain(loss, y):
    """Return the mean envelope of a label, independent of the target."""
    if loss.pieces is None:
        return E(_moreau(loss, y), _x)
    middle, _ = _place(loss, y)
    return normal_mean(loss.pieces, V, {loss.label: S(y)}, middle, W, f"K{_side(y)}", has_windows=False)


def _tilted(loss, y):
    """Return the mean envelope of a label times the probability that the target gives it."""
    middle, sign = _place(loss, y)
    return average_tilted(loss.pieces, V, {loss.label: S(y)}, middle, W, f"L{_side(y)}", y * a, sign * y * k)


def _side(y):
    """Return the suffix of names that belong to a label."""
    return "p" if y > 0 else "m"
