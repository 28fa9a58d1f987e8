"""The sympy nodes everything is written with: averages, named expressions, unspecified activations."""

from .applied import Applied, bind
from .average import Average, Measure, averages
from .bound import BoundSymbol, bound_symbol
from .named import Named, named_parts, unname
from .replacing import replaced
from .slopes import put, slope

__all__ = ["Applied", "Average", "BoundSymbol", "Measure", "Named", "averages", "bind", "bound_symbol",
           "named_parts", "put", "replaced", "slope", "unname"]
