"""What theories of a student and a target share."""

from functools import lru_cache

from ..activations import Activation
from .model import Model

__all__ = ["PairModel", "activation"]


def activation(spec):
    """The Activation of a theory's argument; theories share those given by the same text, and what they know."""
    if isinstance(spec, Activation):
        return spec
    return _of_text(spec) if isinstance(spec, str) else Activation(spec)


#: of each text one Activation
_of_text = lru_cache(maxsize=16)(Activation)


class PairModel(Model):
    """Base of theories with the activations ``student`` and ``target``."""

    @property
    def student(self):
        return self.functions["student"]

    @property
    def target(self):
        return self.functions["target"]
