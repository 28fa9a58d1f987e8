"""Follow the solutions of F(y) = 0, y = (unknowns, parameter), by pseudo-arclength; locate their singular points."""

from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

#: largest number of Newton steps, and step of central differences of the Jacobian
_SINGULAR_STEPS, _STEP = 40, 1e-5
#: relative singular values that the rounding of these differences makes
_NOISE = 1e-9
#: relative singular values that count as zero at a singular point
_ZERO = 1e-6
#: distance from a branch point at which its branches are looked for, and within which two of them count as equal
RADIUS, _SAME = 1e-3, 2e-5
#: relative singular value below which a solution on the sphere is not isolated
_ISOLATED = 1e-11
#: accuracy of equations, relative to their derivatives, and displacement that shows their rounding
ACCURACY, _DISPLACED = 1e-14, 1e-9
#: number of starts in a kernel of two dimensions, and of more
_ANGLES, _DIRECTIONS = 16, 60


def locate(evaluate, y, is_branch_point, reach, accuracy=ACCURACY):
    """Locate a fold or a branch point by Newton's method on a bordered system; None if none is within reach.

    ``evaluate(y)`` returns F of shape (n,) and its derivatives J of shape (n, n + 1).  The columns A of the unknowns
    lack full rank at a fold, and J at a branch point.  What F keeps at a branch point is the distance by which branches
    miss each other: they meet if it is below the accuracy of F or its rounding.

    Notes
    -----
    At a fold F = 0, psi A = 0, |psi| = 1 are solved for y and psi.  At a branch point F + mu*psi = 0, psi J = 0,
    |psi| = 1 are solved for y, psi and mu, which vanishes: a regular system at simple branch points (Allgower and
    Georg, Introduction to Numerical Continuation Methods, chapter 8).  Steps are least-squares solutions without
    singular values that are noise of the differences, so that kernels of more dimensions, of which psi is any vector,
    are allowed.
    """
    n = y.size - 1
    begin, part, mu, psi = y, n + is_branch_point, 0.0, None
    for _ in range(_SINGULAR_STEPS):
        f, jacobian = evaluate(y)
        around = [(evaluate(y + h)[1] - evaluate(y - h)[1]) / (2.0 * _STEP) for h in _STEP * np.eye(n + 1)]
        if not (np.all(np.isfinite(jacobian)) and np.all(np.isfinite(around))):
            return None
        a = jacobian[:, :part]
        psi = np.linalg.svd(a)[0][:, -1] if psi is None else psi
        matrix, rhs = np.zeros((n + part + 1, 2 * n + 2)), np.concatenate([f + mu * psi, psi @ a, [psi @ psi - 1.0]])
        matrix[:n, :n + 1], matrix[:n, n + 1:-1] = jacobian, mu * np.eye(n)
        matrix[:n, -1] = psi * is_branch_point
        matrix[n:-1, :n + 1], matrix[n:-1, n + 1:-1] = np.transpose(psi @ np.array(around))[:part], a.T
        matrix[-1, n + 1:-1] = 2.0 * psi
        delta = np.linalg.lstsq(matrix, rhs, rcond=_NOISE)[0]
        y, psi, mu, size = y - delta[:n + 1], psi - delta[n + 1:-1], mu - delta[-1], np.max(np.abs(delta[:n + 1]))
        if np.max(np.abs(y - begin)) > reach:
            return None
        if size <= 1e-14 * (1.0 + np.max(np.abs(y))):
            break
    f, jacobian = evaluate(y)
    rest = np.max(np.abs(psi @ jacobian[:, :part])) / (1.0 + np.max(np.abs(jacobian)))
    if not (size <= 1e-9 * (1.0 + np.max(np.abs(y))) and rest <= 1e-9):
        return None
    beside = [evaluate(y + h)[0] + evaluate(y - h)[0] - 2.0 * f for h in _DISPLACED * np.eye(n + 1)]
    sizes = np.max(np.abs([jacobian, *around]), axis=(0, 2))
    allowed = accuracy if is_branch_point else 1e-9
    return y if np.all(np.abs(f) <= allowed * sizes + 10.0 * np.max(np.abs(beside), axis=0)) else None


