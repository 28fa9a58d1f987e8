"""Gaussian calculus: the expectation node, Stein's lemma, closed forms, coefficients."""

from .expectation import E
from .measure import Gaussian
from .stein import stein

__all__ = ["E", "Gaussian", "stein"]
