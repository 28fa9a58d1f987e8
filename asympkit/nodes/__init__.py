"""The sympy nodes everything is written with: averages, named expressions, unspecified activations."""

from .applied import Applied, bind
from .average import Average, Measure, averages
from .bound import BoundSymbol, bound_symbol
from .composite import Composite, Tabled, holds_within
from .diffused import Diffused
from .named import Named, named_parts, unname
from .replacing import put, replaced
from .slopes import slope
from .walks import LARGE, distinct, free_of, holds, tree_size

__all__ = ["LARGE", "Applied", "Average", "BoundSymbol", "Composite", "Diffused", "Measure", "Named", "Tabled",
           "averages", "bind", "bound_symbol", "distinct", "free_of", "holds", "holds_within", "named_parts", "put",
           "replaced", "slope", "tree_size", "unname"]
