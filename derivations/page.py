"""A derivation as a self-contained web page (MathML, no scripts) or as LaTeX."""

import re
from html import escape

from sympy import Basic

from ..equations.system import presentation
from ..report import fold, page, scroll


def mathml(equation, notation=None):
    """One displayed ``<math>`` element for a sympy object; ``notation`` is LaTeX of names."""
    return presentation(equation, notation).replace("<math ", '<math displaystyle="true" ', 1)


def html(derivation, outcomes):
    """The derivation as one self-contained html page.

    Parameters
    ----------
    derivation : Derivation
    outcomes : list of Outcome
        What ``derivation.run()`` returned.
    """
    sections = []
    for step, outcome in zip(derivation.steps, outcomes):
        shown = step.equation
        body = mathml(shown, step.notation) if isinstance(shown, Basic) else f"<code>{escape(shown)}</code>"
        sections.append(
            f'<section><p><span class="number">{step.number}</span>{escape(step.sentence)}</p>\n'
            f'{scroll(body, f"equation of step {step.number}", "equation")}\n'
            f'<p class="how">{escape(step.said(outcome))}</p>\n{fold("LaTeX", step.latex)}</section>')
    head = (f'<p class="source">{escape(derivation.source)}; {len(sections)} steps, each checked.</p>\n'
            f"<p>{escape(derivation.about)}</p>")
    return page(derivation.title, head, "\n".join(sections))


def tex(derivation, outcomes):
    """The derivation as a LaTeX document."""
    items = "\n".join(
        f"\\item {_plain(step.sentence, step.notation)}\n\\[ {step.latex} \\]\n"
        f"{{\\small {_plain(step.said(outcome))}.}}"
        for step, outcome in zip(derivation.steps, outcomes))
    return ("\\documentclass{article}\n\\usepackage{amsmath,amssymb}\n\\begin{document}\n"
            f"\\section*{{{_plain(derivation.title)}}}\n{_plain(derivation.source)}\n\n"
            f"{_plain(derivation.about, derivation.notation)}\n"
            f"\\begin{{enumerate}}\n{items}\n\\end{{enumerate}}\n\\end{{document}}\n")


def _plain(text, notation=None):
    """Return a text as LaTeX, with names of the notation as mathematics."""
    if notation:
        parts = re.split(rf"\b({'|'.join(notation)})\b", text)
        return "".join(rf"\({notation[part]}\)" if part in notation else _plain(part) for part in parts)
    table = {c: "\\" + c for c in "&%$#_{}"} | {"^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
                                               "\\": r"\textbackslash{}", "<": r"\(<\)", ">": r"\(>\)"}
    return "".join(table.get(c, c) for c in text)
