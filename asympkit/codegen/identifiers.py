"""Choose the identifiers of generated code when it is written: no label of a person meets a name of the code.

Writers print labels marked (:mod:`asympkit.program.names`), alone or inside an identifier (``<m>_start``).  What a
writer calls its own is then whatever identifier has no mark, and needs no list.
"""

import ast
import builtins
import keyword
import re
from functools import lru_cache

from ..program.names import MARK

_MARKED = re.compile(f"{MARK}([A-Za-z0-9_]+){MARK}")
_ALWAYS = frozenset({*dir(builtins), *keyword.kwlist, *keyword.softkwlist})


def settle(text, around=()):
    """Put identifiers in the place of marked labels.

    Parameters
    ----------
    text : str
        Source of a module, or of the end of one.
    around : sequence of str
        Source of other parts of the module, without labels.

    Returns
    -------
    str
        In each top-level statement no identifier made of a label is one of the statement's own; in the whole module
        none is a name of the module or of Python, and different ones stay different.
    """
    body = ast.parse(text).body
    taken = _ALWAYS.union(*map(module_names, around), *map(_defined, body))
    marked, beside = {}, {}
    for statement in body:
        found = identifiers(statement)
        own = {n for n in found if MARK not in n}
        for name in found - own:
            beside.setdefault(name, set()).update(own)
            for label in _MARKED.findall(name):
                marked.setdefault(label, set()).add(name)
    chosen, used = {}, set(taken)
    for label in dict.fromkeys(_MARKED.findall(text)):
        # those that hold labels without an identifier yet are looked at with the last of these
        forms = [n for n in marked.get(label, ()) if {label, *chosen}.issuperset(_MARKED.findall(n))]
        number = 1
        while True:
            chosen[label] = label if number == 1 else f"{label}_{number}"
            made = {n: _put(n, chosen) for n in forms}
            if len({*made.values()} - used) == len(forms) and not any(made[n] in beside[n] for n in forms):
                break
            number += 1
        used.update(made.values())
    return _put(text, chosen)


def _put(text, chosen):
    return _MARKED.sub(lambda m: chosen[m[1]], text)


def identifiers(tree):
    """All identifiers of a piece of code that are names, arguments or keywords (attributes meet nobody)."""
    found = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.arg(arg=name) | ast.keyword(arg=str(name)):
                found.add(name)
            case ast.alias(name=name, asname=other):
                found.add(other or name)
            case ast.ExceptHandler(name=str(name)):
                found.add(name)
    return found


@lru_cache(maxsize=32)
def module_names(text):
    """The names that a source text defines for its module."""
    return frozenset().union(*map(_defined, ast.parse(text).body))


def _defined(statement):
    """Names that a top-level statement gives to the module, without those that hold labels."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        names = {statement.name}
    else:
        names = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        names |= {a.asname or a.name for n in ast.walk(statement) if isinstance(n, ast.Import | ast.ImportFrom)
                  for a in n.names}
    return {n for n in names if MARK not in n}
