"""Declare layers of a deep random network."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...activations import Activation
from ...arguments.domains import check_value, quote
from ...errors import DomainError
from ..student_target import activation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...annotations import ActivationLike

__all__ = ["Layer", "read_layers", "count_shared_layers"]


@dataclass(frozen=True)
class Layer:
    """Declare a layer of a random network: the number of units over the input dimension, and their activation.

    Parameters
    ----------
    width : float
        Number of units over the input dimension.
    activation : str, sympy.Expr or Activation
        A catalogue name, a text in ``z``, or an expression.
    shared : bool
        Of a target: whether it is the student's layer of the same depth, weights included.

    Raises
    ------
    DomainError
        For a width that is not positive, or an invalid activation.

    Examples
    --------
    >>> str(Layer(1.5, "tanh")), str(Layer(1, "erf", shared=True))
    ('1.5:tanh', '1:erf=')
    """

    width: float
    activation: ActivationLike
    shared: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "width", check_value("width", self.width, "positive"))
        object.__setattr__(self, "activation", activation(self.activation))
        if not isinstance(self.shared, bool):
            raise DomainError(f"shared: got {quote(self.shared)}; expected True or False")

    def __str__(self) -> str:
        return f"{self.width:g}:{activation(self.activation).name}{'=' if self.shared else ''}"


def read_layers(name: str, given: Sequence[Layer] | str) -> tuple[Layer, ...]:
    """Return layers from a list, or from a text such as ``1.5:tanh,1:erf``; ``=`` after a layer means shared.

    Raises
    ------
    DomainError
    """
    if isinstance(given, str):
        return tuple(_read(name, text) for text in _parts(given))
    if isinstance(given, Layer):
        return (given,)
    found = tuple(given) if isinstance(given, Iterable) else ()
    if not found or not all(isinstance(layer, Layer) for layer in found):
        raise DomainError(f"{name}: got {quote(given)}; expected a list of asympkit.Layer, the first layer first, or a "
                          "text such as '1.5:tanh,1:erf'")
    return found


def _parts(text):
    """Return the pieces between commas outside parentheses."""
    parts, depth = [""], 0
    for c in text:
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return parts


def _read(name, text):
    width, colon, function = text.strip().partition(":")
    try:
        value = float(width)
    except ValueError:
        value = None
    if not colon or not function or value is None:
        raise DomainError(f"{name}: got {text.strip()!r}; expected WIDTH:ACTIVATION, such as 1.5:tanh, followed by '=' "
                          "if a target shares the student's layer")
    return Layer(value, function.rstrip("= "), shared=function.rstrip().endswith("="))


def count_shared_layers(student: Sequence[Layer], target: Sequence[Layer]) -> int:
    """Return how many layers a target shares with the student, from the first on.

    Raises
    ------
    DomainError
        If a shared layer follows one that is not shared, or is not a layer of the student.
    """
    if any(layer.shared for layer in student):
        raise DomainError("student: got a shared layer; expected shared=True in the target alone")
    number = next((k for k, layer in enumerate(target) if not layer.shared), len(target))
    for k, layer in enumerate(target):
        if layer.shared and k >= number:
            raise DomainError(f"target: layer {k + 1} is shared and layer {number + 1} is not; expected shared layers "
                              "first: what follows other weights has nothing in common with the student")
    if number > len(student):
        raise DomainError(f"target: got {number} shared layers; expected at most {len(student)}, those of the student")
    for k in range(number):
        mine, theirs = student[k], target[k]
        if theirs.width != mine.width or Activation(theirs.activation) != Activation(mine.activation):
            raise DomainError(f"target: its shared layer {k + 1} is {theirs}, and the student's is {mine}; expected "
                              "the same width and activation, since the weights are the same")
    return number
