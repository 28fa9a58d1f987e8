"""A derivation as a self-contained web page (MathML, no scripts) or as LaTeX."""

from html import escape

from sympy import Basic

from ..equations.system import presentation

_STYLE = """
body { font: 17px/1.55 Georgia, serif; color: #1d2433; background: #fbfaf7; margin: 0 auto;
       max-width: 56rem; padding: 2.5rem 1.25rem 5rem; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 .3rem; }
.source, .how { color: #5c667a; font: 14px/1.5 system-ui, sans-serif; }
section { border-top: 1px solid #dcdad2; margin-top: 1.6rem; padding-top: 1rem; }
.number { color: #8a5a12; font-weight: bold; margin-right: .5rem; }
.equation { overflow-x: auto; padding: .6rem 0 .6rem 1.6rem; }
.how::before { content: "\\2713\\00a0"; color: #23794a; }
details { font: 13px/1.5 ui-monospace, monospace; color: #5c667a; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: .4rem 0; }
@media (prefers-color-scheme: dark) {
  body { color: #e4e2dc; background: #16181d; } section { border-color: #343842; }
  .source, .how, details { color: #9aa3b5; } .number { color: #d9a65a; } }
"""


def mathml(equation):
    """One displayed ``<math>`` element for a sympy object."""
    return presentation(equation).replace("<math ", '<math display="block" ', 1)


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
        body = mathml(shown) if isinstance(shown, Basic) else f"<code>{escape(shown)}</code>"
        sections.append(
            f'<section><p><span class="number">{step.number}</span>{escape(step.sentence)}</p>\n'
            f'<div class="equation">{body}</div>\n'
            f'<p class="how">{escape(step.said(outcome))}</p>\n'
            f"<details><summary>LaTeX</summary><pre>{escape(step.latex)}</pre></details></section>")
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{escape(derivation.title)}</title>\n<style>{_STYLE}</style></head><body>\n"
            f"<h1>{escape(derivation.title)}</h1>\n"
            f'<p class="source">{escape(derivation.source)}; {len(sections)} steps, each checked.</p>\n'
            f"<p>{escape(derivation.about)}</p>\n" + "\n".join(sections) + "\n</body></html>\n")


def tex(derivation, outcomes):
    """The derivation as a LaTeX document."""
    items = "\n".join(
        f"\\item {_plain(step.sentence)}\n\\[ {step.latex} \\]\n"
        f"{{\\small {_plain(step.said(outcome))}.}}"
        for step, outcome in zip(derivation.steps, outcomes))
    return ("\\documentclass{article}\n\\usepackage{amsmath,amssymb}\n\\begin{document}\n"
            f"\\section*{{{_plain(derivation.title)}}}\n{_plain(derivation.source)}\n\n"
            f"{_plain(derivation.about)}\n\\begin{{enumerate}}\n{items}\n\\end{{enumerate}}\n\\end{{document}}\n")


def _plain(text):
    table = {c: "\\" + c for c in "&%$#_{}"} | {"^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
                                               "\\": r"\textbackslash{}", "<": r"\(<\)", ">": r"\(>\)"}
    return "".join(table.get(c, c) for c in text)
