"""What theories of a student and a target share."""

import warnings

from ..errors import AssumptionWarning
from .model import Model

__all__ = ["PairModel", "warn_assumptions"]


class PairModel(Model):
    """Base of theories with the activations ``student`` and ``target``."""

    @property
    def student(self):
        return self.functions["student"]

    @property
    def target(self):
        return self.functions["target"]


def warn_assumptions(assumptions):
    """Issue one AssumptionWarning for each broken assumption."""
    for text in assumptions:
        warnings.warn(text, AssumptionWarning, stacklevel=4)
