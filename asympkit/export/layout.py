"""Lines of source that are not too long, and texts in docstrings."""

import re
import textwrap

from ..codegen.expressions import docstring

__all__ = ["WIDTH", "broken", "paragraph"]

WIDTH = 120
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'')
#: borders of docstrings, which begin a line: quotes in a user's text are escaped there
_QUOTES = re.compile(r'(?<!\\)"""')
#: the beginning of a statement that ends in an expression
_HEAD = re.compile(r"(\s*)((?:[\w, ]+ = )?)(return )?(?=\S)")


def paragraph(text, indent="", hanging=""):
    """Wrap a user's text for a docstring; lines after the first are indented further."""
    return _wrapped(docstring(text), indent, hanging)


def _wrapped(text, indent, hanging=""):
    # a text without spaces stays as it is: a line must not end inside of an escape
    return textwrap.wrap(text, WIDTH - 2, initial_indent=indent, subsequent_indent=indent + hanging,
                         break_long_words=False, break_on_hyphens=False) or [indent]


def broken(source):
    """Return the same source with its long lines broken: code at spaces inside brackets, docstrings at spaces."""
    out, inside = [], False
    for line in source.split("\n"):
        indent, text = line[:len(line) - len(line.lstrip())], line.strip()
        quotes = len(_QUOTES.findall(line)) if inside or text.startswith('"""') else 0
        if len(line) <= WIDTH or inside and not quotes:
            out.append(line)
        elif text.startswith("#"):
            out += _wrapped(text.strip("# "), f"{indent}# ")
        elif quotes:
            is_whole = text.count('"""') == 2
            out += [*_wrapped(text.removesuffix('"""') if is_whole else text, indent), *[f'{indent}"""'] * is_whole]
        else:
            out += _broken(line)
        inside ^= quotes % 2 == 1
    return "\n".join(out)


def _broken(line):
    """Return a long line as several: an expression that stands in no brackets is put into some."""
    place = _masked(line).find("    # ")
    if place > 0 and line[:place].strip():           # a remark has no place
        line = line[:place]
    head = _HEAD.match(line)
    indent, targets, rest = head[1], head[2], line[head.end():]
    if len(targets) > 0.75 * WIDTH:
        targets = f"({targets.removesuffix(' = ')}) = "
    if targets or head[3]:
        line = f"{indent}{targets}{head[3] or ''}{f'({rest})' if _is_open(rest) else rest}"
    masked, depth, places = _masked(line), 0, []
    for k, c in enumerate(masked):
        depth += (c in "([{") - (c in ")]}")
        if depth > 0 and (c in " (" or c == "*" and "*" not in (masked[k - 1], masked[k + 1])):
            places.append((k + 1 - (WIDTH // 2) * (c == "("), k + 1))         # behind a bracket where there is no other
    lines, start, prefix = [], 0, ""
    while len(prefix) + len(line) - start > WIDTH:
        fits = [p for p in places if start < p[1] <= start + WIDTH - len(prefix)]
        if not fits:
            break
        last = max(fits)[1]
        lines.append(prefix + line[start:last].rstrip())
        start, prefix = last, indent + "    " * (2 if line.lstrip().startswith(("def ", "for ", "if ")) else 1)
    return [*lines, prefix + line[start:]]


def _is_open(text):
    """Return whether an expression has operands outside of all brackets."""
    depth = 0
    for c in _masked(text):
        depth += (c in "([{") - (c in ")]}")
        if c == " " and not depth:
            return True
    return False


def _masked(line):
    """Return a line with the same places and no strings."""
    return _STRING.sub(lambda m: "_" * len(m[0]), line)
