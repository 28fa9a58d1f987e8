"""Modules to publish beside a paper: the equations of a theory, solved with numpy alone."""

from .front import ModuleInterface, make_interface
from .maps import write_map
from .module import write_standalone

__all__ = ["ModuleInterface", "make_interface", "write_map", "write_standalone"]
