"""Write names in mathematics and results in short: LaTeX, HTML, labels of pictures, tables that fit a screen.

A theory adds its own names to its :class:`~asympkit.equations.System`.  A user's name that does not spell a symbol is
shown as it is, with the special characters of TeX or HTML escaped.
"""

import csv
import io
import re
import unicodedata
from textwrap import wrap

from .once import Deferred

_html, _entities, _sympy = Deferred("html"), Deferred("html.entities"), Deferred("sympy")

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
    tex = re.sub(rf"\\({'|'.join(_ACCENTS)})\b{{?\\?([A-Za-z]+)}}?", r"\2\1", tex)
    return tex.translate({ord(c): None for c in "\\{}"})


def character(tex):
    r"""Return the character of a Greek symbol in LaTeX."""
    return _entities.html5[tex.removeprefix("\\") + ";"]


def tex(name, notation=None):
    r"""Return LaTeX of a name that spells a symbol, or None: ``qhat1`` is ``\hat{q}_{1}``, ``test_error`` has none.

    ``notation`` holds LaTeX of names that differs from their spelling.
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


#: lines and columns that a terminal shows at once
LINES, COLUMNS = 24, 120


class Html(str):
    """Mark a text that is markup already."""


def summarise(value):
    """Return a number in six digits, an array by its size and range, another value as a short text."""
    if hasattr(value, "shape") and getattr(value, "ndim", 0):
        size = "array of shape " + " x ".join(map(str, value.shape))
        import numpy as np

        known = value[np.isfinite(value)] if value.dtype.kind == "f" else value
        if value.dtype.kind not in "fiu" or not known.size:
            return size
        return f"{size} from {known.min():.6g} to {known.max():.6g}"
    if isinstance(value, float) or getattr(getattr(value, "dtype", None), "kind", "") in ("f", "i", "u"):
        return f"{float(value):.6g}"
    text = " ".join(str(value).split())
    return text if len(text) <= 80 else f"{text[:77]}..."


def one_screen(text, what="str() shows all of it"):
    """Return a text of at most a screen, with long lines broken between words and a note about the rest."""
    lines = [part if len(part) <= COLUMNS else f"{part[:COLUMNS - 3]}..."
             for line in text.splitlines() for part in broken(line, COLUMNS)]
    if len(lines) > LINES:
        lines = [*lines[:LINES - 1], f"... {len(lines) - LINES + 1} more lines; {what}"]
    return "\n".join(lines)


def align_table(rows):
    """Return the lines of a table of texts with aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]


#: how tables are printed
FORMATS = ("text", "latex", "csv", "markdown")


def format_table(rows, how="text"):
    """Return rows as a table in one of :data:`FORMATS`; the first row is the head."""
    if how == "latex":
        lines = [" & ".join(map(_latex, row)) + r" \\" for row in rows]
        return "\n".join([rf"\begin{{tabular}}{{{'r' * len(rows[0])}}}", lines[0] + r" \hline", *lines[1:],
                          r"\end{tabular}"])
    rows = [list(map(str, row)) for row in rows]
    if how == "text":
        return "\n".join(align_table(rows))
    if how == "csv":
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(rows)
        return text.getvalue().rstrip("\n")
    if how == "markdown":
        rows.insert(1, ["---"] * len(rows[0]))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _latex(cell):
    if hasattr(cell, "free_symbols"):
        return f"${_sympy.latex(cell)}$"
    text = str(cell)
    if re.match(r"[-+]?[\d.]|inf$", text):
        power = re.sub(r"e([+-]?)0*([0-9]+)$", r"\\cdot10^{\1\2}", text.replace(" +/- ", r"\pm")).replace("{+", "{")
        return f"${power}$" if " " not in power else text
    return f"${tex(text)}$" if tex(text) else "".join(_TEX.get(c, c) for c in text)


def broken(line, columns):
    """Break a long line between words; return it unbroken if a word is longer than the width."""
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    if len(line) <= columns or max(map(len, line.split(" "))) > columns - len(indent):
        return [line]
    return wrap(line, columns, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def name(text, notation=None):
    """Return a name in HTML, as mathematics if it spells a symbol."""
    return Html(format_html(text, notation))


def add_title(title, *parts):
    """Return a title and its parts."""
    return "\n".join((f"<div><b>{_cell(title)}</b></div>", *parts))


def table(rows, head=()):
    """Return rows as an HTML table; cells are texts, numbers or :class:`Html`."""
    lines = ["<table>"]
    if head:
        lines.append("<tr>" + "".join(f'<th style="text-align:left">{_cell(c)}</th>' for c in head) + "</tr>")
    lines += ["<tr>" + "".join(f'<td style="text-align:left">{_cell(c)}</td>' for c in row) + "</tr>" for row in rows]
    return "\n".join([*lines, "</table>"])


def _cell(value):
    return value if isinstance(value, Html) else escape_html(value if isinstance(value, str) else summarise(value))
