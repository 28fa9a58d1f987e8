"""The trained readout of a theory: loss, labels and bias, and the case of the equations that a call needs."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from sympy import Rational

from ...arguments import check_choice, check_value, quote
from ...errors import DomainError, LostDigitsError
from ...once import Deferred
from ..declaration import Parameter

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ...activations import Activation
    from ...losses import Loss
    from ...simulate.convex import Task

_envelope = Deferred("asympkit.losses.envelope")
_loss = Deferred("asympkit.losses.loss")
_convex = Deferred("asympkit.simulate.convex")
_convex_simulation = Deferred("asympkit.theories.spiked_features.convex_simulation")
_student_target = Deferred("asympkit.theories.student_target")

#: target direction: not along the spike; along it; along it with noiseless labels, which jump in kappa
MIXED, ALIGNED, NOISELESS = "mixed", "aligned", "noiseless"
#: parameter of signs
FLIPS = Parameter("flip", "share of labels that are flipped, of fresh ones too", "[0, 1]", 0.0)
#: penalty above which fourth powers of the readout underflow; points at which features must vary by more than this
#: relative rounding
_LARGEST_PENALTY, _SEEN, _CONSTANT = 1e70, np.linspace(-8.0, 8.0, 33), 1e-13


class EquationCase(NamedTuple):
    """Name the equations of one theory that hold at a point.

    ``teacher`` is "mixed", "aligned" or "noiseless"; ``direction`` the sign of gamma where the target lies along the
    spike.
    """

    teacher: str = MIXED
    direction: int = 1
    has_width: bool = False


@dataclass(frozen=True)
class TrainedReadout:
    """Hold loss, labels and bias."""

    #: ``"square"`` is the square without a factor 1/2
    given: Loss | str = "square"
    labels: str = "regression"
    bias: float | Fraction = 0.0
    #: whether the bias minimises the training objective
    is_learned: bool = False
    #: whether the derivative of the objective by the bias is an observable
    has_slope: bool = False

    @classmethod
    def of(cls, loss: Loss | str, labels: str, bias: Any, target: Activation) -> TrainedReadout:
        """Return the readout of constructor arguments, checked."""
        is_learned = isinstance(bias, str) and bias == "learned"
        try:
            value = 1.0 if is_learned else check_value("bias", bias, "real")
        except DomainError:
            raise DomainError(f"bias: got {quote(bias)}; expected a finite real number, or 'learned' for one trained "
                              "with the readout") from None
        found = cls(loss, labels, value, is_learned, is_learned)
        return found if found.is_ridge else found._checked(target)

    def _checked(self, target):
        loss = _loss.get_loss(self.given)
        free = loss.expr.free_symbols - {loss.label, loss.prediction}
        if free:
            raise DomainError(f"loss: got {loss.expr}, which holds {', '.join(sorted(s.name for s in free))}; put "
                              "numbers in their place")
        check_choice("labels", self.labels, ("regression", "sign"))
        _envelope.check_learns(loss, self.labels)
        if self.has_flips and target.expr != target.symbol:
            raise DomainError(f"target: got {target.name!r} with labels='sign'; signs are those of the linear target "
                              "'z', to which noise is added before the sign is taken")
        if not self.has_flips and not _loss.is_of_residuals(loss):
            raise DomainError(f"loss: got {loss.name or str(loss.expr)!r} with labels='regression'; a loss of "
                              "regression labels is one of the residual y - z; losses of labels 1 and -1 take "
                              "labels='sign'")
        is_named = loss.name in _loss.NAMED and _loss.get_loss(loss.name) is loss
        given = self.given if self.scale == 2 else str(loss.name) if is_named else loss
        return replace(self, given=given)

    @property
    def is_ridge(self) -> bool:
        """Return whether it is ridge regression on features without a bias."""
        return self.scale == 2 and not self.has_bias and isinstance(self.labels, str) and self.labels == "regression"

    @property
    def is_half_square(self) -> bool:
        """Return whether one set of equations, with tabulated means, serves any target."""
        return not self.has_flips and (self.scale == 2 or self.loss.name == "square")

    @property
    def loss(self) -> Loss:
        return _loss.get_loss(self.given)

    @property
    def text(self) -> str:
        """Return the loss as messages quote it."""
        return str(self.loss.name or self.loss.expr)

    @property
    def scale(self) -> int:
        """Return 2 for a loss and a penalty that are written without a factor 1/2."""
        return 2 if isinstance(self.given, str) and self.given == "square" else 1

    @property
    def has_flips(self) -> bool:
        return self.labels == "sign"

    @property
    def has_bias(self) -> bool:
        return self.has_slope or self.bias != 0.0

    def has_even_parts(self, functions: Mapping[str, Activation]) -> bool:
        """Return whether student and target of regression labels both have even parts.

        Then labels depend on the norm of an input, which moves the means of all units at a finite width.
        """
        is_odd = functions["student"].parity == "odd" and not self.has_bias
        return not self.has_flips and not is_odd and functions["target"].parity != "odd"

    @property
    def exact_bias(self) -> Fraction:
        """Return the bias as a fraction: a float is read by its shortest decimal text."""
        return self.bias if isinstance(self.bias, Fraction) else Fraction(repr(self.bias))

    @property
    def chosen(self) -> dict[str, Any]:
        """Return the constructor arguments that differ from those of ridge regression."""
        bias = "learned" if self.is_learned else self.bias
        found = {"loss": (self.given, "square"), "labels": (self.labels, "regression"), "bias": (bias, 0.0)}
        return {name: value for name, (value, usual) in found.items() if value != usual}

    def shift(self, student: Activation) -> Activation:
        """Return the student with the bias in its argument."""
        if not self.bias:
            return student
        z = student.symbol
        return _student_target.activation(student.expr.xreplace({z: z + Rational(self.exact_bias)}))

    def task(self, flip: float = 0.0) -> Task:
        """Return the training task of a simulation."""
        return _convex.Task(_convex_simulation.array_loss(self.loss), self.labels, flip, self.scale)

    def check_range(self, student: Activation, lam: float, spread: float) -> None:
        """Raise if doubles cannot represent the readout, or the variation of the features."""
        if lam > _LARGEST_PENALTY:
            raise LostDigitsError(f"lam: got {lam:g}; the readout is of size 1/lam, and products of its squares are "
                                  f"below the smallest float: expected at most {_LARGEST_PENALTY:g}, or precise()")
        seen = student(_SEEN * spread + float(self.bias))
        if np.ptp(seen) <= _CONSTANT * np.max(np.abs(seen)):
            raise LostDigitsError(f"bias: got {float(self.bias):g}; features of {student.name!r} are saturated there: "
                                  f"they vary by {np.ptp(seen):.1e} around {seen[0]:g}, which is their rounding: "
                                  "expected features that vary, or precise()")


def number(value: Any) -> float:
    """Return a number given as one, or as a text; NaN for arrays and invalid values."""
    try:
        return float(Fraction(value) if isinstance(value, str) and value.strip().lower() not in ("inf", "infinity")
                     else value)
    except (TypeError, ValueError):
        return math.nan