def find_arms(evaluate, center):
    """Find the solutions at a small distance from a branch point, one on each branch that leaves it.

    Newton's method on the sphere around the point starts from directions all over the kernel of the Jacobian, so that
    no second derivatives are needed.
    """
    _, values, vectors = np.linalg.svd(evaluate(center)[1])
    # all first derivatives may vanish: their size is that of derivatives beside the point
    size = max(values[0], *(np.linalg.norm(evaluate(center + h)[1]) for h in RADIUS * np.eye(center.size)))
    kernel = vectors[min(np.sum(values > _ZERO * size), center.size - 2):]
    angles = 2.0 * np.pi * (np.arange(_ANGLES) + 0.3) / _ANGLES
    directions = np.column_stack([np.cos(angles), np.sin(angles)]) if len(kernel) == 2 else \
        np.random.default_rng(0).standard_normal((_DIRECTIONS, len(kernel)))
    found = []
    for direction in directions @ kernel:
        y = center + RADIUS * direction / np.linalg.norm(direction)
        for k in range(_SINGULAR_STEPS):                # rounding may keep steps from shrinking further
            f, jacobian = evaluate(y)
            if not np.all(np.isfinite(jacobian)):
                break
            away = y - center
            delta, *_, sizes = np.linalg.lstsq(np.vstack([jacobian, away / RADIUS]),
                                               np.append(f, (away @ away / RADIUS - RADIUS) / 2.0), rcond=1e-14)
            y = y - delta
            if np.max(np.abs(y - center)) > 10.0 * RADIUS:
                break
            if np.max(np.abs(delta)) <= (1e-13 if k < _SINGULAR_STEPS / 2 else 1e-9) * (1.0 + np.max(np.abs(y))):
                away = y - center
                is_in_kernel = np.linalg.norm(away - away @ kernel.T @ kernel) <= 0.3 * RADIUS
                is_isolated = sizes[-1] > _ISOLATED * sizes[0]
                if is_in_kernel and is_isolated and all(np.max(np.abs(y - other)) > _SAME for other in found):
                    found.append(y)
                break
    return found


#: largest number of Newton steps in a corrector; with more the step length is halved
_NEWTON = 12
#: how often a point is solved again with nodes around its own narrow features
_PLACEMENTS = 8
#: relative step at which a corrector stops, and accepted error of the points of a path
_SETTLED, _ACCURATE = 1e-13, 1e-9
#: relative error of an unknown's distance from an edge of its domain above which it counts as on that edge
_DIGITS = 1e-6
#: accepted residual of a solution at the end of a path
_LANDED = 1e-10
#: step of arclength below which a path ends, or a singular point between two points counts as located
_SMALLEST = 1e-9
#: distance within which points count as equal: an edge and the end of the path, a singular point and the last one
_NEAR = 1e-6
#: reasons why a path cannot be continued
LOST = "the path could not be followed further"
OUTSIDE = f"{LOST}: the equations have no finite values beyond"
FREE = f"{LOST}: the equations are singular here: an unknown is undetermined or branches meet"
ROUNDED = f"{LOST}: rounding leaves fewer digits than a path needs"
#: reason why a path ends at the finest quadrature rule that it can afford
UNRESOLVED = ("beyond, the averages do not reach the accuracy of a path with the finest quadrature rule, or with as "
              "many nodes as a path may evaluate")
#: smallest singular value of the derivatives, relative to the largest, below which they have no single direction
_SINGULAR = 1e-13
#: share of its ends' slopes below which the parameter's slope between two points asks for points between
_EVEN = 0.3
#: distance of the parameter from its end, in units of the interval, that a path which approaches it slowly may leave
_EDGE = 1e-13
#: coordinate of an unknown, the logarithm of its growth, from which on it may run to infinity, where the parameter
#: moves by less than this share of it
_FAR, _STILL = 20.0, 1e-8
#: the smallest singular value may vanish between points if it is below this share of its neighbours' mean, and vanishes
#: at a point if it is below this share of the last one
_DIP, _ON_TOP = 0.8, 1e-5


@dataclass(frozen=True)
class Path:
    """Hold points along a path in order, and its singular points, as rows (unknowns, parameter).

    ``cuts`` holds folds and branch points where the parameter turns, each with the number of points before it;
    ``end`` says why the path ends.
    """

    points: np.ndarray
    folds: np.ndarray
    cuts: tuple
    end: str


class _State(NamedTuple):
    """A point, the unit tangent, the sign of the determinant of the Jacobian with the tangent as its last row, the
    smallest and largest singular values of the Jacobian, the last step of a corrector, and the Jacobian."""

    y: np.ndarray
    tangent: np.ndarray
    sign: float
    least: float
    largest: float
    error: np.ndarray
    jacobian: np.ndarray


