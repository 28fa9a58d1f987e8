"""Canonical bound symbols, one per nesting level, so that alpha-equivalent averages are equal.

An average renames its integration variables to ``BoundSymbol`` symbols that depend only on how deeply
averages are nested inside it.  ``E(f(x), x)`` and ``E(f(y), y)`` are then the same object, and a
substitution of user symbols can never hit a bound variable.
"""

from sympy import Dummy

_NAMES = ("z", "kappa", "x", "u", "t", "s")
_LATEX = ("z", r"\kappa", "x", "u", "t", "s")
_POSITIONS = 64


class BoundSymbol(Dummy):
    """The integration variable of an average: a dummy with a fixed index, printed by its plain name."""

    __slots__ = ()

    @property
    def level(self):
        """Nesting level: 0 for an average that holds no other."""
        return (self.dummy_index - 1) // _POSITIONS

    @property
    def position(self):
        """Place among the variables of its measure."""
        return (self.dummy_index - 1) % _POSITIONS

    def _sympystr(self, printer):
        return self.name

    def _latex(self, printer):
        index = self.level % len(_NAMES)
        return _LATEX[index] + (f"_{{{self.position + 1}}}" if self.position else "")


def bound_symbol(level, position=0):
    """Return the canonical bound symbol of a nesting level and a place in the measure."""
    name = _NAMES[level % len(_NAMES)]
    if level >= len(_NAMES):
        name += str(level)
    if position:
        name += f"_{position + 1}"
    # small fixed indices: sympy starts its own dummy counter at 10**6, so none can coincide
    return BoundSymbol(name, dummy_index=1 + level * _POSITIONS + position, real=True)
