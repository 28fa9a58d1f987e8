"""Grids of solutions over named axes."""

from .result import Sweep
from .run import run_sweep

__all__ = ["Sweep", "run_sweep"]
