"""Read arguments of losses: sympy objects and numbers, never a text, which sympy would evaluate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sympy import Expr, SympifyError
from sympy.core.sympify import _sympify

from ..errors import DomainError

if TYPE_CHECKING:
    from typing import Any

__all__ = ["given"]


def given(name: str, value: Any) -> Expr:
    """Return a sympy expression of real numbers and symbols, or raise a DomainError."""
    try:
        found = _sympify(value)
    except SympifyError:
        found = None
    if not isinstance(found, Expr):
        raise DomainError(f"{name}: got {value!r:.60}; expected a sympy expression or a number")
    return found
