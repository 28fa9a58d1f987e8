"""Find minima from values: Chebyshev interpolants on boxes that shrink around their lowest place.

The values of analytic functions on Chebyshev nodes give a polynomial whose error falls exponentially with the number of
nodes and with the size of the box; its last coefficients show how far (Trefethen, Approximation Theory and Practice,
2013).  Values at many places are computed together, where derivatives would cost a solution each.
"""

from functools import lru_cache

import numpy as np
from numpy.polynomial.chebyshev import chebder

__all__ = ["Interpolant", "chebyshev_nodes", "find_lowest"]

#: nodes of a box along each axis, by the number of parameters
_NODES = {1: 9, 2: 9, 3: 6, 4: 5}
#: number of lowest places of the lattice that are followed
_CANDIDATES = 3
#: estimated errors of the lowest place, in units of a box, that are small enough, of one parameter and of several, and
#: that show where to go on; boxes that are tried; and by which factors one may be smaller than that before
_GOOD, _FAIR, _BOXES, _SHRINK = (1e-4, 1e-6), 0.05, 8, (0.03, 0.3)
#: parameters up to which the nodes of the unit box are doubled where they do not resolve the function, along axes whose
#: last coefficients are at least a part of the largest
_DENSE, _ROUGH = 2, 0.1
#: places of the grid on which an interpolant is searched, for each of its nodes
_FINER = 4


def chebyshev_nodes(count):
    """Return the extremes of a Chebyshev polynomial, -1 and 1 among them, from left to right."""
    return -np.cos(np.pi * np.arange(count) / (count - 1))


def _basis(x, count):
    """Return Chebyshev polynomials at places from -1 to 1, of shape (places, count)."""
    return np.cos(np.multiply.outer(np.arccos(x), np.arange(count)))


@lru_cache
def _matrices(count):
    """Return the matrices from values at nodes to coefficients and to values on a finer grid, that grid, and the
    matrices from coefficients to those of the function and its first two derivatives."""
    transform, grid = np.linalg.inv(_basis(chebyshev_nodes(count), count)), chebyshev_nodes(_FINER * (count - 1) + 1)
    orders = [np.pad(chebder(np.eye(count), order), ((0, order), (0, 0))) for order in range(3)]
    return transform, _basis(grid, count) @ transform, grid, np.array(orders)


class Interpolant:
    """The polynomial through the values at the Chebyshev nodes of a box.

    Parameters
    ----------
    low, high : ndarray, shape (parameters,)
        Opposite corners.
    values : ndarray
        On the product of the nodes of all axes.

    Attributes
    ----------
    place, value, curvature
        The lowest place, with the value and the second derivatives there.
    is_outer : ndarray of bool
        Whether the place is on a side of the box that is no side of the unit box.
    error : float
        Estimated error of the place, in units of the box; infinite where there is no proper minimum, or where another
        may be as low.
    tails : ndarray, shape (parameters,)
        The largest of the last coefficients along each axis.
    doubt, rest : float
        The same in units of the unit box, and what a step of Newton's method with the exact gradient leaves of it.
    """

    def __init__(self, low, high, values):
        counts = values.shape
        transforms, finer, grids, _ = zip(*map(_matrices, counts))
        self._coefficients = seen = values
        for axis in range(values.ndim):
            self._coefficients = _along(transforms[axis], self._coefficients, axis)
            seen = _along(finer[axis], seen, axis)
        x = np.array([g[i] for g, i in zip(grids, np.unravel_index(np.argmin(seen), seen.shape))])
        x, self.value, slopes, curvature, free = self._descend(x)
        half = 0.5 * (high - low)
        self.place, self.curvature = np.where(x == -1.0, low, np.where(x == 1.0, high, low + (x + 1.0) * half)), \
            curvature / np.multiply.outer(half, half)
        self.is_outer = (np.abs(x) == 1.0) & (self.place > 0.0) & (self.place < 1.0)
        self.tails = np.array([np.abs(np.moveaxis(self._coefficients, axis, 0)[-2:]).max()
                               for axis in range(values.ndim)])
        rough = max(counts) * max(self.tails.max(), np.spacing(np.abs(values).max()))
        least = np.min(np.linalg.eigvalsh(curvature[np.ix_(free, free)]), initial=np.inf)
        is_proper = least > 0.0 and np.all(np.abs(slopes[free]) <= rough) and np.all(np.abs(slopes[~free]) > rough)
        others = candidates(seen, self.value + 2.0 * rough)[1:]
        self.error = rough / least if is_proper and not others.size else np.inf
        self.doubt = self.error * np.max(high - low)
        self.rest = max(counts) * self.error * self.doubt       # errors of second derivatives are as many times larger

    def _derivatives(self, x):
        """Return value, first and second derivatives at a place, in units of half the box."""
        found = self._coefficients
        for axis, place in enumerate(x):
            count = found.shape[axis]
            found = _along(_basis(place, count) @ _matrices(count)[3], found, axis)
        unit = np.eye(len(x), dtype=int)
        return found[(0,) * len(x)], np.array([found[tuple(e)] for e in unit]), np.array(
            [[found[tuple(e + f)] for f in unit] for e in unit])

    def _descend(self, x):
        """Follow Newton's method from a place to the lowest one near it, inside the box."""
        for _ in range(20):
            value, slopes, curvature = self._derivatives(x)
            free = ~(((x == -1.0) & (slopes >= 0.0)) | ((x == 1.0) & (slopes <= 0.0)))
            matrix = curvature[np.ix_(free, free)]
            if not free.any() or not np.min(np.linalg.eigvalsh(matrix)) > 0.0:
                break
            step = -np.linalg.solve(matrix, slopes[free])
            if np.max(np.abs(step)) <= 1e-14:
                break
            x = x.copy()
            x[free] = np.clip(x[free] + np.clip(step, -0.25, 0.25), -1.0, 1.0)
        return x, value, slopes, curvature, free


