r"""Compute the channel term: the mean Moreau envelope of a convex loss at a given projection on the spike.

Given :math:`\kappa` the prediction of a readout that has not seen a sample is :math:`\omega=C+Wx` there, x a standard
normal, and the channel term is the Moreau envelope of width V, in closed form for piecewise linear-quadratic losses
(:mod:`.envelope_means`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sympy import Dummy, Expr, Rational, S, Symbol

from ...gauss import E
from ...gauss.moving_kinks import with_fixed_kinks
from ...losses.envelope_mean import EnvelopeMean, EnvelopePart
from ...losses.reduced import Margins, is_of_residuals
from ...nodes import Average, slope
from ...numbers.functions.pair_classes import BivariateNormalCDF
from .envelope_means import a, cdf, k, normal_mean, tilted_mean

if TYPE_CHECKING:
    from ...losses import Loss

__all__ = ["ALIGNED", "MIXED", "NOISELESS", "Channel", "half_square", "regression", "sign_labels"]

#: target direction: not along the spike; along it; along it with noiseless labels, which jump in kappa
MIXED, ALIGNED, NOISELESS = "mixed", "aligned", "noiseless"


def _variable(name, index, **known):
    """Return a dummy symbol, which is bound."""
    return Dummy(name, dummy_index=910_000 + index, **(known or {"real": True}))


C, T, A, B = (_variable(n, i) for i, n in enumerate(("C", "T", "A", "B")))
W, V, spread, Q = (_variable(n, 10 + i, positive=True) for i, n in enumerate(("W", "V", "spread", "Q")))
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
    """Hold the channel term and the observables of a loss, in the variables of this file.

    Attributes
    ----------
    cost : Expr
        Mean Moreau envelope at a given kappa.
    test_error, clean_error : Expr or None
        Misclassification of fresh labels, and of clean ones; None for regression.
    rules, passive
        The derivatives of the cost by variances and covariances, as for :class:`~asympkit.nodes.Diffused`.
    rate : Expr
        The derivative of an affine target: residuals are then normal, and the part of the target beside the spike
        enters their variance. None if that part is averaged over separately.
    source : EnvelopeMean, optional
        The envelope whose mean is the closed form of the cost.
    is_steep : bool
        Whether closed forms with kinks are averaged over the part of the target beside the spike.
    """

    cost: Expr
    test_error: Expr | None = None
    clean_error: Expr | None = None
    rules: dict[Symbol, tuple[Expr, tuple[Symbol, ...]]] = field(default_factory=dict)
    passive: frozenset[Symbol] = frozenset()
    rate: Expr | None = None
    source: EnvelopeMean | None = None
    is_steep: bool = False

    @property
    def loss(self) -> Expr:
        """Return the mean loss of the training samples, by the envelope theorem."""
        return self.cost + V * slope(self.cost, V)


def half_square() -> Channel:
    """Return half the square of regression labels, whose means over target and noise are known functions of kappa."""
    return Channel(mean_square / (2 * (1 + V)))


def sign_labels(loss: Loss, teacher: str) -> Channel:
    """Return the channel of labels that are the sign of the target's argument, noisy or flipped at random."""
    along = (1 + side) / 2
    source = None
    if teacher is NOISELESS:
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
    clean = _disagreement(clean_a, T / W) if teacher is MIXED else positive + along * (1 - 2 * positive)
    return Channel(cost, _kept(clean if teacher is NOISELESS else _disagreement(a, k)), clean, rules, passive,
                   source=source)


def _rates(loss, teacher):
    """Return rules and passive variables of sign labels, without variables that the teacher lacks."""
    if loss.pieces is not None:         # closed forms are differentiated directly: higher orders would be long
        return {}, frozenset()
    if teacher is NOISELESS:            # a is infinite
        return {Q: _HEAT}, frozenset({W})
    return _RULES, frozenset({A, B, W, steepness})


def regression(loss: Loss, target: Expr, z: Symbol, teacher: str) -> Channel:
    """Return the channel of labels that are a function of the target's argument, with noise."""
    heat: dict[str, Any] = {"rules": {square_spread: _HEAT}, "passive": frozenset({spread})}
    if teacher is not MIXED:
        return Channel(_residual(loss, target.xreplace({z: tau}) - C), **heat)
    rate = target.diff(z)
    if z not in rate.free_symbols:
        middle = target.xreplace({z: gamma * kappa}) - C
        return Channel(_residual(loss, middle), rate=rate, source=_regression_source(loss, middle), **heat)
    residual = target.xreplace({z: gamma * kappa + rho * _s}) - C - T * _s
    if loss.pieces is None:
        return Channel(E(loss.form.moreau(residual + spread * _x, S.Zero, V), (_s, _x)), **heat)
    return Channel(_still(E(_residual(loss, residual), _s)), is_steep=bool(loss.pieces.places), **heat)


def _regression_source(loss, middle):
    """Return the envelope whose mean is the closed form of a normal residual."""
    if loss.pieces is None:
        return None
    return EnvelopeMean(V, spread, (EnvelopePart(S.One, loss.pieces, (), middle, 1),))


def _kept(share):
    """Return a probability of labels after flips."""
    return FLIP + (1 - 2 * FLIP) * share


def _disagreement(at, correlation):
    """Return the probability that normals of means ``at`` and C/W and variance 1 have different signs."""
    return BivariateNormalCDF(at, -C / W, -correlation) + BivariateNormalCDF(-at, C / W, -correlation)


def _still(average):
    """Return the average with kinks of the target that do not move with kappa."""
    fixed = with_fixed_kinks(average) if isinstance(average, Average) else None
    return average if fixed is None else fixed


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
    return tilted_mean(loss.pieces, V, {loss.label: S(y)}, middle, W, f"L{_side(y)}", y * a, sign * y * k)


def _side(y):
    """Return the suffix of names that belong to a label."""
    return "p" if y > 0 else "m"
