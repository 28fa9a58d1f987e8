"""Simple forms of syntax trees: catalogue functions written out, polynomials of degree two read off."""

from fractions import Fraction

from ..activations.catalogue import FUNCTIONS
from ..parsing.grammar import definition
from ..parsing.tree import Call, Chain, Compare, Const, Name, Neg, Num, Pow, Where, walk

__all__ = ["inline", "polynomial", "varies"]


def varies(node):
    """Whether the variable occurs."""
    return any(isinstance(part, Name) for part in walk(node))


def inline(node, argument=None):
    """The tree with the catalogue's functions replaced by their definitions."""
    def go(child):
        return inline(child, argument)

    match node:
        case Name():
            return node if argument is None else argument
        case Num() | Const():
            return node
        case Neg(arg):
            return Neg(go(arg))
        case Chain(first, rest):
            return Chain(go(first), tuple((op, go(arg)) for op, arg in rest))
        case Pow(base, exponent):
            return Pow(go(base), go(exponent))
        case Call(name, args) if name in FUNCTIONS:
            return inline(definition(name), go(args[0]))
        case Call(name, args):
            return Call(name, tuple(map(go, args)))
        case Compare(op, left, right):
            return Compare(op, go(left), go(right))
        case Where(condition, yes, no):
            return Where(go(condition), go(yes), go(no))
    raise TypeError(f"not a node of the syntax tree: {node!r}")


def polynomial(node):
    """Coefficients (constant, linear, square) as exact fractions, or None for anything else."""
    match node:
        case Num(value):
            return (value, Fraction(0), Fraction(0))
        case Name():
            return (Fraction(0), Fraction(1), Fraction(0))
        case Neg(arg):
            return _scaled(polynomial(arg), -1)
        case Chain(first, rest):
            total = polynomial(first)
            for op, arg in rest:
                part = polynomial(arg)
                if total is None or part is None:
                    return None
                if op in "+-":
                    total = tuple(a + (b if op == "+" else -b) for a, b in zip(total, part))
                else:
                    total = _product(total, part) if op == "*" else _quotient(total, part)
            return total
        case Pow(base, Num(power)) if power in (0, 1, 2):
            base = polynomial(base)
            return None if base is None else (_ONE, base, _product(base, base))[int(power)]
    return None


_ONE = (Fraction(1), Fraction(0), Fraction(0))


def _scaled(p, factor):
    return None if p is None else tuple(a * factor for a in p)


def _product(p, q):
    full = [sum((p[i] * q[k - i] for i in range(3) if 0 <= k - i < 3), Fraction(0)) for k in range(5)]
    return None if full[3] or full[4] else tuple(full[:3])


def _quotient(p, q):
    return None if q[1] or q[2] or not q[0] else _scaled(p, 1 / q[0])
