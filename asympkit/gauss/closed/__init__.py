"""Closed forms of one-dimensional Gaussian means by rules, without symbolic integration."""

from .engine import gaussian_mean, hermite_coefficient

__all__ = ["gaussian_mean", "hermite_coefficient"]
