"""Read what an activation is given as: a catalogue name, a text, an expression, or a Python function of a symbol."""

import numbers
import re
from functools import lru_cache

import numpy as np
import sympy as sp
from sympy.core.relational import Relational
from sympy.core.sympify import SympifyError, _sympify

from ..errors import DomainError, ParseError, UnknownNameError, suggest
from ..exact import is_zero
from ..parsing.expressions import to_text, translate
from ..parsing.grammar import CATALOGUE, FUNCTIONS, PARAMETRIC, normalise_spaces, other_name, tokenize
from ..parsing.reader import Z, expand_named, read
from ..properties.values import Undefined, array_function, with_noise

#: places at which no text that is not zero vanishes by chance, and the difference there, relative to the sides, below
#: which digits and algebra are asked
_POINTS = np.array([-1.3071, 0.2113, 1.717])
_SMALL = 1e-6


@lru_cache(maxsize=256)
def read_text(text):
    """Read a catalogue name or a text in z: return the name, the function, and parts that must have values.

    The latter are parts that sympy has dropped from the function.
    """
    bare = text.strip()
    if bare.isidentifier() and bare not in ("z", "x", "pi", "e"):
        name = other_name(bare, CATALOGUE)
        if name is None:
            raise UnknownNameError(f"unknown activation {bare!r:.60}{suggest(bare.lower(), CATALOGUE)}; give a text in "
                                   f"z, a sympy Expr or one of {', '.join(CATALOGUE)}")
        return name, read(f"{name}(z)" if name in FUNCTIONS else CATALOGUE[name]).expr, ()
    if not any(t.text == "z" for t in tokenize(text)):
        text = re.sub(r"\bx\b", "z", text)
    part = read(text, is_activation=True)
    if part.value is not None:
        _refuse_activation_of_number(text)
    kept = set(sp.preorder_traversal(part.expr))
    dropped = tuple(dict.fromkeys(e for e in part.partial if e not in kept))
    return normalise_spaces(text), settle_switches(part.expr), dropped


def _refuse_activation_of_number(text):
    """Raise for an activation at a number: its slope, or another function of z, was meant."""
    for token in tokenize(text):
        name = other_name(token.text, FUNCTIONS) if token.kind == "name" else None
        if name is not None:
            also = f", or {name}(z, a) with the parameter a" if name in PARAMETRIC else ""
            raise ParseError(f"the activation {text!r:.60} is a number, the value of {name} at a point; write "
                             f"{name}(z){also}")


def meaning(name):
    """Return the formula of a name in the catalogue that means something else in a text (``exp``), or None."""
    if name in CATALOGUE and name not in FUNCTIONS and CATALOGUE[name] != f"{name}(z)":
        return CATALOGUE[name]
    return None


def read_expression(spec):
    """Check a sympy expression (or a plain number), and write it in z and the functions of the grammar."""
    number = isinstance(spec, numbers.Real) and not isinstance(spec, bool)
    if callable(spec) and not isinstance(spec, sp.Basic):
        spec = _traced(spec)
    if not number and not hasattr(spec, "free_symbols"):
        hint = "; it must take a sympy symbol and return an expression, by functions of sympy: sympy.tanh, not numpy's"
        raise ParseError("an activation must be a catalogue name, a text in z, a sympy expression or an "
                         f"Activation, not {type(spec).__name__}: {spec!r:.60}{hint if callable(spec) else ''}")
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
        spec = spec.subs(symbols[0], Z)
    if spec.has(sp.I, sp.oo, -sp.oo, sp.zoo, sp.nan):
        raise DomainError(f"the activation {str(spec)[:60]} is not real and finite")
    return settle_switches(translate(spec))


def _traced(function):
    """Return the expression that a Python function makes of a symbol, or the function where it makes none."""
    try:
        made = function(Z)
    except Exception:           # it is the user's: whatever it raises, it takes no symbols
        return function
    return made if isinstance(made, sp.Expr) else function


def settle_switches(expr):
    """Decide the switches whose argument is exactly zero everywhere, before anything is rounded.

    ``step(tan(0*z - pi))`` asks whether a number that is zero is positive: rounding would answer at random.  Only what
    is zero in double precision at a few points is asked about, so that plain texts cost little.  DomainError if a
    switch cannot be distinguished from one that rests on its border.
    """
    found = {}
    for node in sorted(expr.atoms(sp.sign, sp.Heaviside, Relational), key=sp.default_sort_key):
        if isinstance(node, Relational):
            if _is_zero(node.lhs, node.rhs):
                found[node] = sp.true if node.rel_op in ("<=", ">=", "==") else sp.false
        elif _is_zero(node.args[0], sp.S.Zero):
            found[node] = sp.S.Zero
    return expr.xreplace(found) if found else expr


def _is_zero(left, right):
    """Decide whether a difference is zero everywhere: digits refute it, algebra proves it, doubt is refused."""
    a, b = (array_function(side, [Z])(_POINTS) for side in (left, right))
    with np.errstate(all="ignore"):
        if not np.all(np.abs(a - b) <= _SMALL * (1.0 + np.abs(a) + np.abs(b))):
            return False
    gap = expand_named(left - right)
    if gap.is_polynomial(Z):
        return sp.expand(gap) == 0
    for digits in (60, 250):
        for x in map(float, _POINTS):
            try:
                if with_noise(gap, {Z: (x, 0)}, digits)[0]:
                    return False
            except Undefined:
                return False              # that it has no value is found when the domain is examined
    if is_zero(gap):
        return True
    raise DomainError(f"cannot decide on which side of its border a switch is: {to_text(gap)[:200]} is 0 to {digits} "
                      "digits but not proved to be 0; write 0 there, or the branch that is meant")
