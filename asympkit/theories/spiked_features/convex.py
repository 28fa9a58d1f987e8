"""``ak.SpikedFeatures`` with a convex loss or sign labels."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from sympy import Rational, Symbol

from ...arguments.domains import check_choice, check_value
from ...codegen import write_kernel
from ...errors import DomainError, LostDigitsError, NotAvailableError, ProofError
from ...losses.envelope import check_learns
from ...losses.loss import NAMED, get_loss, is_of_residuals
from ...nodes import Tabled, bind
from ...once import computed_once
from ...program import build
from ...sensitivity.run import Tangent, check_parameter, tangent_kernel
from ...sensitivity.tangent import tangent_program
from ...simulate.convex import Task
from ...solve.kernel import Kernel, SolverOptions
from ..declaration import Parameter, read_values
from ..declared import Point
from ..ridge.ridgeless import required
from ..student_target import activation
from .channel import ALIGNED, FLIP, MIXED, NOISELESS, half_square, regression, sign_labels
from .classes import bulk_of_rows
from .codegen_targets import convex_module_source
from .convex_equations import BIAS, Setting, near_interpolation, near_separation, parameters, system
from .convex_simulation import array_loss, check_is_reached, simulator
from .equations import free_energy, overlap_map, symbols, unknowns
from .theory import SpikedFeatures, involves_parameter

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from mpmath import mpf
    from sympy import Expr

    from ...activations import Activation
    from ...annotations import Floats, FloatsMean, Start, Value
    from ...certify.solutions import CertifiedSolution
    from ...equations.system import System
    from ...losses import Loss
    from ...program.names import Names
    from ...program.statements import Program
    from ...solve.solution import Solution

__all__ = ["FLIPS", "ConvexFeatures", "number"]

#: parameters beside those of the square loss
FLIPS = Parameter("flip", "share of labels that are flipped, of fresh ones too", "[0, 1]", 0.0)
#: start of Newton's method: a readout of order 1 along spike and target
_START = {"V1": 1.0, "V2": 1.0, "q1": 2.0, "q2": 1.0, "theta": 1.0, "psi": 0.1, "m": 0.5}
_OTHERS = tuple({**_START, "V1": v, "V2": v, "q1": q, "q2": q} for v, q in ((10.0, 3.0), (0.1, 0.3), (100.0, 30.0)))
#: unknowns that vanish if labels, or weights along the spike, are independent of it
_OVERLAPS = ("theta", "psi", "m")
#: these, and other quantities that are rounding of terms of order 1 where they vanish
_AT_REST = (*_OVERLAPS, "thetahat", "psihat", "train_error", "train_loss")


#: penalty above which fourth powers of the readout underflow; points at which features must vary by more than this
#: relative rounding
_LARGEST_PENALTY, _SEEN, _CONSTANT = 1e70, np.linspace(-8.0, 8.0, 33), 1e-13


class ConvexFeatures(SpikedFeatures):
    """Solve :class:`~asympkit.SpikedFeatures` with another loss than the square, or with labels 1 and -1.

    Parameters
    ----------
    student, target, loss, labels
        As for SpikedFeatures.
    teacher : {"mixed", "aligned", "noiseless"}
        Which equations: those at gamma = 1 and -1 differ.
    direction : {1, -1}
        The sign of gamma there.
    has_width : bool
        Whether the equations are those of a finite width.
    bulk : Bulk, optional
        The isotropic one by default.
    """

    limit = None

    def __init__(self, student, target, loss="square", labels="regression", bias=0.0, teacher=MIXED, direction=1,
                 has_width=False, bulk=None, rows="sphere"):
        self.functions = {"student": activation(student), "target": activation(target)}
        self.bias = check_value("bias", bias, "real")
        self.loss, self.labels, self.teacher, self.direction = read_loss(loss), labels, teacher, direction
        self.scale = 2 if loss == "square" else 1
        check_labels(self.loss, labels, self.target)
        if self.is_half_square:
            self.teacher, self.direction = MIXED, 1
        self.has_width, self.rows = has_width, rows
        self.bulk = bulk or bulk_of_rows(rows, has_width)
        self.declared = (*required(SpikedFeatures.declared), *[FLIPS] * self.has_flips)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.student, self.target, self._loss_given, self.labels, self.bias, self.teacher,
                            self.direction, self.has_width, None, self.rows)

    @property
    def _loss_given(self):
        return "square" if self.scale == 2 else self.loss

    @property
    def has_flips(self) -> bool:
        return self.labels == "sign"

    @property
    def chosen(self) -> dict[str, Any]:  # type: ignore[override]
        """Return loss, labels and bias that differ from those of ridge regression."""
        loss = self._loss_given if isinstance(self._loss_given, str) else get_loss_name(self.loss)
        found = {"loss": (loss, "square"), "labels": (self.labels, "regression"), "bias": (self.bias, 0.0)}
        return {name: value for name, (value, usual) in found.items() if value != usual}

    @property
    def is_half_square(self) -> bool:
        """Return whether one set of equations, with tabulated means, serves any target."""
        return self.loss.name == "square" and not self.has_flips

    @computed_once
    def shifted_student(self) -> Activation:
        """Return the student with the bias in its argument."""
        if self.bias == 0.0:
            return self.student
        z = self.student.symbol
        return activation(self.student.expr.xreplace({z: z + Rational(repr(self.bias))}))

    @property
    def exact_bias(self) -> Fraction:
        """Return the bias as a fraction: a float is read by its shortest decimal text."""
        return Fraction(repr(self.bias))

    @computed_once
    def setting(self) -> Setting:
        """Return loss and labels in the form of the equations."""
        if self.has_flips:
            channel = sign_labels(self.loss, self.teacher)
        elif self.is_half_square:
            channel = half_square()
        else:
            channel = regression(self.loss, self.target.expr, self.target.symbol, self.teacher)
        return Setting(channel, self.scale, self.has_flips, self.bias != 0.0, self.direction, self.bulk)

    @property
    def free_energy(self) -> Expr:  # type: ignore[override]     # other theories are given one
        return bind(expand_tabulated(self.applied_free_energy), self.functions)

    @property
    def applied_free_energy(self) -> Expr:
        return free_energy(self.setting)

    @property
    def lowered_system(self) -> System:
        return self.compact

    @computed_once
    def compact(self) -> System:
        """Return the equations with means of activations that are not written out."""
        return system(self.setting)

    @computed_once
    def system(self) -> System:
        return self.compact.rewritten(expand_tabulated).with_(functions=self.functions)

    @computed_once
    def program(self) -> tuple[Program, Names]:
        program, names = build(self.compact, parameters(self.setting))
        return self.setting.place_inner_nodes(program), names

    @computed_once
    def kernel(self) -> Kernel:
        """Return the solver, written on first use."""
        return self.new_kernel()

    def new_kernel(self, auxiliary: tuple[str, ...] = ()) -> Kernel:
        """Write the solver and return it."""
        first, *others = self.starts
        own = (*(s.name for s in self.bulk.multipliers.values()), "chihat")
        # the objective is strictly convex: there is one readout
        return Kernel.from_source(write_kernel(*self.program, self._title()), SolverOptions(
            first, self.near, other_starts=tuple(others), continuation_parameter="lam", may_vanish=_OVERLAPS,
                                                                                            vanishing_outputs=_AT_REST,
            has_units=True, auxiliary=(*auxiliary, *own), is_known_unique=True))

    def near(self, values: Mapping[str, Floats]) -> dict[str, Floats]:
        """Return starts near limits, by unknown, of points of parameters by name."""
        fitted = 1.0 if is_of_residuals(self.loss) else 2.0
        return (near_separation if self.has_flips else near_interpolation)(values, fitted)

    def _title(self):
        bias = ", with a bias" if self.bias else ""
        return f"Spiked random features, loss {self.loss.expr}, labels {self.labels}{bias} (arXiv 2402.04980)"

    @property
    def task(self) -> Task:
        """Return the training task of the simulation; its share of flips is given separately."""
        return Task(array_loss(self.loss), self.labels, scale=self.scale)

    def precise(self, *, digits: int = 40, start: Start | None = None, **parameters: Value) -> Solution[mpf]:
        """Solve in arbitrary precision, if the channel term is an average over one variable."""
        self.check_digits_are_there()
        return super().precise(digits=digits, start=start, **parameters)

    def check_digits_are_there(self) -> None:
        """Raise for averages over two variables inside another, which take hours in multiprecision."""
        is_affine = self.setting.channel.rate is not None
        if self.loss.pieces is None and not self.has_flips and self.teacher is MIXED and not is_affine:
            raise NotAvailableError(f"precise: the loss {str(self.loss.name or self.loss.expr)!r} with labels="
                                    f"{self.labels!r} is averaged over target and noise at every projection on the "
                                    "spike, which takes hours in multiprecision; solve() has twelve digits, and "
                                    "affine targets, piecewise linear-quadratic losses such as ak.Huber, and "
                                    "labels='sign' have more")

    def default_check_digits(self, parameters: Mapping[str, Any]) -> int:
        """Return the default number of digits of :meth:`check`: fewer for averages inside averages."""
        return super().default_check_digits(parameters) if self.is_half_square else 20

    def certify(self, *, digits: int = 30, floats: FloatsMean = "refuse", **parameters: Value) -> CertifiedSolution:
        """Prove the digits; for sign labels and affine targets also with a logistic or piecewise linear-quadratic loss.

        For losses with kinks the proof is that there is a solution: the record's ``uniqueness`` is ``"open"``.
        """
        self.check_proofs_are_there()
        return super().certify(digits=digits, floats=floats, **parameters)

    def check_proofs_are_there(self) -> None:
        """Raise for averages that no proved quadrature rule covers."""
        is_logistic = self.loss.name == "logistic" and self.has_flips
        if self.is_half_square or self.teacher is MIXED and (is_logistic or self.setting.channel.source is not None):
            return
        text = f"certify: the loss {str(self.loss.name or self.loss.expr)!r} with labels={self.labels!r}"
        if self.teacher is not MIXED:
            raise ProofError(f"{text} at gamma = 1 and -1 has other averages, which no proved quadrature rule "
                             "covers: expected a gamma between -1 and 1; precise() has the digits without a proof")
        if self.loss.pieces is not None:
            raise ProofError(f"{text} and the target {self.target.name!r} is averaged over the part of the target "
                             "beside the spike, which no proved quadrature rule covers: expected an affine target, "
                             "labels='sign', or the square loss; precise() has the digits without a proof")
        raise ProofError(f"{text} is averaged over proximal points at every projection on the spike, which no proved "
                         "quadrature rule covers: expected the square loss, a piecewise linear-quadratic one such as "
                         "'hinge' or ak.Huber(1), or loss='logistic' with labels='sign'; precise() has the digits "
                         "without a proof, and a user-defined theory with ak.Moreau under one average is certified")

    def source(self) -> str:
        """Return the source text of the exported module, for this loss, student and target."""
        if self.rows == "orthogonal":
            raise NotAvailableError("generate: rows='orthogonal' has no exported module; expected other rows")
        return convex_module_source(self)

    @property
    def starts(self) -> list[dict[str, float]]:
        """Return the starts of Newton's method, the usual start first."""
        usual = {u.name: 0.5 if u.is_positive else 0.0 for u in unknowns(self.setting)}
        return [{**usual, **start} for start in (_START, *_OTHERS)]

    # -- points -----------------------------------------------------------------------------------

    def regime(self, method: str, keywords: Mapping[str, Any]) -> SpikedFeatures:
        """Return the theory for the gamma of a call."""
        if (several := self.find_classes(keywords)) is not None:
            return several
        kind = (*self.find_teacher(keywords), involves_parameter("width", method, keywords))
        return self if kind == (self.teacher, self.direction, self.has_width) else self._with(kind)

    def find_teacher(self, keywords: Mapping[str, Any]) -> tuple[str, int]:
        """Return kind and direction of the target at the gamma of a call."""
        given = {**keywords, **(keywords.get("parameters") or {})}
        gamma = number(given.get("gamma"))
        if abs(gamma) != 1.0 or self.is_half_square:
            return MIXED, 1
        is_noisy = not self.has_flips or number(given.get("noise_variance", 0.0)) != 0.0
        return ALIGNED if is_noisy else NOISELESS, int(gamma)

    def _with(self, kind):
        if kind not in self._others:
            self._others[kind] = ConvexFeatures(self.student, self.target, self._loss_given, self.labels, self.bias,
                                                *kind, None, self.rows)
        return self._others[kind]

    @computed_once
    def _others(self):
        return {}

    @property
    def table_names(self) -> tuple[str, ...]:  # type: ignore[override]
        return ("r", "c", "gamma", *["noise_variance"] * self.has_flips, *["width"] * self.has_width)

    def read(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Return the checked parameters, with defaults."""
        return read_values(self.declared, parameters, self.name)

    def locate_point(self, parameters: Mapping[str, Any], digits: int = 0) -> Point:
        shown = self.read(parameters)
        r, c, gamma = shown["r"], shown["c"], shown["gamma"]
        if self.has_width and self.teacher != MIXED:
            raise DomainError(f"width: got {shown['width']:g} with gamma={gamma:g} and the loss "
                              f"{str(self.loss.name or self.loss.expr)!r}; a spike along the target has its own "
                              "equations, which are known in the limit: leave out the width")
        width = {"inverse_width": 1.0 / shown["width"], "tilt": 0.0} if self.has_width else {}
        if not self.is_half_square and (abs(gamma) == 1.0) is not (self.teacher != MIXED):
            raise DomainError(f"gamma: got {gamma!r} among others; at gamma = 1 and -1 the equations differ: give "
                              "such a gamma alone")
        if self.has_flips and self.teacher != MIXED and (shown["noise_variance"] == 0.0) is (self.teacher == ALIGNED):
            raise DomainError("noise_variance: got 0 among others at gamma = 1 or -1, where the labels are a jump in "
                              "the projection on the spike; give it alone")
        if self.teacher == NOISELESS:
            check_is_reached(self.task.loss, self.shifted_student, shown, f"gamma: got {gamma!r}")
        self.check_range(shown["lam"], math.sqrt(r * r + c))
        self.shifted_student.require_second_moment(r * r + c)
        self.target.require_second_moment(1.0)
        known = {**shown, **width, "rho": math.sqrt((1.0 - gamma) * (1.0 + gamma)), "bias": self.bias}
        module = self.kernel.module
        return Point(tuple(known[n] for n in module.PARAMETERS), tuple(known[n] for n in module.TABLE_PARAMETERS), (),
                     shown, ())

    def check_range(self, lam: float, spread: float) -> None:
        """Raise if doubles cannot represent the readout, or the variation of the features."""
        if lam > _LARGEST_PENALTY:
            raise LostDigitsError(f"lam: got {lam:g}; the readout is of size 1/lam, and products of its squares are "
                                  f"below the smallest float: expected at most {_LARGEST_PENALTY:g}, or precise()")
        seen = self.shifted_student(_SEEN * spread)
        if np.ptp(seen) <= _CONSTANT * np.max(np.abs(seen)):
            raise LostDigitsError(f"bias: got {self.bias:g}; features of {self.student.name!r} are saturated there: "
                                  f"they vary by {np.ptp(seen):.1e} around {seen[0]:g}, which is their rounding: "
                                  "expected features that vary, or precise()")

    def precise_values(self, parameters: Mapping[str, Any], numbers: Any) -> dict[Symbol, Any]:
        flip = {FLIP: numbers.number(parameters.get("flip", 0))} if self.has_flips else {}
        bias = {BIAS: numbers.number(self.exact_bias)} if self.setting.has_bias else {}
        s = symbols()
        width = {s.inverse_width: 1 / numbers.number(parameters["width"]), s.tilt: numbers.number(0)} \
            if self.has_width else {}
        return {**super().precise_values(parameters, numbers), **flip, **bias, **width}

    # -- derivatives ------------------------------------------------------------------------------

    @property
    def smooth(self) -> tuple[str, ...]:  # type: ignore[override]
        return (*SpikedFeatures.smooth, *["flip"] * self.has_flips, *["width"] * self.has_width)

    def tangent(self, parameter: str, parameters: Mapping[str, Any], point: Point) -> Tangent:
        return self.along(self, self.derivatives(parameter, parameters, point), parameter, point)

    def along(self, model: Any, rates: Mapping[str, float], parameter: str, point: Point) -> Tangent:
        """Return the tangent system of a model with these equations, in a direction of its parameters."""
        check_parameter(parameter, model.smooth, model.name)
        moved = tuple(s for s in parameters(self.setting) if s.name in rates)
        kernel, values = self._tangent_kernel(moved), (*point.values, *(rates[s.name] for s in moved))
        known = dict(zip(kernel.module.PARAMETERS, values))
        return Tangent(kernel, values, tuple(known[n] for n in kernel.module.TABLE_PARAMETERS))

    def _tangent_kernel(self, moved):
        if moved not in self._tangents:
            directions = {s: Symbol(f"rate_{s.name}", real=True) for s in moved}
            program, names = tangent_program(self.compact, parameters(self.setting), directions)
            program = self.setting.place_inner_nodes(program)
            self._tangents[moved] = tangent_kernel(write_kernel(program, names, self._title()), self)
        return self._tangents[moved]

    @computed_once
    def _tangents(self):
        return {}

    def derivatives(self, parameter: str, parameters: Mapping[str, Any], point: Point) -> dict[str, float]:
        if parameter == "width":
            return {"inverse_width": -1.0 / point.shown["width"] ** 2}
        if parameter != "gamma":
            return {parameter: 1.0}
        gamma = point.shown["gamma"]
        if abs(gamma) == 1.0:
            raise DomainError(f"gamma: got {gamma!r}; a derivative by gamma needs a number between -1 and 1 (rho = "
                              "sqrt(1 - gamma**2) has none at the ends)")
        return {"gamma": 1.0, **overlap_map().derivatives("gamma", {"gamma": gamma}, {})}


def number(value: Any) -> float:
    """Return a number given as one, or as a text; NaN for arrays and invalid values."""
    try:
        return float(Fraction(value) if isinstance(value, str) else value)
    except (TypeError, ValueError):
        return math.nan


def read_loss(loss: Loss | str) -> Loss:
    """Return the Loss for a name or a Loss."""
    found = get_loss(loss)
    free = found.expr.free_symbols - {found.label, found.prediction}
    if free:
        raise DomainError(f"loss: got {found.expr}, which holds {', '.join(sorted(s.name for s in free))}; put "
                          "numbers in their place")
    return found


def get_loss_name(loss: Loss) -> Loss | str:
    """Return the name of a loss, or the loss itself if it has none."""
    return str(loss.name) if loss.name in NAMED and get_loss(loss.name) is loss else loss


def check_labels(loss: Loss, labels: str, target: Activation) -> None:
    """Raise unless a theory supports labels of this kind for the loss and the target."""
    check_choice("labels", labels, ("regression", "sign"))
    check_learns(loss, labels)
    text = loss.name or str(loss.expr)
    if labels == "sign" and target.expr != target.symbol:
        raise DomainError(f"target: got {target.name!r} with labels='sign'; signs are those of the linear target 'z', "
                          "to which noise is added before the sign is taken")
    if labels == "regression" and not is_of_residuals(loss):
        raise DomainError(f"loss: got {text!r} with labels='regression'; a loss of regression labels is one of the "
                          "residual y - z; losses of labels 1 and -1 take labels='sign'")


def expand_tabulated(expr: Expr) -> Expr:
    """Return the expression with its tabulated parts as plain named ones."""
    return expr.xreplace({e: e.written_out() for e in expr.atoms(Tabled)})


ConvexFeatures.simulator = simulator
