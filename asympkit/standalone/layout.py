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
    """Return the same source with its long lines broken: code between the operands inside brackets, docstrings at
    spaces."""
    out, inside = [], False
    for line in source.split("\n"):
        quotes = len(_QUOTES.findall(line)) if inside or line.lstrip().startswith('"""') else 0
        if len(line) <= WIDTH or inside and not quotes:
            out.append(line)
        elif quotes:
            out += _broken_docstring(line)
        else:
            out += _broken(line)
        inside ^= quotes % 2 == 1
    return "\n".join(out)


def _broken_docstring(line):
    """Return a long line that holds a docstring, or its beginning, as several."""
    indent, text = line[:len(line) - len(line.lstrip())], line.strip()
    is_whole = text.count('"""') == 2
    lines = _wrapped(text.removesuffix('"""') if is_whole else text, indent)
    return [*lines, f'{indent}"""'] if is_whole else lines


def _broken(line):
    """Return a long line as several: an expression that stands in no brackets is put into some."""
    place = _masked(line).find("    # ")
    if place > 0 and line[:place].strip():           # a remark has no place
        line = line[:place]
        if len(line) <= WIDTH:
            return [line]
    head = _HEAD.match(line)
    indent, targets, rest = head[1], head[2], line[head.end():]
    if len(targets) > 0.75 * WIDTH:
        targets = f"({targets.removesuffix(' = ')}) = "
    if targets or head[3]:
        line = f"{indent}{targets}{head[3] or ''}{f'({rest})' if _is_open(rest) else rest}"
    is_block = line.lstrip().startswith(("def ", "for ", "if "))
    lines, depth, further = [], 0, indent + "    " * (2 if is_block else 1)
    while len(line) > WIDTH:
        places = _breaks(line, depth)
        if not places:
            break
        late = [p for p in places if p[1] > 0.6 * WIDTH] or places
        depth, place = min(late, key=lambda p: (p[0], -p[1]))
        lines.append(line[:place].rstrip())
        line = further + line[place:].lstrip()
        depth = int(depth)
    return [*lines, line]


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


def _breaks(line, depth):
    """Return places inside brackets where a line can go on in the next, with their depths; half a level for a
    product."""
    masked, found, least = _masked(line), [], len(line) - len(line.lstrip()) + 4
    for place, c in enumerate(masked[:WIDTH]):
        depth += (c in "([{") - (c in ")]}")
        if depth <= 0 or place < least:
            continue
        if c == " " and masked[place - 1] in ",+-" or c == " " and masked[place + 1] not in "+-":
            found.append((depth, place + 1))
        elif c == "*" and "*" not in (masked[place - 1], masked[place + 1]):
            found.append((depth + 0.5, place + 1))
    return found
