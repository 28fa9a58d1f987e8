"""One lock for exact work: the precisions of the ball library and of mpmath's common context belong to the process.

Two threads that set them for each other would get fewer digits than they asked for, or wider balls.  Whoever
changes one, or lets sympy change one, holds the lock; the Python interpreter lets one thread at a time do such
work anyhow.  Functions of floating point do not need it.
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
    """The lock of this process, for ``with``; a thread may take it again."""
    return _lock


def exclusive(function: Callable[P, V]) -> Callable[P, V]:
    """A function that one thread at a time executes."""
    @wraps(function)
    def alone(*arguments, **named):
        with _lock:
            return function(*arguments, **named)

    return alone


def _renew():
    """A child that was forked while another thread held the lock has no such thread to release it."""
    global _lock
    _lock = RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)
