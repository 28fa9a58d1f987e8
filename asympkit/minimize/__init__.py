"""Optimal parameters: roots of exact derivatives, over one point or along the axes of many."""

from .result import Minimum
from .run import run_minimize

__all__ = ["Minimum", "run_minimize"]
