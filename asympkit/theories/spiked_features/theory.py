"""``ak.SpikedFeatures``: spiked random features with a uniform readout, square loss (arXiv 2402.04980)."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from ...arguments.domains import check_axis, check_choice, check_value, quote
from ...arguments.names import is_varied
from ...errors import DomainError, warn_deprecated
from ...once import computed_once
from ...solve.kernel import Kernel, SolverOptions
from ..declaration import Option, Parameter, read_values
from ..declared import Point
from ..ridge.ridgeless import Penalty
from ..simulator import Expected, Simulator, size
from ..student_target import StudentTargetModel, activation
from .no_penalty import ridgeless, starts
from .width import width_notes

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal

    from sympy import Expr, Symbol

    from ...annotations import ActivationLike, Number
    from ...equations.system import System
    from ...losses import Loss
    from ...program.names import Names
    from ...program.statements import Program
    from ...sensitivity.run import Tangent
    from ..limits import Limit

#: |c - 1| above which a warning is issued: the error of the isotropic bulk grows with it
LARGE_NORM_CHANGE = 0.1


#: parameters of the ridge regression
RIDGE = (Parameter("alpha", "samples over d", "positive"), Penalty("lam", "penalty on the readout", "positive"),
         Parameter("beta", "width over d", "positive", 1.0),
         Parameter("noise_variance", "variance of the label noise", "nonnegative", 0.0))
#: selects the theory at a finite width
WIDTH = Parameter("width", "number of hidden units, for the theory at a finite width; the limit without it", "positive",
                  None)


#: rows of the bulk: uniform on the sphere, of independent entries, or orthogonal
ROWS = ("sphere", "gaussian", "orthogonal")


class SpikedFeatures(StudentTargetModel):
    r"""Solve ridge regression on features :math:`\sigma(Wx)`, :math:`W` = isotropic bulk + spike.

    Rows of the weights are :math:`w_i + \frac{r}{\sqrt d}v` with :math:`w_i` uniform on the sphere of squared norm c,
    :math:`|v|^2=d`; labels :math:`y=\phi(\theta_*\cdot x/\sqrt d)+\sqrt\Delta\epsilon` with
    :math:`v\cdot\theta_*/d=\gamma`.  The readout minimises :math:`\sum_\mu(y_\mu-w\cdot\sigma(Wx_\mu)/\sqrt
    p)^2+\lambda|w|^2` over n samples; the limit is :math:`d\to\infty` with :math:`\alpha=n/d`, :math:`\beta=p/d`.

    Parameters
    ----------
    student, target : str, sympy.Expr or Activation
        :math:`\sigma` and :math:`\phi`: a catalogue name, a text in ``z``, or an expression.
    loss : {"square", "absolute", "logistic", "hinge"} or Loss
        Square is :math:`(y-z)^2` with the penalty :math:`\lambda|w|^2`; every other one has
        :math:`\frac\lambda2|w|^2`: ``ak.Huber(delta)``, or a convex ``ak.Loss(expr, label, prediction)``. Losses of
        regression labels are those of the residual.
    labels : {"regression", "sign"}
        Signs are those of the linear target ``"z"`` with noise added to it, of which a share ``flip`` is flipped.
    bias : float or "learned"
        Of all features, :math:`\sigma(Wx+b)`; a learned one minimises the training objective, and is the ``bias`` of a
        solution: the lowest of its ``minima``, those that a scan from -4 to 4 finds.
    rows : {"sphere", "gaussian", "orthogonal"}
        Of the bulk: uniform on the sphere, of independent entries, or orthogonal.

    Notes
    -----
    Methods take ``units=[(u, c, fraction), ...]`` in place of r and c: classes of hidden units, with strengths u of the
    spike (tuples, as gamma, for several directions) and their shares.  With more than one class ``width`` is required,
    a number or ``math.inf``.

    The 13 saddle-point equations are derivatives of the free energy of Result 3.3; see
    :meth:`equations`.  Order parameters ``q1, q2, theta, psi, m`` are :math:`w^T\Omega w/p`,
    :math:`|w|^2/p`, :math:`w^TWv/\sqrt{pd}`, :math:`w^TW\zeta/\sqrt{pd}`, :math:`1^Tw/\sqrt p`.

    Examples
    --------
    >>> import asympkit as ak
    >>> t = ak.SpikedFeatures("tanh", "sin")
    >>> round(t.solve(r=3.0, c=1.0, gamma=0.95, alpha=3, lam=0.01).test_error, 5)
    0.06427
    """

    name = "spiked features"
    options = (*StudentTargetModel.options,
               Option("loss", "of the readout", ("square", "absolute", "logistic", "hinge"), "square"),
               Option("labels", "values of the target with noise, or signs", ("regression", "sign"), "regression"))
    declared: tuple[Parameter, ...] = (
        Parameter("r", "strength of the spike", "real"),
        Parameter("c", "squared norm of the rows of the bulk", "positive"),
        Parameter("gamma", "overlap of the spike with the direction of the target", "[-1, 1]"), *RIDGE, WIDTH)
    table_names: tuple[str, ...] = ("r", "c", "gamma")

    def __new__(cls, student: ActivationLike | None = None, target: ActivationLike | None = None,
                loss: Loss | str = "square", labels: Literal["regression", "sign"] = "regression",
                bias: Number | str = 0.0, *more: Any, rows: str = "sphere", **named: Any) -> SpikedFeatures:
        check_choice("rows", rows, ROWS)
        if cls is not SpikedFeatures or is_ridge(loss, labels, bias) and rows == "sphere":
            return super().__new__(cls)
        if is_learned(bias):
            from .learned_bias import LearnedBias

            return super().__new__(LearnedBias)
        from .convex import ConvexFeatures

        return super().__new__(ConvexFeatures)

    #: of the bulk
    rows = "sphere"

    def __init__(self, student: ActivationLike, target: ActivationLike, loss: Loss | str = "square",
                 labels: Literal["regression", "sign"] = "regression", bias: Number | str = 0.0,
                 rows: Literal["sphere", "gaussian", "orthogonal"] = "sphere") -> None:
        check_choice("loss", loss, ("square",))
        check_choice("labels", labels, ("regression",))
        self.functions = {"student": activation(student), "target": activation(target)}

    @property
    def free_energy(self) -> Expr:  # type: ignore[override]     # other theories are given one
        """Return the free energy of this student and target."""
        from ...nodes import bind

        return bind(self.applied_free_energy, self.functions)

    @property
    def applied_free_energy(self) -> Expr:
        from .equations import free_energy

        return free_energy()

    @computed_once
    def system(self) -> System:
        """Return the equations with their structure (shared by all students and targets)."""
        from .equations import spiked_system

        return spiked_system().with_(functions=self.functions)

    @property
    def program(self) -> tuple[Program, Names]:
        from .equations import spiked_program

        return spiked_program()

    @property
    def kernel(self) -> Kernel:
        return isotropic_kernel()

    def source(self) -> str:
        """Return the source text of the exported module for this student and target."""
        from .codegen_targets import module_source

        return module_source(self)

    def regime(self, method: str, keywords: Mapping[str, Any]) -> SpikedFeatures:
        """Return the theory at a finite width if the call gives or varies one, or that of several classes of units."""
        if (several := self.find_classes(keywords)) is not None:
            return several
        return self.at_width if involves_parameter("width", method, keywords) else self

    def find_classes(self, keywords: Mapping[str, Any]) -> SpikedFeatures | None:
        """Return the theory of the classes of units of a call; None if there is one class, on the sphere."""
        more = keywords.get("parameters")
        given = {**keywords, **more} if isinstance(more, dict) else keywords
        if "units" not in given and self.rows != "orthogonal":
            return None
        from .class_features import choose_classes

        return choose_classes(self, given)

    @computed_once
    def class_theories(self) -> dict[Any, SpikedFeatures]:
        """Return the theories of classes of units that calls have used."""
        return {}

    @computed_once
    def at_width(self) -> SpikedFeatures:
        """Return the theory of the same student and target at a finite width."""
        from .finite_width import FiniteWidthFeatures

        return FiniteWidthFeatures.of(self)

    @computed_once
    def limit(self) -> Limit | None:
        """Return the limit without a penalty."""
        return ridgeless(self.functions["student"])

    # -- points -----------------------------------------------------------------------------------

    def given(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        found = super().given(parameters)
        if "letters" in found and "r" in self.names:
            warn_deprecated("letters=[(r, c, 1)]", "r=, c=")
            letters = found.pop("letters")
            try:
                ((found["r"], found["c"], fraction),) = letters
            except (TypeError, ValueError):
                fraction = None
            if fraction != 1:
                raise DomainError(f"letters: got {letters!r}; expected [(r, c, 1)], or rather r= and c=")
        if "units" in found and "r" in self.names:
            from .units import as_one_class

            return as_one_class(found)
        return found

    def locate_point(self, parameters: Mapping[str, Any], digits: int = 0) -> Point:
        shown = read_values(self.declared, parameters, self.name)
        r, c, gamma = shown["r"], shown["c"], shown["gamma"]
        return self.substitute_limit(self._point(shown, (r, c, gamma, math.sqrt((1.0 - gamma) * (1.0 + gamma))), ()))

    def _point(self, shown, table, assumptions):
        r, c = table[:2]
        self.student.require_second_moment(r * r + c)
        self.target.require_second_moment(1.0)
        values = shown["alpha"], shown["beta"], shown["lam"], shown["noise_variance"], *table
        return Point(values, tuple(table), (), shown, assumptions)

    def precise_values(self, parameters: Mapping[str, Any], numbers: Any) -> dict[Symbol, Any]:
        from .equations import symbols

        s = symbols()
        r, c, gamma = (numbers.number(parameters[n]) for n in ("r", "c", "gamma"))
        return {s.r: r, s.c: c, s.gamma: gamma, s.rho: numbers.sqrt((1 - gamma) * (1 + gamma)),
                **common_precise(parameters, numbers)}

    # -- derivatives ------------------------------------------------------------------------------

    smooth: tuple[str, ...] = ("alpha", "beta", "lam", "noise_variance", "r", "c", "gamma")

    def tangent(self, parameter: str, parameters: Mapping[str, Any], point: Point) -> Tangent:
        from ...sensitivity.run import Tangent, check_parameter

        check_parameter(parameter, self.smooth, self.name)
        if parameter == "lam":
            return Tangent(self._lam_kernel, point.values)
        rates = self.derivatives(parameter, parameters, point)
        values = dict(zip(self.kernel.module.PARAMETERS, point.values))
        if not rates.get("gamma") and not rates.get("rho"):
            values["rho"] = 1.0       # only divides derivatives that are zero; the tables have the true value
        moved = (rates.get(n, 0.0) for n in values)
        return Tangent(self._tangent_kernel, (*values.values(), *moved))

    @computed_once
    def _lam_kernel(self):
        from ...generated.spiked_features import lam as spiked_features_lam
        from ...sensitivity.run import tangent_kernel

        return tangent_kernel(spiked_features_lam, self)

    @computed_once
    def _tangent_kernel(self):
        from ...generated.spiked_features import tangent as spiked_features_tangent
        from ...sensitivity.run import tangent_kernel

        return tangent_kernel(spiked_features_tangent, self)

    def derivatives(self, parameter: str, parameters: Mapping[str, Any], point: Point) -> dict[str, float]:
        if parameter == "gamma":
            gamma, rho = point.table_parameters[2:]
            if rho == 0.0:
                raise DomainError(f"gamma: got {gamma!r}; a derivative by gamma needs a number between -1 and 1 "
                                  "(rho = sqrt(1 - gamma**2) has none at the ends)")
            from .equations import overlap_map

            return {"gamma": 1.0, **overlap_map().derivatives("gamma", {"gamma": gamma}, {})}
        return {parameter: 1.0}


def is_learned(bias: Any) -> bool:
    """Return whether a bias is trained."""
    return isinstance(bias, str) and bias == "learned"


def is_ridge(loss: Any, labels: Any, bias: Any, other: str = "or 'learned' for one trained with the readout") -> bool:
    """Return whether the readout is ridge regression on the features without a bias."""
    try:
        is_zero = not is_learned(bias) and check_value("bias", bias, "real") == 0.0
    except DomainError:
        raise DomainError(f"bias: got {quote(bias)}; expected a finite real number, {other}") from None
    return is_zero and all(isinstance(v, str) and v == usual for v, usual in ((loss, "square"), (labels, "regression")))


def involves_parameter(name, method, keywords):
    """Return whether a call gives or varies an optional parameter; a simulation has its own."""
    more = keywords.get("parameters") or {}
    given = {**keywords, **more} if isinstance(more, dict) else keywords
    if method in ("simulate", "check") and given.get(name) is not None:
        raise DomainError(f"{name}: a simulation has its own, beta*d units; give d, and no {name}")
    if isinstance(given.get(name), float) and math.isinf(given[name]):
        if "units" in given:            # of one class; of several there is a limit too
            return False
        raise DomainError(f"{name}: got {given[name]!r}; the limit has no {name}: leave it out")
    return given.get(name) is not None or is_varied(keywords, name)


@cache
def isotropic_kernel() -> Kernel:
    """Return the kernel, which all students and targets share."""
    from ...generated.spiked_features import kernel as spiked_features
    return Kernel(spiked_features, SolverOptions(guess_start=starts))


def get_simulation_grid(parameters, declared):
    """Return alpha and lam for the simulators, and all parameters with the first value of each axis."""
    check = {p.name: p.check for p in declared}
    axes = {name: check_axis(name, value) for name, value in parameters.items()
            if name in ("alpha", "lam") and np.ndim(value)}
    for name, axis in axes.items():
        for value in axis.tolist():
            check[name](value)
    at = {**parameters, **{name: axis[0] for name, axis in axes.items()}}
    order = (*axes, *(name for name in ("alpha", "lam") if name not in axes))
    given = {name: check[name](at[name]) for name in ("alpha", "lam") if name in at}
    return {**given, **axes, "order": order}, at


def check_units(shown, d):
    """Raise if the theory has another width than the simulation beside it."""
    width = shown.get("width")
    units = shown["beta"] * d if isinstance(d, int | np.integer) else width
    if width is not None and abs(width - units) > 0.5:
        raise DomainError(f"width: got {width:g}, and a simulation with d = {d} and beta = {shown['beta']:g} has "
                          f"{round(units)} units; expected these, or another d")


def common_precise(parameters, numbers):
    """Return the second-step parameters in a number system."""
    from .equations import symbols

    s = symbols()
    return {s.alpha: numbers.number(parameters["alpha"]), s.lam: numbers.number(parameters["lam"]),
            s.beta: numbers.number(parameters.get("beta", 1)),
            s.noise_variance: numbers.number(parameters.get("noise_variance", 0))}


def _simulate(theory, parameters, *, d, **how):
    from ...simulate import simulate_spiked

    grid, at = get_simulation_grid(parameters, theory.declared)
    p = theory.point(at).shown
    check_units(p, d)
    return simulate_spiked(theory.student, theory.target, d=d, r=p["r"], gamma=p["gamma"], c=p["c"], beta=p["beta"],
                           noise_variance=p["noise_variance"], **how, **grid)


def remainder(d, share=3.0, what="terms of order 1/d"):
    """Make tolerances for the terms that remain beside a finite width, of relative size some number over d."""
    from ...comparison import Tolerance

    return tuple(Tolerance(name, share / d, f"{what}: {share:g}/d")
                 for name in ("test_error", "clean_error", "train_error", "objective"))


def _expected(theory, parameters, settings, simulation):
    sizes = {"alpha": simulation.alpha, "beta": simulation.beta, "width": simulation.p}
    return Expected(theory, {**parameters, **sizes}, f"width {simulation.p}", remainder(simulation.d))


SpikedFeatures.simulator = Simulator(_simulate, (size("d", "input dimension"),), axes=("alpha", "lam"),
                                     notes=width_notes, expected=_expected)
