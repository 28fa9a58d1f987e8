"""What an activation may be given as: a catalogue name, a text in z, or a sympy expression."""

import numbers
from functools import lru_cache

from ..errors import DomainError, ParseError, UnknownNameError, suggest
from ..numbers.functions import entry_of_text
from ..parsing.catalogue import CATALOGUE, FUNCTIONS, other_name
from ..parsing.grammar import parse_tree
from ..parsing.tree import Call, Chain, Name, Num, Pow, walk
from ..properties.settled import settled
from ..properties.tree_forms import varies

__all__ = ["is_risky", "meaning", "read_expression", "read_text"]

@lru_cache(maxsize=256)
def read_text(text):
    """(catalogue name or None, tree, tree for floating point) of a catalogue name or a text in z."""
    bare = text.strip()
    if bare in CATALOGUE:
        tree = parse_tree(CATALOGUE[bare])
        return bare, tree, Call(bare, (Name("z"),)) if bare in FUNCTIONS else tree
    if bare.isidentifier() and bare not in ("z", "pi", "e"):
        hint = other_name(bare) or suggest(bare.lower(), CATALOGUE)
        raise UnknownNameError(f"unknown activation {bare!r:.60}{hint}; give a text in z, a sympy Expr or "
                               f"one of {', '.join(CATALOGUE)}")
    written = parse_tree(text)
    if not varies(written):
        _refuse_activation_of_number(bare, written)
    tree = settled(written)
    return None, tree, tree


def _refuse_activation_of_number(text, tree):
    """Raise for an activation at a number: what is meant is its slope, or another function of z."""
    for node in walk(tree):
        if isinstance(node, Call) and node.name in FUNCTIONS:
            meant = f"{node.name}(z)"
            if node.name == "leaky_relu":
                meant += " for the slope 0.1, or where(z > 0, z, 0.01*z) for another"
            raise ParseError(f"the activation {text!r:.60} is a number, the value of {node.name} at a point; write "
                             f"{meant}")


def meaning(name):
    """The formula of a name in the catalogue that means something else in a text (``exp``), or None."""
    if name in CATALOGUE and name not in FUNCTIONS and CATALOGUE[name] != f"{name}(z)":
        return CATALOGUE[name]
    return None


def read_expression(spec):
    """Tree in z of a sympy expression (or a plain number)."""
    number = isinstance(spec, numbers.Real) and not isinstance(spec, bool)
    if not number and not hasattr(spec, "free_symbols"):
        hint = "; call it with a symbol: f(z) with z = sympy.Symbol('z', real=True) and functions of sympy"
        raise ParseError("an activation must be a catalogue name, a text in z, a sympy expression or an "
                         f"Activation, not {type(spec).__name__}: {spec!r:.60}{hint if callable(spec) else ''}")
    import sympy as sp
    from sympy.core.sympify import SympifyError, _sympify

    from ..parsing.from_sympy import from_sympy

    try:
        spec = _sympify(spec)           # the strict form: the other one evaluates texts
    except SympifyError as error:
        raise ParseError(f"an activation must be a sympy expression, not {type(spec).__name__}: "
                         f"{spec!r:.60}") from error
    if not isinstance(spec, sp.Expr):
        raise DomainError(f"the activation {str(spec)[:60]} is a {type(spec).__name__}, not a sympy Expr")
    symbols = sorted(spec.free_symbols, key=str)
    if len(symbols) > 1:
        raise DomainError(f"the activation {str(spec)[:60]} must be in one symbol, it has {len(symbols)}: "
                          f"{', '.join(map(str, symbols))}; substitute numbers for the others")
    if symbols and any(getattr(symbols[0], f"is_{kind}") is not None
                       for kind in ("extended_positive", "extended_negative", "integer", "rational")):
        # sympy has used the assumption already: with x positive, sqrt(x**2) is x.
        raise DomainError(f"the symbol {symbols[0]} of the activation {str(spec)[:60]} must stand for any "
                          "real number; declare it with real=True and no other assumption")
    if symbols:
        spec = spec.subs(symbols[0], sp.Symbol("z", real=True))
    if spec.has(sp.I, sp.oo, -sp.oo, sp.zoo, sp.nan):
        raise DomainError(f"the activation {str(spec)[:60]} is not real and finite")
    return settled(from_sympy(spec))


def _is_partial(name):
    known = entry_of_text(name)
    return known is not None and known.is_partial


def is_risky(tree):
    """Whether a division, a power or a function may be undefined somewhere on the real line."""
    for node in walk(tree):
        match node:
            case Chain(_, rest):
                if any(op == "/" and varies(arg) for op, arg in rest):
                    return True
            case Pow(base, exponent):
                natural = isinstance(exponent, Num) and exponent.value.denominator == 1
                if not natural and varies(base) or varies(exponent) and not isinstance(base, Num):
                    return True
            case Call(name, args) if varies(args[-1]) and (name in ("sqrt", "tan") or _is_partial(name)):
                return True
    return False
