"""Proofs that a block of equations has a root in a box: the bracket of a monotone map, and Krawczyk's test."""

import numpy as np

from ..balls.backend import arb
from ..errors import ProofError

__all__ = ["bracket", "krawczyk", "polish"]


def polish(maps, start, slopes, steps):
    """Improve an approximate root by chords: mid-points only, nothing is proved.

    Parameters
    ----------
    maps : callable
        ``maps(point)`` gives the residuals, a list of balls, at a list of exact balls.
    start : list of float
    slopes : array
        Approximate Jacobian of the residuals.
    steps : int
    """
    inverse = np.linalg.inv(slopes)
    point = [arb(x) for x in start]
    for _ in range(steps):
        found = maps(point)
        if all(r.contains(0) for r in found):       # no more is known
            break
        residual = [r.mid() for r in found]
        point = [(x - sum(arb(float(a)) * r for a, r in zip(row, residual))).mid()
                 for x, row in zip(point, inverse)]
    return point


def bracket(image, point, digits):
    """Enclose *the* positive fixed point of a monotone, strictly scalable map T in a box.

    If ``T(above) <= above`` and ``T(below) >= below > 0`` componentwise, then the only positive fixed
    point lies between (see the derivation ``one_step/uniqueness``).  Two evaluations prove it; no
    Jacobian is needed and the claim is global.

    Parameters
    ----------
    image : callable
        T on lists of exact balls.
    point : list of arb
        An approximate fixed point.
    digits : int

    Returns
    -------
    list of arb, float
        The box, and its relative half-width.

    Raises
    ------
    ProofError
    """
    for lost in range(1, max(digits - 7, 2)):
        width = arb(10) ** (lost - digits)
        above, below = ([(x * (1 + sign * width)).mid() for x in point] for sign in (1, -1))
        if (all(b > 0 for b in below) and all(t <= x for t, x in zip(image(above), above))
                and all(t >= x for t, x in zip(image(below), below))):
            return [a.union(b) for a, b in zip(above, below)], float(width)
    raise ProofError("certify: the bracket of the fixed point cannot be proved; its averages are not enclosed "
                     "sharply enough for so flat a map; ask for more digits")


def krawczyk(residuals, slopes, point, digits):
    """Enclose exactly one root in a box by Krawczyk's test.

    ``K = x - Y F(x) + (1 - Y J(X)) (X - x)`` inside the interior of X proves one root in X, and it lies in K.

    Parameters
    ----------
    residuals, slopes : callable
        F at lists of exact balls, and its Jacobian (list of lists of balls) on boxes.
    point : list of arb
    digits : int

    Returns
    -------
    list of arb, float
        The box K, and the relative half-width of X.

    Raises
    ------
    ProofError
    """
    inverse = np.linalg.inv(np.array([[float(e.mid()) for e in row] for row in slopes(point)]))
    inverse = [[arb(float(e)) for e in row] for row in inverse]
    value = residuals(point)
    for lost in range(1, max(digits - 3, 2)):
        width = arb(10) ** (lost - digits)
        radii = [width * abs(x) if x != 0 else width for x in point]
        box = [x + arb(0, r.upper()) for x, r in zip(point, radii)]
        jacobian, image = slopes(box), []
        for i, x in enumerate(point):
            move = sum((inverse[i][k] * value[k] for k in range(len(point))), arb(0))
            spread = arb(0)
            for j in range(len(point)):
                entry = arb(int(i == j)) - sum((inverse[i][k] * jacobian[k][j] for k in range(len(point))), arb(0))
                spread += entry * (box[j] - point[j])
            image.append(x - move + spread)
        if all(b.contains_interior(k) for b, k in zip(box, image)):
            return image, float(width)
    raise ProofError("certify: Krawczyk's test fails around the solution found; the root is not isolated sharply "
                     "enough, or is double; ask for more digits or move the parameters")
