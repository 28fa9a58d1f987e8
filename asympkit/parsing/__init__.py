"""Whitelist grammar for expressions given as text: a text is never evaluated as Python."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sympy import Expr

    from ..annotations import Names

__all__ = ["parse", "parse_tree"]


def parse_tree(text: str, names: Names = ("z",)) -> Any:
    """Read a text into an immutable syntax tree; see :func:`asympkit.parsing.grammar.parse_tree`."""
    from .grammar import parse_tree as read

    return read(text, names)


def parse(text: str, names: Names = ("z",)) -> Expr:
    """Read a text of the grammar into a sympy expression.

    Parameters
    ----------
    text : str
        Numbers, declared names, ``pi``, ``e``, ``+ - * / **``, parentheses, ``where(condition, a, b)``
        and the functions of the grammar. Decimals are exact rationals: ``0.1`` is 1/10.
    names : sequence of str
        The names that may occur; each becomes ``Symbol(name, real=True)``.

    Returns
    -------
    sympy.Expr

    Raises
    ------
    ParseError
        If the text is not in the grammar, or is too large.
    UnknownNameError
        If a name or a function is not known.

    Examples
    --------
    >>> parse("0.1*z + max(0, z)")
    z/10 + Max(0, z)
    """
    from .grammar import parse_tree as read
    from .to_sympy import to_sympy

    return to_sympy(read(text, names), text)
