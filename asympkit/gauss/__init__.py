"""Gaussian calculus: the expectation node, Stein's lemma, closed forms, coefficients."""

from ..numbers.functions.pair_classes import BivariateNormalCDF, OwenT
from .identities import stein
from .measure import E, Gaussian

__all__ = ["BivariateNormalCDF", "E", "Gaussian", "OwenT", "stein"]
