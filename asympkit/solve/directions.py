"""Proofs for means that double precision does not resolve: what is zero without shift, and what is zero altogether."""

import math
from functools import lru_cache

import numpy as np

__all__ = ["Proved", "proved", "sparsity"]


class Proved:
    """An activation with a parity, or a mean that vanishes, which its form does not show.

    Attributes
    ----------
    mirror : int
        1, -1 as of an activation, or 2: the mean without offset is zero at the slope in question.
    """

    def __init__(self, function, mirror):
        self.function, self.mirror = function, mirror
        self.kinks_float = function.kinks_float

    def __call__(self, x):
        return self.function(x)

    @property
    def derivative(self):
        return self.function.derivative

    @property
    def name(self):
        return self.function.name


def proved(function, direction, parameters):
    """The same activation with what can be proved of a mean that is not resolved, or None.

    Parameters
    ----------
    function : Activation
        At order zero.
    direction : tuple
        As a module holds it.
    parameters : tuple of float
        Those of the tables.
    """
    order, odd, texts = direction[2:5]
    if order or not hasattr(function, "parity"):
        return None
    if function.parity == "odd" and -1 in odd and function.mirror != -1:
        return Proved(function, -1)
    return Proved(function, 2) if _vanishes(function, texts, tuple(parameters)) else None


def sparsity(function, direction, parameters):
    """The mean absolute value over the root mean square of an activation under the weights of both variables."""
    order, _, texts = direction[2:5]
    if order or texts[2] != "s":
        return 1.0
    offset, slope, _, node = _at(texts, tuple(parameters))
    centre, rate = float(offset.subs(node, 0)), float(offset.diff(node))
    z = np.linspace(-9.0, 9.0, 20_001)
    values, weights = np.abs(function(centre + math.hypot(rate, float(slope)) * z)), np.exp(-0.5 * z * z)
    with np.errstate(all="ignore"):
        part = values @ weights / math.sqrt(values**2 @ weights * weights.sum())
    return min(1.0, 2.0 * part) if part > 0.0 else 1.0


def _at(texts, parameters):
    """Offset, slope and functional at exact parameters, and the symbol of the node."""
    import sympy as sp

    from ..parsing import parse

    labels = [f"p{i}" for i in range(len(parameters))]
    forms = [parse(text, names=("node", "z", "s", *labels)) for text in texts]
    exact = {s: sp.Rational(parameters[labels.index(s.name)]) for e in forms for s in e.free_symbols
             if s.name in labels}
    return *(e.subs(exact) for e in forms), parse("node", names=("node",))


@lru_cache(maxsize=256)
def _vanishes(function, texts, parameters):
    from ..parsing import parse
    from ..program.directions import is_proved_zero

    offset, slope, functional, node = _at(texts, parameters)
    if node in offset.free_symbols:
        return False
    return is_proved_zero(function, offset, slope, functional, *(parse(name, names=(name,)) for name in ("z", "s")))
