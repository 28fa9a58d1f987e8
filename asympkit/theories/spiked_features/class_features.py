"""``ak.SpikedFeatures`` with classes of hidden units, or with orthogonal rows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ...codegen import write_kernel
from ...errors import DomainError, NotAvailableError, ProofError
from ...once import computed_once
from ...solve.kernel import Kernel, SolverOptions
from ..declaration import Parameter, broken, read_values
from ..declared import Point
from ..ridge.ridgeless import required
from ..simulator import Expected, Simulator, size
from .class_starts import far_starts, near_mean_class, near_square_loss
from .classes import UnitClasses, class_symbols
from .convex import ConvexEquations
from .convex_simulation import check_is_reached
from .equations import isotropic
from .readout import ALIGNED, FLIPS, MIXED, NOISELESS, EquationCase, number
from .simulation import check_units, get_simulation_grid, remainder, training
from .theory import RIDGE, SpikedFeatures
from .units import UnitsLayer, merge_equal, read_overlap, read_units, read_width

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ...activations import Activation
    from ...simulate import Simulation
    from .readout import TrainedReadout


class ClassEquations(ConvexEquations):
    """Solve classes of units, whose kernel has the width as a parameter, for any loss."""

    bulk: UnitClasses

    @computed_once
    def kernel(self) -> Kernel:
        x, (first, *others) = class_symbols(self.bulk.count, self.bulk.rank), self.starts
        pairs = [e for of in (x.V, x.Q) for e in of.values() if not e.is_positive]
        means = [e.name for e in (*x.m, *x.psi, *(t for theta in x.theta for t in theta), *pairs)]
        program, names = self.program
        # the objective is strictly convex: there is one readout; beside the responses those of the square are linear
        return Kernel.from_source(write_kernel(program, names, self._title()), SolverOptions(
            first, self.near, None if self.readout.is_half_square else self._nearer, tuple(others),
            continuation_parameter="lam", may_vanish=tuple(means),
            vanishing_outputs=(*means, "train_error", "train_loss"), has_units=True, is_known_unique=True))

    @property
    def starts(self) -> list[dict[str, float]]:
        return far_starts(self.bulk)

    def _near(self, values):
        return near_square_loss(self.bulk, self.readout.shift(self.functions["student"]), values)

    def _nearer(self, values):
        """Return the same with the readout of the mean class."""
        return {**self._near(values), **near_mean_class(self.bulk, self._mean_class, self.functions, values)}

    @computed_once
    def _mean_class(self):
        case = self.case._replace(has_width=self.case.teacher == MIXED)
        return ConvexEquations(self.functions, self.readout, case, isotropic(case.has_width))

    def check_proofs_are_there(self) -> None:
        if self.bulk.count > 1 and not self.bulk.is_orthogonal or self.bulk.rank > 1:
            raise ProofError("certify: the response of a prediction is a quadratic form in the classes of units, whose "
                             "sign is not proved, or an average over several projections: expected one class, or rows="
                             "'orthogonal' with a spike of one direction; precise() has the digits without a proof")
        super().check_proofs_are_there()


class ClassFeatures(SpikedFeatures):
    """Solve :class:`~asympkit.SpikedFeatures` with classes of hidden units, or with orthogonal rows."""

    def __init__(self, functions: Mapping[str, Activation], readout: TrainedReadout, case: EquationCase,
                 layer: Any) -> None:
        self.functions, self.readout, self.case, self.units_layer = dict(functions), readout, case, layer
        width = Parameter("width", "number of hidden units; inf for the limit, which is far from any network with "
                          "several classes", "a positive number, or math.inf", None, read=read_width)
        self.declared = (*layer.declared, *required(RIDGE), *[FLIPS] * readout.has_flips, width)

    @property
    def layer(self) -> Any:
        return self.units_layer

    def _make_solver(self):
        return ClassEquations(self.functions, self.readout, self.case, self.layer.classes)

    def regime(self, method: str, keywords: Mapping[str, Any]) -> Any:
        return self

    def variant(self, values: Mapping[str, Any]) -> Any:
        return self

    def read(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Return the checked parameters, with defaults; the width is a number or inf."""
        shown, count = read_values(self.declared, parameters, self.name), self.layer.classes.count
        if shown.get("width") is None and count > 1:
            raise DomainError(f"width: not given with {count} classes of units; in the limit the mean readouts of the "
                              "classes have no penalty, and fit what no network of a usual width does: expected the "
                              "number of hidden units, or math.inf for the limit all the same")
        if self.layer.classes.is_orthogonal and shown["beta"] > 1.0:
            raise DomainError(f"beta: got {shown['beta']:g} with rows='orthogonal'; there are at most as many "
                              "orthogonal rows as inputs: expected at most 1")
        return {**shown, "width": shown.get("width") or math.inf}

    def read_simulated(self, parameters: Mapping[str, Any], d: int) -> dict[str, Any]:
        """Return the parameters of a simulation, whose width is its own."""
        shown = self.read({"width": math.inf, **parameters})
        check_units({**shown, "width": None if shown["width"] == math.inf else shown["width"]}, d)
        return shown

    def given(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters of a call by name; beside a simulation the width is its own by default."""
        found = super().given(parameters)
        if isinstance(found.get("d"), int) and "width" not in found and np.ndim(found.get("beta", 1)) == 0:
            found["width"] = float(round(found["d"] * float(found.get("beta", 1))))
        return found

    def locate_point(self, parameters: Mapping[str, Any], digits: int = 0) -> Point:
        shown = self.read(parameters)
        known = {**shown, **self.layer.floats(shown, parameters, digits), "bias": float(self.readout.bias)}
        units, gamma = self.layer.read(shown)
        self._check_teacher(shown, gamma)
        for u, c, _ in units:
            strength, square = math.hypot(*u), float(c)
            self.readout.check_range(self.student, shown["lam"], math.hypot(strength, math.sqrt(square)))
            self.trained.require_second_moment(strength**2 + square)
            if self.case.teacher == NOISELESS and shown["width"] == math.inf:
                check_is_reached(self.readout.task().loss, self.trained, {**shown, "r": strength, "c": square},
                                 self.layer.describe_overlap(shown))
        self.target.require_second_moment(1.0)
        module, shown = self.kernel.module, self.layer.describe_point(shown)
        return Point(tuple(known[n] for n in module.PARAMETERS), tuple(known[n] for n in module.TABLE_PARAMETERS), (),
                     shown, broken(self.assumptions, shown))

    def _check_teacher(self, shown, gamma):
        is_along = not self.readout.is_half_square and sum(e * e for e in gamma) == 1
        is_noiseless = self.readout.has_flips and shown["noise_variance"] == 0.0
        if is_along is not (self.case.teacher != MIXED) or is_along and is_noiseless is not (
                self.case.teacher == NOISELESS):
            raise DomainError(f"{self.layer.describe_overlap(shown)} among others; where the target lies along the "
                              "spike the equations differ: give such a point alone")

    def source(self, language: str = "python", derivatives: bool = False) -> str:
        raise NotAvailableError("generate: classes of units have no exported module; one class with rows='sphere' has")

    def derivatives(self, parameter: str, parameters: Mapping[str, Any], point: Point) -> dict[str, float]:
        if parameter == "width":
            return {**self.layer.derivatives(parameter, point.shown), "inverse_width": -1.0 / point.shown["width"] ** 2}
        return self.layer.derivatives(parameter, point.shown)


def choose_classes(theory: SpikedFeatures, given: Mapping[str, Any]) -> ClassFeatures | None:
    """Return the theory of the classes of units that a call gives; None if those of one class hold.

    DomainError for classes whose equations are not known.
    """
    if "units" not in given and theory.rows != "orthogonal":
        return None
    is_odd = theory.student.parity == "odd" and not theory.readout.has_bias
    units = merge_equal(read_units(given["units"]), is_odd) if "units" in given else ()
    count, rank = max(1, len(units)), len(units[0].u) if units else 1
    if count == rank == 1 and theory.rows != "orthogonal":
        return None
    if theory.rows == "gaussian":
        raise DomainError(f"rows: got 'gaussian' with {count} classes of units and a spike of rank {rank}; what "
                          "fluctuating norms of rows do there is not known: expected rows='sphere' or 'orthogonal', or "
                          "one class with a spike of one direction")
    if theory.readout.is_learned:
        raise DomainError("bias: got 'learned' with classes of units or orthogonal rows, whose bias is fixed: expected "
                          "a number")
    gamma = given.get("gamma", math.nan)
    teacher, direction = MIXED, 1
    is_one_point = rank > 1 or np.ndim(gamma) == 0 and not math.isnan(number(gamma))
    if is_one_point and not theory.readout.is_half_square and sum(e * e for e in read_overlap(gamma, rank)) == 1:
        is_noiseless = theory.readout.has_flips and number(given.get("noise_variance", 0.0)) == 0.0
        teacher = NOISELESS if is_noiseless else ALIGNED
        direction = int(math.copysign(1, number(gamma))) if rank == 1 else 1
    layer = UnitsLayer(UnitClasses(count, rank, theory.rows == "orthogonal"), is_odd)
    case = EquationCase(teacher, direction)
    return theory._once(("classes", count, rank, case), lambda: ClassFeatures(theory.functions, theory.readout, case,
                                                                              layer))


def simulate_classes(theory: ClassFeatures, parameters: Mapping[str, Any], *, d: int, **how: Any) -> Simulation:
    """Sample spiked features with the classes of units of a layer."""
    from ...simulate import simulate_spiked

    grid, at = get_simulation_grid(parameters, theory.declared)
    p = theory.read_simulated(at, d)
    rows = "orthogonal" if theory.layer.classes.is_orthogonal else "sphere"
    return simulate_spiked(theory.trained, theory.target, d=d, rows=rows, beta=p["beta"],
                           noise_variance=p["noise_variance"], **theory.layer.describe(p), **training(theory, p),
                           **how, **grid)


def predict_width(theory: ClassFeatures, parameters: Mapping[str, Any], settings: Mapping[str, Any],
                  simulation: Any) -> Expected:
    """Return the prediction for the width of a simulation."""
    sizes = {"alpha": simulation.alpha, "beta": simulation.beta, "width": simulation.p}
    return Expected(theory, {**parameters, **sizes}, f"width {simulation.p}", remainder(simulation.d))


ClassFeatures.simulator = Simulator(simulate_classes, (size("d", "input dimension"),), axes=("alpha", "lam"),
                                    expected=predict_width)
