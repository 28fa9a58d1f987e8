"""Modules for other programs: a theory's kernel with all that it calls, solved with numpy alone, faster with numba."""

from .interface import ModuleInterface, make_interface, write_map
from .module import write_module

__all__ = ["ModuleInterface", "make_interface", "write_map", "write_module"]
