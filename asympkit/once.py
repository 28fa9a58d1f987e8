"""Attributes that are computed once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar, overload

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Self

__all__ = ["computed_once"]

V = TypeVar("V")


class computed_once(Generic[V]):
    """Keep the value of a property, without the lock of functools.cached_property before Python 3.12.

    That lock is one for all instances.  A thread that holds it and waits for exclusive work, and another that does
    exclusive work and needs the property, wait for each other for ever.  Here both compute the value; it is the same.
    """

    def __init__(self, func: Callable[[Any], V]) -> None:
        self.func, self.__doc__ = func, func.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type | None = None) -> V: ...

    def __get__(self, instance: object | None, owner: type | None = None) -> Self | V:
        if instance is None:
            return self
        value = instance.__dict__[self.name] = self.func(instance)
        return value
