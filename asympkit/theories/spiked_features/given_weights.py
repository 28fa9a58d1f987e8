r"""Readouts of a given first layer: the joint law of Assumption 3.2 in arXiv 2402.04980, from actual weights.

The layer is split, and its law computed, in :mod:`.first_layer`; the free energy is that of any bulk.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ...codegen import write_kernel
from ...errors import DomainError, NotAvailableError, ProofError
from ...once import computed_once
from ...sensitivity.run import Tangent, check_parameter
from ...simulate import simulate_weights
from ...solve.kernel import Kernel, SolverOptions
from ..declaration import Assumption, broken, read_values
from ..declared import Point
from ..ridge.ridgeless import required
from ..simulator import Simulator, size
from .along_spike import AlongSpike
from .convex import ConvexEquations
from .equations import SquareLoss
from .first_layer import FirstLayer, given_bulk
from .readout import FLIPS, EquationCase
from .ridge import starts
from .simulation import get_simulation_grid
from .theory import RIDGE

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from numpy.typing import ArrayLike
    from sympy import Symbol

    from .theory import SpikedFeatures

#: variance of projections on the spike, over that of an isotropic bulk, above which units differ in strength
_UNEVEN = 10.0


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
        self.functions, self.readout = theory.functions, theory.readout
        if self.readout.is_learned:
            raise DomainError("bias: got 'learned' with given weights; expected a number, bias=...")
        self.chosen, self.layer = self.readout.chosen, FirstLayer(W, target_direction, spike)
        self.declared = (*(p for p in required(RIDGE) if p.name != "beta"), *[FLIPS] * self.readout.has_flips)
        if self.layer.numbers["rho"] == 0.0 and self.chosen:
            raise DomainError("target_direction: got the direction of the spike with options other than the defaults, "
                              "which need a part of the target beside it; expected another spike, or the square loss "
                              "without a bias")
        self.layer.numbers["bias"] = float(self.readout.bias)

    @computed_once
    def assumptions(self) -> tuple[Assumption, ...]:
        """Return the assumption that all units share the strength of the spike."""
        return (Assumption(
            lambda v: self.layer.unevenness <= _UNEVEN,
            lambda v: f"projections of the rows on the spike vary {self.layer.unevenness:.2g} times as much as those "
            "of an isotropic bulk: the units do not share one strength (several classes of hidden units)"),)

    @computed_once
    def solver(self) -> GivenEquations:
        """Return loss and labels over the bulk of the layer, their equations and kernels."""
        return GivenEquations(self.functions, self.readout, EquationCase(has_width=True), given_bulk())

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
        known, program = {**given, **numbers}, self.program[0]
        self.student.require_second_moment(shown["r"] ** 2 + shown["c"])
        self.target.require_second_moment(1.0)
        return Point(tuple(known[s.name] for s in program.parameters),
                     tuple(known[s.name] for s in program.table_parameters),
                     tuple(self.layer.arrays[n] for n in program.arrays), shown, broken(self.assumptions, shown))

    def precise_values(self, parameters: Mapping[str, Any], numbers: Any) -> dict[Symbol, Any]:
        usual = {p.name: p.default for p in self.declared if not p.is_required}
        known = {**usual, **self.layer.numbers, **parameters}
        return {s: numbers.number(known[s.name]) for s in self.solver.channel.parameters}

    def certify(self, **keywords: Any) -> Any:
        """Raise: a proof needs exact numbers, and those of a layer are the results of floats."""
        raise ProofError("certify: the eigenvalues of a given layer are computed in floats, and a proof needs "
                         "exact numbers; precise() has the digits of these floats")

    def source(self, language: str = "python", derivatives: bool = False) -> str:
        """Raise: an exported module would hold the layer."""
        raise NotAvailableError("generate: the equations of a given layer are sums over its eigenvalues, of which an "
                                "exported module would hold thousands; expected the isotropic bulk, SpikedFeatures")

    # -- derivatives ------------------------------------------------------------------------------

    def tangent(self, parameter: str, parameters: Mapping[str, Any], point: Point) -> Tangent:
        check_parameter(parameter, self.smooth, self.name)
        return self.solver.tangent({parameter: 1.0}, point)


class GivenEquations(ConvexEquations):
    """Solve a loss over the bulk of a given layer; ridge regression may have a small penalty."""

    @computed_once
    def channel(self) -> Any:
        if not self.readout.is_ridge:
            return super().channel
        return SquareLoss(self.bulk if self.has_bend else self.bulk.with_odd_labels())

    @computed_once
    def kernel(self) -> Kernel:
        if not self.readout.is_ridge:
            return super().kernel
        program, names = self.program
        return Kernel.from_source(write_kernel(program, names, self._title()), SolverOptions(guess_start=starts))


def _simulate(theory, parameters, *, test_size, **how):
    grid, at = get_simulation_grid({n: v for n, v in parameters.items() if n not in theory.array_names},
                                   theory.declared)
    p, layer, root = read_values(theory.declared, at, theory.name), theory.layer, math.sqrt(len(theory.layer.direction))
    task = theory.readout.task(p.get("flip", 0.0)) if theory.chosen.keys() - {"bias"} else None
    return simulate_weights(theory.readout.shift(theory.student), theory.target, weights=layer.weights,
                            bulk=layer.bulk, spike=root * layer.spike, direction=root * layer.direction,
                            noise_variance=p["noise_variance"], task=task, test_size=test_size, **how, **grid)


GivenFirstLayer.simulator = Simulator(_simulate, (size("test_size", "fresh inputs of each repeat"),),
                                      axes=("alpha", "lam"), compares_all=True)
