"""``ak.OneStep``: a two-layer network after one large gradient step, square loss (arXiv 2402.04980)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ...arguments import check_choice
from ...errors import DomainError
from ...once import Deferred, computed_once
from ..declaration import Assumption, Expected, Option, Parameter, Simulator, choice, read_values, size
from ..spiked_features import simulation as of_spiked
from ..spiked_features.parts import MIXED, number
from ..spiked_features.simulation import simulate as simulate_spiked_features
from ..spiked_features.theory import RIDGE, WIDTH, SpikedFeatures
from . import ARGUMENTS
from .step import ExactLayer, StepLayer, makes_step

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Literal

    from ...annotations import ActivationLike, Number
    from ...comparison import Tolerance
    from ...losses import Loss

_simulate = Deferred("asympkit.simulate")
_bulk = Deferred("asympkit.theories.one_step.bulk")
_codegen_targets = Deferred("asympkit.theories.one_step.codegen_targets")
_readout_values = Deferred("asympkit.theories.one_step.readout_values")

#: |c - 1| above which a warning is issued: the error of the isotropic bulk grows with it
LARGE_NORM_CHANGE = 0.1
#: change of c up to which isotropic and exact bulk differ by 10 % at most; beyond it differences up to 54 % were seen,
#: and fluctuations of the batch need this tolerance times d
_MODERATE, _FLUCTUATIONS = 0.5, 8.0


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
    bias : float or "learned"
        Of the features in the second step, as in :class:`~asympkit.SpikedFeatures`; the first has none.
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
    offers = (*SpikedFeatures.offers, "parameters_at")
    options = (*SpikedFeatures.options,
               Option("bulk", "of the first layer after the step", ("isotropic", "exact"), "isotropic"))
    declared = (Parameter("eta", "learning rate of the first step, in units of d", "nonnegative"),
                Parameter("alpha0", "samples of the first step over d; inf for the population gradient",
                          "nonnegative or inf"), *RIDGE, WIDTH)
    derived_names: tuple[str, ...] = ("r", "gamma", "c")
    #: of the first layer after the step
    bulk = "isotropic"
    #: values of the initial readout, and their shares
    readout_values: tuple[Any, ...] = ((1, 1),)
    #: the same in floats, if they are not uniform
    initial_readout = None

    def __init__(self, student: ActivationLike, target: ActivationLike, loss: Loss | str = "square",
                 labels: Literal["regression", "sign"] = "regression",
                 bulk: Literal["isotropic", "exact"] = "isotropic", bias: Number | str = 0.0,
                 readout: Sequence[tuple[Number, Number]] | None = None) -> None:
        check_choice("bulk", bulk, ("isotropic", "exact"))
        super().__init__(student, target, loss, labels, bias)
        if readout is not None:
            self.readout_values = _readout_values.read_readout(readout)
            if bulk == "exact":
                raise DomainError("readout: got values of the readout with bulk='exact', whose classes of units are "
                                  "not known: expected bulk='isotropic'")
        if bulk == "exact":
            self.bulk = bulk
            if self.readout.is_ridge:
                self.name = "one step, exact bulk"

    # -- parts ------------------------------------------------------------------------------------

    @property
    def step(self) -> StepLayer:
        """Return the step over an isotropic bulk."""
        return self._once("step", StepLayer, self.functions, self.readout.labels, self.declared)

    @property
    def layer(self) -> StepLayer | ExactLayer:  # type: ignore[override]
        """Return the first layer; without a width the bulk of an even student matters by the norm of its rows alone.

        There is no spike then, :math:`\\mu_1=0`, and so :math:`\\hat V_1=0`: :math:`S=\\lambda+\\hat V_2` whatever the
        spectrum is.  The means of the units do not depend on :math:`\\kappa`, nor do their derivatives by the norms of
        rows, which a readout of the mean then has at no cost.
        """
        if self.bulk == "isotropic" or self.student.parity == "even" and not self.case.has_width:
            return self.step
        return self._once("exact", ExactLayer, self.step)

    def _make_solver(self):
        if (several := self.find_classes({})) is not None:
            return several.solver
        if not isinstance(self.layer, ExactLayer):
            return super()._make_solver()
        if self.readout.is_ridge:
            return _bulk.ExactRidge(self.functions, self.layer)
        return _bulk.make_convex(self.functions, self.readout, self.case, self.layer)

    @property
    def chosen(self) -> dict[str, Any]:  # type: ignore[override]
        has_bulk = self.bulk == "exact" and not self.readout.is_ridge
        return {**super().chosen, **({"bulk": self.bulk} if has_bulk else {})}

    def source(self, language: str = "python", derivatives: bool = False) -> str:
        """Return the source text of the exported module for this student and target."""
        self.refuse_learned("generate")
        if (several := self.find_classes({})) is not None:
            return several.source(language, derivatives)
        return _codegen_targets.module_source(self, language, derivatives)

    # -- cases and points -------------------------------------------------------------------------

    def find_classes(self, given: Mapping[str, Any]) -> SpikedFeatures | None:
        """Return the theory of the values of the readout; None if all are 1 in size."""
        if self.readout_values == ((1, 1),):
            return None
        return _readout_values.choose_readout(self, given)

    @property
    def batches(self) -> tuple[str, ...]:
        return ("alpha0",)

    def find_teacher(self, given: Mapping[str, Any]) -> tuple[str, int]:
        if self.readout.is_half_square or number(given.get("alpha0")) != math.inf or number(given.get("eta")) == 0.0:
            return MIXED, 1
        # the overlap of the population gradient
        if not self.readout.has_flips:
            return self.name_teacher(float(np.sign(self.target.hermite_coefficients(1)[1])), given)
        flip = number(given.get("flip", 0.0))
        return self.name_teacher(1.0 if math.isnan(flip) else float(np.sign(1.0 - 2.0 * flip)), given)

    def read_simulated(self, parameters: Mapping[str, Any], d: int) -> dict[str, Any]:
        shown = self.read(parameters)
        of_spiked.check_units(shown, d)
        return shown

    @computed_once
    def tolerances(self) -> tuple[Tolerance, ...]:     # other theories are given them
        """Allow for the isotropic bulk, an idealisation (section 7 of the theory): within 2 % for c - 1 <= 0.02."""
        return of_spiked.allow(0.02, "the bulk of the trained weights is idealised as isotropic")

    @computed_once
    def assumptions(self) -> tuple[Assumption, ...]:
        """Return the assumptions of arXiv 2402.04980 on student and step; none on the bulk where it is exact."""
        if self.bulk == "exact":
            return self.layer.assumptions if isinstance(self.layer, ExactLayer) else ()
        return (Assumption(lambda v: not makes_step(v) or self.step.looks_odd,
                           lambda v: f"student {self.student.name!r} is not odd, as arXiv 2402.04980 assumes: the "
                           "initial output is taken as the mean of the student, c as (1 + eta/beta*ybar*h2)^2 + ..., "
                           "and the remaining anisotropy of the step is neglected"),
                Assumption(lambda v: not makes_step(v) or abs(v["c"] - 1.0) <= LARGE_NORM_CHANGE,
                           lambda v: f"c - 1 = {v['c'] - 1.0:.3g} is not small: the bulk of the trained weights is "
                           "idealised as isotropic (arXiv 2402.04980); errors of the real network differ by up to "
                           f"{'10 %' if abs(v['c'] - 1.0) <= _MODERATE else '50 % and more'} (compare bulk='exact')",
                           ("c - 1", lambda v: v["c"] - 1.0)))

    # -- methods ----------------------------------------------------------------------------------

    def parameters_at(self, *, eta: Number, alpha0: Number, beta: Number = 1, noise_variance: Number = 0,
                      flip: Number | None = None) -> dict[str, Any]:
        """Return spike strength, overlap and row norm after the step (Result 3.1).

        Parameters
        ----------
        eta : float
            Learning rate in units of d.
        alpha0 : float
            First-batch samples per dimension; ``math.inf`` for the population gradient.
        beta, noise_variance : float
        flip : float, optional
            Share of flipped labels, if they are signs.

        Returns
        -------
        dict
            ``r``, ``gamma``, ``c``; with values of the readout ``units``, its classes, in place of r and c.
        """
        given = {"eta": eta, "alpha0": alpha0, "beta": beta, "noise_variance": noise_variance, "flip": flip}
        given = {n: v for n, v in given.items() if v is not None}
        values = read_values([p for p in self.declared if p.name in self.step.names], given, self.name)
        several: Any = self.find_classes({})
        if several is not None:
            units, (overlap,) = several.layer.read({**values, "width": math.inf})
            return {"units": [(u, c, fraction) for (u,), c, fraction in units], "gamma": overlap}
        r, c, gamma, _ = self.step.step_parameters(values)
        return {"r": r, "gamma": gamma, "c": c}


def simulate(theory, parameters, *, d, model, **how):
    """Train the real network: real first batch, real gradient step, fresh data, readout; or sample spiked features."""
    if model == "spiked":
        return simulate_spiked_features(theory, parameters, d=d, **how)
    grid, at = of_spiked.get_simulation_grid(parameters, theory.declared)
    p = theory.read_simulated(at, d)
    return _simulate.simulate_network(theory.student, theory.target, d=d, **{n: p[n] for n in ARGUMENTS},
                                      readout=theory.initial_readout, trained=theory.trained,
                                      **of_spiked.training(theory, p), **how, **grid)


def predict_network(theory, parameters, settings, simulation):
    """Return the prediction: exact bulk at the simulated width, or isotropic bulk for spiked features."""
    if not theory.readout.is_ridge:
        return None
    given, width = of_spiked.at_drawn_sizes(parameters, simulation), f"width {simulation.p}"
    at = theory.parameters_at(**{n: parameters[n] for n in ARGUMENTS if n in parameters})
    if settings["model"] == "spiked":
        given = {n: v for n, v in given.items() if n not in ("eta", "alpha0")} | at
        return Expected(SpikedFeatures(theory.student, theory.target), given, f"isotropic bulk, {width}",
                        of_spiked.remainder(simulation.d))
    if parameters["eta"] and parameters["alpha0"]:
        given["alpha0"] = simulation.alpha0
    tolerances = of_spiked.remainder(simulation.d)
    if at["c"] - 1.0 > _MODERATE:
        why = "fluctuations of the first batch, because c - 1 > 1/2"
        tolerances = of_spiked.remainder(simulation.d, _FLUCTUATIONS, why)
    exact = type(theory)(theory.student, theory.target, bulk="exact")
    return Expected(exact, given, f"exact bulk, {width}", tolerances)


#: settings of the simulation
SETTINGS = (size("d", "input dimension"), choice(
    "model", "the trained network, or spiked features with an isotropic bulk", ("network", "spiked"), "network"))
OneStep.simulator = Simulator(simulate, SETTINGS, axes=("alpha", "lam"), notes=of_spiked.width_notes,
                              expected=predict_network)
