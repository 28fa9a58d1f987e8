"""Take the first step on infinitely many samples: along the gradient of the population loss, without sampling.

For unit vectors u, v and a normal x the mean of ``f(v.x) * g(u.x) * x`` is ``A(s)*v + B(s)*u`` with s = u.v, where A
and B are power series in s made of the Hermite coefficients of f and g (Stein's lemma and Mehler's formula).  Neither
function has to be differentiable.
"""

import math

import numpy as np

from ...errors import DomainError
from ..ridge.readout import CHUNK
from .hermite import hermite_moments, normal_mean

#: accepted truncation of the series
_LEFT_OUT = 1e-16
#: largest degree of a Hermite polynomial
_HIGHEST = 4000
#: accepted relative error of a series that ends there
_MISSED = 1e-12


def population_step(student, target, weights, direction, rate):
    """Return the first layer after one step along the gradient of half the expected squared error.

    Parameters
    ----------
    student : callable
        With a method ``derivative``.
    target : callable
    weights : ndarray, shape (p, d)
        Rows of norm 1.
    direction : ndarray, shape (d,)
        The target's direction, of any norm.
    rate : float
        The learning rate itself, ``eta * d``.

    Raises
    ------
    DomainError
        If rows are so nearly parallel (at a small d) that the series does not converge.

    Notes
    -----
    Readouts and output are scaled as in :func:`~asympkit.simulate.one_step.network.gradient_step`; label noise has no
    part in the expected gradient.  The initial output, which is kept, needs the mean above for each pair of rows.
    """
    width, unit = len(weights), direction / np.linalg.norm(direction)
    overlaps = weights @ unit
    largest = max(np.abs(overlaps).max(), _largest_cosine(weights))
    labels, hidden, slope = hermite_moments([target, student, student.derivative], _degree(largest))
    toward, along = (_series(c, largest, len(direction)) for c in _coefficients(labels, slope))
    step = np.outer(_power_sum(toward, overlaps), unit) + _power_sum(along, overlaps)[:, None] * weights
    toward, along = (_series(c, largest, len(direction)) for c in _coefficients(hidden, slope))
    own = normal_mean(lambda z: z * student(z) * student.derivative(z))
    for block, cosines in _cosines(weights):
        others = _off_diagonal(_power_sum(toward, cosines), block)
        kept = _off_diagonal(_power_sum(along, cosines), block).sum(axis=1) + own
        step[block] -= (others @ weights + kept[:, None] * weights[block]) / width
    return weights + rate / width * step


def _coefficients(f, g):
    """Return the power series of A and B, from orthonormal Hermite coefficients."""
    root = np.sqrt(np.arange(1.0, len(f)))
    return root * f[1:] * g[:-1], root * f[:-1] * g[1:]


def _degree(largest):
    """Return the degree at which power series whose coefficients grow like their degree may end."""
    degrees = np.arange(1, _HIGHEST + 1)
    with np.errstate(divide="ignore"):
        small = np.flatnonzero(np.log(degrees) + degrees * np.log(largest) < math.log(_LEFT_OUT))
    return int(degrees[small[0]]) + 1 if small.size else _HIGHEST


def _series(coefficients, largest, d):
    """Return the coefficients, if the last ones are negligible."""
    powers = largest ** np.arange(len(coefficients))
    terms = np.abs(coefficients) * powers
    rest = terms[-8:].max() * min(len(terms), 1.0 / max(1.0 - largest, 1e-300))
    if rest > _MISSED * terms.sum():
        raise DomainError(f"alpha0=inf at d={d}: two vectors of the first layer have the cosine {largest:.6g}, and the "
                          "population gradient between vectors so nearly parallel is not known to rounding for a "
                          "student or target with kinks: expected a larger d")
    return coefficients


def _power_sum(coefficients, s):
    total = np.full_like(s, coefficients[-1])
    for c in coefficients[-2::-1]:
        total *= s
        total += c
    return total


def _cosines(weights):
    """Yield blocks of rows, with their products with all rows."""
    rows = max(1, CHUNK // len(weights))
    for start in range(0, len(weights), rows):
        block = slice(start, min(start + rows, len(weights)))
        yield block, weights[block] @ weights.T


def _largest_cosine(weights):
    return max(np.abs(_off_diagonal(cosines, block)).max() for block, cosines in _cosines(weights))


def _off_diagonal(matrix, block):
    """Return a block of rows of a square matrix with its diagonal set to 0, in place."""
    rows = np.arange(block.start, block.stop)
    matrix[rows - block.start, rows] = 0.0
    return matrix
