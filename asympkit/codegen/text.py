"""Text that people give, as it enters source: a literal, a comment or a part of a docstring, and nothing else.

What comes out is printable ASCII on one line, whatever goes in.
"""


def literal(text):
    """A string literal."""
    return '"' + "".join('\\"' if c == '"' else _plain(c) for c in text) + '"'


def literals(texts):
    """A tuple of string literals."""
    return "(" + "".join(f"{literal(t)}, " for t in texts).strip() + ")"


def comment(text):
    """What stands behind the sign of a comment."""
    return "".join(map(_plain, text)).replace("\\\\", "\\")


def docstring(text):
    """A part of a docstring in triple double quotes."""
    return literal(text)[1:-1]


def _plain(c):
    if c == "\\":
        return "\\\\"
    if " " <= c <= "~":
        return c
    code = ord(c)
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"
