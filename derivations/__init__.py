"""The mathematics as runnable documents: every step of a derivation carries a machine check.

``python -m asympkit.derivations.one_step.result_3_1`` prints one; :func:`load` returns it as an object.
Nothing heavy is imported until a derivation is loaded.
"""

from ast import get_docstring, parse
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
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


def titles():
    """The first sentence of each derivation, without loading it."""
    found = {}
    for name, module in ALL.items():
        text = get_docstring(parse(Path(find_spec(module).origin).read_text(encoding="utf-8")))
        found[name] = " ".join(text.split("\n\n")[0].split()).rstrip(".")
    return found


__all__ = ["ALL", "load", "titles"]
