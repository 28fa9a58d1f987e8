"""``ak.GradientSteps``: a two-layer network after several large gradient steps on fresh batches."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ...arguments import check_choice, check_count, quote
from ...errors import DomainError, NotAvailableError
from ...once import Deferred, computed_once
from ..declaration import Assumption, Expected, Option, Parameter, Simulator, read_values, size
from ..one_step.step import StepLayer
from ..one_step.theory import LARGE_NORM_CHANGE, OneStep
from ..spiked_features.parts import MIXED, EquationCase, number
from ..spiked_features.simulation import allow, check_units, get_simulation_grid, remainder, training, width_notes
from ..spiked_features.theory import RIDGE, WIDTH, SpikedFeatures
from .layer import StepsLayer

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal

    from ...annotations import ActivationLike, Floats, Number
    from ...comparison import Tolerance
    from ...losses import Loss
    from ..declared import Point

_simulate = Deferred("asympkit.simulate")
_step = Deferred("asympkit.theories.gradient_steps.step")

#: squared spread of the strengths of units over d above which a simulation is near the horizon of the theory
NEAR = 0.02


def simulate(theory, parameters, *, d, **how):
    """Train the real network: fresh batches, gradient steps, fresh data, readout."""
    grid, at = get_simulation_grid(parameters, theory.declared)
    shown = read_values(theory.declared, at, theory.name)
    check_units({**shown, **grid}, d)
    steps = [(shown[eta], shown[alpha0]) for eta, alpha0 in theory.pairs]
    if any(eta and alpha0 == math.inf for eta, alpha0 in steps[1:]):
        raise DomainError("alpha0: got inf; the population gradient of a trained network is not sampled: expected a "
                          "large finite number for the steps of a simulation after the first")
    etas, alpha0s = zip(*steps)
    trained = {} if theory.readout.is_ridge else {"trained": theory.trained}
    return _simulate.simulate_network(theory.student, theory.target, d=d, eta=etas, alpha0=alpha0s, beta=shown["beta"],
                            noise_variance=shown["noise_variance"], **trained, **training(theory, shown), **how, **grid)


def predict_network(theory, parameters, settings, simulation):
    """Return the prediction at the width of the draw and the sizes of its batches."""
    if not theory.readout.is_ridge:
        return None
    sizes = {"alpha": simulation.alpha, "beta": simulation.beta, "width": simulation.p}
    counts = {alpha0: number(parameters[alpha0]) * simulation.d for _, alpha0 in theory.pairs}
    sizes |= {n: round(count) / simulation.d for n, count in counts.items() if math.isfinite(count)}
    idealised = theory.tolerances[0]
    allowed = remainder(simulation.d, 3.0 + idealised.share * simulation.d, f"{idealised.why}, and terms of order 1/d")
    return Expected(theory, {**parameters, **sizes}, f"width {simulation.p}", allowed)


def horizon_notes(theory, solution, simulation):
    """Return notes on the width, and on units that differ much along the spike at the simulated dimension."""
    uneven = solution.parameters.get("spread", 0.0) ** 2 / simulation.d
    near = (f"strengths of units along the spike spread by {math.sqrt(uneven):.2g} of their mean at d = "
            f"{simulation.d}: the horizon of the theory is near; take a larger d",) if uneven > NEAR else ()
    return (*width_notes(theory, solution, simulation), *near)


#: of the first layer: rows of independent directions, or rows that differ systematically
ISOTROPIC, ROWS = "isotropic", "rows"
#: squared spread of the strengths of units over d above which a width is refused
TOO_UNEVEN = 0.25
_ETA = Parameter("eta", "learning rates of the steps, in units of d: a list, or one number for all", "nonnegative")
_ALPHA0 = Parameter("alpha0", "samples of each step over d, a list or one number; inf for population gradients",
                    "nonnegative or inf")


class GradientSteps(SpikedFeatures):
    r"""Learn after several gradient steps of size :math:`\tilde\eta_td` on the first layer, each on a fresh batch.

    The network and its second stage are those of :class:`~asympkit.OneStep`; the first layer makes T steps on
    :math:`\alpha_{0,t}d` fresh samples each, with a uniform readout. ``eta`` and ``alpha0`` are lists of length T; a
    number stands for all steps, two numbers for one step.

    Parameters
    ----------
    student, target : str, sympy.Expr or Activation
    loss : {"square", "absolute"} or Loss
        Of the second stage, as in :class:`~asympkit.SpikedFeatures`; the steps are on half the mean squared error.
    steps : int, optional
        Number of equal steps: ``eta`` and ``alpha0`` are numbers, and may be axes of a sweep.
    modes : {None, "isotropic", "rows"}
        Of the first layer after the steps: rows of independent directions and equal norms, or rows that differ
        systematically along the spike and in their norms.  By default rows from the second step on.

    Notes
    -----
    The first step is that of arXiv 2402.04980. All rows move together: the spike has rank one after any number of
    steps, and the state is the strength r, the overlap gamma and the squared norm c.  With ``modes="rows"`` the theory
    is exact for population gradients (``alpha0=math.inf``); of finite batches the random anisotropy is kept along the
    spike and the target, and replaced by its trace across them.  Where rows move apart along the spike the theory holds
    up to a horizon: ``spread`` in the parameters of a solution is the standard deviation of their strengths over the
    mean, times :math:`\sqrt d`; its square must be small beside d.

    Each step of a list is a parameter by itself, ``eta_1``, ``alpha0_1``, ..., as of :meth:`sensitivity`.

    Examples
    --------
    >>> import asympkit as ak
    >>> t = ak.GradientSteps("tanh", "sin")
    >>> path = t.path(eta=[1.5, 1.5, 1.5], alpha0=4)
    >>> [round(float(r), 6) for r in path["r"]]
    [0.626815, 0.835509, 0.971734]
    """

    name = "gradient steps"
    offers = (*(n for n in SpikedFeatures.offers if n != "spectrum"), "path")
    options = (*SpikedFeatures.options[:3], Option("steps", "number of equal steps, by default 1", (), ""),
               Option("modes", "of the first layer: isotropic, or rows that differ (from the second step on)",
                      ("", ISOTROPIC, ROWS), ""))
    declared = (_ETA, _ALPHA0, *RIDGE, WIDTH)
    derived_names: tuple[str, ...] = ("r", "gamma", "c")
    #: names of the learning rate and of the samples of each step
    pairs: tuple[tuple[str, str], ...] = (("eta", "alpha0"),)
    #: constructor arguments
    steps: int | None = None
    modes: str | None = None

    def __init__(self, student: ActivationLike, target: ActivationLike, loss: Loss | str = "square",
                 steps: int | None = None, modes: Literal["isotropic", "rows"] | None = None) -> None:
        if modes:
            check_choice("modes", modes, (ISOTROPIC, ROWS))
            self.modes = modes
        if steps not in (None, ""):
            self.steps = check_count("steps", int(steps) if isinstance(steps, str) and steps.isdigit() else steps, 1)
            self.pairs *= self.steps
        super().__init__(student, target, loss)

    # -- the schedule -----------------------------------------------------------------------------

    def regime(self, method: str, keywords: Mapping[str, Any]) -> Any:
        return SpikedFeatures.regime(self._listed(_flat(keywords)), method, keywords)

    def _listed(self, given):
        """Return the theory of a schedule with a parameter for each step, if a call gives one."""
        if self.steps is not None or "eta" not in self.names:
            return self
        lists = {n: given[n] for n in ("eta", "alpha0") if isinstance(given.get(n), list | tuple | np.ndarray)}
        over = given.get("over") or ()
        parts = [n.partition("_") for n in (*given, *([over] if isinstance(over, str) else over))]
        counts = [*map(len, lists.values()), *(int(k) for n, _, k in parts if n in ("eta", "alpha0") and k.isdigit())]
        if not counts:
            return self
        count = max(counts)
        if count < 1 or any(len(v) != count for v in lists.values()):
            raise DomainError(f"{', '.join(lists)}: got {', '.join(str(len(v)) for v in lists.values())} numbers for "
                              f"{count} steps: expected one number for each step, or one number for all")
        return self._once(("schedule", count), self._of_schedule, count)

    def _of_schedule(self, count):
        pairs = tuple((f"eta_{k}", f"alpha0_{k}") for k in range(1, count + 1))
        own = tuple(Parameter(names[side], f"{what} of step {k}", of.domain) for side, (of, what) in enumerate((
            (_ETA, "learning rate"), (_ALPHA0, "samples over d"))) for k, names in enumerate(pairs, 1))
        return self._with(pairs=pairs, declared=(*own, *self.declared[2:]))

    def _once(self, key, make, *arguments, **named):
        # equations are those of any schedule
        return super()._once((self.has_rows if isinstance(key[0], EquationCase) else self.pairs, key), make, *arguments,
                             **named)

    def _expanded(self, parameters):
        """Return parameters of a call with those of each step in the place of lists."""
        found = _flat(parameters)
        if self.pairs[0] == ("eta", "alpha0"):
            return found
        for side, name in enumerate(("eta", "alpha0")):
            if name in found:
                value, names = found.pop(name), [pair[side] for pair in self.pairs]
                if twice := [n for n in names if n in found]:
                    raise DomainError(f"{name}: given together with {twice[0]}; expected either")
                is_list = isinstance(value, list | tuple | np.ndarray)
                found |= dict(zip(names, value)) if is_list else dict.fromkeys(names, value)
        return found

    def given(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        return super().given(self._expanded(parameters))

    # -- parts ------------------------------------------------------------------------------------

    @property
    def batches(self) -> tuple[str, ...]:
        return tuple(alpha0 for _, alpha0 in self.pairs)

    @property
    def has_rows(self) -> bool:
        """Return whether rows differ systematically."""
        return self.modes == ROWS or self.modes is None and len(self.pairs) > 1

    @property
    def layer(self) -> StepsLayer:  # type: ignore[override]
        return self._once("layer", lambda: StepsLayer(
            StepLayer(self.functions, self.readout.labels, OneStep.declared), self.pairs, self.has_rows))

    def _make_solver(self):
        if self.has_rows and self.readout.is_ridge:
            return _step.RowRidge(self.functions, self.case.has_width)
        return super()._make_solver()

    @property
    def chosen(self) -> dict[str, Any]:  # type: ignore[override]
        own = {"steps": self.steps, "modes": self.modes}
        return {**super().chosen, **{n: v for n, v in own.items() if v is not None}}

    def source(self, language: str = "python", derivatives: bool = False) -> str:
        """Raise: an exported module would hold every step."""
        raise NotAvailableError("generate: several steps have no exported module; ak.SpikedFeatures(...).generate has "
                                "the readout, for r, c and gamma of path()")

    # -- cases and points -------------------------------------------------------------------------

    def find_teacher(self, given: Mapping[str, Any]) -> tuple[str, int]:
        """Return the case of the target: along the spike after population gradients."""
        given = self._expanded(given)
        steps = [(number(given.get(eta)), number(given.get(alpha0))) for eta, alpha0 in self.pairs]
        if self.readout.is_half_square or not any(eta for eta, _ in steps) or any(
                eta != 0.0 and alpha0 != math.inf for eta, alpha0 in steps):
            return MIXED, 1
        values = read_values(self._of_layer, {n: given[n] for n in self.layer.names if n in given}, self.name)
        return self.name_teacher(self.layer.floats(values)["gamma"], given)

    @property
    def _of_layer(self):
        return [p for p in self.declared if p.name in self.layer.names]

    def locate_point(self, parameters: Mapping[str, Any], digits: int = 0) -> Point:
        point = super().locate_point(parameters, digits)
        if self.layer.is_one:
            return point
        shown = {**point.shown, "spread": self.layer.spread(point.shown)}
        width = shown.get("width", math.inf)
        uneven = shown["spread"] ** 2 * shown["beta"] / width
        if uneven > TOO_UNEVEN:
            raise DomainError(f"width: got {width:g} after {len(self.pairs)} steps; strengths of units along the "
                              f"spike spread by {math.sqrt(uneven):.2g} of their mean, beyond the horizon of the "
                              "theory, which needs a small spread: expected fewer or smaller steps, or a larger width")
        return point._replace(shown=shown)

    def default_check_digits(self, parameters: Mapping[str, Any]) -> int:
        return super().default_check_digits(parameters) if self.layer.is_one else 15

    @computed_once
    def tolerances(self) -> tuple[Tolerance, ...]:     # other theories are given them
        """Allow for finite batches: theories and networks differ by 3 % for shares of batches up to 0.1."""
        return allow(0.03, "the random anisotropy of batches is replaced by its trace")

    @computed_once
    def assumptions(self) -> tuple[Assumption, ...]:
        """Return the assumptions on student, batches and horizon."""
        first = self.layer.first

        def share(v):
            if self.layer.is_one:
                return max(0.0, 1.0 - 1.0 / v["c"])
            last = self.layer.path(v)[-1]
            return last["noise"] / last["c"]

        def uneven(v):
            return 0.0 if self.layer.is_one else self.layer.spread(v) ** 2 * v["beta"] / (v.get("width") or math.inf)

        return (
            Assumption(lambda v: first.looks_odd or not any(v[eta] and v[alpha0] for eta, alpha0 in self.pairs),
                       lambda v: f"student {self.student.name!r} is not odd, as arXiv 2402.04980 assumes: the initial "
                       "output is taken as the mean of the student, and the remaining anisotropy of the steps is "
                       "neglected"),
            Assumption(lambda v: share(v) <= LARGE_NORM_CHANGE,
                       lambda v: f"a share {share(v):.3g} of the squared norm of the rows is noise of finite batches, "
                       "whose random anisotropy is replaced by its trace: errors of the real network differ by up to a "
                       "tenth of this share", ("share of noise", share)),
            Assumption(lambda v: self.has_rows or sum(bool(v[eta] and v[alpha0]) for eta, alpha0 in self.pairs) < 2,
                       lambda v: "modes='isotropic' leaves out that rows differ systematically from the second step "
                       "on: errors of the real network differ by several percent (compare modes='rows')"),
            Assumption(lambda v: uneven(v) <= NEAR,
                       lambda v: f"strengths of units along the spike spread by {math.sqrt(uneven(v)):.2g} of their "
                       "mean at this width: the horizon of the theory, which needs a small spread, is near",
                       ("squared spread of the strengths", uneven)))

    # -- methods ----------------------------------------------------------------------------------

    def bounds(self, *, digits: int | None = None, **parameters: Any) -> dict[str, Any]:
        theory = self._listed(parameters)
        return SpikedFeatures.bounds(theory, digits=digits, **theory._expanded(parameters))

    bounds.__doc__ = SpikedFeatures.bounds.__doc__

    def spectrum(self, *, digits: int | None = None, **parameters: Any) -> Any:
        """Raise: outliers of rows that differ are not known."""
        raise NotAvailableError("spectrum: outliers after several steps are not known; ak.SpikedFeatures(...).spectrum "
                                "has those over an isotropic bulk, for r, c and gamma of path()")

    def path(self, *, eta: Number | list[Number], alpha0: Number | list[Number], beta: Number = 1,
             noise_variance: Number = 0) -> dict[str, Floats]:
        """Return spike strength, overlap and row norm after each step, and the loss before it.

        Parameters
        ----------
        eta, alpha0 : float or list of float
            As for :meth:`solve`.
        beta, noise_variance : float

        Returns
        -------
        dict of ndarray, shape (T,)
            ``r``, ``gamma``, ``c``, and ``loss``, the mean squared error of the network on fresh noisy labels before
            the step (NaN for steps of size 0).

        Examples
        --------
        >>> import asympkit as ak
        >>> path = ak.GradientSteps("tanh", "sin").path(eta=[1.5, 1.5], alpha0=[4, 4])
        >>> [round(float(e), 6) for e in path["loss"]]
        [0.432332, 0.177181]
        """
        given = {"eta": eta, "alpha0": alpha0, "beta": beta, "noise_variance": noise_variance}
        theory = self._listed(given)
        if isinstance(eta, list | tuple | np.ndarray) and theory is self:
            raise DomainError(f"eta: got {quote(eta)} with steps={self.steps}; expected a number")
        values = read_values(theory._of_layer, theory.given(given), self.name)
        steps = theory.layer.path(values)[1:]
        return {n: np.array([step.get(n, math.nan) for step in steps]) for n in ("r", "gamma", "c", "loss")}


def _flat(keywords):
    """Return the arguments of a call with those in ``parameters={...}`` among them."""
    more = keywords.get("parameters")
    return {**{n: v for n, v in keywords.items() if n != "parameters"}, **(more if isinstance(more, dict) else {})}


GradientSteps.simulator = Simulator(simulate, (size("d", "input dimension"),), axes=("alpha", "lam"),
                                    notes=horizon_notes, expected=predict_network)
