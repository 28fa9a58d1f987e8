"""``ak.SpikedFeatures`` with classes of hidden units, or with orthogonal rows."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ...codegen import write_kernel
from ...errors import DomainError, NotAvailableError, ProofError
from ...once import computed_once
from ...solve.kernel import Kernel, SolverOptions
from ..declaration import Parameter
from ..declared import Point
from ..ridge.ridgeless import required
from ..simulator import Expected, Simulator, size
from .channel import ALIGNED, FLIP, MIXED, NOISELESS
from .class_starts import far_starts, near_mean_class, near_square_loss
from .classes import UnitClasses, class_symbols
from .convex import FLIPS, ConvexFeatures, number
from .convex_equations import BIAS
from .convex_simulation import check_is_reached
from .theory import RIDGE, check_units, common_precise, get_simulation_grid, remainder
from .units import UnitsLayer, merge_equal, read_overlap, read_units, read_width

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from sympy import Symbol

    from ...annotations import Floats

__all__ = ["ClassFeatures", "choose_classes", "predict_width"]


class ClassFeatures(ConvexFeatures):
    """Solve :class:`~asympkit.SpikedFeatures` with classes of hidden units, or with orthogonal rows.

    Parameters
    ----------
    student, target, loss, labels, bias, teacher, direction
        As for ConvexFeatures.
    layer : UnitsLayer
    """

    def __init__(self, student, target, loss, labels, bias, teacher, direction, layer):
        super().__init__(student, target, loss, labels, bias, teacher, direction, True, layer.bulk())
        self.layer, name = layer, "number of hidden units; inf for the limit, which is far from any network with "
        width = Parameter("width", name + "several classes", "a positive number, or math.inf", None, read=read_width)
        self.is_ridge = loss == "square" and labels == "regression" and bias == 0.0
        self.declared = (*layer.declared, *required(RIDGE), *[FLIPS] * self.has_flips, width)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.student, self.target, self._loss_given, self.labels, self.bias, self.teacher,
                            self.direction, self.layer)

    def regime(self, method: str, keywords: Mapping[str, Any]) -> ClassFeatures:
        return self

    @property
    def table_names(self) -> tuple[str, ...]:  # type: ignore[override]
        return (*self.layer.names, "width", *["noise_variance"] * self.has_flips)

    @property
    def smooth(self) -> tuple[str, ...]:  # type: ignore[override]
        return ("alpha", "beta", "lam", "noise_variance", *self.layer.smooth, *["flip"] * self.has_flips, "width")

    def read(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        shown, count = super().read(parameters), self.layer.classes.count
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
        known = {**shown, **self.layer.floats(shown), "bias": self.bias}
        for u, c, _ in self.layer.read(shown)[0]:
            strength, square = math.hypot(*u), float(c)
            self.check_range(shown["lam"], math.hypot(strength, math.sqrt(square)))
            self.shifted_student.require_second_moment(strength**2 + square)
            if self.teacher == NOISELESS and shown["width"] == math.inf:
                check_is_reached(self.task.loss, self.shifted_student, {**shown, "r": strength, "c": square},
                                 f"gamma: got {shown['gamma']!r}")
        self.target.require_second_moment(1.0)
        module = self.kernel.module
        return Point(tuple(known[n] for n in module.PARAMETERS), tuple(known[n] for n in module.TABLE_PARAMETERS), (),
                     shown, ())

    def check_proofs_are_there(self) -> None:
        """Raise for responses whose sign no proof knows: quadratic forms in several classes."""
        if self.layer.classes.count > 1 and not self.layer.classes.is_orthogonal or self.layer.classes.rank > 1:
            raise ProofError("certify: the response of a prediction is a quadratic form in the classes of units, whose "
                             "sign is not proved, or an average over several projections: expected one class, or rows="
                             "'orthogonal' with a spike of one direction; precise() has the digits without a proof")
        super().check_proofs_are_there()

    def source(self) -> str:
        raise NotAvailableError("generate: classes of units have no exported module; one class with rows='sphere' has")

    def precise_values(self, parameters: Mapping[str, Any], numbers: Any) -> dict[Symbol, Any]:
        flip = {FLIP: numbers.number(parameters.get("flip", 0))} if self.has_flips else {}
        bias = {BIAS: numbers.number(self.exact_bias)} if self.setting.has_bias else {}
        return {**common_precise(parameters, numbers), **self.layer.numbers(parameters, numbers), **flip, **bias}

    def derivatives(self, parameter: str, parameters: Mapping[str, Any], point: Point) -> dict[str, float]:
        if parameter == "width":
            return {"inverse_width": -1.0 / point.shown["width"] ** 2}
        return self.layer.derivatives(parameter, point.shown)

    @property
    def _symbols(self):
        return class_symbols(self.layer.classes.count, self.layer.classes.rank)

    def new_kernel(self, auxiliary: tuple[str, ...] = ()) -> Kernel:
        x, (first, *others) = self._symbols, self.starts
        pairs = [e for of in (x.V, x.Q) for e in of.values() if not e.is_positive]
        means = [e.name for e in (*x.m, *x.psi, *(t for theta in x.theta for t in theta), *pairs)]
        is_easy = self.is_half_square or self.layer.is_one          # linear beside the responses, or of few unknowns
        # the objective is strictly convex: there is one readout
        return Kernel.from_source(write_kernel(*self.program, self._title()), SolverOptions(
            first, self.near, None if is_easy else self.nearer, tuple(others), continuation_parameter="lam",
            may_vanish=tuple(means), vanishing_outputs=(*means, "train_error", "train_loss"), has_units=True,
            auxiliary=auxiliary, is_known_unique=True))

    @property
    def starts(self) -> list[dict[str, float]]:
        return far_starts(self.layer.classes)

    def near(self, values: Mapping[str, Floats]) -> dict[str, Floats]:
        """Return responses near those of the square loss."""
        return near_square_loss(self.layer.classes, self.shifted_student, values)

    def nearer(self, values: Mapping[str, Floats]) -> dict[str, Floats]:
        """Return the same with the readout of the mean class."""
        return {**self.near(values), **near_mean_class(self.layer.classes, self._mean_class, values)}

    @computed_once
    def _mean_class(self):
        layer = UnitsLayer(replace(self.layer.classes, count=1, rank=1), self.layer.is_odd)
        return ClassFeatures(self.student, self.target, self._loss_given, self.labels, self.bias, self.teacher, 1,
                             layer)


def choose_classes(theory: Any, given: Mapping[str, Any]) -> ClassFeatures | None:
    """Return the theory of the classes of units that a call gives; None if those of one class hold.

    Raises
    ------
    DomainError
        For classes whose equations are not known.
    """
    if "units" not in given and theory.rows != "orthogonal":
        return None
    is_odd = theory.student.parity == "odd" and getattr(theory, "bias", 0.0) == 0.0
    units = merge_equal(read_units(given["units"]), is_odd) if "units" in given else ()
    count, rank = max(1, len(units)), len(units[0].u) if units else 1
    if count == rank == 1 and theory.rows != "orthogonal":
        return None
    if theory.rows == "gaussian":
        raise DomainError(f"rows: got 'gaussian' with {count} classes of units and a spike of rank {rank}; what "
                          "fluctuating norms of rows do there is not known: expected rows='sphere' or 'orthogonal', or "
                          "one class with a spike of one direction")
    loss, labels, bias = (getattr(theory, n, usual) for n, usual in (
        ("_loss_given", "square"), ("labels", "regression"), ("bias", 0.0)))
    gamma, is_noisy = given.get("gamma", math.nan), number(given.get("noise_variance", 0.0)) != 0.0
    is_along = np.ndim(gamma) == 0 and math.isnan(number(gamma)) is False or rank > 1
    teacher, direction = MIXED, 1
    if is_along and not (loss == "square" and labels == "regression") and \
            sum(e * e for e in read_overlap(gamma, rank)) == 1:
        teacher = ALIGNED if labels == "regression" or is_noisy else NOISELESS
        direction = int(math.copysign(1, number(gamma))) if rank == 1 else 1
    key = count, rank, is_odd, teacher, direction
    if key not in theory.class_theories:
        layer = UnitsLayer(UnitClasses(count, rank, theory.rows == "orthogonal"), is_odd)
        theory.class_theories[key] = ClassFeatures(theory.student, theory.target, loss, labels, bias, teacher,
                                                   direction, layer)
    return theory.class_theories[key]


def _simulate(theory, parameters, *, d, **how):
    from ...simulate import simulate_spiked

    grid, at = get_simulation_grid(parameters, theory.declared)
    p = theory.read_simulated(at, d)
    task = None if theory.is_ridge else replace(theory.task, flip=p.get("flip", 0.0))
    rows = "orthogonal" if theory.layer.classes.is_orthogonal else "sphere"
    return simulate_spiked(theory.shifted_student, theory.target, d=d, rows=rows, task=task, beta=p["beta"],
                           noise_variance=p["noise_variance"], **theory.layer.describe(p), **how, **grid)


def predict_width(theory: ClassFeatures, parameters: Mapping[str, Any], settings: Mapping[str, Any],
                  simulation: Any) -> Expected:
    """Return the prediction for the width of a simulation."""
    sizes = {"alpha": simulation.alpha, "beta": simulation.beta, "width": simulation.p}
    return Expected(theory, {**parameters, **sizes}, f"width {simulation.p}", remainder(simulation.d))


ClassFeatures.simulator = Simulator(_simulate, (size("d", "input dimension"),), axes=("alpha", "lam"),
                                    expected=predict_width)
