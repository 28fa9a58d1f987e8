"""Simulate several steps, and predict the draws at their width."""

import math

from ...errors import DomainError
from ..declaration import read_values
from ..simulator import Expected
from ..spiked_features.parts import number
from ..spiked_features.simulation import check_units, get_simulation_grid, remainder, training, width_notes

#: squared spread of the strengths of units over d above which a simulation is near the horizon of the theory
NEAR = 0.02


def simulate(theory, parameters, *, d, **how):
    """Train the real network: fresh batches, gradient steps, fresh data, readout."""
    from ...simulate import simulate_network

    grid, at = get_simulation_grid(parameters, theory.declared)
    shown = read_values(theory.declared, at, theory.name)
    check_units({**shown, **grid}, d)
    steps = [(shown[eta], shown[alpha0]) for eta, alpha0 in theory.pairs]
    if any(eta and alpha0 == math.inf for eta, alpha0 in steps[1:]):
        raise DomainError("alpha0: got inf; the population gradient of a trained network is not sampled: expected a "
                          "large finite number for the steps of a simulation after the first")
    etas, alpha0s = zip(*steps)
    trained = {} if theory.readout.is_ridge else {"trained": theory.trained}
    return simulate_network(theory.student, theory.target, d=d, eta=etas, alpha0=alpha0s, beta=shown["beta"],
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
