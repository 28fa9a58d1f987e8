"""Simulate spiked features, and detect widths that are too small for the limit."""

import numpy as np

from ...arguments import check_axis
from ...errors import DomainError
from ...once import Deferred
from ..declaration import Expected

_comparison, _simulate = Deferred("asympkit.comparison"), Deferred("asympkit.simulate")

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


def allow(share, why):
    """Make tolerances of errors and objective."""
    return tuple(_comparison.Tolerance(name, share, why)
                 for name in ("test_error", "clean_error", "train_error", "objective"))


def remainder(d, share=3.0, what="terms of order 1/d"):
    """Make tolerances for the terms that remain beside a finite width, of relative size some number over d."""
    return allow(share / d, f"{what}: {share:g}/d")


def at_drawn_sizes(parameters, simulation):
    """Return the parameters of a theory at the sizes that were drawn."""
    return {**parameters, "alpha": simulation.alpha, "beta": simulation.beta, "width": simulation.p}


def predict(theory, parameters, settings, simulation, every_loss=False):
    """Return the prediction at the width of the draw, for ridge regression or for every loss."""
    if not (every_loss or theory.readout.is_ridge):
        return None
    return Expected(theory, at_drawn_sizes(parameters, simulation), f"width {simulation.p}", remainder(simulation.d))
