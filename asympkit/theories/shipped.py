"""What is committed as generated: each theory of the package fills a folder of its own.

A class of theories says in its ``shipped.py`` what that is; a theory that is one object is its standalone module.
"""

import importlib
from pathlib import Path

from .registry import find, package_names

__all__ = ["sources", "write_all"]


def sources():
    """``{folder/file: text}`` of everything in ``generated/``."""
    found = {}
    for theory in package_names():
        folder = theory.replace("-", "_")
        found |= {f"{folder}/{name}": text for name, text in _sources(theory, folder).items()}
    return found


def _sources(name, folder):
    """``{file: text}`` of one theory."""
    _, theory = find(name)
    if not isinstance(theory, type):
        return {"solver.py": theory.source()}
    return importlib.import_module(f"{__package__}.{folder}.shipped").sources()


def write_all(folder):
    """Write everything in ``generated/`` to a folder."""
    for name, text in sources().items():
        path = Path(folder) / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
