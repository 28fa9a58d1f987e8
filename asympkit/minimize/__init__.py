"""Find optimal parameters: roots of exact derivatives, at one point or along the axes of many."""

from .result import Maximum, Minimum, Optimum
from .run import run_minimize

__all__ = ["Maximum", "Minimum", "Optimum", "run_minimize"]
