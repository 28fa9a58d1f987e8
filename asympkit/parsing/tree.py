"""The syntax tree of the grammar: a handful of immutable nodes, and its text form."""

__all__ = ["Call", "Chain", "Compare", "Const", "Name", "Neg", "Num", "Pow", "Where", "children", "to_text",
           "walk"]


class Node:
    """A node that never changes: equal to a node of its kind with equal parts.

    The nodes are written out: to define nine dataclasses takes 6 ms at every start, and they are slower to make.
    """

    __slots__ = ()

    def __eq__(self, other):
        return self.parts() == other.parts() if type(self) is type(other) else NotImplemented

    def __hash__(self):
        return hash((type(self), self.parts()))

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{n}={v!r}' for n, v in zip(self.__slots__, self.parts()))})"

    def __reduce__(self):
        return type(self), self.parts()


class Num(Node):
    """A nonnegative number with a finite decimal expansion, kept exactly (a Fraction)."""

    __slots__ = __match_args__ = ("value",)

    def __init__(self, value):
        self.value = value

    def parts(self):
        return self.value,


class Const(Node):
    """The constant ``pi`` or ``e``."""

    __slots__ = __match_args__ = ("name",)

    def __init__(self, name):
        self.name = name

    def parts(self):
        return self.name,


class Name(Node):
    """A declared name."""

    __slots__ = __match_args__ = ("name",)

    def __init__(self, name):
        self.name = name

    def parts(self):
        return self.name,


class Neg(Node):
    """Unary minus."""

    __slots__ = __match_args__ = ("arg",)

    def __init__(self, arg):
        self.arg = arg

    def parts(self):
        return self.arg,


class Chain(Node):
    """A sum or a product read from left to right: ``first op arg op arg ...``.

    ``rest`` holds pairs (operator, node); the operators are all of "+-" or all of "*/".  Long sums are wide instead of
    deep, so no later walk can exhaust the stack.
    """

    __slots__ = __match_args__ = ("first", "rest")

    def __init__(self, first, rest):
        self.first, self.rest = first, rest

    def parts(self):
        return self.first, self.rest


class Pow(Node):
    """``base ** exponent``."""

    __slots__ = __match_args__ = ("base", "exponent")

    def __init__(self, base, exponent):
        self.base, self.exponent = base, exponent

    def parts(self):
        return self.base, self.exponent


class Call(Node):
    """A function of the grammar applied to its arguments, a tuple."""

    __slots__ = __match_args__ = ("name", "args")

    def __init__(self, name, args):
        self.name, self.args = name, args

    def parts(self):
        return self.name, self.args


class Compare(Node):
    """``left op right``; only the condition of a :class:`Where`."""

    __slots__ = __match_args__ = ("op", "left", "right")

    def __init__(self, op, left, right):
        self.op, self.left, self.right = op, left, right

    def parts(self):
        return self.op, self.left, self.right


class Where(Node):
    """``where(condition, yes, no)``."""

    __slots__ = __match_args__ = ("condition", "yes", "no")

    def __init__(self, condition, yes, no):
        self.condition, self.yes, self.no = condition, yes, no

    def parts(self):
        return self.condition, self.yes, self.no


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
    for node in nodes:              # children are appended while the list is read
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
