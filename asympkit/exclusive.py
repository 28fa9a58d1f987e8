"""Provide one lock for exact work: the precisions of the ball library and of mpmath's common context are global.

Two threads that set them for each other would get fewer digits than requested, or wider balls.  Code that changes one,
or lets sympy change one, holds the lock.  Floating-point functions do not need it.
"""

from __future__ import annotations

import os
from _thread import RLock  # that of threading, which takes longer to load
from functools import wraps

TYPE_CHECKING = False           # typing takes longer to load than this module
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import ParamSpec, TypeVar

    P = ParamSpec("P")
    V = TypeVar("V")

__all__ = ["exclusive", "lock"]

_lock = RLock()


def lock() -> RLock:
    """Return the lock of this process, for ``with``; it is reentrant."""
    return _lock


def exclusive(function: Callable[P, V]) -> Callable[P, V]:
    """Let one thread at a time execute a function."""
    @wraps(function)
    def alone(*arguments, **named):
        with _lock:
            return function(*arguments, **named)

    return alone


def _renew():
    """Make a new lock in a forked child, whose parent's thread may never release the old one."""
    global _lock
    _lock = RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)
