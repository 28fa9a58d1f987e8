"""Choose the identifiers of generated code when it is written: no label of the user meets a name of the code.

Writers print labels marked (:mod:`asympkit.program.names`), alone or inside an identifier (``<m>_start``).  A
writer's own identifiers are those without a mark, and need no list.
"""

import builtins
import keyword
import re
from functools import lru_cache

from ..program.names import MARK

_MARKED = re.compile(f"{MARK}([A-Za-z0-9_]+){MARK}")
_ALWAYS = frozenset({*dir(builtins), *keyword.kwlist, *keyword.softkwlist})
#: in the code that writers write: strings and comments, identifiers that are no attributes, and names of the module
_TEXTS = re.compile(r'"""(?:[^"\\]|\\.|"(?!""))*"""|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|#[^\n]*', re.DOTALL)
_IDENTIFIER = re.compile(r"(?<![\w.])[^\W\d]\w*")
_DEFINED = re.compile(r"^(?:(?:def|class|import|from \S+ import) +)?(?:\w+ as )?(\w+(?:, *\w+)*) *(?:=(?!=)|[(:]|$)",
                      re.MULTILINE)


def settle(text, around=()):
    """Replace marked labels by identifiers.

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
    marked, beside = {}, {}
    for statement in re.split(r"\n(?=\S)", _bare(text)):
        found = set(_IDENTIFIER.findall(statement))
        own = {n for n in found if MARK not in n}
        for name in found - own:
            beside.setdefault(name, set()).update(own)
            for label in _MARKED.findall(name):
                marked.setdefault(label, set()).add(name)
    chosen, used = {}, set(_ALWAYS.union(*map(module_names, (text, *around))))
    for label in dict.fromkeys(_MARKED.findall(text)):
        # those that hold labels without an identifier yet are checked with the last of these
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


def identifiers(text):
    """Return the names that a source text mentions, without attributes; marked labels are identifiers of their own."""
    return set(_IDENTIFIER.findall(_bare(text)))


def _put(text, chosen):
    return _MARKED.sub(lambda m: chosen[m[1]], text)


def _bare(text):
    """Return the code without strings and comments."""
    return _TEXTS.sub(" ", text)


@lru_cache(maxsize=16)
def module_names(text):
    """Return the names that a source text defines for its module, without those that hold labels."""
    found = {name for names in _DEFINED.findall(_bare(text)) for name in re.split(", *", names)}
    return frozenset(n for n in found if MARK not in n)
