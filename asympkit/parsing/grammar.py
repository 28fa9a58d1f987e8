"""Define the words of a text: the catalogue of activations, each a text of the grammar, and the tokens.

The sigmoid family is written with tanh and cosh: those forms are bounded where they should be, so
their symbolic derivatives never contain the quotient of two overflowing exponentials.
"""

import re
from fractions import Fraction
from typing import NamedTuple

from sympy import Function

from ..errors import ParseError

# The standard SELU constants to the 31 digits usually quoted; as decimals they are exact rationals.
_SELU_SCALE = "1.0507009873554804934193349852946"
_SELU_ALPHA = "1.6732632423543772848170429916717"

#: Definition of each activation as a text in ``z``.
CATALOGUE = {
    "identity": "z",
    "tanh": "tanh(z)",
    "erf": "erf(z)",
    "sigmoid": "(1 + tanh(z/2))/2",
    "softplus": "z/2 + log(2*cosh(z/2))",
    "relu": "max(0, z)",
    "relu6": "min(6, max(0, z))",
    "squared_relu": "max(0, z)**2",
    "leaky_relu": "where(z > 0, z, z/100)",
    "elu": "where(z > 0, z, exp(z) - 1)",
    "celu": "elu(z)",
    "selu": f"{_SELU_SCALE}*where(z > 0, z, {_SELU_ALPHA}*(exp(z) - 1))",
    "gelu": "z*(1 + erf(z/sqrt(2)))/2",
    "gelu_tanh": "z*sigmoid(2*sqrt(2/pi)*(z + 0.044715*z**3))",
    "quick_gelu": "z*sigmoid(1.702*z)",
    "silu": "z*(1 + tanh(z/2))/2",
    "mish": "z*tanh(softplus(z))",
    "hardswish": "z*min(1, max(0, z/6 + 1/2))",
    "hardsigmoid": "min(1, max(0, z/6 + 1/2))",
    "softsign": "z/(1 + abs(z))",
    "logsigmoid": "-softplus(-z)",
    "squareplus": "(z + sqrt(z**2 + 4))/2",
    "tanhshrink": "z - tanh(z)",
    "softshrink": "max(0, z - 1/2) + min(0, z + 1/2)",
    "hardshrink": "where(abs(z) > 1/2, z, 0)",
    "snake": "z + sin(z)**2",
    "atan": "atan(z)",
    "asinh": "asinh(z)",
    "sin": "sin(z)",
    "cos": "cos(z)",
    "sign": "sign(z)",
    "step": "step(z)",
    "abs": "abs(z)",
    "hardtanh": "max(-1, min(1, z))",
    "exp": "exp(z/2)",
    "exponential": "exp(z)",
    "gaussian": "exp(-z**2/2)",
    "cubic": "z**3 - 3*z",
    "quadratic": "z**2 - 1",
}

#: Entries that a text may call as functions of one argument, because their name is not already a
#: function of the grammar with its usual meaning (``exp(z)`` in a text is the exponential).
FUNCTIONS = tuple(name for name, text in CATALOGUE.items() if text != f"{name}(z)" and name != "exp")

#: Entries with a parameter ``a``, ``elu(0.7)`` or ``elu(z, 0.7)``; the catalogue has them at the usual one.
PARAMETRIC = {
    "leaky_relu": "where(z > 0, z, a*z)",
    "elu": "where(z > 0, z, a*(exp(z) - 1))",
    "celu": "where(z > 0, z, a*(exp(z/a) - 1))",
    "softshrink": "max(0, z - a) + min(0, z + a)",
    "hardshrink": "where(abs(z) > a, z, 0)",
    "softplus": "softplus(a*z)/a",
    "snake": "z + sin(a*z)**2/a",
}

#: Functions that texts may call, written in others.
WRITTEN = {"clip": "min(b, max(a, z))", "log1p": "log(1 + z)", "expm1": "exp(z) - 1"}

#: Equal formulas for evaluation: no overflow, and full relative accuracy in the tails.
#: ``2*tanh(u/2)/(1 - tanh(u/2))`` is ``exp(u) - 1`` for u <= 0.
_EXPONENTIAL_LESS_ONE = "2*tanh(min(z, 0)/2)/(1 - tanh(min(z, 0)/2))"
NUMERIC = {
    "sigmoid": "exp(min(z, 0))/(1 + exp(-abs(z)))",
    "softplus": "soft_plus(z)",
    "elu": f"where(z > 0, z, {_EXPONENTIAL_LESS_ONE})",
    "selu": f"{_SELU_SCALE}*where(z > 0, z, {_SELU_ALPHA}*{_EXPONENTIAL_LESS_ONE})",
    "gelu": "max(z, 0) - abs(z)*erfc(abs(z)/sqrt(2))/2",
    "silu": "z*(exp(min(z, 0))/(1 + exp(-abs(z))))",
    "mish": "z*tanh(soft_plus(z))",
}

