"""The intermediate form between a system of equations and its readings."""

from .build import build
from .statements import Grid, Linear, Means, Newton, Program, Scalar, Sums

__all__ = ["Grid", "Linear", "Means", "Newton", "Program", "Scalar", "Sums", "build"]
