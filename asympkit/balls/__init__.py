"""Balls: numbers with a proved error bound, for averages over one normal and closed expressions."""

from .ball import Ball

__all__ = ["Ball"]
