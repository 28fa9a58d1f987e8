"""Base class of theories of a student and a target."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from ..activations import Activation
from .declaration import Option
from .model import Model

if TYPE_CHECKING:
    from typing import Self

    from ..annotations import ActivationLike


def activation(spec: ActivationLike) -> Activation:
    """Return the Activation of a theory's argument; theories share those given by the same text, with their caches."""
    if isinstance(spec, Activation):
        return spec
    return _of_text(spec) if isinstance(spec, str) else Activation(spec)


#: one Activation for each text
_of_text = lru_cache(maxsize=16)(Activation)


class StudentTargetModel(Model):
    """Base of theories with the activations ``student`` and ``target``."""

    options: tuple[Option, ...] = (
        Option("student", "activation of the student: a catalogue name or a text, such as tanh"),
        Option("target", "function of the target, such as sin"))

    @classmethod
    def unspecified(cls) -> Self:
        """Return the theory of any student and target, whose equations can be shown."""
        theory = cls.__new__(cls)
        theory.functions = {}
        return theory

    @property
    def student(self) -> Activation:
        return self.functions["student"]

    @property
    def target(self) -> Activation:
        return self.functions["target"]
