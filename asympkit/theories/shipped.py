"""Write the committed files of ``generated/``: each theory of the package fills its own folder.

The ``shipped.py`` of a class of theories lists its files; a theory that is one object has its exported module.
"""

import importlib
from pathlib import Path

from .registry import find, package_names

__all__ = ["write_all", "writers"]


def writers():
    """Return ``{folder/file: function}`` of everything in ``generated/``; a function returns the text of its file."""
    found = {}
    for theory in package_names():
        folder = theory.replace("-", "_")
        found |= {f"{folder}/{name}": write for name, write in _writers(theory, folder).items()}
    return found


def _writers(name, folder):
    """Return ``{file: function}`` of one theory."""
    _, theory = find(name)
    if not isinstance(theory, type):
        return {"solver.py": theory.source}
    return importlib.import_module(f"{__package__}.{folder}.shipped").writers()


def write_all(folder):
    """Write everything in ``generated/`` to a folder."""
    for name, write in writers().items():
        path = Path(folder) / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(write(), encoding="utf-8")
