"""Simulations of the real models, which know nothing of the theories they test."""

from .estimate import Estimate
from .memory import repeat_bytes
from .network import simulate_network
from .nonlinear import simulate_nonlinear
from .nonlinear_spectrum import nonlinear_singular_values
from .ridge import RidgePath
from .simulation import Simulation
from .spiked import simulate_spiked

__all__ = ["Estimate", "RidgePath", "Simulation", "nonlinear_singular_values", "repeat_bytes",
           "simulate_network", "simulate_nonlinear", "simulate_spiked"]
