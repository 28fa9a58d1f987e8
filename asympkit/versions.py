"""Show the versions for a bug report (``ak.show_versions()``)."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

from ._version import __version__

PACKAGES = ("sympy", "numpy", "scipy", "mpmath", "numba", "platformdirs", "threadpoolctl", "tqdm", "python-flint",
            "matplotlib")


def show_versions() -> str:
    """Print and return the versions of Python, asympkit and the packages it uses.

    Nothing is imported: the versions come from the metadata of the installed packages.

    Returns
    -------
    str
        One line a package; a package that is missing is ``not installed``.

    Examples
    --------
    >>> text = show_versions()  # doctest: +ELLIPSIS
    python         3...
    asympkit       ...
    """
    rows = [("python", platform.python_version()), ("asympkit", __version__)]
    rows += [(name, installed_version(name)) for name in PACKAGES]
    width = max(len(name) for name, _ in rows)
    text = "\n".join(f"{name:<{width}}  {found}" for name, found in rows)
    print(text)
    return text


def installed_version(name: str) -> str:
    """Return the version of a package from its metadata, or ``not installed``."""
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
