"""Simulate the real models, independently of the theories they test."""

from .deep_features import draw_deep, simulate_features, train_layers
from .nonlinear_spikes import nonlinear_singular_values, simulate_nonlinear
from .one_step import simulate_network
from .ridge import RidgePath
from .simulation import Estimate, Simulation
from .spiked_features import simulate_spectrum, simulate_spiked, simulate_weights

__all__ = ["Estimate", "RidgePath", "Simulation", "draw_deep", "nonlinear_singular_values", "simulate_features",
           "simulate_network", "simulate_nonlinear", "simulate_spectrum", "simulate_spiked",
           "simulate_weights", "train_layers"]
