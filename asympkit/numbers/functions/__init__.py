"""The list of functions that an expression may hold: one :class:`Entry` each, with its evaluators in every back end."""

from __future__ import annotations

import re
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from ...errors import DomainError, StructureError
from .elementary import ENTRIES, Entry, FunctionGrowth

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Entry", "FunctionGrowth", "find_defined_names", "entries", "entry", "entry_of_text", "is_builtin",
           "known_names", "list_routine_modules",
           "register", "registered", "remove", "require_entry", "sources", "texts"]

_LIST = {e.name: e for e in ENTRIES}
_OWN = frozenset(_LIST)
_BY_TEXT = {e.text: e for e in _LIST.values() if e.text}
#: in the order in which modules hold them
_ROUTINES = ("elementary", "deep_chain", "normal", "gamma", "bessel", "normal_pairs", "labels")


def entry(name: str) -> Entry | None:
    """Return the :class:`Entry` of a sympy class by its name, or None."""
    return _LIST.get(name)


def entries() -> tuple[Entry, ...]:
    """Return all entries."""
    return tuple(_LIST.values())


def entry_of_text(name: str) -> Entry | None:
    """Return the :class:`Entry` of a name of the grammar, or None."""
    return _BY_TEXT.get(name)


def texts() -> tuple[str, ...]:
    """Return the names that the grammar has for listed functions."""
    return tuple(_BY_TEXT)


def known_names() -> str:
    """List the functions in the user's notation, for messages."""
    return ", ".join(sorted((e.shown for e in _LIST.values() if e.shown), key=str.lower))


def require_entry(name: str, where: str) -> Entry:
    """Return the :class:`Entry` of a sympy class by its name; raise :class:`StructureError` where none has values."""
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
    _check(new)
    taken = {e.name for e in entries()} | {e.text for e in entries() if e.text}
    for name in {new.name, new.text} & taken:
        raise DomainError(f"register: name: {name!r} is a function of the list already; choose another name, or remove "
                          "the function that was registered under it")
    made = set().union(*map(find_defined_names, (*_sources(), new.source)))
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


def _check(entry: Entry) -> None:
    """Raise :class:`DomainError` for a record that no back end could use."""
    if not isinstance(entry, Entry):
        raise DomainError(f"register: got {entry!r:.60}; expected an Entry of asympkit.numbers.functions")
    for field in ("name", "text"):
        value = getattr(entry, field)
        is_name = isinstance(value, str) and value.isidentifier() and value.isascii()
        if not is_name and not (field == "text" and value == ""):
            raise DomainError(f"register: {field}: got {value!r:.60}; expected an identifier of letters, digits and _")
    for field in ("loops", "arrays", "floats", "digits"):
        if not getattr(entry, field):
            raise DomainError(f"register: {field}: the entry of {entry.name} has none; every back end that solves "
                              "needs one (balls and complex_balls may be left out)")
    if not 0 <= entry.orders < entry.arity:
        raise DomainError(f"register: orders: got {entry.orders} for {entry.arity} arguments; expected fewer")


def is_builtin(name: str) -> bool:
    """Return whether a listed function is the package's own, not a registered one."""
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
    """Register a function within a ``with`` block."""
    register(new)
    try:
        yield new
    finally:
        remove(new.name)


# -- source text of routines -------------------------------------------------------------------------


def sources(*texts: str) -> list[str]:
    """Return the source texts of the routines that some code calls, directly or through others, in the list's order."""
    found, pending = set(), list(texts)
    while pending:
        called = set(re.findall(r"\b([A-Za-z_]\w*)\(", pending.pop()))
        for source in _sources():
            if source not in found and called & find_defined_names(source):
                found.add(source)
                pending.append(source)
    return [source for source in _sources() if source in found]


def _sources():
    given = dict.fromkeys(e.source for e in _LIST.values() if e.source and e.source not in _ROUTINES)
    return [*map(_routine, _ROUTINES), *given]


@cache
def list_routine_modules():
    """Return ``{function name: module}`` for the functions of the routines."""
    return {name: f"{__package__}.routines.{file}" for file in _ROUTINES for name in find_defined_names(_routine(file))}


@cache
def _routine(name):
    return Path(__file__).with_name("routines").joinpath(f"{name}.py").read_text(encoding="utf-8")


@cache
def find_defined_names(source: str) -> frozenset[str]:
    """Return the names of the functions that a source text defines."""
    return frozenset(re.findall(r"^def (\w+)", source, re.MULTILINE))
