"""The mathematics as runnable documents: every step of a derivation carries a machine check.

``python -m asympkit.derivations.one_step.result_3_1`` prints one; :func:`load` returns it as an object.
Nothing heavy is imported until a derivation is loaded.
"""

from importlib import import_module
from pkgutil import iter_modules

from ..errors import UnknownNameError, suggest


def _found():
    """Name of each derivation and the module that holds it; each folder lists its own, as they build on each other."""
    found = {}
    for folder in sorted(m.name for m in iter_modules(__path__) if m.ispkg):
        for name in import_module(f"{__name__}.{folder}").NAMES:
            found[f"{folder}.{name}"] = f"{__name__}.{folder}.{name}"
    return found


ALL = _found()


def load(name):
    """Build a derivation.

    Parameters
    ----------
    name : str
        A key of ``ALL``; the part after the last dot is enough.

    Returns
    -------
    Derivation

    Raises
    ------
    UnknownNameError
    """
    short = {full.rpartition(".")[2]: full for full in ALL}
    full = name if name in ALL else short.get(name)
    if full is None:
        known = [*ALL, *short]
        raise UnknownNameError(f"name: no derivation {name!r}{suggest(name, known)}; known: {', '.join(ALL)}")
    return import_module(ALL[full]).derivation()


__all__ = ["ALL", "load"]
