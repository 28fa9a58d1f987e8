"""``ak.OneStep``: a two-layer network after one large gradient step, square loss (arXiv 2402.04980)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ...arguments.domains import check_choice
from ...errors import DomainError, LostDigitsError
from ...once import computed_once
from ..declaration import Assumption, Option, Parameter, broken, read_values
from ..simulator import Simulator, choice, size
from ..spiked_features.theory import (
    LARGE_NORM_CHANGE,
    RIDGE,
    WIDTH,
    SpikedFeatures,
    check_units,
    common_precise,
    get_simulation_grid,
    is_learned,
    is_ridge,
)
from ..spiked_features.width import width_notes
from . import ARGUMENTS, REGRESSION
from .expected import predict_network
from .readout_values import choose_readout, read_readout

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Literal

    from sympy import Symbol

    from ...annotations import ActivationLike, Number
    from ...comparison import Tolerance
    from ...losses import Loss
    from ...theories.declared import Point

#: part of the size of a function below which its linear part may be rounding
_DOUBT = 1e-9
#: sixteen rounding errors
_ROUNDING = 16 * np.finfo(float).eps
#: change of c up to which isotropic and exact bulk differ by 10 % at most; beyond it differences up to 54 % were seen
_MODERATE = 0.5


class OneStep(SpikedFeatures):
    r"""Learn after one gradient step of size :math:`\tilde\eta d` on the first layer.

    The network :math:`\hat y(x)=\frac1{\sqrt p}a\cdot\sigma(Wx)` starts from rows of :math:`W_0` uniform on the unit
    sphere and the uniform readout; its first layer makes one step on :math:`n_0` samples, then its readout is fitted by
    ridge regression on n fresh samples with penalty :math:`\lambda|w|^2`. :math:`\alpha_0=n_0/d`, :math:`\alpha=n/d`,
    :math:`\beta=p/d`.

    Parameters
    ----------
    student, target : str, sympy.Expr or Activation
    loss : {"square", "absolute", "logistic", "hinge"} or Loss
    labels : {"regression", "sign"}
        Of the second step, as in :class:`~asympkit.SpikedFeatures`; the first is on half the mean squared error of the
        same labels.
    bias : float
        Of the features in the second step; the first has none.
    readout : list of (float, float), optional
        Values of the initial readout, in units of :math:`1/\sqrt p`, each with its share of the units; by default 1.
        Odd students only.
    bulk : {"isotropic", "exact"}
        Of the first layer after the step: the idealisation of arXiv 2402.04980, or the real one
        (rows of covariance :math:`\bar\Sigma`, whose norms are correlated with it), in the same limit.

    Notes
    -----
    Result 3.1 maps the step to spiked features with an isotropic bulk; for the real network this is
    an approximation unless :math:`c-1` is small.  ``eta=0`` and ``alpha0=0`` mean no step;
    ``alpha0=math.inf`` is the population gradient.  :math:`\tilde\eta\to0^+` is a different limit from
    ``eta=0``: the mean of the readout is not penalised.

    Examples
    --------
    >>> import asympkit as ak
    >>> t = ak.OneStep("tanh", "tanh")
    >>> round(t.solve(eta=1, alpha0=0.5, alpha=2, lam=0.01).test_error, 12)
    0.174661944524
    """

    name = "one step"
    offers = ("parameters_at",)
    options = (*SpikedFeatures.options,
               Option("bulk", "of the first layer after the step", ("isotropic", "exact"), "isotropic"))
    declared = (Parameter("eta", "learning rate of the first step, in units of d", "nonnegative"),
                Parameter("alpha0", "samples of the first step over d; inf for the population gradient",
                          "nonnegative or inf"), *RIDGE, WIDTH)
    table_names: tuple[str, ...] = ARGUMENTS
    #: kind of the labels of the first batch, and the parameters of the step
    first_labels, step_arguments = REGRESSION, ARGUMENTS

    def __new__(cls, student: ActivationLike | None = None, target: ActivationLike | None = None,
                loss: Loss | str = "square", labels: Literal["regression", "sign"] = "regression",
                bulk: Literal["isotropic", "exact"] = "isotropic", bias: Number = 0.0, *more: Any,
                readout: Any = None, **named: Any) -> OneStep:
        check_choice("bulk", bulk, ("isotropic", "exact"))
        if readout is not None and bulk == "exact":
            raise DomainError("readout: got values of the readout with bulk='exact', whose classes of units are not "
                              "known: expected bulk='isotropic'")
        if cls is OneStep and not is_ridge(
                loss, labels, bias, "or SpikedFeatures, which learns one with bias='learned'"):
            if is_learned(bias):
                raise DomainError("bias: got 'learned'; after a gradient step the bias is fixed: expected a number, or "
                                  "SpikedFeatures, which learns one")
            from .convex import ConvexStep

            return object.__new__(ConvexStep)
        if cls is OneStep and bulk == "exact":
            from .exact import ExactStep

            return object.__new__(ExactStep)
        return object.__new__(cls)

    def __init__(self, student: ActivationLike, target: ActivationLike, loss: Loss | str = "square",
                 labels: Literal["regression", "sign"] = "regression",
                 bulk: Literal["isotropic", "exact"] = "isotropic", bias: Number = 0.0,
                 readout: Sequence[tuple[Number, Number]] | None = None) -> None:
        super().__init__(student, target, loss, labels)
        self.readout_values = read_readout(readout or [(1, 1)])

    def find_classes(self, keywords: Mapping[str, Any]) -> SpikedFeatures | None:
        """Return the theory of the values of the readout; None for a uniform one."""
        return choose_readout(self, {**keywords, **(keywords.get("parameters") or {})})

    @computed_once
    def at_width(self) -> OneStep:
        """Return the theory of the same student and target at a finite width."""
        from .finite_width import FiniteWidthStep

        return FiniteWidthStep.of(self)

    @computed_once
    def tolerances(self) -> tuple[Tolerance, ...]:     # other theories are given them
        """Allow for the isotropic bulk, an idealisation (section 7 of the theory): within 2 % for c - 1 <= 0.02."""
        from ...comparison import Tolerance

        return tuple(Tolerance(name, 0.02, "the bulk of the trained weights is idealised as isotropic")
                     for name in ("test_error", "clean_error", "train_error", "objective"))

    def parameters_at(self, *, eta: Number, alpha0: Number, beta: Number = 1,
                      noise_variance: Number = 0) -> dict[str, float]:
        """Return spike strength, overlap and row norm after the step (Result 3.1).

        Parameters
        ----------
        eta : float
            Learning rate in units of d.
        alpha0 : float
            First-batch samples per dimension; ``math.inf`` for the population gradient.
        beta, noise_variance : float

        Returns
        -------
        dict
            ``r``, ``gamma``, ``c``.
        """
        given = {"eta": eta, "alpha0": alpha0, "beta": beta, "noise_variance": noise_variance}
        values = {p.name: p.check(given[p.name]) for p in self.declared if p.name in given}
        several: Any = self.find_classes({})
        if several is not None:
            units, (overlap,) = several.layer.read({**values, "width": math.inf})
            return {"units": [(u, c, fraction) for (u,), c, fraction in units], "gamma": overlap}
        r, c, gamma, _ = self._step_parameters(values)
        return {"r": r, "gamma": gamma, "c": c}

    def _step_parameters(self, values):
        """Return r, c, gamma and rho in double precision, by the generated form of the declared map."""
        at = tuple(values[n] for n in self.step_arguments)
        if at not in self._steps:                 # a curve uses one step many times
            self._steps = {at: self._step(at)}
        return self._steps[at]

    #: the last step and its parameters
    _steps: dict[Any, Any] = {}

    def _step(self, at):
        if self.student.jumps and _makes_step(dict(zip(ARGUMENTS, at))):
            self._require_moments()
            raise DomainError(f"student: {self.student.name!r} jumps at z = {self.student.jumps[0][0]}; a gradient "
                              "step needs a finite E[student'(z)^2] (eta=0 needs no step)")
        step, case, parts = self._evaluated(at)
        if self._settle(parts, at[1]):
            step, case, parts = self._evaluated(at)
        if case < 0 and step[0] == 0.0 and parts["h1"] != 0.0:
            raise LostDigitsError(f"eta: got {at[0]!r}; the spike that it makes is below the smallest float, and its "
                                  "limit differs from no step: expected a larger step, or use precise()")
        r, c, gamma, rho = step
        if not math.isinf(at[1]) and abs(gamma) <= _ROUNDING * math.sqrt(at[1]) * rho:
            return r, c, 0.0, 1.0       # the effect of the overlap is below rounding
        return step

    def _evaluated(self, at):
        """Return the step, the case that held (-1 in general), and the linear parts of student and target."""
        *step, case, parts, error = self._mapped(at)
        if not math.isfinite(step[0] * step[1]) or error > 1e-12:
            self._require_moments()
            raise LostDigitsError(f"student: the moments of {self.student.name!r} or {self.target.name!r} could not be "
                                  "computed in double precision; use precise()")
        return tuple(step), case, dict(zip(_written().one_step_parameters_DECISIVE, parts))

    def _mapped(self, at):
        """Return the step, the case that held, the decisive parts, and the error of the means."""
        with np.errstate(invalid="ignore"):
            return _written().one_step_parameters(*at, self.student, self.target, self._settled)

    def _settle(self, parts, alpha0):
        """Decide whether tiny linear parts are 0, and return whether any was decided.

        Only a proof makes one 0, because the limit of a vanishing linear part differs from the value at 0."""
        decisive, known = _written().one_step_parameters_DECISIVE, len(self._settled)
        for name, value in parts.items():
            label, degree = decisive[name]
            f = self.functions[label]
            # the bound of the size is cheap: test it first
            if name in self._settled or abs(value) > _DOUBT * f.bound or abs(value) > _DOUBT * f.size:
                continue
            if name not in self._decide_parts:
                from ..zeros import decide_coefficient

                self._decide_parts[name] = decide_coefficient(f, degree, f.size)
            if self._decide_parts[name] is not None:
                self._settled[name] = self._decide_parts[name]
            elif label == "student" or math.isinf(alpha0):      # noise in the gradient leaves nothing to decide
                raise DomainError(f"{label}: got {f.name!r}, whose linear part E[z*f(z)] is below 1e-45 of its size or "
                                  "cannot be computed, and is not proved to be zero; whether there is a spike depends "
                                  "on it: expected a function for which this can be decided")
        return len(self._settled) > known

    @computed_once
    def _settled(self):
        """Return the linear parts that double precision cannot distinguish from 0, by name."""
        return {}

    @computed_once
    def _decide_parts(self):
        """Return the decisions on these linear parts, None if undecided."""
        return {}

    def _require_moments(self):
        self.student.require_second_moment(1.0)
        self.target.require_second_moment(1.0)
        self.student.derivative.require_second_moment(1.0)

    def locate_point(self, parameters: Mapping[str, Any], digits: int = 0) -> Point:
        values = read_values(self.declared, parameters, self.name)
        try:
            table = self._step_parameters(values)
        except LostDigitsError:
            if not digits:
                raise
            table = self._rounded_step(parameters, digits)
        shown = {**values, "r": table[0], "c": table[1], "gamma": table[2]}
        return self.substitute_limit(self._point(shown, table, broken(self.assumptions, shown)))

    def _rounded_step(self, parameters, digits):
        """Return the result of :meth:`_step_parameters`, rounded from multiprecision numbers."""
        from ...multiprecision.number_systems import MultiprecisionNumbers
        from ..lowered import round_to_float

        found = self._precise_step(parameters, MultiprecisionNumbers(digits))
        return tuple(round_to_float(found[n]) for n in ("r", "c", "gamma", "rho"))

    smooth: tuple[str, ...] = ("eta", "alpha0", "alpha", "lam", "beta", "noise_variance")

    def derivatives(self, parameter: str, parameters: Mapping[str, Any], point: Point) -> dict[str, float]:
        rates = {} if parameter in ("eta", "alpha0") else {parameter: 1.0}
        if parameter in ("alpha", "lam"):
            return rates
        shown = point.shown
        if parameter == "alpha0" and math.isinf(shown["alpha0"]):
            raise DomainError("alpha0: got inf; a derivative by alpha0 needs a finite number")
        from .parameters import step_map

        moved = step_map(self.first_labels).derivatives(parameter, shown, self.functions, self._settled)
        # derivatives that are 0 are left out at rho = 0, because they would be multiplied by 1/rho
        if point.table_parameters[3] == 0.0 and not moved["gamma"] and not moved["rho"]:
            del moved["gamma"], moved["rho"]
        return {**rates, **moved}

    @computed_once
    def _is_odd(self):
        """Return whether the student is odd on some points, to rounding."""
        if self.student.form_parity:
            return self.student.form_parity == -1 or bool(np.all(self.student(np.linspace(0.05, 6.0, 40)) == 0.0))
        x = np.linspace(0.05, 6.0, 40)
        size = np.abs(self.student(x))
        return bool(np.max(np.abs(self.student(x) + self.student(-x))) <= 1e-12 * np.max(size))

    @computed_once
    def assumptions(self) -> tuple[Assumption, ...]:
        """Return the assumptions of arXiv 2402.04980 on student and step."""
        return (Assumption(lambda v: not _makes_step(v) or self._is_odd,
                           lambda v: f"student {self.student.name!r} is not odd, as arXiv 2402.04980 assumes: the "
                           "initial output is taken as the mean of the student, c as (1 + eta/beta*ybar*h2)^2 + ..., "
                           "and the remaining anisotropy of the step is neglected"),
                Assumption(lambda v: not _makes_step(v) or abs(v["c"] - 1.0) <= LARGE_NORM_CHANGE,
                           lambda v: f"c - 1 = {v['c'] - 1.0:.3g} is not small: the bulk of the trained weights is "
                           "idealised as isotropic (arXiv 2402.04980); errors of the real network differ by up to "
                           f"{'10 %' if abs(v['c'] - 1.0) <= _MODERATE else '50 % and more'} (compare bulk='exact')",
                           ("c - 1", lambda v: v["c"] - 1.0)))

    def source(self) -> str:
        """Return the source text of the exported module for this student and target."""
        from .codegen_targets import module_source

        if (several := self.find_classes({})) is not None:
            return several.source()

        return module_source(self)

    def proved_parts(self) -> dict[str, float]:
        """Return the linear parts that double precision cannot distinguish from 0, by name: 0 if that is proved.

        Raises
        ------
        DomainError
            If that of the student is undecided.
        """
        if not self.student.jumps:
            _, _, parts = self._evaluated((1.0, 1.0, 1.0, *[0.0] * (len(self.step_arguments) - 3)))
            self._settle(parts, 1.0)
        return dict(self._settled)

    def precise_values(self, parameters: Mapping[str, Any], numbers: Any) -> dict[Symbol, Any]:
        from ..spiked_features.equations import symbols

        s, step = symbols(), self._precise_step(parameters, numbers)
        return {**common_precise(parameters, numbers), **{getattr(s, n): v for n, v in step.items()}}

    def _precise_step(self, parameters, numbers):
        from .parameters import step_map

        return step_map(self.first_labels).numbers(self._of_step(parameters), numbers, self.functions)

    def _of_step(self, parameters):
        """Return the given parameters of the step, with defaults."""
        return {p.name: parameters.get(p.name, p.default) for p in self.declared if p.name in self.step_arguments}


def _written():
    """Return the module with the step as code."""
    from ...generated.spiked_features import kernel

    return kernel


def _makes_step(values):
    return values["eta"] > 0.0 and values["alpha0"] > 0.0


def _simulate(theory, parameters, *, d, model, **how):
    """Train the real network: real first batch, real gradient step, fresh data, ridge; or sample spiked features."""
    from ...simulate import simulate_network, simulate_spiked

    grid, at = get_simulation_grid(parameters, theory.declared)
    p = {**read_values(theory.declared, at, theory.name), **grid}
    check_units(p, d)
    p.pop("width", None)
    if model == "network":
        return simulate_network(theory.student, theory.target, d=d, **p, **how)
    r, c, gamma, _ = theory._step_parameters(p)
    p = {name: value for name, value in p.items() if name not in ("eta", "alpha0")}
    return simulate_spiked(theory.student, theory.target, d=d, r=r, gamma=gamma, c=c, **p, **how)


OneStep.simulator = Simulator(
    _simulate, (size("d", "input dimension"),
                choice("model", "the trained network, or spiked features with an isotropic bulk",
                       ("network", "spiked"), "network")),
    axes=("alpha", "lam"), notes=width_notes, expected=predict_network)
