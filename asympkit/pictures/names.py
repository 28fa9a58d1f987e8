"""Check the names of quantities to draw."""

from collections.abc import Iterable

from ..errors import DomainError

__all__ = ["quantity_names"]


def quantity_names(names):
    """Return names of quantities, from one name or several."""
    if isinstance(names, str):
        return [names]
    found = list(names) if isinstance(names, Iterable) else [None]
    if not all(isinstance(n, str) for n in found):
        raise DomainError(f"plot: got {names!r:.60}; expected the name of a quantity, or a list of names")
    if not found:
        raise DomainError("plot: got no quantity; expected the name of one, or a list of names")
    return found
