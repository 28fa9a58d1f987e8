"""The grammar: tokens to syntax tree by recursive descent with Python's precedences.

``sum: product (("+"|"-") product)*``, ``product: unary (("*"|"/") unary)*``, ``unary: ("-"|"+") unary |
power``, ``power: atom ["**" unary]``, ``atom: number | name | name "(" arguments ")" | "(" sum ")"``.
"""

from functools import cache, lru_cache

from ..errors import ParseError, UnknownNameError, suggest
from ..numbers.functions import entry_of_text, texts
from .catalogue import CATALOGUE, FUNCTIONS, NUMERIC, other_name
from .limits import check_size
from .tokens import fail, tokenize
from .tree import Call, Chain, Compare, Const, Name, Neg, Num, Pow, Where

__all__ = ["KNOWN_FUNCTIONS", "MAX_DEPTH", "definition", "numeric_definition", "parse_tree"]

#: parentheses and functions inside one another: the parser and all that walks trees recurse, within the thousand calls
#: that Python allows
MAX_DEPTH = 60
CONSTANTS = ("pi", "e")
ELEMENTARY = ("exp", "log", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "atan", "erf",
              "erfc", "abs", "sign", "step")
KNOWN_FUNCTIONS = (*ELEMENTARY, "max", "min", "where", *FUNCTIONS)
#: fewest and most arguments
_ARGUMENTS = {"where": (3, 3), "max": (2, 20), "min": (2, 20)}
#: of Bessel and polygamma functions: what a value costs grows with it
MAX_ORDER = 200
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


class _Parser:
    def __init__(self, text, names, functions):
        self.text, self.names, self.functions = text, names, functions
        self.tokens = tokenize(text)
        self.index, self.token = 0, self.tokens[0]
        self.depth = 0

    def step(self):
        """Go on to the next token."""
        self.index += 1
        self.token = self.tokens[self.index]

    def error(self, expected, token=None):
        token = token or self.token
        found = "the end of the text" if token.kind == "end" else repr(token.text)
        return fail(self.text, token.start, f"found {found}, expected {expected}{self._product()}")

    def _product(self):
        """How a product is written, where two factors stand side by side."""
        before = self.tokens[self.index - 1] if self.index else None
        begins = self.token.kind in ("number", "name") or self.token.text == "("
        if not begins or before is None or not (before.kind in ("number", "name") or before.text == ")"):
            return ""
        pair = "" if ")" in before.text or "(" in self.token.text else f": {before.text}*{self.token.text}"
        return f" (write * for products{pair})"

    def take(self, *texts):
        """The text of the current operator if it is one of ``texts`` (then stepped over), else None."""
        token = self.token
        if token.kind == "op" and token.text in texts:
            self.step()
            return token.text
        return None

    def expect(self, text, expected):
        if not self.take(text):
            raise self.error(expected)

    def enter(self):
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise fail(self.text, self.token.start, f"the expression is nested more than {MAX_DEPTH} deep")

    def whole(self):
        if self.token.kind == "end":
            raise ParseError(f"cannot read {self.text!r}: the text is empty, expected an expression")
        node = self.sum()
        token = self.token
        if token.kind == "end":
            return node
        if token.text in COMPARISONS:
            raise self.error("no comparison here; comparisons stand only inside where(condition, a, b)")
        if token.kind in ("number", "name") or token.text == "(":
            raise self.error("an operator between two expressions")
        raise self.error("an operator or the end of the text")

    def chain(self, part, *operators):
        first, rest = part(), []
        while op := self.take(*operators):
            rest.append((op, part()))
        return Chain(first, tuple(rest)) if rest else first

    def sum(self):
        return self.chain(self.product, "+", "-")

    def product(self):
        return self.chain(self.unary, "*", "/")

    def unary(self):
        if op := self.take("-", "+"):
            self.enter()
            node = self.unary()
            self.depth -= 1
            return Neg(node) if op == "-" else node
        return self.power()

    def power(self):
        base = self.atom()
        if not self.take("**"):
            return base
        self.enter()
        exponent = self.unary()
        self.depth -= 1
        return Pow(base, exponent)

    def atom(self):
        token = self.token
        if token.kind == "number":
            self.step()
            return Num(token.value)
        if token.kind == "name":
            self.step()
            return self.call(token) if self.take("(") else self.name(token)
        if self.take("("):
            self.enter()
            node = self.sum()
            self.depth -= 1
            self.expect(")", "')' or an operator")
            return node
        raise self.error("a number, a name, a function or '('")

    def name(self, token):
        if token.text in self.names:
            return Name(token.text)
        if token.text in CONSTANTS:
            return Const(token.text)
        if token.text in self.functions:
            raise fail(self.text, token.start, f"the function {token.text!r} needs an argument, as in "
                       f"{token.text}({self.names[0] if self.names else '1'})")
        known = [*self.names, *CONSTANTS]
        hint = other_name(token.text) or suggest(token.text, [*known, *self.functions])
        raise fail(self.text, token.start, f"unknown name {token.text!r}{hint}; the names are "
                   f"{', '.join(known)}", UnknownNameError)

    def call(self, token):
        name = token.text
        if name not in self.functions:
            if name in self.names or name in CONSTANTS:
                raise fail(self.text, token.start, f"{name!r} is not a function (write * for products)")
            hint = other_name(name) or suggest(name, self.functions)
            raise fail(self.text, token.start, f"unknown function {name!r}{hint}; the functions are "
                       f"{', '.join(self.functions)}", UnknownNameError)
        self.enter()
        args = [self.condition() if name == "where" else self.sum()]
        while self.take(","):
            args.append(self.sum())
        self.depth -= 1
        if self.token.kind == "op" and self.token.text in COMPARISONS:
            raise self.error("one comparison only, as the first argument of where(condition, a, b)")
        self.expect(")", "',' or ')'")
        known = None if name in KNOWN_FUNCTIONS else entry_of_text(name)
        arity = 1 if known is None else known.arity
        least, most = _ARGUMENTS.get(name, (arity, arity))
        if not least <= len(args) <= most:
            wanted = str(least) if least == most else f"{least} to {most}"
            raise fail(self.text, token.start,
                       f"{name} takes {wanted} argument{'s' * (most > 1)}, got {len(args)}")
        for order in args[:known.orders] if known is not None else ():
            if whole(order) is None or abs(whole(order)) > MAX_ORDER:
                raise fail(self.text, token.start, f"the order of {name}, its first argument, must be an integer of "
                           f"size {MAX_ORDER} at most")
        return Where(*args) if name == "where" else Call(name, tuple(args))

    def condition(self):
        left = self.sum()
        op = self.take(*COMPARISONS)
        if not op:
            raise self.error("a comparison such as z > 0 as the first argument of where")
        return Compare(op, left, self.sum())


