"""Compute attributes once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar, overload

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Self

__all__ = ["computed_once"]

V = TypeVar("V")


class computed_once(Generic[V]):
    """Cache an attribute like functools.cached_property, without the costly lock it has before Python 3.12.

    Two threads may compute a value twice, with the same result.
    """

    def __init__(self, compute: Callable[[Any], V]) -> None:
        self.compute, self.__doc__ = compute, compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type | None = None) -> V: ...

    def __get__(self, instance: object | None, owner: type | None = None) -> Self | V:
        if instance is None:
            return self
        value = instance.__dict__[self.name] = self.compute(instance)
        return value
