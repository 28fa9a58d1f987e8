r"""Readouts of a given first layer: the joint law of Assumption 3.2 in arXiv 2402.04980, from actual weights.

The layer is split, and its law computed, in :mod:`.first_layer`; the free energy is that of any bulk.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from sympy import Symbol

from ...codegen import write_kernel
from ...errors import DomainError, NotAvailableError, ProofError
from ...losses.loss import get_loss
from ...nodes import bind
from ...once import computed_once
from ...program import build
from ...sensitivity.run import Tangent, check_parameter, tangent_kernel
from ...sensitivity.tangent import tangent_program
from ...simulate import simulate_weights
from ...simulate.convex import Task
from ...solve.kernel import Kernel, SolverOptions
from ..declaration import Assumption, broken, read_values
from ..declared import Point
from ..ridge.ridgeless import required
from ..simulator import Simulator, size
from .along_spike import AlongSpike
from .channel import FLIP, MIXED, half_square, regression, sign_labels
from .convex import expand_tabulated
from .convex_equations import BIAS, Setting
from .convex_simulation import array_loss
from .equations import SquareLoss, free_energy, saddle_point, spiked_parameters, unknowns
from .first_layer import FirstLayer, given_bulk
from .readout import FLIPS
from .ridge import starts
from .simulation import get_simulation_grid
from .theory import RIDGE

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from numpy.typing import ArrayLike
    from sympy import Expr

    from ...equations.system import System
    from ...program.names import Names
    from ...program.statements import Program
    from .theory import SpikedFeatures

__all__ = ["GivenFirstLayer"]

#: variance of projections on the spike, over that of an isotropic bulk, above which units differ in strength
_UNEVEN = 10.0
#: start of Newton's method for losses other than the square
_START = {"V1": 1.0, "V2": 1.0, "q1": 2.0, "q2": 1.0, "theta": 1.0, "psi": 0.1, "m": 0.5}


class GivenFirstLayer(AlongSpike):
    """Solve the readout of a given first layer: made by :meth:`asympkit.SpikedFeatures.from_weights`.

    Notes
    -----
    Spike strength ``r``, norm ``c``, overlap ``gamma`` and width follow from the layer.  Units whose strengths differ
    much are not those of this theory: a warning says so.
    """

    name = "given first layer"
    derived_names = ("r", "gamma", "c")
    limit = None

    def __init__(self, theory: SpikedFeatures, W: ArrayLike, target_direction: ArrayLike,
                 spike: ArrayLike | None = None) -> None:
        self.functions = theory.functions
        self.chosen = {n: v for n, v in theory.chosen.items() if n in ("loss", "labels", "bias")}
        if self.chosen.get("bias") == "learned":
            raise DomainError("bias: got 'learned' with given weights; expected a number, bias=...")
        self.layer = FirstLayer(W, target_direction, spike)
        self.has_flips = self.chosen.get("labels") == "sign"
        self.declared = (*(p for p in required(RIDGE) if p.name != "beta"), *[FLIPS] * self.has_flips)
        if self.layer.numbers["rho"] == 0.0 and self.chosen:
            raise DomainError("target_direction: got the direction of the spike with options other than the defaults, "
                              "which need a part of the target beside it; expected another spike, or the square loss "
                              "without a bias")

    @computed_once
    def assumptions(self) -> tuple[Assumption, ...]:
        """Return the assumption that all units share the strength of the spike."""
        return (Assumption(
            lambda v: self.layer.unevenness <= _UNEVEN,
            lambda v: f"projections of the rows on the spike vary {self.layer.unevenness:.2g} times as much as those "
            "of an isotropic bulk: the units do not share one strength (several classes of hidden units)"),)

    @computed_once
    def channel(self) -> SquareLoss | Setting:
        """Return loss and labels over the bulk of the layer."""
        if not self.chosen:
            return SquareLoss(given_bulk())
        loss, has_bias = get_loss(self.chosen.get("loss", "square")), bool(self.chosen.get("bias", 0.0))
        if self.has_flips:
            of_labels = sign_labels(loss, MIXED)
        elif loss.name == "square":
            of_labels = half_square()
        else:
            of_labels = regression(loss, self.target.expr, self.target.symbol, MIXED)
        return Setting(of_labels, self.scale, self.has_flips, has_bias, bulk=given_bulk())

    @property
    def scale(self) -> int:
        """Return 2 for the square loss, which is written without a factor 1/2."""
        return 2 if self.chosen.get("loss", "square") == "square" else 1

    @property
    def applied_free_energy(self) -> Expr:
        return free_energy(self.channel)

    @property
    def free_energy(self) -> Expr:  # type: ignore[override]     # other theories are given one
        return bind(expand_tabulated(self.applied_free_energy), self.functions)

    @computed_once
    def lowered_system(self) -> System:
        return saddle_point(self.channel)

    @computed_once
    def system(self) -> System:
        return self.lowered_system.rewritten(expand_tabulated).with_(functions=self.functions)

    @computed_once
    def parameters(self):
        """Return the parameters of the program, in the order of the kernel."""
        bias = bool(self.chosen.get("bias", 0.0))
        return (*spiked_parameters(), *given_bulk().parameters, *[FLIP] * self.has_flips, *[BIAS] * bias)

    @computed_once
    def program(self) -> tuple[Program, Names]:
        return self._placed(*build(self.lowered_system, self.parameters))

    def _placed(self, program, names):
        return (program if isinstance(self.channel, SquareLoss) else self.channel.place_inner_nodes(program)), names

    @computed_once
    def kernel(self) -> Kernel:
        title = f"Readout of a given first layer, student {self.student.name}"
        text = write_kernel(*self.program, title)
        if not self.chosen:
            return Kernel.from_source(text, SolverOptions(guess_start=starts))
        start = {u.name: _START.get(u.name, 0.5 if u.is_positive else 0.0) for u in unknowns(self.channel)}
        return Kernel.from_source(text, SolverOptions(
            start, continuation_parameter="lam", may_vanish=("theta", "psi", "m"), has_units=True, is_known_unique=True,
            auxiliary=("chihat",), vanishing_outputs=("theta", "psi", "m", "thetahat", "psihat", "train_error",
                                                      "train_loss")))

    # -- points -----------------------------------------------------------------------------------

    @property
    def table_names(self) -> tuple[str, ...]:
        tables = {s.name for s in self.program[0].table_parameters}
        return tuple(p.name for p in self.declared if p.name in tables)

    @property
    def array_names(self) -> tuple[str, ...]:
        return self.program[0].arrays

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(p.name for p in self.declared)

    def given(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        arrays = {n: self.layer.arrays[n] for n in self.array_names}
        return {**super().given({n: v for n, v in parameters.items() if n not in arrays}), **arrays}

    def locate_point(self, parameters: Mapping[str, Any], digits: int = 0) -> Point:
        values = {n: v for n, v in parameters.items() if n not in self.array_names}
        given, numbers = read_values(self.declared, values, self.name), self.layer.numbers
        shown = {**given, **{n: numbers[n] for n in ("r", "c", "gamma", "beta")}, "width": len(self.layer.weights)}
        known, program = {**given, **numbers, "bias": self.chosen.get("bias", 0.0)}, self.program[0]
        self.student.require_second_moment(shown["r"] ** 2 + shown["c"])
        self.target.require_second_moment(1.0)
        return Point(tuple(known[s.name] for s in program.parameters),
                     tuple(known[s.name] for s in program.table_parameters),
                     tuple(self.layer.arrays[n] for n in program.arrays), shown, broken(self.assumptions, shown))

    def precise_values(self, parameters: Mapping[str, Any], numbers: Any) -> dict[Symbol, Any]:
        usual = {p.name: p.default for p in self.declared if not p.is_required}
        known = {**usual, **self.layer.numbers, "bias": self.chosen.get("bias", 0.0), **parameters}
        return {s: numbers.number(known[s.name]) for s in self.parameters}

    def certify(self, **keywords: Any) -> Any:
        """Raise: a proof needs exact numbers, and those of a layer are the results of floats."""
        raise ProofError("certify: the eigenvalues of a given layer are computed in floats, and a proof needs "
                         "exact numbers; precise() has the digits of these floats")

    def source(self) -> str:
        """Raise: an exported module would hold the layer."""
        raise NotAvailableError("generate: the equations of a given layer are sums over its eigenvalues, of which an "
                                "exported module would hold thousands; expected the isotropic bulk, SpikedFeatures")

    # -- derivatives ------------------------------------------------------------------------------

    def tangent(self, parameter: str, parameters: Mapping[str, Any], point: Point) -> Tangent:
        check_parameter(parameter, self.smooth, self.name)
        if parameter not in self._tangents:
            (moved,) = (s for s in self.parameters if s.name == parameter)
            program, names = self._placed(*tangent_program(self.lowered_system, self.parameters,
                                                           {moved: Symbol("rate", real=True)}))
            text = write_kernel(program, names, f"Derivatives by {parameter}")
            self._tangents[parameter] = tangent_kernel(text, self)
        kernel, values = self._tangents[parameter], (*point.values, 1.0)
        known = dict(zip(kernel.module.PARAMETERS, values))
        return Tangent(kernel, values, tuple(known[n] for n in kernel.module.TABLE_PARAMETERS))

    @computed_once
    def _tangents(self):
        return {}


def _simulate(theory, parameters, *, test_size, **how):
    grid, at = get_simulation_grid({n: v for n, v in parameters.items() if n not in theory.array_names},
                                   theory.declared)
    p, layer, bias = read_values(theory.declared, at, theory.name), theory.layer, theory.chosen.get("bias", 0.0)
    task, root = None, math.sqrt(len(layer.direction))
    if theory.chosen.keys() - {"bias"}:
        labels, loss = theory.chosen.get("labels", "regression"), get_loss(theory.chosen.get("loss", "square"))
        task = Task(array_loss(loss), labels, flip=p.get("flip", 0.0), scale=theory.scale)
    student = partial(_shifted, theory.student, bias) if bias else theory.student
    return simulate_weights(student, theory.target, weights=layer.weights, bulk=layer.bulk, spike=root * layer.spike,
                            direction=root * layer.direction, noise_variance=p["noise_variance"], task=task,
                            test_size=test_size, **how, **grid)


def _shifted(function, shift, x):
    return np.asarray(function(x + shift), dtype=float)


GivenFirstLayer.simulator = Simulator(_simulate, (size("test_size", "fresh inputs of each repeat"),),
                                      axes=("alpha", "lam"), compares_all=True)
