"""Text to tokens, and the messages for characters, numbers and tokens that are out of place."""

import re
from fractions import Fraction
from typing import NamedTuple

from ..errors import ParseError

__all__ = ["MAX_DEPTH", "MAX_LENGTH", "Token", "check_order", "fail", "quote_text", "normalise_spaces", "tokenize"]

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