def known_functions(names=()):
    """The names that a text may call; those of the list that are no part of the grammar yield to declared names."""
    return _callable(texts(), names)


@lru_cache(maxsize=64)
def _callable(listed, names):
    return tuple(dict.fromkeys(f for f in (*KNOWN_FUNCTIONS, *listed) if f not in names))


def whole(node):
    """A plain whole number as an int, else None."""
    sign, node = (-1, node.arg) if isinstance(node, Neg) else (1, node)
    return sign * int(node.value) if isinstance(node, Num) and node.value.denominator == 1 else None


def parse_tree(text, names=("z",)):
    """Read a text into a syntax tree.

    Parameters
    ----------
    text : str
        An expression of the grammar.
    names : sequence of str
        The names that may occur; a single string is one name.

    Returns
    -------
    node of :mod:`asympkit.parsing.tree`
    """
    names = (names,) if isinstance(names, str) else tuple(names)
    for name in names if names != ("z",) else ():
        if not (isinstance(name, str) and name.isidentifier() and name.isascii()):
            raise ParseError(f"the declared name {name!r} must be letters, digits and _, not starting with a "
                             "digit")
        if name in CONSTANTS or name in KNOWN_FUNCTIONS:
            raise ParseError(f"the declared name {name!r} already has a meaning in the grammar; choose "
                             "another")
    tree = _Parser(text, names, known_functions(names)).whole()
    check_size(tree, text, definition)
    return tree


@cache
def definition(name):
    """Tree of a catalogue entry, in the name ``z``."""
    return _Parser(CATALOGUE[name], ("z",), KNOWN_FUNCTIONS).whole()


@cache
def numeric_definition(name):
    """Tree of a catalogue entry as it is evaluated in floating point, in the name ``z``."""
    if name not in NUMERIC:
        return definition(name)
    return _Parser(NUMERIC[name], ("z",), (*KNOWN_FUNCTIONS, "expm1", "log1p")).whole()
