"""Cases inside conditions, taken out of them: ``where(f(where(c, a, b)) < r, ...)`` asks c first.

sympy combines such conditions by logic that may take for ever; here they become cases inside branches.
"""

from ..errors import ParseError
from .catalogue import FUNCTIONS
from .grammar import definition
from .tokens import _shown
from .tree import Call, Chain, Compare, Name, Neg, Pow, Where, children, walk

__all__ = ["MAX_CASES", "with_plain_conditions"]

#: cases that one ``where`` may become
MAX_CASES = 64


def with_plain_conditions(tree, text):
    """An equal tree in which no condition holds a ``where``.

    Parameters
    ----------
    tree : node
    text : str
        What to show in an error message.

    Raises
    ------
    ParseError
        If the conditions have too many cases.
    """
    if not any(map(_asks_about_cases, walk(tree))):
        return tree
    return _Plain(text)(tree)


def _asks_about_cases(node):
    """Whether the condition of a ``where``, or of a function that is one, holds cases."""
    if type(node) is Where:
        return _has_cases(node.condition)
    return _is_by_cases(node) and any(map(_has_cases, node.args))


def _has_cases(tree):
    return any(type(n) is Where or _is_by_cases(n) for n in walk(tree))


def _is_by_cases(node):
    """Whether a node is a catalogue function that is defined by cases."""
    return type(node) is Call and node.name in FUNCTIONS and any(type(n) is Where for n in walk(definition(node.name)))


class _Plain:
    def __init__(self, text):
        self.text = text

    def __call__(self, node):
        node = rebuilt(node, [self(child) for child in children(node)])
        if type(node) is Call and _asks_about_cases(node):
            return self(_written_out(node))
        if type(node) is not Where or not _has_cases(node.condition):
            return node
        self.cases = 1
        return self.without(Where(self(_written_out(node.condition)), node.yes, node.no))

    def without(self, node):
        """A ``where`` with the cases of its condition outside; their own conditions are plain."""
        inner = next((n for n in walk(node.condition) if type(n) is Where), None)
        if inner is None:
            return node
        self.cases += 1
        if self.cases > MAX_CASES:
            raise ParseError(f"cannot read {_shown(self.text)}: the conditions of where have more than {MAX_CASES} "
                             "cases, by functions in them that are defined by cases themselves; write them out")
        yes, no = (self.without(Where(_replaced(node.condition, inner, branch), node.yes, node.no))
                   for branch in (inner.yes, inner.no))
        return Where(inner.condition, yes, no)


def _written_out(node):
    """The same with the definitions of catalogue functions that are cases."""
    node = rebuilt(node, [_written_out(child) for child in children(node)])
    return _replaced(definition(node.name), Name("z"), node.args[0]) if _is_by_cases(node) else node


def _replaced(node, old, new):
    if node == old:
        return new
    return rebuilt(node, [_replaced(child, old, new) for child in children(node)])


def rebuilt(node, parts):
    """The same node with other sub-expressions, in reading order."""
    match node:
        case Neg():
            return Neg(*parts)
        case Chain(_, rest):
            return Chain(parts[0], tuple(zip((op for op, _ in rest), parts[1:])))
        case Pow():
            return Pow(*parts)
        case Call(name, _):
            return Call(name, tuple(parts))
        case Compare(op, _, _):
            return Compare(op, *parts)
        case Where():
            return Where(*parts)
    return node
