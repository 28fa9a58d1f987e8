"""Modules for other programs: a theory's kernel with all that it calls, for numpy (faster with numba) or for JAX."""

from .interface import ModuleInterface, make_interface, write_map, write_slopes
from .jax_module import write_jax_module
from .module import write_module

__all__ = ["LANGUAGES", "ModuleInterface", "make_interface", "write_map", "write_module", "write_slopes"]

#: writers of modules, by the language
LANGUAGES = {"python": write_module, "jax": write_jax_module}
