"""Expressions given as text: a whitelist grammar, read into sympy; a text is never evaluated as Python."""

from .reader import parse

__all__ = ["parse"]
