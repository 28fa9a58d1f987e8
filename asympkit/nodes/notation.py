"""How names are written in mathematics where they are not what they spell: one table for LaTeX and MathML.

A theory adds its own to its :class:`~asympkit.equations.System`.
"""

from html.entities import html5

__all__ = ["CONVENTIONAL", "FUNCTIONS", "character", "plain"]

#: symbols, and functions that are not chosen yet, as LaTeX
CONVENTIONAL = {"lam": r"\lambda", "noise_variance": r"\Delta", "angle": r"\vartheta", "eps": r"\varepsilon"}
FUNCTIONS = {"student": r"\sigma", "target": r"\phi"}


def plain(tex):
    r"""LaTeX of a letter with indices as sympy spells it: ``\mu_{2}^{2}`` is ``mu_2^2``."""
    return tex.translate({ord(c): None for c in "\\{}"})


def character(tex):
    r"""The character of a Greek letter in LaTeX."""
    return html5[tex.removeprefix("\\") + ";"]