#: what functions are called in torch, jax, keras and numpy, in lower case and without underscores
_ELSEWHERE = {"swish": "silu", "logistic": "sigmoid", "expit": "sigmoid", "heaviside": "step", "linear": "identity",
              "rect": "relu", "rectifier": "relu", "lrelu": "leaky_relu", "sgn": "sign", "htanh": "hardtanh",
              "normal": "gaussian", "rbf": "gaussian", "hardsilu": "hardswish", "hswish": "hardswish",
              "hsigmoid": "hardsigmoid", "relusquared": "squared_relu", "relu2": "squared_relu",
              "gelunew": "gelu_tanh", "gelupytorchtanh": "gelu_tanh", "gelufast": "gelu_tanh",
              "gelusigmoid": "quick_gelu", "ln": "log", "arctan": "atan", "arcsin": "asin", "arccos": "acos",
              "arcsinh": "asinh", "arctanh": "atanh", "absolute": "abs", "maximum": "max", "minimum": "min"}


def other_name(name, known):
    """Return the one of the known names that a name means with other capitals or underscores, or elsewhere; or None."""
    plain = name.lower().replace("_", "")
    plain = _ELSEWHERE.get(plain, plain).replace("_", "")
    return next((k for k in known if k.replace("_", "") == plain), None)


class CatalogueFunction(Function):
    """A catalogue function that is kept by its name: ``CatalogueFunction(Str("gelu"), u)``.

    Algebra is done on its definition, values are taken from its formula in :data:`NUMERIC`.
    """

    nargs = 2

    def _eval_is_extended_real(self):
        return self.args[1].is_extended_real

    _eval_is_real = _eval_is_extended_real

    def _eval_is_finite(self):
        return True if self.args[1].is_real else None


#: characters of a text, digits and exponent of a number in it: more than anybody types, and such that exact fractions
#: stay short and within the range of floats
MAX_LENGTH = 2000
MAX_DIGITS = 60
MAX_DECIMAL_EXPONENT = 250
#: parentheses, functions, signs and powers inside one another: all that walks expressions recurses, within the thousand
#: calls that Python allows
MAX_DEPTH = 60

COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
#: a number, a name, an operator, or space
_TOKEN = re.compile(
    r"((?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|([A-Za-z_][A-Za-z0-9_]*)"
    r"|(\*\*|<=|>=|==|!=|[-+*/(),<>])"
    r"|([ \t\r\n]+)"
)

_HINTS = {
    "^": "write ** for powers",
    "=": "comparisons are < <= > >= == != and stand only inside where(condition, a, b)",
    "\\": "write names without a backslash, tanh(z)",
    "[": "use round parentheses",
    "{": "use round parentheses",
    "|": "write abs(...) for an absolute value",
    "%": "the grammar has no remainder",
    "\u2212": "write the plain minus sign -",
    "\u00d7": "write * for products",
    "\u00b7": "write * for products",
    "\u00b2": "write **2",
    "\u00b3": "write **3",
    "\u221a": "write sqrt(...)",
    "\u03c0": "write pi",
}


class Token(NamedTuple):
    """One token: its kind (number, name, op, end), its text, where it starts, and a number's value."""

    kind: str
    text: str
    start: int
    value: Fraction | None = None

    @property
    def shown(self):
        """The token as messages quote it."""
        return "the end of the text" if self.kind == "end" else repr(self.text)


def quote_text(text):
    """Quote a text, shortened."""
    return repr(text if len(text) <= 60 else text[:57] + "...")


def fail(text, position, message, error=ParseError):
    """Build the error for one position of a text (messages count positions from 1)."""
    return error(f"cannot read {quote_text(text)}: at character {position + 1}, {message}")


