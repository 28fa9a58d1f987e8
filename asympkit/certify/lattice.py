r"""Moments ``E[z**j f(a + b z)**i]`` at all nodes of an outer rule: trapezoidal sums on one lattice.

Two facts give a proof and speed.  For a function analytic on the rectangle ``|x| <= L, |y| <= s`` that
holds its nodes, with L half a step beyond the last one, the trapezoidal sum and the integral over
``[-L, L]`` differ by at most

.. math:: \frac{1}{e^{2\pi s/h}-1}\int_{-L}^{L}\bigl(|f(x+is)|+|f(x-is)|\bigr)dx
          + \frac h\pi\sum_\pm\max_{|y|\le s}|f(\pm L+iy)|

(residues of :math:`\pi\cot(\pi z/h)`; see the derivation ``gaussian/trapezoid``).  And when the arguments
``a + b z`` of all nodes lie on one lattice, all sums are coefficients of one product of polynomials.
"""

from dataclasses import dataclass
from functools import cache
from math import ceil, comb, exp, factorial, floor, inf, isfinite, log, pi, sqrt

import numpy as np
from numpy.polynomial.polynomial import polyval

from ..balls.backend import arb, arb_poly, workprec
from ..errors import ProofError
from ..numbers.functions.balls import REAL_BALLS
from .forms import MARGIN, argument, bound_above, mean, normal_tail, power, product, refusal

_MOST = 6000            # nodes of a window
_LOST = 1e-18           # error of a Hermite weight before it is rounded to a float


class TrapezoidPlan:
    """Step, the largest that the members' tolerances allow, and reach of the nodes of trapezoidal sums in z."""

    def __init__(self, members, step, reach, bound):
        self.members, self.step, self.reach, self._bound = members, step, reach, bound

    def errors(self, step, near, last):
        """Bound the differences between sums and moments, ``{key: float}``, for the step and window actually used.

        On either side of 0 the window reaches at least to ``near`` and at most to ``last``; its ends lie half a step
        beyond the last node.
        """
        numbers = bound_above(step), float(near.lower()) * (1 - 1e-14), bound_above(last)
        return {key: self._bound(key, *numbers) for key in self.members}


@dataclass(frozen=True)
class Member:
    """Moments of ``f**i`` with polynomial weights.

    ``norm(s)`` of ``norms`` is the L2 norm of a weight at distance s from the real line; ``weight`` are coefficients in
    ``|z|`` that bound all weights at real and complex z; ``tolerance`` is the wanted bound of the error.
    """

    i: int
    norms: tuple
    weight: np.ndarray
    tolerance: float


def monomial_norm(j, s):
    """Return the L2 norm of ``(z + is)**j`` under a normal."""
    return sqrt(sum(comb(j, k) * _odd(k) * s ** (2 * (j - k)) for k in range(j + 1))) * MARGIN


def hermite_norm(j, s):
    """Return the L2 norm of ``He_j(z + is)/sqrt(j!)`` under a normal, which increases with j."""
    return sqrt(float(polyval(s * s, _hermite_squares(j)))) * MARGIN


@cache
def _hermite_squares(j):
    """Return the coefficients in ``s**2`` of the squared norm."""
    return np.array([comb(j, k) / factorial(k) for k in range(j + 1)])


def _odd(k):
    """Return ``E Z**(2k)``."""
    return factorial(2 * k) // (2**k * factorial(k))


