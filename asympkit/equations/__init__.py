"""Theories, the systems of equations derived from them, and their structure."""

from .blocks import Block, find_blocks
from .system import System

__all__ = ["Block", "System", "find_blocks"]
