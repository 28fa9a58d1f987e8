"""Write text from users into source, as a literal, a comment or a part of a docstring, and nothing else.

The result is printable ASCII on one line for any input.
"""


def literal(text):
    """Write a string literal."""
    return '"' + "".join('\\"' if c == '"' else _plain(c) for c in text) + '"'


def literals(texts):
    """Write a tuple of string literals."""
    return "(" + "".join(f"{literal(t)}, " for t in texts).strip() + ")"


def comment(text):
    """Write the text of a comment."""
    return "".join(map(_plain, text)).replace("\\\\", "\\")


def docstring(text):
    """Write a part of a docstring in triple double quotes."""
    return literal(text)[1:-1]


def _plain(c):
    if c == "\\":
        return "\\\\"
    if " " <= c <= "~":
        return c
    code = ord(c)
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"
