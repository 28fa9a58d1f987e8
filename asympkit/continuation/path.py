"""Pseudo-arclength continuation of F(y) = 0, one equation fewer than unknowns, y = (unknowns, parameter)."""

from dataclasses import dataclass

import numpy as np

#: steps of Newton's method in a corrector; a point that needs more is tried at a shorter distance
_NEWTON = 12
#: why a path ends where no step is small enough, and where the equations do not say where to go
LOST = "the path could not be followed further"
FREE = f"{LOST}: the equations are singular here, they leave an unknown free or branches meet"
#: smallest singular value of the derivatives, relative to the largest, below which they have no single direction
_SINGULAR = 1e-13


@dataclass(frozen=True)
class Path:
    """Points along a path in order, and its folds.

    ``points`` has one row (unknowns, parameter) a point; ``folds`` too, each after the point ``fold_after``.
    ``end`` says why the path ends.
    """

    points: np.ndarray
    folds: np.ndarray
    fold_after: tuple
    end: str


def follow_path(evaluate, first, towards, stop, low, high, step, largest, limit):
    """Follow a path from a solution.

    Parameters
    ----------
    evaluate : callable
        ``evaluate(y)`` returns F of shape (n,) and its derivatives of shape (n, n + 1).
    first : ndarray, shape (n + 1,)
        A solution; the parameter is last.
    towards : float
        Sign of the parameter's first change.
    stop : float
        The path ends where the parameter reaches it.
    low, high : float
        It also ends where the parameter leaves this interval.
    step, largest : float
        First and largest step of arclength.
    limit : int
        Largest number of points.

    Returns
    -------
    Path
    """
    y, tangent = first, _tangent(evaluate(first)[1], None)
    tangent = tangent * (np.sign(towards) * np.sign(tangent[-1]) or 1.0)
    points, folds, after, end = [y], [], [], "the largest number of points was reached"
    while len(points) < limit:
        new, direction, iterations = _correct(evaluate, y, tangent, step)
        turn = 0.0 if new is None else float(direction @ tangent)
        if new is None or turn < 0.95:       # near another branch a long step would land on it
            end_point = _landed(evaluate, y, tangent, step, stop) if new is None else None
            if end_point is not None:
                return _path([*points, end_point], folds, after, "stop was reached")
            step *= 0.5
            if step < 1e-9:
                end = FREE if _is_singular(evaluate(y)[1]) else LOST
                break
            continue
        if direction[-1] * tangent[-1] < 0.0:
            folds.append(_fold(evaluate, y, tangent, step))
            after.append(len(points) - 1)
        for bound, name in ((stop, "stop was reached"), (low, "a bound was reached"), (high, "a bound was reached")):
            if (y[-1] - bound) * (new[-1] - bound) <= 0.0 and new[-1] != y[-1] and y[-1] != bound:
                points.append(_at(evaluate, y, new, bound))
                return _path(points, folds, after, name)
        points.append(new)
        y, tangent = new, direction
        if iterations <= 3:
            step = min(largest, 1.5 * step)
    return _path(points, folds, after, end)


def _path(points, folds, after, end):
    width = points[0].size
    return Path(np.array(points), np.array(folds).reshape(-1, width), tuple(after), end)


def _tangent(jacobian, before):
    """Unit vector of the kernel, on the side of the tangent before."""
    kernel = np.linalg.svd(jacobian)[2][-1]
    return kernel if before is None or kernel @ before >= 0.0 else -kernel


def _landed(evaluate, y, tangent, step, stop):
    """The solution at ``stop``, where a step leads beyond it and beyond it there is none; None if it does not, or if
    the solution there is not the one that the tangent points to."""
    share = (stop - y[-1]) / (step * tangent[-1]) if tangent[-1] else np.inf
    if not 0.0 < share <= 1.0:
        return None
    towards = y + share * step * tangent
    point, f = _at(evaluate, y, towards, stop), np.inf
    if np.all(np.isfinite(point)):
        f = np.max(np.abs(evaluate(point)[0]))
    return point if f <= 1e-10 and np.max(np.abs(point - towards)) <= 0.05 * share * step else None


def _is_singular(jacobian):
    values = np.linalg.svd(jacobian, compute_uv=False)
    return values[-1] <= _SINGULAR * values[0]


def _correct(evaluate, y, tangent, step):
    """Newton's method on the hyperplane at a distance along the tangent; (point, tangent, iterations)."""
    new = y + step * tangent
    for iteration in range(1, _NEWTON + 1):
        f, jacobian = evaluate(new)
        if not (np.all(np.isfinite(f)) and np.all(np.isfinite(jacobian))):
            return None, None, iteration
        matrix = np.vstack([jacobian, tangent])
        rhs = np.append(f, tangent @ (new - y) - step)
        try:
            delta = np.linalg.solve(matrix, rhs)
        except np.linalg.LinAlgError:
            return None, None, iteration
        new = new - delta
        if np.max(np.abs(delta)) <= 1e-13 * (1.0 + np.max(np.abs(new))):
            return new, _tangent(evaluate(new)[1], tangent), iteration
        if np.max(np.abs(delta)) > 10.0 * step + 1e-6:
            return None, None, iteration
    return None, None, _NEWTON


def _fold(evaluate, y, tangent, step):
    """The point between two where the parameter stands still: a root of the tangent's last entry."""
    left, right = 0.0, step
    gl, gr = tangent[-1], _correct(evaluate, y, tangent, right)[1][-1]
    point = y
    for _ in range(100):
        middle = (left * gr - right * gl) / (gr - gl)
        point, direction, _ = _correct(evaluate, y, tangent, middle)
        g = direction[-1]
        if abs(g) <= 1e-13 or abs(right - left) <= 1e-14 * step:
            break
        if g * gr < 0.0:
            left, gl = right, gr
        else:
            gl *= 0.5            # the Illinois rule: no end is kept for ever
        right, gr = middle, g
    return point


def _at(evaluate, y, new, value):
    """The solution at a given parameter between two points of a path, by Newton's method."""
    share = (value - y[-1]) / (new[-1] - y[-1])
    point = y + share * (new - y)
    point[-1] = value
    for _ in range(_NEWTON):
        f, jacobian = evaluate(point)
        if not np.all(np.isfinite(jacobian)):
            return np.full_like(point, np.nan)
        # least squares, because the matrix is singular at a critical point
        delta = np.linalg.lstsq(jacobian[:, :-1], f, rcond=None)[0]
        point[:-1] -= delta
        if np.max(np.abs(delta)) <= 1e-14 * (1.0 + np.max(np.abs(point))):
            break
    return point