def follow_path(evaluate, points, direction, ends, step, largest, limit, meet=None, is_resolved=None,
                accuracy=ACCURACY):
    """Follow a path from a solution, and return the :class:`Path`.

    ``evaluate(y)`` returns F of shape (n,) and its derivatives of shape (n, n + 1), the parameter last; F has the
    ``accuracy`` relative to them.  The path starts from the last of ``points``; before it comes a branch point, if it
    starts from one.  The first tangent points to the side of ``direction``.  It takes at most ``limit`` points, at
    first in steps ``step`` of arclength, at most ``largest``, and ends where an entry of y has a value of ``ends``,
    tuples (index, value, reason); the parameter has the index -1, or n for the edge of its domain.  An infinite value
    is reached by an entry above :data:`_FAR` in size whose growth leaves the parameter where it is.

    ``meet(point, incoming, outgoing)`` is called at each branch point, with the tangents before and after it (None at
    the end of the path), and returns a reason to end the path there, or "".  ``is_resolved(y)`` returns whether F is
    accurate at a point, else the path ends; None means that F has become more accurate, so that the point must be
    solved again.
    """
    points, first, folds, cuts = [*points], points[-1], [], []
    here, before = _state(evaluate(first)[1], first, direction), None
    start, placed, side = here.tangent, 0, np.sign(here.tangent[-1])

    def path(end, *last):
        return Path(np.array([*points, *last]), np.array(folds).reshape(-1, first.size), tuple(cuts), end)

    while len(points) < limit:
        y, tangent = here.y, here.tangent
        new, iterations = _correct(evaluate, y, tangent, step)
        if new is None or new.tangent @ tangent < 0.95:     # near another branch a long step would land on it
            for index, bound, why in ends if new is None else ():
                last = _landed(evaluate, y, tangent, step, bound) if index == -1 else None
                if last is not None:
                    return path(why, last)
            step *= 0.5
            if step < _SMALLEST:
                return path(_reason(evaluate, here, ends))
            continue
        # the sign of the determinant is lost at a singular point: step to one side of it
        if new.least < _ON_TOP * here.least and here.least > _SINGULAR * here.largest and step > _SMALLEST:
            step *= 0.7
            continue
        resolved = is_resolved(new.y) if is_resolved else True
        if resolved is None and placed < _PLACEMENTS:
            placed += 1
            continue
        if not resolved:
            return path(UNRESOLVED)
        placed = 0
        noise = max(abs(here.error[-1]), abs(new.error[-1])) + np.spacing(1.0 + abs(y[-1])) \
            + 1e-15 * step * max(here.largest / (here.least or 1.0), new.largest / (new.least or 1.0))
        if step > _SMALLEST and _may_turn_twice(here, new, step, noise):
            step *= 0.5
            continue
        ahead = side if abs(new.tangent[-1]) * step <= noise else np.sign(new.tangent[-1])
        turns = ahead * side < 0.0
        is_branch_point, point = _singular_point(evaluate, before, here, new, turns, step, accuracy)
        # from a shorter distance Newton's method finds it, and distinguishes a fold from a branch point beside it
        if step > _SMALLEST and (turns or is_branch_point) and (point is None or turns and is_branch_point
                                                                and step > RADIUS):
            step *= 0.5
            continue
        end, last, error = _end(evaluate, here, new, ends)
        if error > _ACCURATE and point is None:
            if step <= _SMALLEST:
                return path(ROUNDED)
            step *= 0.5
            continue
        if point is not None and (not end or (point - last) @ tangent <= _NEAR):
            why = next((text for index, bound, text in ends if index == -1 and abs(point[-1] - bound) <= _SMALLEST), "")
            if not is_branch_point:
                folds.append(point)
            elif meet:
                why = meet(point, tangent, None if why else new.tangent) or why
            if why or end and np.max(np.abs(point - last)) <= _NEAR:
                end, last = end or why, point
            elif turns:
                cuts.append((len(points), point))
        along = (first - y) @ tangent
        if not end and len(points) > 2 and 0.0 < along <= step and tangent @ start > 0.9 \
                and np.linalg.norm(first - y - along * tangent) <= 0.1 * step:
            end, last = "the path is closed", first
        if end:
            return path(end, *[last] * bool(np.all(np.isfinite(last))))
        points.append(new.y)
        before, here, side = here, new, ahead
        if iterations <= 3:
            step = min(largest, 1.5 * step)
    return path("the largest number of points was reached")