def plan(source, members, offset, slope, widening=1):
    """Choose one step and one window for a family of moments, a :class:`TrapezoidPlan`.

    ``offset`` and ``slope`` bound ``|a|`` and b; ``widening`` is the allowed width of the window in units of the usual
    one, and is raised where needed.  A source without a strip of analyticity, or too many nodes, raise ProofError.
    """
    wide = max(sqrt(max(2 * log(source.scale**m.i / m.tolerance), 1) + len(m.weight)) for m in members.values())
    far = widening * (1.5 * wide + 6)
    name = source.activation.name
    strip = source.strip(offset + slope * far)
    found = {key: _best_strip(strip, m, offset, slope, wide) for key, m in members.items()}
    if None in found.values():
        raise refusal(f"certify: no strip around the real line is found on which {name!r} is analytic; it is too "
                      "steep for a certificate, or singular near the line")
    step, reach = min(1.0, *(row[0] for row in found.values())), wide

    def rest(key, step, near, last):
        return _rest(source, members[key], offset, slope, step, near, last, *found[key][1:3])

    def bound(key, step, near, last):
        if not (near >= 1 and last <= far and step > 0):        # the strip was examined up to there
            return inf
        _, s, _, norm = found[key]
        return (2 * norm / float(np.expm1(min(2 * pi * s / step, 700))) + rest(key, step, near, last)) * MARGIN

    # the lattice may be shifted by up to one step against z = 0
    while not all(rest(key, step, reach - 1.5 * step, reach + 1.5 * step) < m.tolerance / 2
                  for key, m in members.items()):
        reach += 0.25
        if reach + 1.5 * step > far and widening < 4:
            return plan(source, members, offset, slope, 2 * widening)
        if reach + 1.5 * step > far:
            raise refusal(f"certify: the window of the inner averages of {name!r} is too wide: the function grows "
                          "too fast for a certificate")
    if reach / step > _MOST:
        raise ProofError(f"certify: the inner averages of {name!r} need {2 * reach / step:.0f} nodes; the function is "
                         "too steep for a certificate")
    return TrapezoidPlan(members, step, reach, bound)


def _best_strip(strip, member, offset, slope, wide):
    """Return the largest step with half the tolerance, its distance s from the line, the growth and norm there."""
    best, worse = None, 0
    for height, growth in strip.levels():
        s = height / slope
        if s > 0.6 * wide:          # a higher strip would need a wider window
            break
        size = sqrt(mean(argument(power(growth, 2 * member.i), np.array(offset), slope))) * MARGIN
        norm = max(max(n(s) for n in member.norms) * exp(s * s / 2) * size * MARGIN, member.tolerance)
        if not isfinite(norm):
            break
        step = 2 * pi * s / log(1 + 4 * norm / member.tolerance) / MARGIN
        if best is None or step > best[0]:
            best, worse = (step, s, growth, norm), 0
        else:
            worse += 1
        if worse == 5:
            break
    return best


def _rest(source, member, offset, slope, step, near, last, s, growth):
    """Bound the two ends of the rectangle, between two distances, and the tails beyond the nearer."""
    if near < 1:
        return inf
    inside = polyval(offset + slope * last, growth) ** member.i * polyval(last + s, member.weight)
    ends = 2 * step / pi * exp((s * s - near * near) / 2) / sqrt(2 * pi) * inside
    beyond = product(power(argument(source.growth, np.array(offset), slope), member.i), member.weight)
    return (ends + 2 * float(normal_tail(beyond, near))) * MARGIN


