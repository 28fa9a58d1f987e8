"""The list of functions that an expression may hold, each with all its readings.

Sums, products, powers, numbers, ``pi`` and ``e`` need no entry.  What is not here, and is no combination of what is
(:data:`~.rewritten.REWRITTEN`), is refused by name when a theory is made.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from functools import cache

from ...errors import DomainError, StructureError
from . import (
    bessel,
    elementary,
    error_functions,
    exponentials,
    gamma,
    mp_resolvent,
    normal_blur,
    normal_pairs,
    proximal,
    switches,
)
from .entry import Entry, Growth, check

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Entry", "Growth", "defined", "entries", "entry", "entry_of_text", "is_own", "known_names", "places",
           "register",
           "registered", "remove", "required", "sources", "texts"]

_GROUPS = (elementary, switches, error_functions, exponentials, gamma, bessel, normal_pairs, mp_resolvent, proximal,
           normal_blur)
_LIST = {e.name: e for group in _GROUPS for e in group.ENTRIES}
_OWN = frozenset(_LIST)
_BY_TEXT = {e.text: e for e in _LIST.values() if e.text}
#: in the order in which modules hold them
_ROUTINES = ("mp_resolvent", "deep_conjugate", "deep_density", "error_function", "lanes", "normal_tail", "exponentials",
             "gamma", "bessel", "owen_t", "proximal", "sides", "normal_blur")


def entry(name: str) -> Entry | None:
    """The :class:`Entry` of a sympy class by its name, or None."""
    return _LIST.get(name)


def entries() -> tuple[Entry, ...]:
    """All entries."""
    return tuple(_LIST.values())


def entry_of_text(name: str) -> Entry | None:
    """The :class:`Entry` of a name of the grammar, or None."""
    return _BY_TEXT.get(name)


def texts() -> tuple[str, ...]:
    """The names that the grammar has for functions of the list."""
    return tuple(_BY_TEXT)


def known_names() -> str:
    """The functions as a person writes them, for messages."""
    return ", ".join(sorted((e.shown for e in _LIST.values() if e.shown), key=str.lower))


def required(name: str, where: str) -> Entry:
    """The :class:`Entry` of a sympy class by its name; :class:`StructureError` where there is none that has values."""
    found = _LIST.get(name)
    if found is None or not found.floats:
        raise StructureError(f"{where}: no form is known for the function {name}; known are {known_names()}")
    return found


def register(new: Entry) -> Entry:
    """Add a function to the list of this process.

    Parameters
    ----------
    new : Entry
        Its ``name`` is that of a sympy function class, whose ``fdiff`` is the derivative.

    Returns
    -------
    Entry

    Raises
    ------
    DomainError
        If the record is incomplete, or a function of the list has its name.

    See Also
    --------
    registered : for a block of code only.
    """
    check(new)
    taken = {e.name for e in entries()} | {e.text for e in entries() if e.text}
    for name in {new.name, new.text} & taken:
        raise DomainError(f"register: name: {name!r} is a function of the list already; choose another name, or remove "
                          "the function that was registered under it")
    made = set().union(*map(defined, (*_sources(), new.source)))
    for field in ("loops", "arrays"):
        called = getattr(new, field)
        if called.isidentifier() and called not in made:
            raise DomainError(f"register: {field}: the entry of {new.name} calls {called}, which its source does not "
                              f"define; expected source= with the text of def {called}(...), or the name of a function "
                              "of math or np, such as 'math.tanh'")
    _LIST[new.name] = new
    if new.text:
        _BY_TEXT[new.text] = new
    return new


def is_own(name: str) -> bool:
    """Whether a function of the list is one of the package, not one that was registered."""
    return name in _OWN


def remove(name: str) -> Entry:
    """Take a function that was registered off the list again; theories made with it go on."""
    if name in _OWN or name not in _LIST:
        raise DomainError(f"remove: got {name!r:.60}; expected the name of a function that was registered "
                          f"({', '.join(sorted(set(_LIST) - _OWN)) or 'there is none'})")
    _BY_TEXT.pop(_LIST[name].text, None)
    return _LIST.pop(name)


@contextmanager
def registered(new: Entry) -> Iterator[Entry]:
    """Context in which a function is on the list."""
    register(new)
    try:
        yield new
    finally:
        remove(new.name)


# -- source text of routines -------------------------------------------------------------------------


def sources(*texts: str) -> list[str]:
    """Source texts of the routines that some code calls, and of those that these call, in the order of the list."""
    found, pending = set(), list(texts)
    while pending:
        called = set(re.findall(r"\b([A-Za-z_]\w*)\(", pending.pop()))
        for source in _sources():
            if source not in found and called & defined(source):
                found.add(source)
                pending.append(source)
    return [source for source in _sources() if source in found]


def _sources():
    given = dict.fromkeys(e.source for e in _LIST.values() if e.source and e.source not in _ROUTINES)
    return [*map(_routine, _ROUTINES), *given]


@cache
def places():
    """The modules that hold the functions of the routines, by the names of these."""
    return {name: f"{__package__}.routines.{file}" for file in _ROUTINES for name in defined(_routine(file))}


@cache
def _routine(name):
    from importlib import resources

    return resources.files(__package__).joinpath("routines", f"{name}.py").read_text(encoding="utf-8")


@cache
def defined(source: str) -> frozenset[str]:
    """The names of the functions of a source text."""
    return frozenset(re.findall(r"^def (\w+)", source, re.MULTILINE))
