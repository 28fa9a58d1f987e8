"""The syntax tree of the grammar: a handful of immutable nodes, and its text form."""

from dataclasses import dataclass
from fractions import Fraction

__all__ = ["Call", "Chain", "Compare", "Const", "Name", "Neg", "Num", "Pow", "Where", "children", "to_text",
           "walk"]


@dataclass(frozen=True, slots=True)
class Num:
    """A nonnegative number with a finite decimal expansion, kept exactly."""

    value: Fraction


@dataclass(frozen=True, slots=True)
class Const:
    """The constant ``pi`` or ``e``."""

    name: str


@dataclass(frozen=True, slots=True)
class Name:
    """A declared name."""

    name: str


@dataclass(frozen=True, slots=True)
class Neg:
    """Unary minus."""

    arg: object


@dataclass(frozen=True, slots=True)
class Chain:
    """A sum or a product read from left to right: ``first op arg op arg ...``.

    Long sums are wide instead of deep, so no later walk can exhaust the stack.
    """

    first: object
    rest: tuple  # of (operator, node); the operators are all of "+-" or all of "*/"


@dataclass(frozen=True, slots=True)
class Pow:
    """``base ** exponent``."""

    base: object
    exponent: object


@dataclass(frozen=True, slots=True)
class Call:
    """A function of the grammar applied to its arguments."""

    name: str
    args: tuple


@dataclass(frozen=True, slots=True)
class Compare:
    """``left op right``; only the condition of a :class:`Where`."""

    op: str
    left: object
    right: object


@dataclass(frozen=True, slots=True)
class Where:
    """``where(condition, yes, no)``."""

    condition: Compare
    yes: object
    no: object


_CHILDREN = {
    Num: lambda node: (),
    Const: lambda node: (),
    Name: lambda node: (),
    Neg: lambda node: (node.arg,),
    Chain: lambda node: (node.first, *[arg for _, arg in node.rest]),
    Pow: lambda node: (node.base, node.exponent),
    Call: lambda node: node.args,
    Compare: lambda node: (node.left, node.right),
    Where: lambda node: (node.condition, node.yes, node.no),
}


def children(node):
    """The direct sub-expressions of a node, in reading order."""
    try:
        return _CHILDREN[type(node)](node)
    except KeyError:
        raise TypeError(f"not a node of the syntax tree: {node!r}") from None


def walk(node):
    """All nodes below and including ``node``."""
    nodes = [node]
    for node in nodes:              # it grows while it is read
        kind = type(node)
        if kind is Call:
            nodes += node.args
        elif kind is Chain:
            nodes.append(node.first)
            nodes += [arg for _, arg in node.rest]
        elif kind is not Num and kind is not Name:
            nodes += children(node)
    return nodes


def number_text(value):
    """Shortest exact decimal text of a nonnegative fraction whose denominator divides a power of ten."""
    exponent = 0
    mantissa = value
    while mantissa.denominator != 1:
        mantissa *= 10
        exponent -= 1
    digits = mantissa.numerator
    while digits and digits % 10 == 0:
        digits //= 10
        exponent += 1
    text = str(digits)
    if exponent >= 0 and len(text) + exponent <= 40:
        return text + "0" * exponent
    if -40 < exponent < 0 and len(text) + exponent > -6:
        text = text.rjust(1 - exponent, "0")
        return f"{text[:exponent]}.{text[exponent:]}"
    return f"{text}e{exponent}"


# Binding strength: sums 1, products 2, unary minus 3, powers 4, atoms 5.
def _strength(node):
    match node:
        case Chain(_, rest):
            return 1 if rest[0][0] in "+-" else 2
        case Neg():
            return 3
        case Pow():
            return 4
    return 5


def to_text(node):
    """Text of a tree with the parentheses it needs; reading it again gives an equal expression."""

    def wrap(child, least):
        text = show(child)
        return text if _strength(child) >= least else f"({text})"

    def show(node):
        match node:
            case Num(value):
                return number_text(value)
            case Const(name) | Name(name):
                return name
            case Neg(arg):
                return "-" + wrap(arg, 3)
            case Chain(first, rest):
                level = _strength(node)
                glue = " {} " if level == 1 else "{}"
                out = wrap(first, level)
                return out + "".join(glue.format(op) + wrap(arg, level + 1) for op, arg in rest)
            case Pow(base, exponent):
                return f"{wrap(base, 5)}**{wrap(exponent, 3)}"
            case Call(name, args):
                return f"{name}({', '.join(map(show, args))})"
            case Compare(op, left, right):
                return f"{show(left)} {op} {show(right)}"
            case Where(condition, yes, no):
                return f"where({show(condition)}, {show(yes)}, {show(no)})"
        raise TypeError(f"not a node of the syntax tree: {node!r}")

    return show(node)
