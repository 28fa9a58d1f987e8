"""Source code from programs: numba loops, numpy batches, standalone modules."""

from .module import fingerprint, write_module

__all__ = ["fingerprint", "write_module"]
