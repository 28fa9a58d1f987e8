"""Load modules late, compute attributes once, and let one thread at a time do exact work.

The precisions of the ball library and of mpmath's common context are global.  Two threads that set them for each other
would get fewer digits than requested, or wider balls.  Code that changes one, or lets sympy change one, holds the lock.
Floating-point functions do not need it.
"""

from __future__ import annotations

import os
from _thread import RLock  # that of threading, which takes longer to load
from functools import wraps
from importlib import import_module
from typing import TYPE_CHECKING, Generic, TypeVar, overload

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ParamSpec, Self

    P = ParamSpec("P")

V = TypeVar("V")


class Deferred:
    """Stand for a module, by its whole name, which is loaded when one of its names is first used.

    Examples
    --------
    >>> roots = Deferred("asympkit.roots")
    >>> roots.run_solutions.__name__
    'run_solutions'
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._name), name)


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


_lock = RLock()


def lock() -> RLock:
    """Return the lock of this process, for ``with``; it is reentrant."""
    return _lock


def exclusive(function: Callable[P, V]) -> Callable[P, V]:
    """Let one thread at a time execute a function."""
    @wraps(function)
    def alone(*arguments: P.args, **named: P.kwargs) -> V:
        with _lock:
            return function(*arguments, **named)

    return alone


def _renew() -> None:
    """Make a new lock in a forked child, whose parent's thread may never release the old one."""
    global _lock
    _lock = RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)
