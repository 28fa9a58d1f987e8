"""Certified saddle points: every average enclosed, the root proved to lie in the printed box."""

from .solutions import certify_model

__all__ = ["certify_model"]
