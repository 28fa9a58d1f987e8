"""Source code from programs, loops for numba and numpy batches: kernels for the package, and standalone modules."""

from .alone import write_module
from .module import fingerprint, write_kernel

__all__ = ["fingerprint", "write_kernel", "write_module"]
