"""``ak.OneStep`` with a convex loss or with sign labels in the second step."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from ...arguments.domains import check_choice
from ...errors import DomainError, NotAvailableError
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
from ..spiked_features.theory import RIDGE, WIDTH, common_precise, get_simulation_grid, involves_parameter
from ..spiked_features.width import width_notes
from ..student_target import activation
from .codegen_targets import convex_module_source
from .exact import FirstBatch
from .exact_equations import exact_bulk
from .exact_module import IsotropicStart
from .exact_parameters import tilt_map
from .finite_width import require_slope
from .parameters import arguments, step_map
from .readout_values import read_readout
from .theory import OneStep

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from mpmath import mpf
    from sympy import Expr, Symbol

    from ...annotations import Floats, FloatsMean, Number, Start, Value
    from ...certify.solutions import CertifiedSolution
    from ...equations.system import System
    from ...program.names import Names
    from ...program.statements import Program
    from ...sensitivity.run import Tangent
    from ...solve.kernel import Kernel
    from ...solve.solution import Solution
    from ..declaration import Assumption

__all__ = ["ConvexStep"]


class ConvexStep(OneStep):
    """Solve :class:`~asympkit.OneStep` with another loss than the square, or with labels 1 and -1.

    The first step is on half the mean squared error of the labels, whatever the loss of the second.
    """

    limit = None

    def __init__(self, student, target, loss="square", labels="regression", bulk="isotropic", bias=0.0,
                 kind=(MIXED, 1, False), readout=None):
        check_choice("labels", labels, ("regression", "sign"))
        self.functions = {"student": activation(student), "target": activation(target)}
        self.kind, self.arguments = kind, (loss, labels, bulk, bias)
        self.readout_values = read_readout(readout or [(1, 1)])
        self.first_labels, self.step_arguments = labels, arguments(labels)
        is_exact = bulk == "exact" and (self.student.parity != "even" or kind[2])
        self.batch = FirstBatch(self, self.student.parity == "odd") if is_exact else None
        over = exact_bulk(self.batch.is_odd, labels) if self.batch else None
        features = _ExactFeatures if self.batch else ConvexFeatures
        self.features = features(student, target, loss, labels, bias, *kind, over if kind[2] or not over
                                 else over.limit())
        more = [FLIPS] * self.has_flips
        self.declared = (*(p for p in OneStep.declared if p.name in ("eta", "alpha0")), *required(RIDGE), WIDTH, *more)
        self.smooth = (*OneStep.smooth, *(p.name for p in more), *["width"] * kind[2])

    @computed_once
    def assumptions(self) -> tuple[Assumption, ...]:
        """Return the assumptions on student and step; none on the bulk where it is exact."""
        if self.arguments[2] == "isotropic":
            return super().assumptions
        return ()

    @property
    def table_names(self) -> tuple[str, ...]:  # type: ignore[override]
        return (*self.step_arguments, *["width"] * self.kind[2])

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.student, self.target, *self.arguments, self.kind, self.readout_values)

    @property
    def has_flips(self) -> bool:
        return self.features.has_flips

    @property
    def chosen(self) -> dict[str, Any]:  # type: ignore[override]
        """Return the constructor arguments of the features, and the bulk."""
        bulk = self.arguments[2]
        return {**self.features.chosen, **({} if bulk == "isotropic" else {"bulk": bulk})}

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

    def default_check_digits(self, parameters: Mapping[str, Any]) -> int:
        return self.features.default_check_digits(parameters)

    def certify(self, *, digits: int = 30, floats: FloatsMean = "refuse", **parameters: Value) -> CertifiedSolution:
        """Prove the digits, for the losses that :class:`~asympkit.SpikedFeatures` proves."""
        self.features.check_proofs_are_there()
        return super().certify(digits=digits, floats=floats, **parameters)

    def source(self) -> str:
        """Return the source text of the exported module, for this loss, student and target."""
        if (several := self.find_classes({})) is not None:
            return several.source()
        if self.batch:
            raise NotAvailableError("generate: bulk='exact' is exported for the square loss with regression labels "
                                    "alone; solve() and the other methods have other losses: expected "
                                    "bulk='isotropic'")
        return convex_module_source(self)

    # -- points -----------------------------------------------------------------------------------

    def regime(self, method: str, keywords: Mapping[str, Any]) -> Any:
        """Return the theory for the alpha0 of a call: the population gradient lies along the target."""
        if (several := self.find_classes(keywords)) is not None:
            return several
        given = {**keywords, **(keywords.get("parameters") or {})}
        teacher = MIXED, 1
        is_along = not self.features.is_half_square and number(given.get("alpha0")) == math.inf
        if is_along and number(given.get("eta")) != 0.0:
            linear = 1.0 if self.has_flips else float(self.target.hermite_coefficients(1)[1])
            if linear != 0.0:
                is_noiseless = self.has_flips and number(given.get("noise_variance", 0.0)) == 0.0
                teacher = NOISELESS if is_noiseless else ALIGNED, 1 if linear > 0.0 else -1
        kind = (*teacher, involves_parameter("width", method, keywords))
        if kind == self.kind:
            return self
        if kind not in self._others:
            loss, labels, bulk, bias = self.arguments
            self._others[kind] = ConvexStep(self.student, self.target, loss, labels, bulk, bias, kind)
        return self._others[kind]

    @computed_once
    def _others(self):
        return {}

    def _mapped(self, at):
        if not self.has_flips:
            return super()._mapped(at)
        found, error = step_map(self.first_labels).floats(dict(zip(self.step_arguments, at)), self.functions,
                                                          self._settled)
        if math.isinf(at[1]) and found["gamma"]:        # the overlap is exact, and not the quotient of roundings
            found |= {"gamma": math.copysign(1.0, found["gamma"]), "rho": 0.0}
        case = -1 if at[0] and at[1] else 0
        h1 = self._settled.get("h1", float(self.student.hermite_coefficients(1)[1]))
        return *(found[n] for n in ("r", "c", "gamma", "rho")), case, (h1, 1.0), error

    def parameters_at(self, *, eta: Number, alpha0: Number, beta: Number = 1, noise_variance: Number = 0,
                      flip: Number = 0) -> dict[str, float]:
        """Return the same as :class:`~asympkit.OneStep`, for labels of which a share ``flip`` is flipped."""
        given = {"eta": eta, "alpha0": alpha0, "beta": beta, "noise_variance": noise_variance, "flip": flip}
        r, c, gamma, _ = self._step_parameters({p.name: p.check(given[p.name]) for p in self.declared
                                                if p.name in given})
        return {"r": r, "gamma": gamma, "c": c}

    def locate_point(self, parameters: Mapping[str, Any], digits: int = 0) -> Point:
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
        known, module = {**shown, **self._bulk(shown), "rho": rho, "bias": self.features.bias}, self.kernel.module
        return Point(tuple(known[n] for n in module.PARAMETERS), tuple(known[n] for n in module.TABLE_PARAMETERS), (),
                     shown, broken(self.assumptions, shown))

    def precise_values(self, parameters: Mapping[str, Any], numbers: Any) -> dict[Symbol, Any]:
        s, flip = symbols(), {FLIP: numbers.number(parameters.get("flip", 0))} if self.has_flips else {}
        bias = {BIAS: numbers.number(self.features.exact_bias)} if self.features.bias else {}
        if self.batch:
            step = self.batch.precise(parameters, numbers)
        else:
            step = {getattr(s, n): v for n, v in self._precise_step(parameters, numbers).items()}
            if self.kind[2]:
                tilt = tilt_map(self.first_labels).numbers(self._of_step(parameters), numbers, self.functions)
                step |= {s.tilt: tilt["tilt"], s.inverse_width: 1 / numbers.number(parameters["width"])}
        return {**common_precise(parameters, numbers), **step, **flip, **bias}

    def _bulk(self, shown):
        """Return the numbers of the bulk beside those of the isotropic one in the limit, by name."""
        if self.kind[2] and self.kind[0] != MIXED and not self.features.is_half_square:
            raise DomainError(f"width: got {shown['width']:g} with alpha0=inf and the loss "
                              f"{str(self.features.loss.name or self.features.loss.expr)!r}; the population gradient "
                              "along the target has its own equations, which are known in the limit: leave out the "
                              "width, or give a finite alpha0")
        if self.batch:
            return self.batch.numbers(shown)
        if not self.kind[2]:
            return {}
        require_slope(self.target)
        found, _ = tilt_map(self.first_labels).floats({n: shown[n] for n in self.step_arguments}, self.functions,
                                                      self._settled)
        return {**found, "inverse_width": 1.0 / shown["width"]}

    # -- derivatives ------------------------------------------------------------------------------

    def tangent(self, parameter: str, parameters: Mapping[str, Any], point: Point) -> Tangent:
        return self.features.along(self, self.derivatives(parameter, parameters, point), parameter, point)

    def derivatives(self, parameter: str, parameters: Mapping[str, Any], point: Point) -> dict[str, float]:
        if parameter == "width":
            return {"inverse_width": -1.0 / point.shown["width"] ** 2}
        rates = super().derivatives(parameter, parameters, point)
        if self.batch:
            return rates | self.batch.derivatives(parameter, point.shown)
        if self.kind[2] and parameter in self.step_arguments:
            rates |= tilt_map(self.first_labels).derivatives(parameter, point.shown, self.functions, self._settled)
        return rates


class _ExactFeatures(ConvexFeatures):
    """Solve features over the bulk of a real step, from the solution over the isotropic bulk."""

    def near(self, values: Mapping[str, Floats]) -> dict[str, Floats]:
        return self._start(values)

    @computed_once
    def _start(self):
        isotropic = ConvexFeatures(self.student, self.target, self._loss_given, self.labels, self.bias, self.teacher,
                                   self.direction)
        return IsotropicStart(self.student, self.target, isotropic.kernel)


def _simulate(theory, parameters, *, d, model, **how):
    """Simulate the real network with a real first step on the labels, or spiked features with an isotropic bulk."""
    grid, at = get_simulation_grid(parameters, theory.declared)
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
