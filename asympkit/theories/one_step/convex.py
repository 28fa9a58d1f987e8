"""``ak.OneStep`` with a convex loss or with sign labels in the second step."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from ...errors import DomainError
from ...once import computed_once
from ...simulate import simulate_network, simulate_spiked
from ..declaration import broken, read_values
from ..declared import Point
from ..ridge.ridgeless import required
from ..simulator import Simulator, choice, size
from ..spiked_features.channel import ALIGNED, FLIP, MIXED, NOISELESS
from ..spiked_features.convex import FLIPS, ConvexFeatures, number
from ..spiked_features.convex_equations import BIAS
from ..spiked_features.convex_simulation import check_is_reached
from ..spiked_features.equations import symbols
from ..spiked_features.theory import RIDGE, common_precise, is_about, simulated_grid
from ..spiked_features.width import width_notes
from .parameters import step_map
from .shipped import convex_module_source
from .theory import OneStep

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from mpmath import mpf
    from sympy import Expr, Symbol

    from ...annotations import FloatsMean, Number, Start, Value
    from ...certify.solutions import CertifiedSolution
    from ...equations.system import System
    from ...program.names import Names
    from ...program.statements import Program
    from ...sensitivity.run import Tangent
    from ...solve.kernel import Kernel
    from ...solve.solution import Solution

__all__ = ["ConvexStep"]


class ConvexStep(OneStep):
    """Solve :class:`~asympkit.OneStep` with another loss than the square, or with labels 1 and -1.

    The first step is on half the mean squared error of the labels, whatever the loss of the second.  Signs have
    mean square 1 and the linear part :math:`s\\sqrt{2/\\pi}`, :math:`s=(1-2\\epsilon)/\\sqrt{1+\\Delta}`: for odd
    students the step is that on a noisy sign, with learning rate :math:`\\eta s`.
    """

    limit = None
    table_names = ("eta", "alpha0", "beta", "noise_variance", "flip")

    def __init__(self, student, target, loss="square", labels="regression", bulk="isotropic", bias=0.0,
                 kind=(MIXED, 1)):
        self.features = ConvexFeatures(student, target, loss, labels, bias, *kind)
        self.functions, self.kind, self.arguments = self.features.functions, kind, (loss, labels, bulk, bias)
        more = [FLIPS] * self.has_flips
        self.declared = (*(p for p in OneStep.declared if p.name in ("eta", "alpha0")), *required(RIDGE), *more)
        self.smooth = (*OneStep.smooth, *(p.name for p in more))
        if self.has_flips:
            if self.student.parity != "odd":
                raise DomainError(f"student: got {self.student.name!r} with labels={labels!r}, which is not odd; the "
                                  "first step on signs is known of odd students")
            self.on_signs = OneStep(self.student, "sign")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.student, self.target, *self.arguments, self.kind)

    @property
    def has_flips(self) -> bool:
        return self.features.has_flips

    @property
    def chosen(self) -> dict[str, Any]:  # type: ignore[override]
        """Return the constructor arguments of the features."""
        return self.features.chosen

    @property
    def free_energy(self) -> Expr:  # type: ignore[override]     # other theories are given one
        return self.features.free_energy

    @property
    def applied_free_energy(self) -> Expr:
        return self.features.applied_free_energy

    @property
    def lowered_system(self) -> System:
        return self.features.lowered_system

    @property
    def system(self) -> System:
        return self.features.system

    @property
    def program(self) -> tuple[Program, Names]:
        return self.features.program

    @property
    def kernel(self) -> Kernel:
        return self.features.kernel

    def precise(self, *, digits: int = 40, start: Start | None = None, **parameters: Value) -> Solution[mpf]:
        """Solve in arbitrary precision, if the channel term at a projection on the spike has a closed form."""
        self.features.check_digits_are_there()
        return super().precise(digits=digits, start=start, **parameters)

    def checked_digits(self, parameters: Mapping[str, Any]) -> int:
        return self.features.checked_digits(parameters)

    def certify(self, *, digits: int = 30, floats: FloatsMean = "refuse", **parameters: Value) -> CertifiedSolution:
        """Prove the digits, for the losses that :class:`~asympkit.SpikedFeatures` proves."""
        self.features.check_proofs_are_there()
        return super().certify(digits=digits, floats=floats, **parameters)

    def source(self) -> str:
        """Return the source text of the exported module, for this loss, student and target."""
        return convex_module_source(self)

    # -- points -----------------------------------------------------------------------------------

    def regime(self, verb: str, keywords: Mapping[str, Any]) -> ConvexStep:
        """Return the theory for the alpha0 of a call: the population gradient lies along the target."""
        if is_about("width", verb, keywords):
            raise self.features.no_width(keywords)
        given = {**keywords, **(keywords.get("parameters") or {})}
        kind = MIXED, 1
        is_along = not self.features.is_half_square and number(given.get("alpha0")) == math.inf
        if is_along and number(given.get("eta")) != 0.0:
            linear = 1.0 if self.has_flips else float(self.target.hermite_coefficients(1)[1])
            if linear != 0.0:
                is_noiseless = self.has_flips and number(given.get("noise_variance", 0.0)) == 0.0
                kind = NOISELESS if is_noiseless else ALIGNED, 1 if linear > 0.0 else -1
        if kind == self.kind:
            return self
        if kind not in self._others:
            loss, labels, bulk, bias = self.arguments
            self._others[kind] = ConvexStep(self.student, self.target, loss, labels, bulk, bias, kind)
        return self._others[kind]

    @computed_once
    def _others(self):
        return {}

    def _step_parameters(self, values):
        if not self.has_flips:
            return super()._step_parameters(values)
        return self.on_signs._step_parameters(self._as_noisy_sign(values))

    def parameters_at(self, *, eta: Number, alpha0: Number, beta: Number = 1, noise_variance: Number = 0,
                      flip: Number = 0) -> dict[str, float]:
        """Return the same as :class:`~asympkit.OneStep`, for labels of which a share ``flip`` is flipped."""
        given = {"eta": eta, "alpha0": alpha0, "beta": beta, "noise_variance": noise_variance, "flip": flip}
        r, c, gamma, _ = self._step_parameters({p.name: p.check(given[p.name]) for p in self.declared
                                                if p.name in given})
        return {"r": r, "gamma": gamma, "c": c}

    @staticmethod
    def _as_noisy_sign(values):
        """Return the parameters of the same step on a sign with additive noise."""
        share = _share(values)
        return {**values, "eta": values["eta"] * share, "noise_variance": (1.0 - share**2) / share**2}

    def located(self, parameters: Mapping[str, Any], digits: int = 0) -> Point:
        values = read_values(self.declared, parameters, self.name)
        r, c, gamma, rho = self._step_parameters(values)
        if not self.features.is_half_square and (abs(gamma) == 1.0) is not (self.kind[0] != MIXED):
            raise DomainError(f"alpha0: got {values['alpha0']!r} among others; the population gradient has its own "
                              "equations: give alpha0=inf alone")
        shown = {**values, "r": r, "c": c, "gamma": gamma}
        if self.kind[0] == NOISELESS:
            check_is_reached(self.features.task.loss, self.features.shifted_student, shown,
                             f"alpha0: got {values['alpha0']!r}")
        self.features.check_range(values["lam"], math.sqrt(r * r + c))
        self.features.shifted_student.require_second_moment(r * r + c)
        self.target.require_second_moment(1.0)
        known, module = {**shown, "rho": rho, "bias": self.features.bias}, self.kernel.module
        return Point(tuple(known[n] for n in module.PARAMETERS), tuple(known[n] for n in module.TABLE_PARAMETERS), (),
                     shown, broken(self.assumptions, shown))

    def precise_values(self, parameters: Mapping[str, Any], numbers: Any) -> dict[Symbol, Any]:
        at, flip = self._of_step(parameters), {}
        if self.has_flips:
            flip = {FLIP: numbers.number(parameters.get("flip", 0))}
            noise = numbers.number(at["noise_variance"])
            share = (1 - 2 * flip[FLIP]) / numbers.sqrt(1 + noise)
            at = {**at, "eta": numbers.number(at["eta"]) * share, "noise_variance": (1 - share**2) / share**2}
        functions = self.on_signs.functions if self.has_flips else self.functions
        step = step_map().numbers(at, numbers, functions)
        return {**common_precise(parameters, numbers), **{getattr(symbols(), n): v for n, v in step.items()}, **flip,
                **({BIAS: numbers.number(self.features.exact_bias)} if self.features.bias else {})}

    # -- derivatives ------------------------------------------------------------------------------

    def tangent(self, parameter: str, parameters: Mapping[str, Any], point: Point) -> Tangent:
        return self.features.along(self, self.rates(parameter, parameters, point), parameter, point)

    def rates(self, parameter: str, parameters: Mapping[str, Any], point: Point) -> dict[str, float]:
        if not self.has_flips or parameter in ("alpha", "lam"):
            return super().rates(parameter, parameters, point)
        shown, own = point.shown, {} if parameter in ("eta", "alpha0") else {parameter: 1.0}
        at, share = self._as_noisy_sign(shown), _share(shown)
        signs = self.on_signs
        if parameter in ("alpha0", "beta"):
            return {**own, **step_map().rates(parameter, at, signs.functions, signs._settled)}
        by_eta, by_noise = (step_map().rates(n, at, signs.functions, signs._settled) for n in ("eta", "noise_variance"))
        if parameter == "eta":
            return {n: share * v for n, v in by_eta.items()}
        noise = 1.0 + shown["noise_variance"]
        moved = -share / (2.0 * noise) if parameter == "noise_variance" else -2.0 / math.sqrt(noise)
        return {**own, **{n: moved * (shown["eta"] * v - 2.0 / share**3 * by_noise[n]) for n, v in by_eta.items()}}


def _share(values):
    """Return the covariance of a label with the linear part of the clean sign, over that of the clean sign."""
    share = (1.0 - 2.0 * values["flip"]) / math.sqrt(1.0 + values["noise_variance"])
    if share == 0.0:
        raise DomainError(f"flip: got {values['flip']!r}; such labels are independent of the target, and the first "
                          "step has no direction: expected another share")
    return share


def _simulate(theory, parameters, *, d, model, **how):
    """Simulate the real network with a real first step on the labels, or spiked features with an isotropic bulk."""
    grid, at = simulated_grid(parameters, theory.declared)
    p = {**read_values(theory.declared, at, theory.name), **grid}
    flip = p.pop("flip", 0.0)
    task = replace(theory.features.task, flip=flip)
    trained = theory.features.shifted_student
    if model == "network":
        return simulate_network(theory.student, theory.target, d=d, task=task, trained=trained, **p, **how)
    r, c, gamma, _ = theory._step_parameters({**p, "flip": flip})
    p = {name: value for name, value in p.items() if name not in ("eta", "alpha0")}
    return simulate_spiked(trained, theory.target, d=d, r=r, gamma=gamma, c=c, task=task, **p, **how)


ConvexStep.simulator = Simulator(
    _simulate, (size("d", "input dimension"),
                choice("model", "the trained network, or spiked features with an isotropic bulk",
                       ("network", "spiked"), "network")),
    axes=("alpha", "lam"), notes=width_notes)
