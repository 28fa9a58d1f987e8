"""States of the points of a sweep: small integers in files, :class:`Status` for users."""

import numpy as np

from ..solve.solution import Status
from ..tolerances import AMPLIFIED, AT_EDGE, ITERATIONS, RESIDUAL
from ..tolerances import DEPENDENT as FREE
from .pieces import ACCEPT

#: states of a point; one that WAITING marks did not converge and is still to be tried from its neighbours
MISSING, WAITING, CONVERGED, UNSETTLED, FAILED, OUTSIDE, REFUSED, INFINITE, DEPENDENT, LOST, LIMITED, EDGE = range(12)

_SAID = np.empty(12, dtype=object)
_SAID[:] = [Status.UNFINISHED, Status.RESIDUAL, Status.CONVERGED, Status.QUADRATURE, Status.RESIDUAL, Status.OUTSIDE,
            Status.REFUSED, Status.INFINITE, Status.DEPENDENT, Status.ILL_CONDITIONED, Status.LIMITED,
            Status.EDGE]
#: short names of the states, in text files
NAMES = ("missing", "waiting", "converged", "quadrature", "residual", "outside", "refused", "infinite", "dependent",
         "ill-conditioned", "limited", "edge")


def states(values, settled, outside):
    """States of points that were solved; those that failed are still to be tried from their neighbours.

    Parameters
    ----------
    values : ndarray
        Outputs along the last axis: quantities, residual, iterations.  A residual that is NaN means that the
        theory refused the point.
    settled : bool or ndarray of bool
        Whether the averages reached the accuracy asked for.
    outside : ndarray of bool or None
        Where an unknown violates what is declared of it.
    """
    residual = values[..., RESIDUAL]
    solved = residual <= ACCEPT
    with np.errstate(invalid="ignore"):             # half an iteration marks it
        good = np.where(values[..., ITERATIONS] % 1.0 > 0.0, np.int8(LIMITED), np.int8(CONVERGED))
    if settled is True and outside is None and np.logical_and.reduce(solved, axis=None):
        return good
    found = np.where(solved & settled, good, np.where(solved, UNSETTLED, WAITING))
    if outside is not None:
        found = np.where(solved & outside, WAITING, found)
    return np.where(np.isnan(residual), REFUSED, found).astype(np.int8)


def is_solved(state):
    """Find where a point has a solution: converged, or with fewer digits than were asked for."""
    return (state == CONVERGED) | (state == LIMITED)


def final(residual):
    """States of points that waited and were not found from any neighbour."""
    causes = [residual == np.inf, residual == FREE, residual == AMPLIFIED, residual == AT_EDGE]
    found = np.select(causes, [INFINITE, DEPENDENT, LOST, EDGE], FAILED)
    return np.where(residual <= ACCEPT, OUTSIDE, found).astype(np.int8)


def said(state):
    """An array of :class:`Status` for an array of states."""
    return _SAID[state]


def short(state):
    """An array of short texts for an array of states."""
    return np.array(NAMES)[np.where(state == WAITING, FAILED, state)]
