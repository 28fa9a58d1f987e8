"""Print JSON, tables, and notes on stderr."""

import json
import math
import os
import sys
import warnings
from contextlib import contextmanager

from ..summary import aligned


def print_json(data):
    """Print data as JSON: infinity is the text ``inf``, NaN is ``null``."""
    print(json.dumps(plain(data), indent=2, allow_nan=False))


def plain(value):
    """Convert data to Python's own types."""
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int | float):
        return _finite(value)
    if hasattr(value, "tolist"):            # numpy
        return plain(value.tolist())
    return str(value)


def _finite(value):
    if isinstance(value, int) or math.isfinite(value):
        return value
    return None if math.isnan(value) else str(value)


def table(rows):
    """Return rows of texts as aligned lines."""
    return "\n".join(aligned([list(map(str, row)) for row in rows]))


def coloured(verdict, holds):
    """Colour the first words of a verdict green or red on a terminal (see https://no-color.org)."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return verdict
    words, colon, rest = verdict.partition(":")
    return f"\x1b[1;{32 if holds else 31}m{words}\x1b[0m{colon}{rest}"


def say(text):
    """Print one line on stderr."""
    print(f"asympkit: {' '.join(str(text).split())}", file=sys.stderr)


@contextmanager
def notes():
    """Show the warnings of asympkit as one line each, once, on stderr."""
    seen = set()

    def show(message, category, filename, lineno, file=None, line=None):
        if not issubclass(category, UserWarning):
            return usual(message, category, filename, lineno, file, line)
        text = " ".join(str(message).split())
        if text not in seen:
            seen.add(text)
            print(f"note: {text}", file=sys.stderr)
        return None

    with warnings.catch_warnings():
        usual = warnings.showwarning
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show
        yield


def add_progress(parser):
    """Add ``--progress``."""
    parser.add_argument("--progress", action="store_true", default=None,
                        help="show progress on stderr even if it is no terminal")
