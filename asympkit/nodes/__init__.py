"""The sympy nodes everything is written with: averages, named expressions, unspecified activations."""

from .average import Average, Measure, averages, put, rebuilt, replaced
from .composite import Composite, Diffused, Tabled, holds_within
from .named import (
           LARGE,
           Applied,
           BoundSymbol,
           Named,
           bind,
           bound_symbol,
           distinct,
           free_of,
           holds,
           named_parts,
           remove_names,
           slope,
           tree_size,
)

__all__ = ["LARGE", "Applied", "Average", "BoundSymbol", "Composite", "Diffused", "Measure", "Named", "Tabled",
           "averages", "bind", "bound_symbol", "distinct", "free_of", "holds", "holds_within", "named_parts", "put",
           "rebuilt", "replaced", "slope", "tree_size", "remove_names"]
