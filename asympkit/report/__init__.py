"""Reports, one web page about a theory at a point; here the template and style that derivations share.

Pages are self-contained and accessible.

Nothing is loaded from elsewhere, and there are no scripts.  Colours follow the reader's scheme, light or dark; paper is
light.  Pictures are inline SVG with a title and a description; their greys are mixtures of ink and paper.
"""

import io
import re
from html import escape

import numpy as np

from .._version import __version__
from ..notation import Html
from ..plot import canvas

#: a page with this mark is ours, and may be written again
GENERATOR = '<meta name="generator" content="asympkit'
STYLE = """
:root { color-scheme: light; --ink: #1d2433; --paper: #fbfaf7; --muted: #525c70; --accent: #7a4d0c; --link: #0a558c;
  --good: #1c6b41; --line: #d4d1c7; }
@media screen and (prefers-color-scheme: dark) { :root { color-scheme: dark; --ink: #e6e4de; --paper: #16181d;
  --muted: #a7b0c0; --accent: #e0b06a; --link: #8fc4f2; --good: #7fcf9f; --line: #3d424d; } }
body { font: 17px/1.55 Georgia, serif; color: var(--ink); background: var(--paper); margin: 0 auto; max-width: 56rem;
  padding: 2.5rem 1.25rem 5rem; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 .4rem; } h2 { font-size: 1.3rem; } h3 { font-size: 1.05rem; }
a { color: var(--link); } :focus-visible { outline: 2px solid var(--link); }
.skip { position: absolute; left: -99rem; } .skip:focus { left: 1rem; }
nav, table, .source, .how, .note, figcaption { font: 14px/1.5 system-ui, sans-serif; }
nav ul { columns: 3 11rem; padding-left: 1.2rem; } .source, .how, figcaption { color: var(--muted); }
.note { border-left: 3px solid var(--accent); padding-left: .8rem; overflow-wrap: anywhere; }
section { border-top: 1px solid var(--line); margin-top: 1.6rem; padding-top: 1rem; }
.number { color: var(--accent); font-weight: bold; margin-right: .5rem; }
.equation, .wide { overflow-x: auto; } .equation { padding: .6rem 0 .6rem 1.6rem; }
.how::before { content: "\\2713\\00a0"; color: var(--good); }
table { border-collapse: collapse; margin: .8rem 0; } caption { text-align: left; font-weight: bold; padding: .2rem 0; }
th, td { border-bottom: 1px solid var(--line); padding: .2rem 1.2rem .2rem 0; text-align: left; vertical-align: top; }
td { font-variant-numeric: tabular-nums; overflow-wrap: break-word; max-width: 34rem; }
figure { margin: 1rem 0; } figure svg { width: 100%; height: auto; fill: currentColor; }
details { font: 13px/1.5 ui-monospace, monospace; color: var(--muted); margin: .5rem 0; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: .4rem 0; }
@page { margin: 18mm; }
@media print { body { max-width: none; padding: 0; font-size: 11pt; } nav, .skip { display: none; }
  .equation, .wide { overflow: visible; } figure, tr, .equation p { break-inside: avoid; }
  h2, h3, caption { break-after: avoid; } }
"""


def escaped(value):
    """Return a text as HTML that shows it literally, unprintable characters as escapes; markup stays as it is."""
    if isinstance(value, Html):
        return value
    text = "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in str(value))
    return Html(escape(text))


def page(title, head, body):
    """Return a page: a title, what follows it, and a text, or ``[(key, heading, text), ...]``, with a list of links."""
    nav = skip = ""
    if not isinstance(body, str):
        links = "".join(f'<li><a href="#{key}">{escaped(heading)}</a></li>' for key, heading, _ in body)
        nav = f'<nav aria-label="Contents"><ul>{links}</ul></nav>\n'
        skip = '<a class="skip" href="#main">Skip to the content</a>\n'
        body = "\n".join(f'<section id="{key}" aria-labelledby="{key}-h"><h2 id="{key}-h">{escaped(heading)}</h2>\n'
                         f"{text}</section>" for key, heading, text in body)
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">{GENERATOR} {__version__}">'
            f"<title>{escaped(title)}</title>\n<style>{STYLE}</style></head><body>\n{skip}<header>"
            f"<h1>{escaped(title)}</h1>\n{head}</header>\n{nav}<main id=\"main\">\n{body}\n</main></body></html>\n")


def scroll(body, what, kind="wide"):
    """Return a part that scrolls sideways, also by keys, where it is too wide."""
    return Html(f'<div class="{kind}" tabindex="0" role="group" aria-label="{escaped(what)}">{body}</div>')


def fold(summary, body):
    """Return a part that is closed at first; a text is shown as it is."""
    body = body if isinstance(body, Html) else f"<pre>{escaped(body)}</pre>"
    return Html(f"<details><summary>{escaped(summary)}</summary>{body}</details>")


def table(caption, head, rows):
    """Return a table; the first cell of a row is its head.  Cells are texts, or markup (:class:`Html`)."""
    top = "".join(f'<th scope="col">{escaped(cell)}</th>' for cell in head)
    lines = "\n".join(f'<tr><th scope="row">{escaped(first)}</th>' + "".join(f"<td>{escaped(c)}</td>" for c in rest)
                      + "</tr>" for first, *rest in rows)
    return scroll(f"<table><caption>{escaped(caption)}</caption><thead><tr>{top}</tr></thead>\n<tbody>{lines}</tbody>"
                  "</table>", caption)


def draw(key, title, make, describe):
    """Return a figure and its axes, which ``make()`` draws and ``describe(axes)`` describes in words.

    ``key`` begins the identifiers in the picture.  NotAvailableError without matplotlib.
    """
    pyplot, out = canvas.pyplot(), io.StringIO()
    with pyplot.style.context(["default", {"svg.hashsalt": key, "svg.fonttype": "path"}]):
        axes = make()
        figure = np.ravel(np.asarray(axes, dtype=object))[0].figure
        try:
            figure.savefig(out, format="svg", metadata={"Date": None})
        finally:
            pyplot.close(figure)
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", out.getvalue(), flags=re.DOTALL)
    text = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{key}-", text[text.index("<svg"):])
    text = re.sub(r"#([0-9a-f]{2})\1\1\b", _mixed, text)
    box = re.search(r'viewBox="[\d. ]* ([\d.]+) [\d.]+"', text)
    start = (f'<svg xmlns:xlink="http://www.w3.org/1999/xlink" {box[0]} style="max-width: {1.4 * float(box[1]):.0f}px" '
             f'role="img" aria-labelledby="{key}-t {key}-d"><title id="{key}-t">{escaped(title)}</title>'
             f'<desc id="{key}-d">{escaped(describe(axes))}</desc>')
    text = start + text[text.index(">") + 1:]
    return Html(f"<figure>{text}<figcaption>{escaped(title)}</figcaption></figure>"), axes


def _mixed(grey):
    """Return a grey as a mixture of ink and paper."""
    return f"color-mix(in srgb, currentColor {round(100 - int(grey[1], 16) / 2.55)}%, var(--paper))"
