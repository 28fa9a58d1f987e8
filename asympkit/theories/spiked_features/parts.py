"""The parts of theories with a spike: the trained readout, the case of the equations, a given layer, ridge regression.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from sympy import Rational

from ...arguments import check_choice, check_value, quote
from ...errors import DomainError, LostDigitsError
from ...once import Deferred, computed_once
from ...solve.kernel import Kernel, SolverOptions
from ..declaration import Parameter
from ..ridge import Ridgeless, is_affine

if TYPE_CHECKING:
    from ...losses import Loss

_loss = Deferred("asympkit.losses.loss")
_complex_step = Deferred("asympkit.sensitivity.complex_step")
_run = Deferred("asympkit.sensitivity.run")
_simulators = Deferred("asympkit.simulate.convex")
_convex = Deferred("asympkit.theories.spiked_features.convex")
_classes = Deferred("asympkit.theories.spiked_features.classes")
_equations = Deferred("asympkit.theories.spiked_features.equations")
_activation = Deferred("asympkit.activations.activation")

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
    def of(cls, loss, labels, bias, target):
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
        _loss.check_learns(loss, self.labels)
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
    def is_ridge(self):
        """Return whether it is ridge regression on features without a bias."""
        return self.scale == 2 and not self.has_bias and isinstance(self.labels, str) and self.labels == "regression"

    @property
    def is_half_square(self):
        """Return whether one set of equations, with tabulated means, serves any target."""
        return not self.has_flips and (self.scale == 2 or self.loss.name == "square")

    @property
    def loss(self):
        return _loss.get_loss(self.given)

    @property
    def text(self):
        """Return the loss as messages quote it."""
        return str(self.loss.name or self.loss.expr)

    @property
    def scale(self):
        """Return 2 for a loss and a penalty that are written without a factor 1/2."""
        return 2 if isinstance(self.given, str) and self.given == "square" else 1

    @property
    def has_flips(self):
        return self.labels == "sign"

    @property
    def has_bias(self):
        return self.has_slope or self.bias != 0.0

    def has_even_parts(self, functions):
        """Return whether student and target of regression labels both have even parts.

        Then labels depend on the norm of an input, which moves the means of all units at a finite width.
        """
        is_odd = functions["student"].parity == "odd" and not self.has_bias
        return not self.has_flips and not is_odd and functions["target"].parity != "odd"

    @property
    def exact_bias(self):
        """Return the bias as a fraction: a float is read by its shortest decimal text."""
        return self.bias if isinstance(self.bias, Fraction) else Fraction(repr(self.bias))

    @property
    def chosen(self):
        """Return the constructor arguments that differ from those of ridge regression."""
        bias = "learned" if self.is_learned else self.bias
        found = {"loss": (self.given, "square"), "labels": (self.labels, "regression"), "bias": (bias, 0.0)}
        return {name: value for name, (value, usual) in found.items() if value != usual}

    def shift(self, student):
        """Return the student with the bias in its argument."""
        if not self.bias:
            return student
        z = student.symbol
        return _activation.shared_activation(student.expr.xreplace({z: z + Rational(self.exact_bias)}))

    def task(self, flip=0.0):
        """Return the training task of a simulation."""
        return _simulators.Task(_convex.array_loss(self.loss), self.labels, flip, self.scale)

    def check_range(self, student, lam, spread):
        """Raise if doubles cannot represent the readout, or the variation of the features."""
        if lam > _LARGEST_PENALTY:
            raise LostDigitsError(f"lam: got {lam:g}; the readout is of size 1/lam, and products of its squares are "
                                  f"below the smallest float: expected at most {_LARGEST_PENALTY:g}, or precise()")
        seen = student(_SEEN * spread + float(self.bias))
        if np.ptp(seen) <= _CONSTANT * np.max(np.abs(seen)):
            raise LostDigitsError(f"bias: got {float(self.bias):g}; features of {student.name!r} are saturated there: "
                                  f"they vary by {np.ptp(seen):.1e} around {seen[0]:g}, which is their rounding: "
                                  "expected features that vary, or precise()")


def number(value):
    """Return a number given as one, or as a text; NaN for arrays and invalid values."""
    try:
        return float(Fraction(value) if isinstance(value, str) and value.strip().lower() not in ("inf", "infinity")
                     else value)
    except (TypeError, ValueError):
        return math.nan


class GivenLayer:
    """Take the spike and the norm of the rows as they are given, over an isotropic bulk."""

    names = smooth = ("r", "c", "gamma")
    #: the parameter that puts the target along the spike
    along = "gamma"

    def __init__(self, rows="sphere"):
        self.rows = rows

    def bulk(self, has_width):
        """Return the averages over the bulk."""
        return _classes.bulk_of_rows(self.rows, has_width)

    def floats(self, shown, parameters, digits=0):
        """Return the quantities of the layer that the equations need in double precision, by name."""
        gamma = shown["gamma"]
        return {"r": shown["r"], "c": shown["c"], "gamma": gamma, "rho": math.sqrt((1.0 - gamma) * (1.0 + gamma)),
                "inverse_width": 1.0 / shown.get("width", math.inf), "tilt": 0.0}

    def numbers(self, parameters, numbers, has_width):
        """Return the same in a number system, by symbol."""
        s = _equations.symbols()
        r, c, gamma = (numbers.number(parameters[n]) for n in self.names)
        width = {}
        if has_width:
            width = {s.inverse_width: 1 / numbers.number(parameters["width"]), s.tilt: numbers.number(0)}
        return {s.r: r, s.c: c, s.gamma: gamma, s.rho: numbers.sqrt((1 - gamma) * (1 + gamma)), **width}

    def derivatives(self, parameter, shown):
        """Return the derivatives of the parameters of the equations by one of the theory, by name."""
        return _equations.differentiate_layer(parameter, shown["gamma"])

    def describe(self, shown):
        """Return the description of the layer for the simulator of spiked features."""
        return {n: shown[n] for n in ("r", "c", "gamma")}


# -- solvers ----------------------------------------------------------------------------------------------------------

#: powers of the penalty that quantities scale with, with fewer samples than features; over any bulk, at any width
_FEWER = {**dict.fromkeys(("V1", "V2"), -1),
          **dict.fromkeys(("Vhat1", "Vhat2", "thetahat", "psihat", "psi0hat", "chihat", "bhat", "uhat", "what"), 1),
          **dict.fromkeys(("qhat1", "qhat2", "train_error"), 2), "objective": 1}
#: a penalty below this one stands for no penalty
_SMALL = 1e-30


class LossSolver:
    """Base of solvers: equations of a loss over a bulk for one student and target.

    Subclasses have the ``channel``, whose free energy is differentiated, and the ``kernel``.
    """

    limit = None
    #: default number of digits of a check
    digits = 40
    #: whether a path follows all iteration variables
    is_torn_path = False
    #: parameters of the kernel that are square roots
    roots: tuple[str, ...] = ()

    @property
    def lowered_system(self):
        return self.channel.system

    @computed_once
    def system(self):
        return self.lowered_system.with_(functions=self.functions)

    @property
    def program(self):
        return self.channel.program

    @property
    def program_for_proofs(self):
        return self.program

    def tangent(self, rates, point):
        """Return the tangent system in a direction of the parameters."""
        return _run.Tangent.along(self._tangent_kernel, self.kernel.module, rates, point)

    @computed_once
    def _tangent_kernel(self):
        return _run.tangent_kernel(_complex_step.ComplexStep(self.kernel.module, self.roots), self)

    def check_digits_are_there(self):
        """Raise for averages that take hours in multiprecision."""

    def check_proofs_are_there(self):
        """Raise for averages that no proved quadrature rule covers."""


class RidgeEquations(LossSolver):
    """Solve the square loss of regression labels over an isotropic bulk; all students and targets share the kernels."""

    #: starts of an exported module
    starts = ({"V1": 1.0, "V2": 1.0},)

    def __init__(self, functions, has_width):
        self.functions, self.has_width = functions, has_width

    @property
    def channel(self):
        return _equations.ridge(self.has_width)

    @property
    def program_for_proofs(self):
        return self.channel.program_for_proofs

    @property
    def kernel(self):
        return isotropic_kernel(self.has_width)

    @computed_once
    def limit(self):
        """Return the limit without a penalty."""
        student = self.functions["student"]
        size = student.size**2
        return Ridgeless(partial(_excess, student), _FEWER, size=size if 0.0 < size < math.inf else 1.0, lost=_lost,
                         unknown=f"the linear student {student.name!r}, more samples than d and at least d features, "
                                 "which leave its readout undetermined")

    def tangent(self, rates, point):
        if rates == {"lam": 1.0} and not self.has_width:
            return _run.Tangent(self._lam_kernel, point.values)
        return super().tangent(rates, point)

    @computed_once
    def _lam_kernel(self):
        from ...generated.spiked_features import lam
        return _run.tangent_kernel(lam, self)


@cache
def isotropic_kernel(has_width=False):
    """Return the kernel over the isotropic bulk, in the limit or at a width."""
    if has_width:
        from ...generated.spiked_features import finite_width as module
    else:
        from ...generated.spiked_features import kernel as module
    return Kernel(module, SolverOptions(guess_start=starts))


def starts(points):
    """Return large starts of V1 and V2 where they diverge, from parameters by name; an empty dict if none does."""
    diverge = points["lam"] < _SMALL
    if not diverge.any():
        return {}
    diverge &= points["alpha"] < points["beta"]
    V = np.where(diverge, 1.0 / points["lam"], 1.0)
    return {"V1": V, "V2": V}


def _excess(student, values, point):
    """Return the excess of samples over independent features.

    Of a linear student at most d features are independent, and if there are more, V2 may have no limit.
    """
    if not is_affine(student):
        return values["alpha"] - values["beta"]
    excess = values["alpha"] - np.minimum(values["beta"], 1.0)
    return np.where((values["beta"] >= 1.0) & (excess > 0.0), np.nan, excess)


def _lost(outputs, values):
    r"""Return by how much the 1 in :math:`1+V` changes the result.

    This is :math:`E[R/(1+V)^2]` over :math:`E[VR/(1+V)^2]`: if a student saturates, V is small at large projections on
    the spike, and the equations may have another limit than without this 1, or none.
    """
    weighed = outputs["V1"] * outputs["qhat1"] + outputs["V2"] * outputs["qhat2"]
    return outputs["train_error"] * values["alpha"] / (values["beta"] * weighed)
