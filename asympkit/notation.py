r"""How names are written in mathematics: LaTeX, HTML and the labels of pictures, from one table.

A theory adds its own to its :class:`~asympkit.equations.System`.  A name that a person gives is a text: what does not
spell a symbol is shown as it stands, with the characters that mean something to TeX or HTML taken for themselves.
"""

import re
import unicodedata
from html import escape
from html.entities import html5

__all__ = ["CONVENTIONAL", "FUNCTIONS", "character", "escaped", "in_html", "label", "plain", "spelt",
           "tex", "upright"]

#: symbols, and functions that are not chosen yet, as LaTeX
CONVENTIONAL = {"lam": r"\lambda", "noise_variance": r"\Delta", "angle": r"\vartheta", "eps": r"\varepsilon"}
FUNCTIONS = {"student": r"\sigma", "target": r"\phi"}

_GREEK = ("alpha|beta|gamma|delta|epsilon|varepsilon|zeta|eta|theta|vartheta|iota|kappa|lambda|mu|nu|xi|pi|rho|sigma|"
          "tau|upsilon|phi|chi|psi|omega|Gamma|Delta|Theta|Lambda|Xi|Pi|Sigma|Upsilon|Phi|Psi|Omega")
_ACCENTS = {"hat": "\u0302", "tilde": "\u0303", "bar": "\u0304", "dot": "\u0307"}
#: a letter, an accent, an index
_SYMBOL = re.compile(rf"({_GREEK}|[A-Za-z])({'|'.join(_ACCENTS)})?"
                     r"(?:_?(\d{1,4})|_([A-Za-z]{1,3})|(\d_\d{1,4}))?")
#: a word, an index
_WORD = re.compile(r"(.*?[^\W\d_])_?(\d{1,4})|(.*)", re.DOTALL)
#: characters that mean something to TeX
_TEX = {**{c: rf"\{c}" for c in "_#$%&{}"}, "\\": r"\backslash{}", "^": r"\hat{}", "~": r"\sim{}", " ": r"\ "}


def plain(tex):
    r"""LaTeX of a letter with indices as sympy spells it: ``\mu_{2}^{2}`` is ``mu_2^2``."""
    return tex.translate({ord(c): None for c in "\\{}"})


def character(tex):
    r"""The character of a Greek letter in LaTeX."""
    return html5[tex.removeprefix("\\") + ";"]


def tex(name, notation=None):
    r"""LaTeX of a name that spells a symbol, or None: ``qhat1`` is ``\hat{q}_{1}``, ``test_error`` is none.

    Parameters
    ----------
    name : str
    notation : dict of str to str, optional
        LaTeX of names that are not written as they are spelt.
    """
    known = {**CONVENTIONAL, **(notation or {})}
    if name in known:
        return known[name]
    if not (parts := _parts(name)):
        return None
    letter, accent, index = parts
    letter = f"\\{letter}" if len(letter) > 1 else letter
    return (rf"\{accent}{{{letter}}}" if accent else letter) + (f"_{{{index}}}" if index else "")


def spelt(name, notation=None):
    r"""LaTeX of any name: letters with an index as :func:`tex`, another one upright, ``\mathrm{energy}_{10}``.

    None of a name that is LaTeX already.
    """
    if found := tex(name, notation):
        return found
    if any(c in "\\{}" for c in name):
        return None
    word, index, whole = _WORD.fullmatch(name).groups()
    return rf"\mathrm{{{upright(word or whole)}}}" + (f"_{{{index}}}" if index else "")


def label(name, notation=None):
    """A name as a label of a picture: mathematics where it spells a symbol, otherwise words."""
    found = tex(name, notation)
    return f"${found}$" if found else words(name).replace("$", r"\$")


def words(name):
    """A name as words: underscores of identifiers are blanks, what cannot be printed is a question mark."""
    text = name.replace("_", " ") if name.isidentifier() else name
    return "".join(c if c.isprintable() else "?" for c in text)


def escaped(text):
    """A text as HTML that shows it: a browser sees no markup in it, and MathJax no dollars or backslashes in a row."""
    return re.sub(r"[$\\]", r"<span>\g<0></span>", escape(text))


def in_html(name, notation=None):
    """A name as HTML: a letter with its index where it spells a symbol, otherwise the name itself."""
    known = {**CONVENTIONAL, **(notation or {})}.get(name)
    if not (parts := _parts(plain(known) if known else name)):
        return escaped(name)
    letter, accent, index = parts
    letter = html5[f"{letter};"] if len(letter) > 1 else letter
    letter = unicodedata.normalize("NFC", letter + _ACCENTS.get(accent, ""))
    return f"<i>{letter}</i>" + (f"<sub>{index}</sub>" if index else "")


def upright(name):
    """A name as letters of LaTeX, whatever is in it."""
    return "".join(_TEX.get(c) or (c if c.isprintable() else "?") for c in name)


def _parts(name):
    """Letter, accent and index of a name that spells a symbol, or None."""
    found = _SYMBOL.fullmatch(name)
    return found and (found[1], found[2] or "", found[3] or found[4] or (found[5] or "").replace("_", ","))
