r"""Write names in mathematics: LaTeX, HTML and labels of pictures, from one table.

A theory adds its own to its :class:`~asympkit.equations.System`.  A user's name that does not spell a symbol is shown
as\nit is, with the special characters of TeX or HTML escaped.
"""

import re
import unicodedata

from .deferred import Deferred

__all__ = ["CONVENTIONAL", "FUNCTIONS", "character", "escape_html", "format_html", "label", "spell_plainly",
           "spell_latex",
           "tex", "upright"]

_html, _entities = Deferred("html"), Deferred("html.entities")

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
#: special characters of TeX
_TEX = {**{c: rf"\{c}" for c in "_#$%&{}"}, "\\": r"\backslash{}", "^": r"\hat{}", "~": r"\sim{}", " ": r"\ "}


def spell_plainly(tex):
    r"""Convert LaTeX of a symbol with indices to sympy's spelling: ``\mu_{2}^{2}`` is ``mu_2^2``."""
    return tex.translate({ord(c): None for c in "\\{}"})


def character(tex):
    r"""Return the character of a Greek symbol in LaTeX."""
    return _entities.html5[tex.removeprefix("\\") + ";"]


def tex(name, notation=None):
    r"""Return LaTeX of a name that spells a symbol, or None: ``qhat1`` is ``\hat{q}_{1}``, ``test_error`` has none.

    Parameters
    ----------
    name : str
    notation : dict of str to str, optional
        LaTeX of names that differs from their spelling.
    """
    known = {**CONVENTIONAL, **(notation or {})}
    if name in known:
        return known[name]
    if not (parts := _parts(name)):
        return None
    letter, accent, index = parts
    letter = f"\\{letter}" if len(letter) > 1 else letter
    return (rf"\{accent}{{{letter}}}" if accent else letter) + (f"_{{{index}}}" if index else "")


def spell_latex(name, notation=None):
    r"""Return LaTeX of any name: symbols as :func:`tex`, other names upright, ``\mathrm{energy}_{10}``.

    Return None for a name that is LaTeX already.
    """
    if found := tex(name, notation):
        return found
    if any(c in "\\{}" for c in name):
        return None
    word, index, whole = _WORD.fullmatch(name).groups()
    return rf"\mathrm{{{upright(word or whole)}}}" + (f"_{{{index}}}" if index else "")


def label(name, notation=None):
    """Return a name as a label of a picture: mathematics if it spells a symbol, otherwise words."""
    found = tex(name, notation)
    return f"${found}$" if found else spell_words(name).replace("$", r"\$")


def spell_words(name):
    """Return a name as words: underscores become blanks, unprintable characters question marks."""
    text = name.replace("_", " ") if name.isidentifier() else name
    return "".join(c if c.isprintable() else "?" for c in text)


def escape_html(text):
    """Return a text as HTML that shows it literally: no markup, no dollars or backslashes for MathJax."""
    return re.sub(r"[$\\]", r"<span>\g<0></span>", _html.escape(text))


def format_html(name, notation=None):
    """Return a name as HTML: a symbol with its index, or the name itself."""
    known = {**CONVENTIONAL, **(notation or {})}.get(name)
    if not (parts := _parts(spell_plainly(known) if known else name)):
        return escape_html(name)
    letter, accent, index = parts
    letter = _entities.html5[f"{letter};"] if len(letter) > 1 else letter
    letter = unicodedata.normalize("NFC", letter + _ACCENTS.get(accent, ""))
    return f"<i>{letter}</i>" + (f"<sub>{index}</sub>" if index else "")


def upright(name):
    """Return a name as upright LaTeX, with special characters escaped."""
    return "".join(_TEX.get(c) or (c if c.isprintable() else "?") for c in name)


def _parts(name):
    """Return symbol, accent and index of a name that spells a symbol, or None."""
    found = _SYMBOL.fullmatch(name)
    return found and (found[1], found[2] or "", found[3] or found[4] or (found[5] or "").replace("_", ","))