def _along(matrix, values, axis):
    """Multiply a matrix on one axis of an array."""
    return np.moveaxis(np.tensordot(matrix, values, (1, axis)), 0, axis)


def find_lowest(values):
    """Search the unit box for the lowest place of a function, from its values on Chebyshev nodes.

    A generator that yields lists of boxes, ``(low, high, nodes of all axes from -1 to 1)``, and takes the values on
    each.  Returns an :class:`Interpolant`, or None where none is good enough, the lowest value met, and how many there
    were.
    """
    parameters, good = values.ndim, _GOOD[values.ndim > 1]
    low, high = np.zeros(parameters), np.ones(parameters)
    lowest, found, boxes = values.min(), [], []
    if not np.isfinite(lowest):
        return None, lowest, values.size
    whole = Interpolant(low, high, values)
    nodes = [chebyshev_nodes(count) for count in values.shape]
    if parameters <= _DENSE and not whole.error <= _FAIR:       # Chebyshev nodes are every second of twice as many
        for axis in np.flatnonzero(whole.tails > _ROUGH * whole.tails.max()):
            finer = chebyshev_nodes(2 * values.shape[axis] - 1)
            between, = yield [(low, high, [*nodes[:axis], finer[1::2], *nodes[axis + 1:]])]
            values, nodes[axis] = np.insert(values, np.arange(1, values.shape[axis]), between, axis), finer
        if not np.isfinite(lowest := values.min()):
            return None, lowest, values.size
        whole = Interpolant(low, high, values)
    places, used = candidates(values)[:_CANDIDATES], values.size
    if whole.error <= good:
        return whole, lowest, used
    if len(places) == 1 and whole.error <= _FAIR:
        boxes.append(_smaller(whole, low, high, min(values.shape)))
    else:
        for at in zip(*np.unravel_index(places, values.shape)):
            boxes.append(0.5 + 0.5 * np.array([x[[max(k - 1, 0), min(k + 1, x.size - 1)]]
                                               for k, x in zip(at, nodes)]).T)
    nodes = [chebyshev_nodes(_NODES[parameters])] * parameters
    for _ in range(_BOXES):
        following = []
        evaluated = yield [(*box, nodes) for box in boxes]
        for (low, high), values in zip(boxes, evaluated):
            lowest, used = min(lowest, values.min()), used + values.size
            if not np.isfinite(values.min()):
                return None, lowest, used
            near = Interpolant(low, high, values)
            if near.error <= good and not near.is_outer.any():
                found.append(near)
            else:
                following.append((*_smaller(near, low, high, values.shape[0]), near.value))
        # some lead to what others have found
        boxes = [(low, high) for low, high, value in following
                 if not any(np.all((low <= f.place) & (f.place <= high)) and f.value <= value for f in found)]
        if not boxes:
            return min(found, key=lambda f: f.value), lowest, used
    return None, lowest, used


def _smaller(near, low, high, count):
    """Return the box around the lowest place of an interpolant in which the next one may be good enough."""
    # coefficients fall like powers of the size, the curvature like its square
    share = max(4.0 * near.error, (0.1 * _GOOD[-1] / max(near.error, 1e-20)) ** (1.0 / max(1, count - 3)))
    share = np.where(near.is_outer, 2.0, 1.0) if near.is_outer.any() else np.clip(share, *_SHRINK)
    half = 0.5 * share * (high - low)
    return np.maximum(near.place - half, 0.0), np.minimum(near.place + half, 1.0)


def candidates(values, most=np.inf):
    """Return flat indices of lattice points without a lower neighbour and not above a value, the lowest first."""
    known = np.where(np.isnan(values), np.inf, values)
    lowest = np.isfinite(known) & (known <= most)
    for axis in range(known.ndim):
        for shift in (1, -1):
            beside = np.roll(known, shift, axis)
            edge = [slice(None)] * known.ndim
            edge[axis] = 0 if shift == 1 else -1
            beside[tuple(edge)] = np.inf
            lowest &= known <= beside
    places = np.flatnonzero(lowest)
    return places[np.argsort(known.ravel()[places], kind="stable")]
