"""Theories, the systems of equations derived from them, and their structure."""

from .blocks import Block, find_blocks
from .system import System
from .theory import Theory

__all__ = ["Block", "System", "Theory", "find_blocks"]
