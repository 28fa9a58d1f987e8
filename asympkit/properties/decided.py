"""Attributes that algebra decides, one thread at a time: what has no value on the way is told as a domain error."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, TypeVar

from ..errors import DomainError
from ..exclusive import exclusive

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["decided"]

V = TypeVar("V")


def decided(method: Callable[[Any], V]) -> Callable[[Any], V]:
    """A method of an activation that computes an attribute; :class:`Undefined` never leaves it."""
    alone = exclusive(method)

    @wraps(method)
    def told(activation):
        try:
            return alone(activation)
        except Exception as error:
            from ..parsing.to_mpmath import Undefined

            if not isinstance(error, Undefined):
                raise
            what = method.__name__.lstrip("_")
            raise DomainError(f"cannot decide the {what} of the activation {activation.name!r:.200}: it has no real "
                              "value of moderate size at a point between its switches; an activation must be real and "
                              "finite on the whole line") from None

    return told
