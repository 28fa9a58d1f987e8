"""Closed forms of Gaussian means by rules, without symbolic integration."""

from .engine import closed_mean, hermite_coefficient, hermite_sequence

__all__ = ["closed_mean", "hermite_coefficient", "hermite_sequence"]
