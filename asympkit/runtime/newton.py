"""Newton's method for many points at once (numpy only; copied into generated modules)."""

import numpy as np

from .linear import eliminate_batch
from .tables import stack_matrix, stack_vector


def newton_batch(step, inputs, start, positive, plain, tolerance, max_steps):
    """Solve P systems of n unknowns; a point that has arrived leaves the others.

    Parameters
    ----------
    step : callable
        ``step(*inputs, *unknowns)`` returns the maps of the unknowns (None where there are none), the
        residuals, and the rows of Newton's matrix in the logarithms of positive unknowns.
    inputs : sequence of float or ndarray, shape (P,)
    start : sequence of ndarray, shape (P,)
    positive : tuple of bool
    plain : int
        Steps of plain iteration at first.
    tolerance : float
        A point has arrived when no unknown moves by more, relative to its size.
    max_steps : int

    Returns
    -------
    unknowns : ndarray, shape (n, P)
    iterations : ndarray, shape (P,)
    matrix : ndarray, shape (P, n, n)
        Newton's matrix of the last step of every point.
    """
    now = np.array(np.broadcast_arrays(*start), dtype=float)
    found, points = now.copy(), np.arange(now.shape[1])
    iterations, matrix = np.zeros(points.size), np.full((points.size, len(now), len(now)), np.nan)
    for k in range(max_steps):
        maps, residuals, rows = step(*inputs, *now)
        iterations[points] += 1
        if maps is not None and k < plain:
            now = stack_vector(points.shape, maps).T
            found[:, points] = now
            continue
        slopes = stack_matrix(points.shape, rows)
        delta = eliminate_batch(slopes, stack_vector(points.shape, residuals)).T
        moved = np.array([u * np.exp(-np.clip(d, -3.0, 3.0)) if p else u - d for u, d, p in zip(now, delta, positive)])
        size = np.abs([d if p else d / (1.0 + np.abs(u)) for u, d, p in zip(moved, delta, positive)])
        now = moved
        found[:, points], matrix[points] = now, slopes
        moving = size.max(axis=0) > tolerance
        if not moving.any():
            break
        if not moving.all():
            points, now = points[moving], now[:, moving]
            inputs = [x if np.ndim(x) == 0 else x[moving] for x in inputs]
    return found, iterations, matrix