def _state(jacobian, y, before, error=0.0):
    """Return the state at a point, with the tangent on the side of another; None if the derivatives are not finite."""
    if not np.all(np.isfinite(jacobian)):
        return None
    _, values, vectors = np.linalg.svd(jacobian)
    tangent = vectors[-1] if vectors[-1] @ before >= 0.0 else -vectors[-1]
    return _State(y, tangent, np.linalg.slogdet(np.vstack([jacobian, tangent]))[0], values[-1], values[0],
                  np.abs(error + 0.0 * y), jacobian)


def _correct(evaluate, y, tangent, step):
    """Solve on the hyperplane at a distance along the tangent by Newton's method; return (state or None, iterations).

    Each unknown converges relative to itself, as far as rounding lets steps shrink.  Iterations after the first step
    that is small relative to the largest unknown are not counted.
    """
    new, before, needed = y + step * tangent, np.inf, _NEWTON
    for iteration in range(1, 3 * _NEWTON + 1):
        delta = _newton_step(evaluate, new, tangent, tangent @ (new - y) - step)
        size, new = np.max(np.abs(delta)), new - delta
        largest = 1.0 + np.max(np.abs(new))
        if not size <= 10.0 * step + 1e-6 or iteration >= _NEWTON and size > _ACCURATE * largest:
            break
        if size <= _SETTLED * largest:
            needed = min(needed, iteration)
        is_open = (np.abs(delta) > _SETTLED * np.abs(new)) & (np.abs(delta) < 0.9 * before)
        if size <= _ACCURATE * largest and not np.any(is_open):
            return _state(evaluate(new)[1], new, tangent, delta), needed
        before = np.abs(delta)
    return None, _NEWTON


def _newton_step(evaluate, y, tangent, away):
    """Return the Newton step on a hyperplane at a distance; NaN if there is none."""
    f, jacobian = evaluate(y)
    if np.all(np.isfinite(f)) and np.all(np.isfinite(jacobian)):
        with suppress(np.linalg.LinAlgError):
            return np.linalg.solve(np.vstack([jacobian, tangent]), np.append(f, away))
    return np.full_like(y, np.nan)


def _may_turn_twice(here, new, step, noise):
    """Return whether the parameter's slope falls between two points, by a cubic, to a small share of theirs."""
    a, b = here.tangent[-1], new.tangent[-1] / (new.tangent @ here.tangent)
    least, chord = min(abs(a), abs(b)), (new.y[-1] - here.y[-1]) / step
    share = np.clip((2.0 * a + b - 3.0 * chord) / (3.0 * (a + b - 2.0 * chord) or 1.0), 0.0, 1.0)
    slope = a + share * (6.0 * chord - 4.0 * a - 2.0 * b) + share**2 * (3.0 * a + 3.0 * b - 6.0 * chord)
    return a * b > 0.0 and slope * np.sign(a) < _EVEN * least and least * step > 100.0 * noise


def _singular_point(evaluate, before, here, new, turns, step, accuracy):
    """Return whether there is a branch point between two states, or else a fold, and the point or None if not found.

    At a simple branch point the determinant changes its sign.  If two of its factors vanish at once it does not, but
    the smallest singular value falls to zero and rises again.
    """
    is_free = max(here.least, new.least) <= _SINGULAR
    is_odd = here.sign * new.sign < 0.0 and not is_free
    if is_odd or turns:
        left, right = (here.least, new.least) if is_odd else np.abs([here.tangent[-1], new.tangent[-1]])
        guess = here.y + left / (left + right) * (new.y - here.y)
        point = _located(evaluate, here, guess, is_odd, (-_NEAR * step, (1.0 + _NEAR) * step), accuracy)
        return is_odd, guess if point is None and step <= _SMALLEST else point
    if is_free or before is None or not before.sign == here.sign == new.sign \
            or here.least > min(before.least, new.least, _DIP * (before.least + new.least) / 2.0):
        return False, None
    between = [here.tangent @ (y - here.y) for y in (before.y, new.y)]
    point = _located(evaluate, here, here.y, True, between, accuracy)
    return point is not None, point


def _located(evaluate, here, guess, is_branch_point, between, accuracy):
    """Return the singular point near a guess; None if none lies near the tangent, between two distances along it."""
    low, high = between
    point = locate(evaluate, guess, is_branch_point, high - low, accuracy)
    if point is None:
        return None
    along = here.tangent @ (point - here.y)
    is_near = np.linalg.norm(point - here.y - along * here.tangent) <= 0.3 * (high - low)
    return point if is_near and low < along < high else None


