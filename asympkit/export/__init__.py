"""Modules for other programs: a theory's kernel with all that it calls, solved with numpy alone, faster with numba."""

from .interface import ModuleInterface, make_interface, write_map
from .languages import LANGUAGES, MADE_HERE
from .module import write_module

__all__ = ["LANGUAGES", "MADE_HERE", "ModuleInterface", "make_interface", "write_map", "write_module"]
