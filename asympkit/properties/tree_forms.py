"""Simple forms of syntax trees: catalogue functions written out, polynomials of degree two read off."""

from fractions import Fraction

from ..parsing.catalogue import FUNCTIONS
from ..parsing.grammar import definition
from ..parsing.tree import Call, Chain, Compare, Const, Name, Neg, Num, Pow, Where, children, walk

__all__ = ["inline", "polynomial", "varies"]


def varies(node):
    """Whether the variable occurs."""
    kind = type(node)
    return kind is Name or kind is not Num and any(map(varies, children(node)))


_last = None, None


def inline(node):
    """The tree with the catalogue's functions replaced by their definitions."""
    global _last                    # the same tree is asked for several times in a row
    last = _last
    if node is last[0] or node is last[1]:
        return last[1]
    plain = node
    if any(type(part) is Call and part.name in FUNCTIONS for part in walk(node)):
        plain = _inlined(node, None)
    _last = node, plain
    return plain


def _inlined(node, argument):
    def go(child):
        return _inlined(child, argument)

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
            return _inlined(definition(name), go(args[0]))
        case Call(name, args):
            return Call(name, tuple(map(go, args)))
        case Compare(op, left, right):
            return Compare(op, go(left), go(right))
        case Where(condition, yes, no):
            return Where(go(condition), go(yes), go(no))
    raise TypeError(f"not a node of the syntax tree: {node!r}")


def polynomial(node, number=Fraction):
    """Coefficients (constant, linear, square) as exact fractions, or None for anything else; faster as floats."""
    match node:
        case Num(value):
            return (number(value), number(0), number(0))
        case Name():
            return (number(0), number(1), number(0))
        case Neg(arg):
            return _scaled(polynomial(arg, number), -1)
        case Chain(first, rest):
            total = polynomial(first, number)
            for op, arg in rest:
                part = polynomial(arg, number)
                if total is None or part is None:
                    return None
                if op in "+-":
                    total = tuple((a + b if op == "+" else a - b) if b else a for a, b in zip(total, part))
                else:
                    total = _product(total, part) if op == "*" else _quotient(total, part)
            return total
        case Pow(base, Num(power)) if power in (0, 1, 2):
            base = polynomial(base, number)
            one = number(1), number(0), number(0)
            return None if base is None else (one, base, _product(base, base))[int(power)]
    return None


def _scaled(p, factor):
    return None if p is None else tuple(a and a * factor for a in p)


def _product(p, q):
    if not (q[1] or q[2]):
        return _scaled(p, q[0])
    full = [p[0] * 0] * 5
    for i, a in enumerate(p):
        for j, b in enumerate(q):
            if a and b:
                full[i + j] += a * b
    return None if full[3] or full[4] else tuple(full[:3])


def _quotient(p, q):
    return None if q[1] or q[2] or not q[0] else _scaled(p, 1 / q[0])
