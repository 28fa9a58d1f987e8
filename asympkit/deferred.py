"""Modules behind single methods, loaded when such a method is first called."""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False           # this module is loaded with the command line, typing is not
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Deferred"]


class Deferred:
    """Stand for a module, which is loaded when one of its names is first used.

    Parameters
    ----------
    name : str
        The whole name of the module.

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
