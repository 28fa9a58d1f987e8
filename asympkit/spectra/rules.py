"""Measures for which there are rules of nodes and weights, and how other averages are brought to them."""

from ..errors import StructureError
from ..gauss.measure import Gaussian
from .angle import Angle
from .eigenvalues import Eigenvalues
from .kept import Kept

__all__ = ["GRIDDED", "by_rules"]

GRIDDED = (Gaussian, Eigenvalues, Angle, Kept)


def by_rules(average):
    """Write an average under a law in closed form, or in averages for which there are rules."""
    closed = average.measure.close(average.integrand)
    if closed is None:
        closed = average.measure.resolved(average.integrand)
    if closed is None:
        raise StructureError(f"averages: {average} has no closed form and no rule; companions of the eigenvalue must "
                             "enter linearly")
    return closed
