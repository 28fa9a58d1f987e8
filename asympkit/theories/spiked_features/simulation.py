"""Simulate spiked features; detect widths that are too small for the limit, and signs that the mean feature separates.

For separated signs the readout's mean grows without bound.
"""

from dataclasses import dataclass

import numpy as np
from sympy import Dummy

from ...arguments import check_axis
from ...comparison import Tolerance
from ...errors import ConvergenceError, DomainError
from ...once import Deferred, computed_once
from ..simulator import Expected

_evaluation, _means = Deferred("asympkit.numbers.evaluation"), Deferred("asympkit.runtime.means")
_simulate, _convex = Deferred("asympkit.simulate"), Deferred("asympkit.simulate.convex")

#: lam*m**2 over n*objective above which the penalty on the mean readout, absent from the limit, shows
#: (n*train_error would do as well, except near interpolation, where it vanishes and the objective does not)
PENALISED_MEAN = 0.02
#: variance of m times the mean of p hidden units, over the test error, above which the finite width shows
NOISY_MEAN = 0.1


def width_notes(theory, solution, simulation):
    """Return notes if the simulated width is too small for the limit, because the readout has a large mean."""
    square, found = solution["m"] ** 2, []
    penalty = solution.parameters["lam"] * square
    train, total = (simulation.n * solution[name] for name in ("train_error", "objective"))
    if penalty > PENALISED_MEAN * total:
        found.append(f"lam*m**2 = {penalty:.3g} is not small against n*train_error = {train:.3g} "
                     f"({total:.3g} with the penalty): the simulated width is too small for the limit, "
                     "where the mean of the readout is not penalised; take a larger d")
    student = theory.functions["student"]
    noise = square * (student.second_moment() - student.hermite_coefficients(0)[0] ** 2) / simulation.p
    if noise > NOISY_MEAN * solution["test_error"]:
        found.append(f"m**2*Var(student)/p = {noise:.3g} is not small against the test "
                     f"error {solution['test_error']:.3g}: the simulated width is too small for the limit, "
                     "where the mean over the hidden units does not fluctuate; take a larger d")
    return tuple(found)


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


def simulate(theory, parameters, *, d, **how):
    """Sample spiked features and train their readout."""
    grid, at = get_simulation_grid(parameters, theory.declared)
    p = theory.read_simulated(at, d)
    return _simulate.simulate_spiked(theory.trained, theory.target, d=d, rows=theory.rows, beta=p["beta"],
                                     noise_variance=p["noise_variance"], **theory.layer.describe(p),
                                     **training(theory, p), **how, **grid)


def training(theory, shown):
    """Return the training task for a simulator; it has ridge regression by itself."""
    return {} if theory.readout.is_ridge else {"task": theory.readout.task(shown.get("flip", 0.0))}


def remainder(d, share=3.0, what="terms of order 1/d"):
    """Make tolerances for the terms that remain beside a finite width, of relative size some number over d."""
    return tuple(Tolerance(name, share / d, f"{what}: {share:g}/d")
                 for name in ("test_error", "clean_error", "train_error", "objective"))


def at_drawn_sizes(parameters, simulation):
    """Return the parameters of a theory at the sizes that were drawn."""
    return {**parameters, "alpha": simulation.alpha, "beta": simulation.beta, "width": simulation.p}


def predict(theory, parameters, settings, simulation, every_loss=False):
    """Return the prediction at the width of the draw, for ridge regression or for every loss."""
    if not (every_loss or theory.readout.is_ridge):
        return None
    return Expected(theory, at_drawn_sizes(parameters, simulation), f"width {simulation.p}", remainder(simulation.d))


# -- losses as functions of arrays ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Own:
    """Evaluate a loss expression on arrays; other processes rebuild the functions."""

    loss: object

    def __getstate__(self):
        return {"loss": self.loss}

    def value(self, y, z):
        """Return the loss."""
        return self._at(self.loss.expr, y, z)

    def derivatives(self, y, z):
        """Return its derivatives in the prediction."""
        return tuple(self._at(e, y, z) for e in self._rates)

    @computed_once
    def _rates(self):
        return tuple(self.loss.expr.diff(self.loss.prediction, order) for order in (1, 2))

    def _at(self, expr, y, z):
        found = _evaluation.evaluate(expr, {self.loss.label: y, self.loss.prediction: z}, _evaluation.Floats())
        return np.broadcast_to(np.asarray(found, dtype=float), np.shape(z))

    def prox(self, y, omega, V):
        """Return its proximal point."""
        form, symbols = self._prox
        at = dict(zip(symbols, (y, omega, np.float64(V))))
        return np.asarray(_evaluation.evaluate(form, at, _evaluation.Floats()), dtype=float)

    @computed_once
    def _prox(self):
        symbols = self.loss.label, Dummy("omega", real=True), Dummy("V", positive=True)
        return self.loss.form.proximal(*symbols), symbols


def array_loss(loss):
    """Return a loss as functions of arrays, those of the simulator if it has them."""
    if loss.name in _convex.NAMED:
        return _convex.NAMED[loss.name]
    own = _Own(loss)
    if loss.pieces is None:
        return _convex.ArrayLoss(str(loss.expr), own.value, own.derivatives)
    return _convex.ArrayLoss(str(loss.expr), own.value, prox=own.prox)


class NoMinimumError(DomainError, ConvergenceError):
    """A point at which no readout minimises the objective; other points of a sweep may have one."""


#: projections at which mean features are tested for separation
_PLACES = np.geomspace(1e-3, 6.0, 40)


def check_is_reached(loss, student, values, shown):
    """Raise if labels are signs of the projection on the spike and the loss has no minimum on them.

    The mean of the readout is not penalised in the limit: if the mean feature has the sign of the projection, or the
    opposite one, everywhere, predictions are right with any margin without a penalty.  The student has the bias in its
    argument, ``values`` are r, c and flip; ``shown`` put the target along the spike, for the message.
    """
    if values["flip"] not in (0.0, 1.0) or not _falls(loss):
        return
    (mean,), _ = _means.normal_means(student, values["r"] * np.concatenate([-_PLACES, _PLACES]), np.sqrt(values["c"]),
                              lambda z, s, at: (s,))
    below, above = np.split(np.sign(mean), 2)
    if above[0] != 0.0 and np.all(above == above[0]) and np.all(below == -above[0]):
        raise NoMinimumError(
            f"{shown} with labels='sign', noise_variance=0 and flip={values['flip']:g}: the mean feature separates the "
            f"labels, and no readout minimises the loss {loss.name!r} (its mean m grows without bound, the objective "
            "falls to 0); expected a noise_variance above 0, a flip between 0 and 1, or a target beside the spike "
            "(there the objective falls like sqrt(1 - gamma**2)), or a width")


def _falls(loss):
    """Return whether a loss still falls, or stays at its minimum, at large margins."""
    label, far = np.array([1.0, -1.0]), 60.0
    nearer, farther = (loss.value(label, label * z) for z in (far - 10.0, far))
    return bool(np.all(farther <= nearer))
