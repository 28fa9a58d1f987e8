"""Newton's method for many points at once, and its starts along a row (numpy only; copied into generated modules).

Equations ``c*(u - f) = 0`` of positive unknowns may be read as ``log(u/f) = 0``.  The next point of a row starts from
those before it, by extrapolation.
"""

import numpy as np

from .linear import eliminate_batch_checked
from .tables import stack_matrix, stack_vector

#: longest step in a logarithm: a factor of twenty either way
LONGEST_STEP = 3.0
#: how often a step is halved: to 3e-8 of it, about the square root of a rounding
HALVINGS = 25
#: relative size of a step from which on a residual that does not fall is rounding, and nothing is halved
SHORT_STEP = 1e-6
#: size of a step, relative to 1 + abs(unknown), that is the rounding of nested sums, and one that counts as converged
#: where unknowns are of order 1
NO_STEP, RESTING = 1e-15, 1e-14


def newton_batch(step, inputs, start, positive, plain, tolerance, max_steps, intervals=(), no_step=-1.0,
                 solve=eliminate_batch_checked, exp=np.exp, tables=()):
    """Solve P systems of n unknowns; a point that has arrived leaves the others.

    Parameters
    ----------
    step : callable
        ``step(*tables, *inputs, *unknowns)`` returns the maps of the unknowns (None where there are none), the
        residuals, the rows of Newton's matrix in the logarithms of positive unknowns, and, where residuals are
        transformed, those of the equations themselves.
    inputs : sequence of float or ndarray, shape (P,)
    start : sequence of ndarray, shape (P,)
    positive : tuple of bool
    plain : int
        Steps of plain iteration at first.
    tolerance : float
        A point has arrived when no unknown moves by more, relative to itself or its distance from a border, or when
        steps below it, relative to 1 + abs(unknown), twice did not become smaller.
    max_steps : int
    intervals : tuple of (float, float) or None
        For each unknown the open interval that it must not leave.
    no_step : float
        Size of steps relative to 1 + abs(unknown) that are not halved, and of which two are enough.
    solve, exp : callable, optional
        How to solve for a step, and the exponential function: starts may be arrays of numbers of any kind, as objects.
    tables : sequence of ndarray
        Of all points, or with a method ``at_points`` of each point.

    Returns
    -------
    unknowns : ndarray, shape (n, P)
    iterations : ndarray, shape (P,)
    matrix : ndarray, shape (P, n, n)
        Newton's matrix of the last step of every point, of the equations themselves.
    moved : ndarray, shape (P,)
        0 for points that arrived, else the size of the last step.

    Notes
    -----
    Where an equation is no map, a step that does not reduce the residual (in units of the rows of the matrix) is
    halved, up to :data:`HALVINGS` times.
    """
    dtype = np.result_type(float, *start)
    now = np.array(np.broadcast_arrays(*start), dtype=dtype)
    found, points = now.copy(), np.arange(now.shape[1])
    iterations, matrix = np.zeros(points.size), np.full((points.size, len(now), len(now)), np.nan)
    moved = np.full(points.size, np.inf)
    last = small_before = moved               # of the points that still move
    stood = np.zeros(points.size, dtype=int)
    damping = None
    for k in range(max_steps):
        maps, residuals, rows, *plain_rows = step(*tables, *inputs, *now)
        is_whole = points.size == iterations.size
        iterations[... if is_whole else points] += 1
        if maps is not None and k < plain:
            now = stack_vector(points.shape, maps, dtype).T
            found[:, points] = now
            continue
        slopes, residuals = stack_matrix(points.shape, rows, dtype), stack_vector(points.shape, residuals, dtype)
        delta, singular = solve(slopes, residuals)
        delta, known = delta.T, stack_matrix(points.shape, *plain_rows, dtype) if plain_rows else slopes
        if singular.any():                    # away from here
            away = np.array([0.5 + 0.0 * u if p else 0.1 + 0.1 * np.abs(u) for u, p in zip(now, positive)])
            delta = np.where(singular, away, delta)
        halved = None
        if maps is None:
            delta = zero_free_unknowns(delta, slopes, residuals, now, positive)
            damping = damping or Damping(now)
            delta, now, halved = damping.choose(residuals.T, slopes, delta, now, last,
                                                small_before is None or small_before > no_step)
            known = np.where(halved[:, None, None], matrix[points], known)
        now, delta = move_batch(now, delta, positive, intervals, exp)
        size, small = step_sizes(now, delta, positive, intervals)
        if is_whole:
            found, matrix = now, known
        else:
            found[:, points], matrix[points] = now, known
        moving = size > tolerance
        if small is not None:
            is_rest = (small <= no_step) | (small <= tolerance) & (small >= small_before)
            stood = stood + is_rest
            moving &= stood < 2
        if halved is not None:
            damping.delta = delta
            moving |= halved
            size = np.where(halved, last, size)
            small = None if small is None else np.where(halved, small_before, small)
        last, small_before = size, small
        if moving.all():
            continue
        moved[points[~moving]] = np.where(size[~moving] != size[~moving], np.inf, 0.0)
        if not moving.any():
            break
        points, now, last = points[moving], now[:, moving], last[moving]
        if small is not None:
            small_before, stood = small_before[moving], stood[moving]
        inputs = [x if np.ndim(x) == 0 else x[moving] for x in inputs]
        tables = [x.at_points(moving) if hasattr(x, "at_points") else x for x in tables]
        if damping is not None:
            damping.keep(moving)
    else:           # the matrix of a step that is not small says nothing of where it leads
        moved[points] = last
        _, _, rows, *plain_rows = step(*tables, *inputs, *now)
        matrix[points] = stack_matrix(points.shape, *(plain_rows or [rows]), dtype)
    return found, iterations, matrix, moved


