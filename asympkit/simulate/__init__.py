"""Simulations of the real models, which know nothing of the theories they test."""

from .estimate import Estimate
from .network import simulate_network
from .ridge import RidgePath
from .simulation import Simulation
from .spiked import simulate_spiked

__all__ = ["Estimate", "RidgePath", "Simulation", "simulate_network", "simulate_spiked"]
