"""Balls: numbers with a proved error bound, for Gaussian averages and closed expressions."""

from .ball import Ball
from .enclose import enclose

__all__ = ["Ball", "enclose"]
