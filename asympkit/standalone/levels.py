"""How many levels of refinement products of rules have: as many as there are nodes for."""

from ..codegen.products import holds_products
from ..codegen.products import levels_of as levels_of_products

__all__ = ["levels_of"]

#: of rules of one variable
LEVELS = 11


def levels_of(program):
    """The number of levels; fewer for products of rules, whose nodes are many."""
    # the first level here is the second there
    return min(LEVELS, levels_of_products(program) - 1) if holds_products(program) else LEVELS
