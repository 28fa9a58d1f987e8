"""Certificates: saddle points, averages and (:mod:`.enclose`) closed expressions, enclosed with proof."""

from .solutions import certify_model

__all__ = ["certify_model"]
