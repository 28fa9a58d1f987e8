"""The intermediate form between a system of equations and its back ends."""

from .build import build
from .grids import scalar_map
from .names import Names
from .statements import Grid, Linear, Means, Newton, Program, Scalar, ScalarMap, Sums

__all__ = ["Grid", "Linear", "Means", "Names", "Newton", "Program", "Scalar", "ScalarMap", "Sums", "build",
           "scalar_map"]
