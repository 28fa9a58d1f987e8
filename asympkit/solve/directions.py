"""Proofs for means that double precision does not resolve: what is zero without shift, and what is zero altogether."""

from functools import lru_cache

__all__ = ["Proved", "proved"]


class Proved:
    """An activation with a parity, or a mean that vanishes, which its syntax tree does not show.

    Attributes
    ----------
    mirror : int
        1, -1 as of an activation, or 2: the mean without offset is zero at the slope in question.
    """

    def __init__(self, function, mirror):
        self.function, self.mirror = function, mirror
        self.kinks_float, self.samples = function.kinks_float, function.samples

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


@lru_cache(maxsize=256)
def _vanishes(function, texts, parameters):
    import sympy as sp

    from ..parsing import parse
    from ..program.directions import is_proved_zero

    labels = [f"p{i}" for i in range(len(parameters))]
    offset, slope, functional = (parse(text, names=("node", "z", "s", *labels)) for text in texts)
    exact = {s: sp.Rational(parameters[labels.index(s.name)]) for e in (offset, slope, functional)
             for s in e.free_symbols if s.name in labels}
    node, z, s = (parse(name, names=(name,)) for name in ("node", "z", "s"))
    offset = offset.subs(exact)
    if node in offset.free_symbols:
        return False
    return is_proved_zero(function, offset, slope.subs(exact), functional.subs(exact), z, s)
