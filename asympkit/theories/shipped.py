"""What is committed as generated: each theory of the package fills a folder of its own."""

import importlib
from pathlib import Path

from .registry import package_names

__all__ = ["sources", "write_all"]


def sources():
    """``{folder/file: text}`` of everything in ``generated/``."""
    found = {}
    for folder in (name.replace("-", "_") for name in package_names()):
        module = importlib.import_module(f"{__package__}.{folder}.shipped")
        found |= {f"{folder}/{name}": text for name, text in module.sources().items()}
    return found


def write_all(folder):
    """Write everything in ``generated/`` to a folder."""
    for name, text in sources().items():
        path = Path(folder) / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
