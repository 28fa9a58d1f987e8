"""Gaussian calculus: the expectation node, closed forms, coefficients."""

from ..numbers.functions.pair_classes import BivariateNormalCDF, OwenT
from .measure import E, Gaussian

__all__ = ["BivariateNormalCDF", "E", "Gaussian", "OwenT"]
