"""Exact derivatives of solutions by their parameters, by implicit differentiation of the derived system."""

from .run import run_sensitivity
from .tangent import directional, tangent_system

__all__ = ["directional", "run_sensitivity", "tangent_system"]
