"""Queries on large expressions, each answered once for a part however often it occurs.

Canonical bound symbols, one per nesting level, so that alpha-equivalent averages are equal.

An average renames its integration variables to ``BoundSymbol`` symbols that depend only on how deeply
averages are nested inside it.  ``E(f(x), x)`` and ``E(f(y), y)`` are then the same object, and a
substitution of user symbols can never hit a bound variable.
"""

from functools import lru_cache
from itertools import repeat

from sympy import Basic, Dummy, Expr, SympifyError
from sympy.core.sympify import _sympify

from ..errors import DomainError

#: tree size (shared nodes counted each time) from which a named expression is large: its derivatives get names
LARGE = 4000


def as_expression(name, value):
    """Read an argument as a sympy expression of numbers and symbols, never a text, which sympy would evaluate."""
    try:
        found = _sympify(value)
    except SympifyError:
        found = None
    if not isinstance(found, Expr):
        raise DomainError(f"{name}: got {value!r:.60}; expected a sympy expression or a number (asympkit.parse reads "
                          "text)")
    return found


def distinct(expr):
    """List the different parts of an expression, itself included, each once, inner ones first."""
    found = {}

    def walk(e):
        if e not in found:
            for a in e.args:
                walk(a)
            found[e] = None

    walk(expr)
    return list(found)


@lru_cache(maxsize=200_000)
def free_of(expr):
    """Return the free symbols of an expression, a frozenset."""
    if not expr.args or type(expr).free_symbols is not Basic.free_symbols:
        return frozenset(expr.free_symbols)         # it has none, or binds some
    return frozenset().union(*map(free_of, expr.args))


@lru_cache(maxsize=200_000)
def holds(expr, kinds):
    """Return whether a part of an expression is of one of some classes, a tuple."""
    return isinstance(expr, kinds) or any(map(holds, expr.args, repeat(kinds)))


@lru_cache(maxsize=200_000)
def parts(expr, kinds):
    """Return the parts of an expression of some classes, a frozenset, as ``expr.atoms(*kinds)``."""
    inside = frozenset().union(*map(parts, expr.args, repeat(kinds)))
    return inside | {expr} if isinstance(expr, kinds) else inside


@lru_cache(maxsize=200_000)
def tree_size(expr):
    """Count the nodes of an expression, shared ones each time they occur."""
    return 1 + sum(map(tree_size, expr.args))


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