def zero_free_unknowns(delta, slopes, residuals, now, positive):
    """Send unknowns that occur in no equation, whose own reads 0 = 0, to 0: the minimum-norm convention."""
    if not ((residuals == 0.0) & ~np.asarray(positive)).any():
        return delta
    free = (residuals == 0.0) & (slopes == 0.0).all(axis=-1) & (slopes == 0.0).all(axis=-2) & ~np.asarray(positive)
    return np.where(free.T, now, delta)


def move_batch(now, delta, positive, intervals=(), exp=np.exp):
    """Step the unknowns, by a bounded factor or never further than most of the way to a border."""
    # bounds come first: NaN among objects stays
    if all(positive) and not intervals:
        taken = np.minimum(LONGEST_STEP, np.maximum(-LONGEST_STEP, delta))         # less overhead than np.clip
        return now * exp(-taken), taken
    out, taken = np.empty_like(now), np.array(delta)
    for j, p in enumerate(positive):
        if p:
            taken[j] = np.minimum(LONGEST_STEP, np.maximum(-LONGEST_STEP, delta[j]))
            out[j] = now[j] * exp(-taken[j])
        else:
            out[j] = now[j] - delta[j]
        if intervals and intervals[j] is not None:
            low, high = intervals[j]
            out[j] = np.maximum(now[j] - 0.9 * (now[j] - low), out[j])
            out[j] = np.minimum(now[j] + 0.9 * (high - now[j]), out[j])
    return out, taken


def step_sizes(now, delta, positive, intervals=()):
    """Return largest steps of points relative to unknowns or distances from borders, and to 1 + abs(unknown).

    Logarithms have the first size only; where all steps are such, the second is None.
    """
    delta = np.abs(delta)
    if all(positive) and not intervals:
        return np.maximum.reduce(delta, axis=0), None
    own, unit = np.empty_like(delta), np.empty_like(delta)
    for j, (u, p) in enumerate(zip(now, positive)):
        low, high = (intervals[j] if intervals else None) or (-np.inf, np.inf)
        own[j] = delta[j]
        if not p or np.isfinite(low) or np.isfinite(high):
            own[j] *= (u if p else 1.0) / (np.minimum(np.abs(u), np.minimum(u - low, high - u)) + 1e-300)
        unit[j] = delta[j] if p else delta[j] / (1.0 + np.abs(u))
    return own.max(axis=0), unit.max(axis=0)


