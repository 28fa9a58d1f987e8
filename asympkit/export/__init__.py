"""Modules for other programs: a theory's kernel with all that it calls, for numpy (faster with numba), JAX or C."""

from .interface import ModuleInterface, make_interface, write_map, write_slopes
from .jax_module import write_jax_module
from .languages import LANGUAGES, MADE_HERE
from .module import write_module

__all__ = ["LANGUAGES", "MADE_HERE", "WRITERS", "ModuleInterface", "make_interface", "write_map", "write_module",
           "write_slopes"]

#: writers of modules, by the language
WRITERS = {"python": write_module, "jax": write_jax_module}
