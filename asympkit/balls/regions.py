r"""Boxes that cover a ball of normals, their Gaussian measures, and the mean of a bound beyond the ball.

.. math:: E\bigl[B(|x|);\,|x|>R\bigr]=\frac{2}{2^{d/2}\Gamma(d/2)}\int_R^\infty B(s)\,s^{d-1}e^{-s^2/2}\,ds
"""

from itertools import pairwise, product
from math import ceil, log, prod, sqrt

from ..errors import DomainError
from .analytic import constant
from .backend import arb, workprec
from .growth import GrowthBound
from .integral import tail

__all__ = ["beyond", "boxes_within", "halves", "measure", "reach_and_tail"]

_SIDE = 2               # of boxes that one begins with
_FARTHEST = 200


def reach_and_tail(bound, dimension, digits):
    """Return ``(R, tail)``: an integer radius, and a bound of the mean beyond it, which is below ``10**(-digits - 2)``.

    Parameters
    ----------
    bound : GrowthBound
        In the Euclidean length of ``dimension`` standard normals.

    Raises
    ------
    DomainError
        If the mean may be infinite, or the radius gets too large.
    """
    if 2 * bound.curvature >= 1:
        raise DomainError(f"no growth bound below exp(|x|**2/2) is proved: the mean over {dimension} normals may be "
                          "infinite")
    root = sqrt(1 - 2 * float(bound.curvature))
    reach = ceil((sqrt(2 * (digits + 2) * log(10)) + float(bound.rate) / root) / root)
    with workprec(128):
        while reach <= _FARTHEST:
            rest = beyond(bound, dimension, reach)
            if rest < arb(10) ** (-digits - 2):
                return reach, rest
            reach += 1
    raise DomainError(f"the integrand is not proved to be small against the normal weight at a distance of {_FARTHEST}")


def beyond(bound, dimension, reach):
    """Bound the mean of a bound in the length of normals where they are longer than a radius."""
    radial = GrowthBound((0,) * (dimension - 1) + bound.coefficients, bound.rate, bound.curvature)
    half = arb(dimension) / 2
    sphere = 2 * (2 * arb.pi()).sqrt() / (arb(2) ** half * half.gamma())
    return (sphere * tail(radial, reach)).upper()


def boxes_within(sides, reach, step=_SIDE):
    """Return the boxes of a product of intervals, cut to sides of a length, that intersect a ball around the origin.

    Parameters
    ----------
    sides : sequence of (Expr or None, Expr or None)
        Ends of the intervals, None for infinite ones.
    reach : int
        No box lies beyond it in any variable either.
    """
    rows = []
    for low, high in sides:
        a, b = (_end(end, side * arb(reach)) for end, side in ((low, -1), (high, 1)))
        count = ceil(2 * reach / step)
        cuts = [arb(step) * k - reach for k in range(1, count)]
        rows.append(list(pairwise([a, *(c for c in cuts if a < c < b), b])) if a < b else [])
    return [list(box) for box in product(*rows) if not _distance(box) > reach]


def _end(end, farthest):
    if end is None:
        return farthest
    return constant(end).max(-abs(farthest)).min(abs(farthest))


def _distance(box):
    """Return the distance of a box from the origin."""
    nearest = (a if a > 0 else -b if b < 0 else arb(0) for a, b in box)
    return sum((x * x for x in nearest), arb(0)).sqrt()


def measure(box):
    """Return the probability that normals lie in a box."""
    root = arb(2).sqrt()
    return prod((((b / root).erf() - (a / root).erf()) / 2 for a, b in box), start=arb(1))


def halves(box, k=None):
    """Halve a box across side k, by default the longest."""
    k = max(range(len(box)), key=lambda k: float(box[k][1] - box[k][0])) if k is None else k
    a, b = box[k]
    middle = ((a + b) / 2).mid()
    return [[*box[:k], side, *box[k + 1:]] for side in ((a, middle), (middle, b))]
