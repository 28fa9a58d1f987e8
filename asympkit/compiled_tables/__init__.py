"""Conditional means of activations by loops that numba compiles, once for all theories; the door is ``means_by_loops``.

It takes what :func:`asympkit.runtime.means.normal_means` takes and returns the same numbers several times faster.
"""

from .means import means_by_loops

__all__ = ["means_by_loops"]
