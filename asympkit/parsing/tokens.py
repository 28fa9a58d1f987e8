"""Text to tokens, with the messages for characters and numbers the grammar does not have."""

import re
from fractions import Fraction
from typing import NamedTuple

from ..errors import ParseError

__all__ = ["MAX_LENGTH", "Token", "fail", "tokenize"]

#: characters of a text, digits and exponent of a number in it: more than anybody types, and such that exact fractions
#: stay short and within the range of floats
MAX_LENGTH = 2000
MAX_DIGITS = 60
MAX_DECIMAL_EXPONENT = 250

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


def _shown(text):
    return repr(text if len(text) <= 60 else text[:57] + "...")


def fail(text, position, message, error=ParseError):
    """Build the error for one position of a text (positions are told from 1)."""
    return error(f"cannot read {_shown(text)}: at character {position + 1}, {message}")


def _number(text, source, start):
    mantissa, _, exponent = text.lower().partition("e")
    if len(mantissa) > MAX_DIGITS:
        raise fail(source, start, f"a number of more than {MAX_DIGITS} digits; write fewer digits")
    # The exponent is bounded before it is used: 1e99999999 must not become an integer.
    if len(exponent) > 5 or (exponent and abs(int(exponent)) > MAX_DECIMAL_EXPONENT):
        raise fail(source, start, f"the number {_shown(text)} has an exponent beyond {MAX_DECIMAL_EXPONENT}")
    whole, _, places = mantissa.partition(".")
    number = Fraction(int(whole + places), 10 ** len(places)) if places else Fraction(int(whole))
    return number * Fraction(10) ** int(exponent) if exponent else number


def tokenize(text):
    """Split a text into tokens, the last of kind ``end``."""
    if not isinstance(text, str):
        raise ParseError(f"an expression must be given as text (str), not {type(text).__name__}: "
                         f"{text!r:.60}")
    if len(text) > MAX_LENGTH:
        raise ParseError(f"cannot read {_shown(text)}: {len(text)} characters, at most {MAX_LENGTH} are read")
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
