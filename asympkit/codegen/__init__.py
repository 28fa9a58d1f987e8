"""Source code from programs, loops for numba and numpy batches."""

from .module import fingerprint, write_kernel

__all__ = ["fingerprint", "write_kernel"]
