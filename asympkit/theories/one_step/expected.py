"""Predict the simulations of one step: the bulk that was trained, at the width of the draw."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..simulator import Expected
from ..spiked_features.theory import SpikedFeatures, remainder
from . import ARGUMENTS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ...simulate.simulation import Simulation
    from .theory import OneStep

__all__ = ["predict_network"]

#: tolerance times d, and the value of c - 1 above which the fluctuations of the batch need it
_FLUCTUATIONS, _LARGE_NORM_CHANGE = 8.0, 0.5


def predict_network(theory: OneStep, parameters: Mapping[str, Any], settings: Mapping[str, Any],
                     simulation: Simulation) -> Expected | None:
    """Return the prediction: exact bulk at the simulated width, or isotropic bulk for spiked features."""
    if not theory.readout.is_ridge:
        return None
    from .theory import OneStep

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
    model = OneStep(theory.student, theory.target, bulk="exact")
    return Expected(model, {**parameters, **sizes}, f"exact bulk, width {simulation.p}", tolerances)
