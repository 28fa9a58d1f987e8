"""Names of generated quantities: identifiers made here, whatever names a user chose.

Writers of code do not print a label as it is but *marked* (:func:`mark`), so that it is known to the end which part of
an identifier is a label; :func:`asympkit.codegen.module.substitute_labels` then puts identifiers in the place of
labels, none of which meets a name of the generated code.
"""

import re
import unicodedata
from keyword import iskeyword

from sympy import Integer, Mul, Pow, Symbol

from ..nodes import BoundSymbol, Named
from .statements import LARGEST_ERROR, ROUNDING

#: encloses a label in code until its name is final; from an extinct alphabet, equal to its NFKC form
MARK = "\ua66e"
#: characters of a label at most
_LONGEST = 60
_WORDS = {"'": "_prime", "\u2032": "_prime", "*": "_star", "+": "_plus", "\u2020": "_dagger"}


def mark(label):
    """Return a label as writers of code print it."""
    return f"{MARK}{label}{MARK}"


class Names:
    """Give each symbol, each activation and each generated quantity its own label.

    ``names[symbol]`` and ``names[label of an activation]`` are the labels, :meth:`mapping` has them marked.
    """

    def __init__(self, taken=()):
        self._used, self._of = set(), {}
        for symbol in taken:
            self._of[symbol] = self.claim(symbol.name)

    def claim(self, wish):
        """Return a label that is from now on taken: the identifier nearest to a text, or a numbered variant."""
        base = name = identifier(wish)
        number = 1
        while name in self._used:
            number += 1
            name = f"{base}_{number}"
        self._used.add(name)
        return name

    def activations(self, labels):
        """Give unspecified functions labels; they are keyed by the texts that users call them by."""
        for text in labels:
            if text not in self._of:
                self._of[text] = self.claim(text)

    def symbols(self, symbols):
        """Give symbols labels that have none yet."""
        for symbol in symbols:
            if symbol not in self._of:
                self._of[symbol] = self.claim(symbol.name)

    def fresh(self, base, **assumptions):
        """Return a new symbol whose name is ``base`` if that is free, else a numbered variant."""
        name = self.claim(base)
        symbol = Symbol(name, **(assumptions or {"real": True}))
        self._of[symbol] = name
        return symbol

    def __getitem__(self, symbol):
        return self._of[symbol]

    def mapping(self):
        """Return everything named so far with its marked label, for writers of code."""
        constants = {s: s.name for s in (ROUNDING, LARGEST_ERROR)}       # of every module
        return constants | {key: mark(label) for key, label in self._of.items()}


def identifier(text):
    r"""Return the plain ASCII identifier nearest to a text: ``\alpha`` is alpha, ``q_{1}`` q_1, ``m'`` m_prime.

    It never begins with an underscore or a digit and is no keyword; different texts may have the same one.
    """
    if text.isascii() and text.isidentifier() and text[0] != "_" and len(text) <= _LONGEST:
        return f"{text}_" if iskeyword(text) else text
    letters = "".join(_spell(c) for c in text[:4 * _LONGEST])
    word = re.sub(r"[\W_]+", "_", letters, flags=re.ASCII).lstrip("_")[:_LONGEST].rstrip("_")
    if not word or word[0].isdigit():
        word = f"q{word}"
    return f"{word}_" if iskeyword(word) else word


def _spell(character):
    """Spell a character in ASCII: its name for Greek ones, without accents, or nothing."""
    if character.isascii():
        return _WORDS.get(character, character)
    if unicodedata.combining(character):
        return ""
    name = unicodedata.name(character, "")
    if found := re.fullmatch(r"GREEK (SMALL|CAPITAL) LETTER (\w+)", name):
        return found[2].lower() if found[1] == "SMALL" else found[2].capitalize()
    if character in _WORDS:
        return _WORDS[character]
    plain = unicodedata.normalize("NFKD", character)
    if plain != character and not plain.isascii():
        return "".join(_spell(c) for c in plain if c != character)
    return plain if plain.isascii() else "_"


def slug(expr):
    """Return a readable identifier for a product of names, or ``"column"``."""
    words = []
    for factor in sorted(Mul.make_args(expr), key=lambda f: f.sort_key()):
        base, power = (factor.base, factor.exp) if isinstance(factor, Pow) else (factor, 1)
        is_short = isinstance(power, int | Integer) and 0 < power <= 4
        if not isinstance(base, (Symbol, Named, BoundSymbol)) or not is_short:
            return "column"
        words += [base.label if isinstance(base, Named) else base.name] * int(power)
    return "_".join(words)
