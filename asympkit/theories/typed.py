"""Check the parameter names of a call: which are unknown, which are missing, and where unusual names go."""

from inspect import signature
from keyword import iskeyword

from ..errors import DomainError, UnknownNameError, suggest
from .methods import THEORY_METHODS
from .model import Model

__all__ = ["check_names"]


def check_names(given, required, optional, where, typed=None):
    """Raise for unknown or missing parameters, with a suggestion from ``typed`` (by default all)."""
    every = [*required, *optional]
    known = [n for n in every if typed is None or n in typed]
    for name in given:
        if name not in every:
            raise UnknownNameError(f"{where}: unknown parameter {name!r}{suggest(name, known)}; "
                                   f"parameters are {', '.join(known)}")
    missing = [n for n in required if n not in given]
    if missing:
        raise DomainError(f"{where}: missing parameter{'s' if len(missing) > 1 else ''} {', '.join(missing)}; "
                          f"parameters are {', '.join(known)}{where_it_goes(missing)}")


def where_it_goes(missing):
    """Return the end of a sentence on how to pass names that cannot be keywords, or an empty text."""
    verbs = [getattr(Model, name) for name in THEORY_METHODS]
    taken = set().union(*(signature(f).parameters for f in verbs))
    special = [n for n in missing if n in taken or not n.isidentifier() or iskeyword(n)]
    if not special:
        return ""
    inside = ", ".join(f"{n!r}: ..." for n in special)
    return (f"; {', '.join(special)} (not an identifier, or an argument of a method) goes into a dictionary, "
            f"parameters={{{inside}}}")
