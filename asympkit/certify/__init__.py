"""Certificates: closed expressions, averages and saddle points, enclosed with proof."""

from .enclose import enclose
from .solutions import certify_model

__all__ = ["certify_model", "enclose"]
