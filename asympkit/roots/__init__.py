"""All solutions at a point that many starts lead to, with their free energies."""

from .result import Solutions
from .run import run_solutions

__all__ = ["Solutions", "run_solutions"]
