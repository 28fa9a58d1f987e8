"""Activation functions: the catalogue, user texts and sympy expressions behind one class."""

from ..parsing.grammar import CATALOGUE
from ..properties.growth import Growth
from .activation import Activation

__all__ = ["CATALOGUE", "Activation", "Growth"]
