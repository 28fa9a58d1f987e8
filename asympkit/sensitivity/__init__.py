"""Exact derivatives of solutions by their parameters, by implicit differentiation of the derived system."""

from .directional import directional
from .run import run_sensitivity
from .tangent import tangent_system

__all__ = ["directional", "run_sensitivity", "tangent_system"]
