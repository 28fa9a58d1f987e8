"""Names as users type them: keywords of a method, the dictionary ``parameters=``, and Python's equal spellings."""

import sys
import unicodedata

from ..errors import DomainError, StructureError


def collect_parameters(parameters, known=()):
    """Return the parameters of a method by name: its keywords, and the entries of the keyword ``parameters``.

    Parameters
    ----------
    parameters : dict
        The keywords that the method does not define.  ``parameters={"step": 2}`` among them holds names that are no
        identifiers, or arguments of the method.
    known : sequence of str
        Names of the theory.  Python normalises keywords (NFKC): the name that is meant is found again.

    Returns
    -------
    dict
    """
    inside = parameters.get("parameters", {})
    if "parameters" in parameters and ("parameters" not in known or isinstance(inside, dict)):
        if not isinstance(inside, dict):
            raise DomainError(f"parameters: got {inside!r}; expected a dict {{name: value}}")
        outside = {k: v for k, v in parameters.items() if k != "parameters"}
    else:
        outside, inside = parameters, {}
    if "numpy" in sys.modules:          # without it there are no numbers of numpy
        from .domains import plain_numbers

        outside, inside = ({n: v if type(v) is float else plain_numbers(v) for n, v in of.items()}
                           for of in (outside, inside))
    if not inside and (outside.keys() <= {*known} or "".join((*outside, *known)).isascii()):
        return outside                  # a name that is known, or plain ASCII, means itself
    found = {}
    for name, value in (*outside.items(), *inside.items()):
        name = _meant(getattr(name, "name", name), known)
        if name in found:
            raise DomainError(f"parameters: {name} is given twice, as {found[name]!r} and as {value!r}")
        found[name] = value
    return found


def is_varied(keywords, name):
    """Return whether a method varies a parameter: one of ``over``, a name or several."""
    over = keywords.get("over")
    return over == name if isinstance(over, str) else isinstance(over, tuple | list) and name in over


def _meant(name, known):
    if name in known or not isinstance(name, str) or name.isascii() and all(map(str.isascii, known)):
        return name
    return next((k for k in known if normal(k) == normal(name)), name)


def normal(name):
    """Normalise a name as Python does."""
    return unicodedata.normalize("NFKC", name)


def check_twins(what, names):
    """Raise for two names that Python takes for one."""
    seen = {}
    for name in names:
        other = seen.setdefault(normal(name), name)
        if other != name:
            raise StructureError(f"{what}: {_spelt(other)} and {_spelt(name)} look alike, and Python takes them for "
                                 "one name (NFKC); rename one of them")


def check_once(results):
    """Raise for a name that unknowns, observables, residual and iterations have twice."""
    twice = sorted({n for n in results if results.count(n) > 1})
    if twice:
        raise StructureError(f"names: {', '.join(twice)} would occur twice in the results (unknowns, observables, "
                             "residual, iterations); rename the unknown or the observable")


def _spelt(name):
    codes = " ".join(f"U+{ord(c):04X}" for c in name if not c.isascii())
    return f"{name!r}" + (f" ({codes})" if codes else "")
