"""Integrals over a noisy label of averages over a normal field, in double precision (numpy only; copied where needed).

A label is ``f(x)`` and normal noise of variance D, the field x is normal around ``sqrt(q) u``, u normal. On lattices of
u, x and the label y, averages over x are products of matrices. Steps are halved until sums on every other node agree to
half the digits: rules of equal steps, and Gauss's rules on panels, square their error when the step is halved.
"""

import math

import numpy as np

#: Gauss's rule with 16 points on [-1, 1]
_PANEL_POINTS = np.array([
    -0.9894009349916499, -0.9445750230732326, -0.8656312023878318, -0.755404408355003, -0.6178762444026438,
    -0.45801677765722737, -0.2816035507792589, -0.09501250983763745, 0.09501250983763745, 0.2816035507792589,
    0.45801677765722737, 0.6178762444026438, 0.755404408355003, 0.8656312023878318, 0.9445750230732326,
    0.9894009349916499])
_PANEL_WEIGHTS = np.array([
    0.02715245941175406, 0.062253523938647776, 0.09515851168249283, 0.12462897125553386, 0.1495959888165768,
    0.16915651939500256, 0.18260341504492358, 0.18945061045506845, 0.18945061045506845, 0.18260341504492358,
    0.16915651939500256, 0.1495959888165768, 0.12462897125553386, 0.09515851168249283, 0.062253523938647776,
    0.02715245941175406])
#: normal variables beyond are below rounding; most nodes of a lattice, and entries of a matrix
_CUT, _MOST_LABELS, _MOST_ENTRIES = 8.0, 60_000, 40_000_000
#: change of a sum, with twice the step, that leaves rounding
_HALF_OF_DIGITS = 3e-8


def label_field(step, breaks):
    """Return nodes of the field and their weights: equal steps, or panels between places where f is not analytic."""
    if breaks.size == 0:
        half = int(math.ceil(_CUT / step))
        nodes = step * np.arange(-half, half + 1)
        return nodes, np.full(nodes.size, step)
    edges = np.concatenate((np.array([-_CUT]), breaks, np.array([_CUT])))
    counts = np.ceil((edges[1:] - edges[:-1]) / (8.0 * step)).astype(np.int64)
    nodes, weights = np.empty(16 * counts.sum()), np.empty(16 * counts.sum())
    place = 0
    for k in range(counts.size):
        half = 0.5 * (edges[k + 1] - edges[k]) / counts[k]
        for j in range(counts[k]):
            nodes[place:place + 16] = edges[k] + half * (2 * j + 1) + half * _PANEL_POINTS
            weights[place:place + 16] = half * _PANEL_WEIGHTS
            place += 16
    return nodes, weights


def label_terms(i, k, q, D, u, y, x, w, f):
    """Return the integrand at all pairs of u and y, without the weight of u.

    It is P times log P, or half the square of a derivative of log P: i times by the mean of the field, k times by y.
    """
    V = 1.0 - q
    z = (x.reshape(1, -1) - math.sqrt(q) * u.reshape(-1, 1)) / math.sqrt(V)
    kernel = np.exp(-0.5 * z * z) * (w / math.sqrt(2.0 * math.pi * V)).reshape(1, -1)
    r = (y.reshape(1, -1) - f.reshape(-1, 1)) / math.sqrt(D)
    density = np.exp(-0.5 * r * r) / math.sqrt(2.0 * math.pi * D)
    P = np.dot(kernel, density)
    here = P > 1e-290                       # elsewhere there is no label
    P = np.where(here, P, 1.0)
    if i == 0 and k == 0:
        return here * P * np.log(P)
    if i == 1 and k == 0:
        return 0.5 * here * np.dot(kernel * z, density) ** 2 / (P * V)
    if i == 0 and k == 1:
        return -0.5 * here * np.dot(kernel, density * r) ** 2 / (P * D)
    field, label = np.dot(kernel * z, density) / P, np.dot(kernel, density * r) / P
    if i == 2:
        return 0.5 * here * P * ((np.dot(kernel * z * z, density) / P - field**2 - 1.0) / V) ** 2
    if i == 1:
        return -0.5 * here * P * (np.dot(kernel * z, density * r) / P - field * label) ** 2 / (V * D)
    return 0.5 * here * P * ((np.dot(kernel, density * r * r) / P - label**2 - 1.0) / D) ** 2


def label_steps(q, D, slope):
    """Return first steps in the field, in u and in the label, for a function with this largest slope."""
    V, width = 1.0 - q, D / (slope * slope + 1e-6)
    return (0.5 / math.sqrt(1.0 / V + 1.0 / width), 0.5 * min(1.0, math.sqrt((V + width) / (q + 1e-300))),
            0.25 * math.sqrt(D))


def label_mean(i, k, q, D, fine, coarse, steps, is_even):
    """Return the mean over u and the integral over y, and which steps are too large: bits 1, 2, 4 in the order above.

    ``fine`` and ``coarse`` are nodes, weights and values of f, the latter with twice the step; ``is_even`` says that
    the integrand does not change with the sign of u (and of y).
    """
    x, w, f = fine
    u = np.arange(0.0 if is_even else -math.ceil(_CUT / steps[1]), math.ceil(_CUT / steps[1]) + 1.0) * steps[1]
    first, last = np.min(f) - _CUT * math.sqrt(D), np.max(f) + _CUT * math.sqrt(D)
    labels = (last - first) / steps[2]
    if not (labels <= _MOST_LABELS and max(labels, u.size) * x.size <= _MOST_ENTRIES):
        return math.nan, 0
    y = first + steps[2] * np.arange(0.0, math.ceil(labels) + 1.0)
    terms = label_terms(i, k, q, D, u, y, x, w, f)
    weights = np.exp(-0.5 * u * u) * (steps[1] * steps[2] / math.sqrt(2.0 * math.pi) * (2.0 if is_even else 1.0))
    if is_even:
        weights[0] *= 0.5
    rows = np.sum(terms, axis=1)
    value, size = np.sum(weights * rows), np.sum(weights * np.sum(np.abs(terms), axis=1)) + 1e-24
    missed = 0
    if abs(2.0 * np.sum((weights * rows)[::2]) - value) > _HALF_OF_DIGITS * size:
        missed += 2
    if abs(2.0 * np.sum(weights * np.sum(terms[:, ::2], axis=1)) - value) > _HALF_OF_DIGITS * size:
        missed += 4
    x, w, f = coarse
    other = label_terms(i, k, q, D, u[::4].copy(), y[::4].copy(), x, w, f)
    change = np.sum(weights[::4] * np.sum(other - terms[::4, ::4], axis=1))
    if abs(16.0 * change) > _HALF_OF_DIGITS * size:
        missed += 1
    return value, missed
