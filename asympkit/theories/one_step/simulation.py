"""Simulate one step, and predict its draws: the bulk that was trained, at the width of the draw."""

from ..declaration import read_values
from ..simulator import Expected
from ..spiked_features.simulation import check_units, get_simulation_grid, remainder, training
from ..spiked_features.theory import SpikedFeatures
from . import ARGUMENTS

#: tolerance times d, and the value of c - 1 above which the fluctuations of the batch need it
_FLUCTUATIONS, _LARGE_NORM_CHANGE = 8.0, 0.5


def predict_network(theory, parameters, settings, simulation):
    """Return the prediction: exact bulk at the simulated width, or isotropic bulk for spiked features."""
    if not theory.readout.is_ridge:
        return None
    sizes = {"alpha": simulation.alpha, "beta": simulation.beta, "width": simulation.p}
    at = theory.parameters_at(**{n: parameters[n] for n in ARGUMENTS if n in parameters})
    if settings["model"] == "spiked":
        given = {"r": at["r"], "c": at["c"], "gamma": at["gamma"], "lam": parameters["lam"],
                 "noise_variance": parameters.get("noise_variance", 0), **sizes}
        return Expected(SpikedFeatures(theory.student, theory.target), given,
                        f"isotropic bulk, width {simulation.p}", remainder(simulation.d))
    if parameters["eta"] and parameters["alpha0"]:
        sizes["alpha0"] = simulation.alpha0
    tolerances = remainder(simulation.d)
    if at["c"] - 1.0 > _LARGE_NORM_CHANGE:
        tolerances = remainder(simulation.d, _FLUCTUATIONS, "fluctuations of the first batch, because c - 1 > 1/2")
    model = type(theory)(theory.student, theory.target, bulk="exact")
    return Expected(model, {**parameters, **sizes}, f"exact bulk, width {simulation.p}", tolerances)


def simulate(theory, parameters, *, d, model, **how):
    """Train the real network: real first batch, real gradient step, fresh data, readout; or sample spiked features."""
    from ...simulate import simulate_network, simulate_spiked

    grid, at = get_simulation_grid(parameters, theory.declared)
    shown = read_values(theory.declared, at, theory.name)
    p = {**shown, **grid}
    check_units(p, d)
    for name in ("width", "flip"):
        p.pop(name, None)
    task = training(theory, shown)
    if model == "network":
        trained = {} if theory.readout.is_ridge else {"trained": theory.trained}
        return simulate_network(theory.student, theory.target, d=d, **p, **task, **trained, **how)
    r, c, gamma, _ = theory._step_parameters(shown)
    p = {name: value for name, value in p.items() if name not in ("eta", "alpha0")}
    return simulate_spiked(theory.trained, theory.target, d=d, r=r, gamma=gamma, c=c, **p, **task, **how)
