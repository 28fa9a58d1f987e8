"""Follow paths of solutions through folds, by pseudo-arclength continuation."""

from .path import Path, follow_path
from .run import run_continuation

__all__ = ["Path", "follow_path", "run_continuation"]
