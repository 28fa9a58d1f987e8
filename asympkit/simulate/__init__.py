"""Simulate the real models, independently of the theories they test."""

from .core.estimate import Estimate
from .core.simulation import Simulation
from .deep_features.prescribed import simulate_features
from .deep_features.random_weights import draw_deep
from .deep_features.training import train_layers
from .nonlinear_spikes.simulation import simulate_nonlinear
from .nonlinear_spikes.spectrum import nonlinear_singular_values
from .one_step.network import simulate_network
from .ridge.memory import repeat_bytes
from .ridge.path import RidgePath
from .spiked_features.features import simulate_spiked

__all__ = ["Estimate", "RidgePath", "Simulation", "draw_deep", "nonlinear_singular_values", "repeat_bytes",
           "simulate_features", "simulate_network", "simulate_nonlinear", "simulate_spiked", "train_layers"]
