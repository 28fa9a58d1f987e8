"""Simulations of the real models, which know nothing of the theories they test."""

from .core.estimate import Estimate
from .core.simulation import Simulation
from .nonlinear_spikes.simulation import simulate_nonlinear
from .nonlinear_spikes.spectrum import nonlinear_singular_values
from .one_step.network import simulate_network
from .ridge.memory import repeat_bytes
from .ridge.path import RidgePath
from .spiked_features.features import simulate_spiked

__all__ = ["Estimate", "RidgePath", "Simulation", "nonlinear_singular_values", "repeat_bytes",
           "simulate_network", "simulate_nonlinear", "simulate_spiked"]
