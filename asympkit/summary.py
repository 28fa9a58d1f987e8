"""Summarise results: numbers, arrays and long texts made short, tables as HTML.

Names given by users are escaped in markup.
"""

from textwrap import wrap

from .notation import escape_html, format_html

__all__ = ["Html", "align_table", "broken", "add_title", "name", "one_screen", "summarise", "table"]

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
