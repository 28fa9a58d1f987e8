"""Modules to publish beside a paper: the equations of a theory, solved with numpy alone."""

from .front import ModuleInterface, front_of
from .maps import write_map
from .module import write_standalone

__all__ = ["ModuleInterface", "front_of", "write_map", "write_standalone"]