def trapezoid_moments(source, plan_, start, rate, slope, h, n, bits):
    """Compute moments at the nodes ``-n .. n`` times h, exact, of the outer variable x, at offsets ``start + rate x``.

    The plan is that of members ``(i, j)``; the result ``{(i, j): array of 2n+1 balls}``.
    """
    spacing = abs(rate) * h
    largest = plan_.step * float(slope) * (1 - 1e-9)
    wide = float(spacing)
    if n == 0:
        fine, classes, lattice = 1, 1, arb(largest)
    elif wide > largest:
        fine, classes = ceil(wide / largest), 1
        lattice = spacing / fine
    else:
        fine, classes = 1, floor(largest / wide)
        lattice = spacing * classes
    step = lattice / slope
    window = floor(plan_.reach / float(step))
    errors = plan_.errors(step, (window - 0.5) * step, (window + 1.5) * step)
    first, last = -(n // classes) - 1, n // classes + 1
    low, high = fine * first - window, fine * last + window
    values = np.array(source.values([start + lattice * k for k in range(low, high + 1)], bits), dtype=object)
    powers = {i: REAL_BALLS.whole_power(values, i) for i, _ in errors}
    out = {key: np.empty(2 * n + 1, dtype=object) for key in errors}
    zeta = np.array([d * step for d in range(-window, window + 1)], dtype=object)
    middle = density(step, zeta)
    for shift in sorted({x % classes for x in range(-n, n + 1)}):
        nodes = [x for x in range(-n, n + 1) if x % classes == shift]
        moved = arb(shift) / classes * step
        weights = [middle * _tilt(moved, step, window) if shift else middle]
        for _ in range(max(j for _, j in errors)):
            weights.append(weights[-1] * (zeta - moved))
        for (i, j), error in errors.items():
            rows = [fine * (x // classes) - low for x in nodes]
            sums = _correlate(powers[i], weights[j], rows, window)
            for x, total in zip(nodes, sums):
                out[i, j][x + n] = total + arb(0, error)
    if n and rate.mid() < 0:
        out = {key: row[::-1] for key, row in out.items()}
    return out


def density(step, nodes):
    """Return the weights of a rule of equal steps, balls ``step`` times the normal density at the nodes."""
    scale = step / (2 * arb.pi()).sqrt()
    return np.array([(-(x * x) / 2).exp() * scale for x in nodes], dtype=object)


def _tilt(moved, step, window):
    """Return ``density(d step - moved) / density(d step)``: powers of one exponential."""
    factor, edge = (moved * step).exp(), (-(moved * moved) / 2 - moved * step * window).exp()
    row = [edge]
    for _ in range(2 * window):
        row.append(row[-1] * factor)
    return np.array(row, dtype=object)


def _correlate(values, weights, rows, window):
    """Return ``sum_d values[row + d] weights[d]`` for the given rows."""
    if len(rows) * 8 < len(values) and len(rows) < 40:
        return [np.dot(values[r - window:r + window + 1], weights) for r in rows]
    whole = arb_poly(list(values)) * arb_poly(list(weights[::-1]))
    coefficients = whole.coeffs()
    zero = arb(0)
    return [coefficients[r + window] if r + window < len(coefficients) else zero for r in rows]


def trapezoid_grid(source, plan_, inner, spacing, count, top):
    """Compute moments of orthonormal Hermite polynomials up to order ``top``, in float64.

    Centres are ``-count .. count`` times the spacing in the outer variable; members of the plan are the powers of the
    activation.  For each power: an array (2 count + 1, top + 1), and bounds (2 count + 1, 1) of errors with rounding.
    """
    wide = abs(float(inner.rate)) * spacing
    largest = plan_.step * float(inner.slope) * (1 - 1e-9)
    fine = max(1, ceil(wide / largest))
    with workprec(100 + 5 * top):
        lattice = abs(inner.rate) * spacing / fine if count else arb(largest)
        # an exact step: the uncertainty of slope and rate moves the centres a little (see Taylor models)
        step = (lattice / inner.slope).mid()
        lattice = step * inner.slope
    window = ceil(plan_.reach / float(step))
    points = range(-fine * count - window, fine * count + window + 1)
    balls = source.values([inner.start + lattice * k for k in points], 64)
    values = np.array([float(b.mid()) for b in balls])
    slack = max(bound_above(b - v) for b, v in zip(balls, values))
    weights = _orthonormal_weights(step, window, top)
    index = fine * np.arange(2 * count + 1)[:, None] + np.arange(2 * window + 1)
    if inner.rate.mid() < 0:
        index = index[::-1]
    out = {}
    for i, error in plan_.errors(step, (window + 0.5) * step, (window + 0.5) * step).items():
        blocks = (values**i)[index]
        # every factor and every partial sum is rounded once
        rounding = np.max(np.abs(blocks) @ np.abs(weights), axis=1, keepdims=True) * (2 * window + 20) * 1.2e-16
        lost = slack * i * (float(np.max(np.abs(values))) + slack) ** (i - 1)
        rounding += lost * float(np.max(np.sum(np.abs(weights), axis=0)))
        rounding += np.sum(np.abs(blocks), axis=1, keepdims=True) * _LOST
        out[i] = blocks @ weights, (error + rounding) * MARGIN
    return out


def orthonormal(step, window, top):
    """Return balls ``step he_k(d step) density(d step)``, one row for each d, by the recurrence."""
    with workprec(100 + 5 * top):
        zeta = np.array([d * step for d in range(window + 1)], dtype=object)
        rows = [density(step, zeta)]
        before = np.array([arb(0)] * len(zeta), dtype=object)
        for k in range(top):
            following = (zeta * rows[k] - arb(k).sqrt() * before) / arb(k + 1).sqrt()
            before = rows[k]
            rows.append(following)
        half = np.array(rows, dtype=object).T
        return np.concatenate([half[:0:-1] * np.array([(-1) ** k for k in range(top + 1)], dtype=object), half])


def _orthonormal_weights(step, window, top):
    """Return the orthonormal weights as floats."""
    balls = orthonormal(step, window, top)
    if max(float(x.rad()) for row in balls for x in row) > _LOST:
        raise ProofError("certify: the Hermite weights lost their digits")
    return np.array([[float(x.mid()) for x in row] for row in balls])
