"""Whether the integrands over a grid may change within a thin layer around 0, as signs of what is nearly sure do."""

from sympy import erf, erfc

from ..nodes import holds
from ..numbers.functions.pair_classes import BivariateNormalCDF
from .inner_sum import InnerSum
from .statements import Sums, of_kind

__all__ = ["has_layer"]

_STEPS = erf, erfc, BivariateNormalCDF


def has_layer(program, grid):
    """Whether probabilities of normals that depend on unknowns stand in the sums over a grid."""
    return any(holds(e, _STEPS) for s in of_kind(Sums, program.statements) if s.grid is grid
               for e in (*(e for _, e in s.locals if not isinstance(e, InnerSum)), *(e for _, e, _ in s.sums)))
