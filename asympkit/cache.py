"""Where generated kernels are kept: ``ASYMPKIT_CACHE_DIR``, or the user's cache folder."""

import os
import shutil
import tempfile
from pathlib import Path


def directory():
    """Return the cache folder, creating it when first needed.

    ``ASYMPKIT_CACHE_DIR`` if set, else ``asympkit`` below ``XDG_CACHE_HOME`` or ``~/.cache``; a
    temporary folder where none of these can be written.
    """
    chosen = os.environ.get("ASYMPKIT_CACHE_DIR")
    base = Path(chosen) if chosen else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "asympkit"
    try:
        base.mkdir(parents=True, exist_ok=True)
        if not os.access(base, os.W_OK):
            raise PermissionError(base)
    except OSError:
        base = Path(tempfile.gettempdir()) / "asympkit"
        base.mkdir(parents=True, exist_ok=True)
    return base


def write(name, text):
    """Write a text file into the cache, atomically, unless it is there already; return its path."""
    path = directory() / name
    if not path.exists():
        handle, part = tempfile.mkstemp(dir=path.parent, suffix=".part")
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
        os.replace(part, path)
    return path


def clear():
    """Remove all generated kernels and their compiled code."""
    shutil.rmtree(directory(), ignore_errors=True)
