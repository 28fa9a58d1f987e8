"""The functions of some source texts that another text calls, and those that these call."""

import ast
import re
from dataclasses import dataclass
from functools import cache
from importlib import resources

from ..numbers.functions import entries, sources

__all__ = ["TEXT", "ModuleParts", "pieces"]

_PARTS = ("driver", "newton", "implicit", "linear", "inner", "rules", "compiling")
#: functions of numbers that are never called with arrays
_SCALAR = ("mp_resolvent",)
#: what is called around the loops
_PLAIN = ("compile_loops", "refined", "refine", "refined_on_places", "require", "narrow_features",
          "find_features", "find_features_along")
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
#: docstrings, comments and strings of a module
TEXT = re.compile(r'"""(?:[^"\\]|\\.|"(?!""))*"""|#[^\n]*|"(?:[^"\\\n]|\\.)*"')


@dataclass(frozen=True)
class ModuleParts:
    """The parts of a module besides its own code.

    Attributes
    ----------
    constants, texts : tuple of str
        Top-level statements in their order: numbers, and functions.
    loops : tuple of str
        Functions that numba compiles.
    """

    constants: tuple
    texts: tuple
    loops: tuple


def pieces(code, point, has_matrices=True):
    """Return the :class:`ModuleParts` that source code needs.

    Parameters
    ----------
    code : str
        All code of the module.
    point : str
        The part of it that solves one point, which numba compiles.
    has_matrices : bool
        Whether more than one equation at a time is solved.
    """
    known, routines = dict(_parts()), {}
    for routine in sources(code, *known.values()):
        routines |= {name: text for name, text in _definitions(routine).items() if name not in known}
    called, last = _names(point), {}
    for name in sorted(called):
        if found := re.fullmatch(r"newton(_of_maps)?(_\d+)", name):           # one for each block
            known[name] = re.sub(r"\b(newton\w*|equations)\(", rf"\1{found[2]}(", known[f"newton{found[1] or ''}"])
    if not has_matrices:
        known["eliminate"] = known["eliminate_one"].replace("eliminate_one", "eliminate")
    used = called | _names(code)             # tables call them with arrays
    for name in dict.fromkeys(e.loops for e in entries()):
        if name in used and name in routines and name not in _SCALAR:
            routines[f"{name}_of_one"] = re.sub(rf"^def {name}\(", f"def {name}_of_one(", routines.pop(name))
            last[name] = f"{name} = elementwise({name}_of_one)"
    for name in _SCALAR:
        if name in routines:            # a root of a negative number is NaN
            routines[name] = routines[name].replace("math.sqrt", "np.sqrt")
    known |= routines | last
    known |= {name: known.pop(name) for name, text in dict(known).items() if "= elementwise(" in text}
    wanted = _reached(code, known)
    whole = dict.fromkeys(known[name] for name in known if name in wanted and name != "LOOPS")
    functions = {name for name, text in known.items() if re.search(r"^(?:def|class) ", text, re.MULTILINE)}
    constants = tuple(t for t in whole if not _names(t) & functions)
    return ModuleParts(constants, tuple(t for t in whole if t not in constants), _loops(point, known, wanted))


def _loops(point, known, wanted):
    """Name the functions that solve points: numba compiles them, or their versions for one number."""
    own = re.findall(r"^def (\w+)", point, re.MULTILINE)
    reached = [n for n in known if n in _reached(point + "\nsolve_points(", known) & wanted]
    found = [n for n in reached if known[n].startswith("def ") and n not in ("elementwise", *_PLAIN)
             and n.removesuffix("_of_one") not in reached[:reached.index(n)]]
    vectors = [n for n in reached if "= elementwise(" in known[n]]
    return (*own, *(n for n in found if n.removesuffix("_of_one") not in vectors), *vectors)


def _reached(text, known):
    """Collect the names of the functions that a text calls, directly or through others."""
    wanted, pending = set(), [text]
    while pending:
        found = _names(pending.pop()) & known.keys() - wanted
        found |= {f"{name}_of_one" for name in found} & known.keys() - wanted
        wanted |= found
        pending += [known[name] for name in found]
    return wanted


def _names(text):
    return set(_NAME.findall(TEXT.sub(" ", text)))


@cache
def _parts():
    found = {}
    for folder, names in ((f"{__package__}.parts", _PARTS), ("asympkit.runtime", ("features",))):
        for name in names:
            found |= _definitions(resources.files(folder).joinpath(f"{name}.py").read_text("utf-8"))
    return found


def _definitions(source):
    """Return ``{name: source}`` of the top-level definitions of a text, with the comments before them."""
    lines, found = source.splitlines(), {}
    for node in ast.parse(source).body:
        names = [node.name] if isinstance(node, ast.FunctionDef | ast.ClassDef) else \
            [t.id for target in getattr(node, "targets", ()) for t in ast.walk(target) if isinstance(t, ast.Name)]
        first = node.lineno - 1
        while first and lines[first - 1].startswith("#"):
            first -= 1
        text = re.sub(r" *# noqa: \w+", "", "\n".join(lines[first:node.end_lineno]))
        found |= dict.fromkeys(names, text)
    return found