class Damping:
    """Half steps for the points whose residual has not become smaller by the last one."""

    def __init__(self, start):
        self.origin, self.delta = start.copy(), np.zeros_like(start)
        self.weight, self.best = np.ones_like(start), np.full(start.shape[1], np.inf)
        self.halvings = np.zeros(start.shape[1], dtype=int)

    def choose(self, residuals, slopes, delta, now, moved, may_halve):
        """Choose the step and its origin, and the points that only take half of the last step, of size ``moved``."""
        worse = ~((np.abs(residuals) * self.weight).max(axis=0) <= self.best)
        halved = worse & (self.best < np.inf) & (moved > SHORT_STEP) & (self.halvings < HALVINGS)
        halved &= may_halve
        weight = 1.0 / (np.abs(slopes).sum(axis=-1).T + 1e-300)
        self.halvings = np.where(halved, self.halvings + 1, 0)
        self.best = np.where(halved, self.best, (np.abs(residuals) * weight).max(axis=0))
        self.weight = np.where(halved, self.weight, weight)
        self.origin = np.where(halved, self.origin, now)
        self.delta = np.where(halved, 0.5 * self.delta, delta)
        return self.delta, self.origin, halved

    def keep(self, moving):
        """Drop the points that have arrived."""
        self.origin, self.delta, self.weight = (a[:, moving] for a in (self.origin, self.delta, self.weight))
        self.best, self.halvings = self.best[moving], self.halvings[moving]


def as_quotients(unknowns, factors, residuals, rows):
    """Replace ``c*(u - f)`` by ``log(u/f)`` in residuals and rows of Newton's matrix.

    ``factors`` are the c of each equation; None leaves it as it is; rows are in the logarithms of positive unknowns.
    Where f is not positive, an equation stays unchanged, relative to c*u. Return a step of :func:`newton_batch` without
    maps: steps are to be damped.
    """
    plain, residuals, rows = rows, list(residuals), [list(row) for row in rows]
    for i, (u, c) in enumerate(zip(unknowns, factors)):
        if c is not None:
            share = residuals[i] / (c * u)            # 1 - f/u
            quotient = np.where(share < 1.0, 1.0 - share, 1.0)
            own = np.where(share < 1.0, share, 0.0)
            residuals[i] = np.where(share < 1.0, -np.log(quotient), share)
            rows[i] = [(entry / (c * u) - own * (i == j)) / quotient for j, entry in enumerate(rows[i])]
    return None, tuple(residuals), tuple(map(tuple, rows)), plain


#: the highest order of a polynomial through the last points, and how many differences select the order
MOST_ORDER, DIFFERENCES = 4, 6
#: the longest step in a logarithm: a factor of twenty
_LONGEST = 3.0


def remember(differences, value):
    """Update the backward differences (value, first, second and so on) by the value at a new point."""
    for k in range(differences.size):
        step = value - differences[k]
        differences[k] = value
        value = step


def continued(differences, known):
    """Extrapolate the next value by the polynomial that would have predicted the last point best.

    ``differences`` are those of :func:`remember`; the sum of the first n is the polynomial of order n - 1 at the next
    point, and the one after them its error at the last point; ``known`` is the number of earlier points.
    """
    order = min(known - 1, 1)
    for n in range(min(known - 1, MOST_ORDER + 1)):
        if known > 2 and abs(differences[n + 1]) < abs(differences[order + 1]):
            order = n
    value = differences[0]
    for n in range(order):
        value += differences[n + 1]
    return value


def limited(differences, known):
    """Extrapolate in logarithms, where steps are limited."""
    step = continued(differences, known) - differences[0]
    return differences[0] + min(_LONGEST, max(-_LONGEST, step))
