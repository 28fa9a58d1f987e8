"""Bounds on what a text may expand to, checked before any exact arithmetic is done.

Constant parts are evaluated in floating point only; ``9**9**9`` is refused without being computed.
"""

import math

from ..errors import ParseError
from ..numbers.functions import entry_of_text
from .catalogue import FUNCTIONS
from .tokens import _shown
from .tree import Call, Chain, Compare, Const, Name, Neg, Num, Pow, Where, children, to_text, walk

__all__ = ["MAX_EXPONENT", "MAX_NODES", "MAX_WEIGHT", "check_size"]

#: operations of a text once the catalogue is written out, largest constant exponent, and degree of a polynomial that
#: products and powers may multiply to: no activation of use comes near, and what is larger is refused before algebra is
#: done with it
MAX_NODES = 3000
MAX_EXPONENT = 64
MAX_WEIGHT = 256
#: of a constant: near the end of the range of floats
_LARGEST = 1e300
_CONSTANTS = {"pi": math.pi, "e": math.e}

_SIMPLE = {
    "exp": math.exp, "log": math.log, "sqrt": math.sqrt, "sin": math.sin, "cos": math.cos, "tan": math.tan,
    "sinh": math.sinh, "cosh": math.cosh, "tanh": math.tanh, "asin": math.asin, "atan": math.atan,
    "erf": math.erf, "erfc": math.erfc, "abs": abs, "max": max, "min": min,
    "sign": lambda x: float((x > 0) - (x < 0)), "step": lambda x: float(x > 0),
}
_COMPARE = {"<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b,
            ">=": lambda a, b: a >= b, "==": lambda a, b: a == b, "!=": lambda a, b: a != b}


def _listed(known, parts):
    """A function of the list at floats; its orders are ints."""
    return float(known.array_function(*map(int, parts[:known.orders]), *parts[known.orders:]))


class _Checker:
    def __init__(self, text, definition):
        self.text, self.definition = text, definition

    def refuse(self, message):
        return ParseError(f"cannot read {_shown(self.text)}: {message}")

    def value(self, node, env=None):
        """Float value of a constant node, None when a name occurs in it."""
        if type(node) is Num:
            return node.value.numerator / node.value.denominator
        if type(node) is Const:
            return _CONSTANTS[node.name]
        if type(node) is Name:
            return env[node.name] if env else None
        return self.combined(node, [self.value(child, env) for child in children(node)])

    def combined(self, node, parts):
        """The same, from the values of the sub-expressions."""
        if None in parts:
            return None
        try:
            result = self.apply(node, parts)
        except (ArithmeticError, ValueError):
            result = math.nan
        if isinstance(result, complex) or not abs(result) < _LARGEST:
            raise self.refuse(f"the constant {to_text(node):.60} is not a finite real number of moderate "
                              "size")
        return result

    def apply(self, node, parts):
        match node:
            case Neg():
                return -parts[0]
            case Chain(_, rest):
                total = parts[0]
                for (op, _), part in zip(rest, parts[1:]):
                    total = {"+": total + part, "-": total - part, "*": total * part,
                             "/": total / part if op == "/" else 0.0}[op]
                return total
            case Pow():
                if abs(parts[1]) > MAX_EXPONENT:
                    raise self.exponent(parts[1])
                return parts[0] ** parts[1]
            case Compare(op):
                return _COMPARE[op](*parts)
            case Where():
                return parts[1] if parts[0] else parts[2]
            case Call(name):
                if name in FUNCTIONS:
                    return self.value(self.definition(name), {"z": parts[0]})
                return _SIMPLE[name](*parts) if name in _SIMPLE else _listed(entry_of_text(name), parts)
        raise TypeError(node)

    def exponent(self, value):
        return self.refuse(f"the exponent {value:g} is too large; constant exponents are at most "
                           f"{MAX_EXPONENT} in absolute value")

    def measure(self, node):
        """(size, weight, value) after expanding the catalogue: number of nodes, and a bound for the degree."""
        parts = children(node)
        if not parts:
            return 1, 1, self.value(node)
        sizes, weights, values = zip(*map(self.measure, parts))
        size, weight = 1 + sum(sizes), max(weights)
        match node:
            case Chain(_, ((("*" | "/"), _), *_)):
                weight = sum(weights)
            case Pow() if values[1] is not None:
                if abs(values[1]) > MAX_EXPONENT:
                    raise self.exponent(values[1])
                weight = weights[0] * max(1.0, abs(values[1]))
            case Call(name, _) if name in FUNCTIONS:
                body = self.definition(name)
                own, power, _ = self.measure(body)
                uses = sum(isinstance(part, Name) for part in walk(body))
                size, weight = own + uses * size, weight * power
        if size > MAX_NODES:
            raise self.refuse(f"the expression expands to more than {MAX_NODES} operations")
        if weight > MAX_WEIGHT:
            raise self.refuse(f"its powers and products multiply to a degree above {MAX_WEIGHT}")
        return size, weight, self.combined(node, values)


def check_size(tree, text, definition):
    """Raise :class:`ParseError` if a tree is too large, or has a constant part that is no real number."""
    _Checker(text, definition).measure(tree)
