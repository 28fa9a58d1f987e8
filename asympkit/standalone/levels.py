"""Bound the levels of refinement of product rules by the number of nodes that they may have."""

from ..codegen.products import holds_products
from ..codegen.products import levels_of as levels_of_products

__all__ = ["levels_of"]

#: of rules of one variable
LEVELS = 11


def levels_of(program):
    """Return the number of levels; fewer for products of rules, whose nodes are many."""
    # the first level here is the second there
    return min(LEVELS, levels_of_products(program) - 1) if holds_products(program) else LEVELS