def _end(evaluate, here, new, ends):
    """Return why a path ends between two points, where, and the error of the end; "", None and 0 if it does not.

    An unknown reaches an edge where it crosses it, or comes so near that rounding takes the digits of the distance, or
    that equations which are steep there lose theirs to the rounding of the unknown.
    """
    for index, bound, why in ends:
        if np.isinf(bound):
            stays = abs(new.tangent[-1]) < _STILL * abs(new.tangent[index])
            if new.y[index] * np.sign(bound) > _FAR and stays and not any(
                    k % new.y.size == new.y.size - 1 and abs(new.y[-1] - other) <= _NEAR for k, other, _ in ends):
                return why, new.y, 0.0
            continue
        before, after = here.y[index] - bound, new.y[index] - bound
        # an unknown may lie on the edge of its domain, but for rounding
        slack = 0.0 if index == -1 else 1e-12 * (1.0 + abs(bound))
        if index % new.y.size == new.y.size - 1 and abs(after) <= _EDGE and 0.1 < after / (before or np.inf) < 1.0:
            return f"{why}, to rounding", new.y, 0.0
        is_over = before * after <= 0.0 and abs(after) >= slack
        is_lost = index != -1 and abs(after) <= abs(before - after) and new.error[index] > _DIGITS * abs(after)
        if (is_over or is_lost) and after != before != 0.0:
            last, error = _at(evaluate, here.y, new.y, index, bound)
            is_finite = np.all(np.isfinite(last))               # roots have no derivative at 0
            if is_over or not is_finite or np.max(np.abs(evaluate(last)[0])) <= _LANDED:
                return why, last if is_over or is_finite else new.y, error if index == -1 else 0.0
        rounding = np.spacing(abs(bound)) * np.max(np.abs(new.jacobian[:, index])) / (1.0 + np.max(np.abs(new.y)))
        if index != -1 and abs(after) <= min(_NEAR, abs(before)) and rounding > _ACCURATE:
            return f"{why}, to rounding", new.y, 0.0
    return "", None, 0.0


def _reason(evaluate, here, ends):
    """Return why no step is small enough."""
    reached = [why for index, bound, why in ends if index != -1 and abs(here.y[index] - bound) <= _NEAR]
    values = np.linalg.svd(evaluate(here.y)[1], compute_uv=False)
    if reached or values[-1] <= _SINGULAR * values[0]:
        return (*reached, FREE)[0]
    steps = [np.max(np.abs(_newton_step(evaluate, here.y + k * _SMALLEST * here.tangent, here.tangent, 0.0)))
             for k in np.linspace(-1.0, 1.0, _NEWTON)]
    if np.isnan(steps[-1]):
        return OUTSIDE
    is_rounded = max(steps) > _ACCURATE * (1.0 + np.max(np.abs(here.y)))
    return ROUNDED if is_rounded else f"{LOST}: the step became smaller than {_SMALLEST:g}"


def _landed(evaluate, y, tangent, step, stop):
    """Return the solution at ``stop`` if a step leads beyond it, where there is no solution.

    Return None if the step does not, or if the tangent does not point to the solution there."""
    share = (stop - y[-1]) / (step * tangent[-1]) if tangent[-1] else np.inf
    if not 0.0 < share <= 1.0:
        return None
    towards = y + share * step * tangent
    (point, _), f = _at(evaluate, y, towards, -1, stop), np.inf
    if np.all(np.isfinite(point)):
        f = np.max(np.abs(evaluate(point)[0]))
    return point if f <= _LANDED and np.max(np.abs(point - towards)) <= 0.05 * share * step else None


def _at(evaluate, y, new, index, value):
    """Return a solution between two points of a path, one entry of which is given, and the last of Newton's steps."""
    share = (value - y[index]) / (new[index] - y[index])
    point, free = y + share * (new - y), np.arange(y.size) != index % y.size
    point[index] = value
    for _ in range(_NEWTON):
        f, jacobian = evaluate(point)
        if not np.all(np.isfinite(jacobian)):
            return np.full_like(point, np.nan), np.inf
        # least squares, because the matrix is singular at a critical point; an equation may be a small multiple of one
        sizes = np.max(np.abs(jacobian[:, free]), axis=1)
        sizes[sizes == 0.0] = 1.0
        delta = np.linalg.lstsq(jacobian[:, free] / sizes[:, None], f / sizes, rcond=None)[0]
        point[free] -= delta
        error = np.max(np.abs(delta)) / (1.0 + np.max(np.abs(point)))
        if error <= 1e-14:
            break
    return point, error