def _number(text, source, start):
    mantissa, _, exponent = text.lower().partition("e")
    if len(mantissa) > MAX_DIGITS:
        raise fail(source, start, f"a number of more than {MAX_DIGITS} digits; write fewer digits")
    # The exponent is bounded before it is used: 1e99999999 must not become an integer.
    if len(exponent) > 5 or (exponent and abs(int(exponent)) > MAX_DECIMAL_EXPONENT):
        raise fail(source, start, f"the number {quote_text(text)} has an exponent beyond {MAX_DECIMAL_EXPONENT}")
    whole, _, places = mantissa.partition(".")
    number = Fraction(int(whole + places), 10 ** len(places)) if places else Fraction(int(whole))
    return number * Fraction(10) ** int(exponent) if exponent else number


def tokenize(text):
    """Split a text into tokens, the last of kind ``end``."""
    if not isinstance(text, str):
        raise ParseError(f"an expression must be given as text (str), not {type(text).__name__}: "
                         f"{text!r:.60}")
    if len(text) > MAX_LENGTH:
        raise ParseError(f"cannot read {quote_text(text)}: {len(text)} characters, at most {MAX_LENGTH} are read")
    tokens, position = [], 0
    for number, name, operator, space in _TOKEN.findall(text):
        found = number or name or operator or space
        if not text.startswith(found, position):       # a character was passed over
            break
        if number:
            tokens.append(Token("number", found, position, _number(found, text, position)))
        elif not space:
            tokens.append(Token("name" if name else "op", found, position))
        position += len(found)
    if position < len(text):
        char = text[position]
        hint = _HINTS.get(char, "expected numbers, names, + - * / ** ( ) or a comma")
        raise fail(text, position, f"the character {char!r} is not part of the grammar; {hint}")
    tokens.append(Token("end", "", len(text)))
    return tokens


def check_order(tokens, text):
    """Raise :class:`ParseError` at the first token that cannot stand where it stands, or that is nested too deep.

    Python's parser then accepts the text; its own messages differ between versions.
    """
    if len(tokens) == 1:
        raise ParseError(f"cannot read {text!r}: the text is empty, expected an expression")
    is_operand_next, signs = True, 0
    stack = []                  # for each open parenthesis: the function or "", and the signs and powers before it
    for before, token in zip([None, *tokens], tokens):
        is_value = token.kind in ("number", "name")
        if is_operand_next:
            if is_value:
                is_operand_next = False
            elif token.text == "(":
                called = before.text if before is not None and before.kind == "name" else ""
                stack.append((called, signs))
                signs = 0
            elif token.text in ("+", "-") and token.kind == "op":
                signs += 1
            else:
                raise fail(text, token.start, f"found {token.shown}, expected a number, a name, a function or '('")
        elif token.text == "(" and before.kind == "name":
            stack.append((before.text, signs))
            is_operand_next, signs = True, 0
        elif token.text == ")" and stack:
            signs = stack.pop()[1]
        elif token.kind == "end" and not stack:
            return
        elif _joins(token, stack):
            is_operand_next = True
            signs = signs + 1 if token.text == "**" else 0
        else:
            raise fail(text, token.start, f"found {token.shown}, expected {_expected(token, stack)}"
                       f"{_product_hint(before, token)}")
        if sum(1 + inside for _, inside in stack) + signs > MAX_DEPTH:
            raise fail(text, token.start, f"the expression is nested more than {MAX_DEPTH} deep")


def _joins(token, stack):
    """Return whether a token may follow a value as an operator or a comma."""
    if token.kind != "op" or token.text in "()":
        return False
    if token.text == ",":
        return bool(stack and stack[-1][0])
    return token.text not in COMPARISONS or bool(stack and stack[-1][0])


def _expected(token, stack):
    """Say what could stand in the place of a token after a value."""
    if token.text in COMPARISONS:
        return "no comparison here; comparisons stand only inside where(condition, a, b)"
    if stack:
        return "',' or ')'" if stack[-1][0] else "')' or an operator"
    if token.kind in ("number", "name") or token.text == "(":
        return "an operator between two expressions"
    return "an operator or the end of the text"


def _product_hint(before, token):
    """Say how a product is written, where two factors stand side by side."""
    if token.kind not in ("number", "name") and token.text != "(":
        return ""
    pair = "" if ")" in before.text or "(" in token.text else f": {before.text}*{token.text}"
    return f" (write * for products{pair})"


def normalise_spaces(text):
    """Return a text with uniform spaces: around plus, minus and comparisons between values, and after commas."""
    out, after_value = [], False
    for token in tokenize(text)[:-1]:
        is_binary = token.kind == "op" and after_value and (token.text in "+-" or token.text in COMPARISONS)
        out.append(f" {token.text} " if is_binary else ", " if token.text == "," else token.text)
        after_value = token.kind != "op" or token.text == ")"
    return "".join(out)
