"""Owen's T and the bivariate normal distribution function in double precision (numpy only; copied where needed).

Both are integrals of positive functions plus terms that are not negative, so that nothing cancels.
"""

import math

import numpy as np

from .elementary import lane_exp
from .normal import both_tails, erf_batch, gauss_exp, gauss_exp_batch, normal_tail, normal_tail_batch

#: half of Gauss's rule with 40 points on [-1, 1]; those of numpy lack the last three digits of weights
_GAUSS_POINTS = (0.03877241750605082, 0.11608407067525521, 0.1926975807013711, 0.2681521850072537,
                 0.3419940908257585, 0.413779204371605, 0.4830758016861787, 0.5494671250951282, 0.6125538896679802,
                 0.6719566846141796, 0.7273182551899271, 0.7783056514265194, 0.8246122308333117, 0.8659595032122595,
                 0.9020988069688743, 0.9328128082786765, 0.9579168192137917, 0.9772599499837743, 0.990726238699457,
                 0.9982377097105593)
_GAUSS_WEIGHTS = (0.0775059479784248, 0.07703981816424797, 0.07611036190062624, 0.07472316905796826,
                  0.07288658239580406, 0.07061164739128678, 0.0679120458152339, 0.06480401345660104,
                  0.06130624249292894, 0.05743976909939155, 0.05322784698393682, 0.04869580763507223,
                  0.04387090818567327, 0.038782167974472016, 0.033460195282547844, 0.0279370069800234,
                  0.02224584919416696, 0.01642105838190789, 0.010498284531152813, 0.004521277098533191)
#: the same with 24 points
_FEWER_POINTS = (0.06405689286260563, 0.1911188674736163, 0.3150426796961634, 0.4337935076260451, 0.5454214713888396,
                 0.6480936519369755, 0.7401241915785544, 0.820001985973903, 0.8864155270044011, 0.9382745520027328,
                 0.9747285559713095, 0.9951872199970213)
_FEWER_WEIGHTS = (0.12793819534675216, 0.1258374563468283, 0.12167047292780339, 0.1155056680537256,
                  0.10744427011596563, 0.09761865210411388, 0.08619016153195327, 0.0733464814110803,
                  0.05929858491543678, 0.04427743881741981, 0.028531388628933663, 0.0123412297999872)
#: the same with 12 points
_FEW_POINTS = (0.1252334085114689, 0.3678314989981802, 0.5873179542866175, 0.7699026741943047, 0.9041172563704748,
               0.9815606342467192)
_FEW_WEIGHTS = (0.2491470458134027, 0.2334925365383546, 0.20316742672306573, 0.16007832854334642, 0.10693932599531907,
                0.04717533638651141)
#: the rules for integrands with a maximum inside, with one at an end, and for those that hardly change
_WHOLE_POINTS = np.array([*(-x for x in _GAUSS_POINTS[::-1]), *_GAUSS_POINTS])
_WHOLE_WEIGHTS = np.array([*_GAUSS_WEIGHTS[::-1], *_GAUSS_WEIGHTS])
_SIDE_POINTS = np.array([*(-x for x in _FEWER_POINTS[::-1]), *_FEWER_POINTS])
_SIDE_WEIGHTS = np.array([*_FEWER_WEIGHTS[::-1], *_FEWER_WEIGHTS])
_FLAT_POINTS = np.array([*(-x for x in _FEW_POINTS[::-1]), *_FEW_POINTS])
_FLAT_WEIGHTS = np.array([*_FEW_WEIGHTS[::-1], *_FEW_WEIGHTS])
#: exponents below the largest one by more are no part of an integral, nor are such parts of a range; the largest ratio
#: of the ends of a range for one rule
_DEPTH, _NOTHING, _WIDEST = 40.0, 1e-18, 16.0
#: up to this ratio and this change of the exponent few points are enough, to some roundings
_NARROW, _FLAT = 4.0, 1.0
#: smallest accepted ratio of a difference to its first term, which limits cancellation
_LEFT = 0.5


def owen_t(h, a):
    """Evaluate Owen's T."""
    h, size = abs(h), abs(a)
    if size <= 1.0:
        return owen_integral(h, a)
    if size * h <= 0.67:
        value = 0.25 - 0.25 * math.erf(h * 0.7071067811865476) * math.erf(size * h * 0.7071067811865476)
    else:
        near, far = normal_tail(h), normal_tail(size * h)
        value = 0.5 * (near + far) - near * far
    return math.copysign(value - owen_integral(size * h, 1.0 / size), a)


def owen_integral(h, a):
    """Evaluate Owen's T for abs(a) <= 1 and h >= 0, by Gauss's rule where the integrand is not negligible."""
    if h > 40.0:
        return 0.0
    reach, total = min(1.0, 8.6 / max(h * abs(a), 1e-300)), 0.0
    for k in range(_WHOLE_POINTS.size):
        s = a * reach * (0.5 + 0.5 * _WHOLE_POINTS[k])
        total += 0.5 * _WHOLE_WEIGHTS[k] * math.exp(-0.5 * (h * s) * (h * s)) / (1.0 + s * s)
    return a * reach * gauss_exp(h) * total / (2.0 * math.pi)


def owen_t_batch(h, a):
    """Evaluate owen_t at arrays."""
    h, a = np.broadcast_arrays(np.abs(np.asarray(h, dtype=float)), np.asarray(a, dtype=float))
    size = np.abs(a)
    inside = size <= 1.0
    lower, upper = 0.7071067811865476 * h, 0.7071067811865476 * np.minimum(size * h, 40.0)
    near, far = normal_tail_batch(h), normal_tail_batch(size * h)
    central = 0.25 - 0.25 * erf_batch(lower) * erf_batch(upper)
    outer = np.where(size * h <= 0.67, central, 0.5 * (near + far) - near * far)
    slope = np.where(inside, size, 1.0 / np.maximum(size, 1.0))
    inner = owen_integral_batch(np.where(inside, h, np.minimum(size * h, 50.0)), slope)
    return np.copysign(np.where(inside, inner, outer - inner), a)


def owen_integral_batch(h, a):
    """Evaluate Owen's T for 0 <= a <= 1 and h >= 0, arrays."""
    reach, total = np.minimum(1.0, 8.6 / np.maximum(h * a, 1e-300)), 0.0
    for point, weight in zip(_WHOLE_POINTS, _WHOLE_WEIGHTS):
        s = a * reach * (0.5 + 0.5 * point)
        total = total + 0.5 * weight * np.exp(-0.5 * (h * s) * (h * s)) / (1.0 + s * s)
    return a * reach * gauss_exp_batch(h) * total / (2.0 * np.pi)


def bivariate_cdf(h, k, r):
    """Evaluate P(X < h, Y < k) of unit normals with correlation r; nan for abs(r) > 1."""
    if not abs(r) <= 1.0 or h != h or k != k:
        return math.nan
    if r == 1.0:
        return normal_tail(-min(h, k))
    apart, end = normal_tail(-h) * normal_tail(-k), math.sqrt((1.0 - abs(r)) / (1.0 + abs(r)))
    if r >= 0.0:
        return apart + correlated(h, -k, end, 1.0)
    lost = correlated(h, k, end, 1.0)
    if lost <= (1.0 - _LEFT) * apart:
        return apart - lost
    return bivariate_overlap(h, k) + correlated(h, k, 0.0, end)


def bivariate_opposite(h, k, r):
    """Evaluate ``bivariate_cdf`` at (h, k) and at (-h, -k), for which the integrals over correlations are the same."""
    if not abs(r) < 1.0 or h != h or k != k:
        return bivariate_cdf(h, k, r), bivariate_cdf(-h, -k, r)
    below_h, above_h = both_tails(h)
    below_k, above_k = both_tails(k)
    first, second = below_h * below_k, above_h * above_k
    end = math.sqrt((1.0 - abs(r)) / (1.0 + abs(r)))
    if r >= 0.0:
        gained = correlated(h, -k, end, 1.0)
        return first + gained, second + gained
    lost = correlated(h, k, end, 1.0)
    is_near = lost <= (1.0 - _LEFT) * min(first, second)
    gained = 0.0 if is_near else correlated(h, k, 0.0, end)
    # P(-k < X < h), from the tails on the side where they are small, and its reflection
    overlap = below_h - above_k if h < 0.0 or k > 0.0 else below_k - above_h
    opposite = above_h - below_k if h > 0.0 or k < 0.0 else above_k - below_h
    first = first - lost if lost <= (1.0 - _LEFT) * first else (overlap if h + k > 0.0 else 0.0) + gained
    second = second - lost if lost <= (1.0 - _LEFT) * second else (opposite if h + k < 0.0 else 0.0) + gained
    return first, second


def correlated(h, k, low, high):
    """Integrate the density of a pair over u = tan(x/2), where -cos(x) is its correlation.

    It is exp(-(g/u**2 + d*u**2) - (h**2 + k**2)/4) over pi*(1 + u**2), with g = (h + k)**2/8 and d = (h - k)**2/8.
    """
    g, d = 0.125 * (h + k) * (h + k), 0.125 * (h - k) * (h - k)
    if high <= low or not g + d < 1e300:
        return 0.0
    top = min(high, max(low, math.sqrt(math.sqrt(g / d)))) if d > 0.0 else high
    least = (g / (top * top) if g > 0.0 else 0.0) + d * top * top
    low = max(low, math.sqrt(g / (least + _DEPTH)), _NOTHING * high)
    high = min(high, math.sqrt((least + _DEPTH) / d)) if d > 0.0 else high
    turns, factor, total = 1.0, high / low, 0.0
    if factor > _WIDEST:
        turns = math.ceil(math.log(factor) / math.log(_WIDEST))
        factor = factor ** (1.0 / turns)
    root = math.sqrt(factor)
    bend, middle = (root - 1.0) / (root + 1.0), low * root
    most = max(g / (low * low) + d * low * low, g / (high * high) + d * high * high)
    is_flat = factor <= _NARROW and most <= least + _FLAT
    for _ in range(int(turns)):
        part, square = 0.0, middle * middle
        if is_flat:
            for j in range(_FLAT_POINTS.size):
                part += _FLAT_WEIGHTS[j] * lane_density(bend * _FLAT_POINTS[j], square, g, d, least)
        elif middle < top * root and top < middle * root:
            for j in range(_WHOLE_POINTS.size):
                part += _WHOLE_WEIGHTS[j] * lane_density(bend * _WHOLE_POINTS[j], square, g, d, least)
        else:                                   # on one side of the maximum
            for j in range(_SIDE_POINTS.size):
                part += _SIDE_WEIGHTS[j] * lane_density(bend * _SIDE_POINTS[j], square, g, d, least)
        total, middle = total + middle * part, middle * factor
    return 2.0 * bend * total * math.exp(-least - 0.25 * (h * h + k * k)) / math.pi


def lane_density(y, square, g, d, least):
    """Evaluate the density at u**2 = square*((1 + y)/(1 - y))**2, times the remaining factor of du/dy."""
    up, down = square * (1.0 + y) * (1.0 + y), (1.0 - y) * (1.0 - y)
    product, total = up * down, up + down
    inverse = 1.0 / (product * total)
    return lane_exp(least - (g * down * down + d * up * up) * total * inverse) * product * inverse


def bivariate_overlap(h, k):
    """Evaluate P(-k < X < h), from the tails on the side where they are small."""
    if h + k <= 0.0:
        return 0.0
    if h < 0.0 or k > 0.0:
        return normal_tail(-h) - normal_tail(k)
    return normal_tail(-k) - normal_tail(h)


def bivariate_cdf_batch(h, k, r):
    """Evaluate bivariate_cdf at arrays."""
    h, k, r = np.broadcast_arrays(*(np.asarray(v, dtype=float) for v in (h, k, r)))
    size, shape = np.minimum(np.abs(r), 1.0).ravel(), r.shape
    h, k, up = h.ravel(), k.ravel(), r.ravel() >= 0.0
    apart, end = normal_tail_batch(-h) * normal_tail_batch(-k), np.sqrt((1.0 - size) / (1.0 + size))
    gained = correlated_batch(h, np.where(up, -k, k), end, np.ones(end.shape))
    value = np.where(up, apart + gained, apart - gained)
    value = np.where(up & (size == 1.0), normal_tail_batch(-np.minimum(h, k)), value)
    far = ~up & ~(gained <= (1.0 - _LEFT) * apart)
    if far.any():
        h, k = h[far], k[far]
        aside = (h < 0.0) | (k > 0.0)
        left, right = np.where(aside, h, k), np.where(aside, k, h)
        overlap = np.where(h + k <= 0.0, 0.0, normal_tail_batch(-left) - normal_tail_batch(right))
        value[far] = overlap + correlated_batch(h, k, np.zeros(h.shape), end[far])
    return np.where(np.abs(r) <= 1.0, value.reshape(shape), np.nan)


def correlated_batch(h, k, low, high):
    """Integrate as ``correlated`` for one-dimensional arrays."""
    g, d = 0.125 * (h + k) * (h + k), 0.125 * (h - k) * (h - k)
    is_empty = (high <= low) | ~(g + d < 1e300)
    g, d, low = np.where(is_empty, 0.0, g), np.where(is_empty, 0.0, d), np.where(is_empty, 0.0, low)
    high = np.where(is_empty, 1.0, high)
    known = np.where(d > 0.0, d, 1.0)
    top = np.where(d > 0.0, np.clip(np.sqrt(np.sqrt(g / known)), low, high), high)
    least = g / np.where(g > 0.0, top * top, 1.0) + d * top * top
    low = np.maximum(np.maximum(low, np.sqrt(g / (least + _DEPTH))), _NOTHING * high)
    high = np.where(d > 0.0, np.minimum(high, np.sqrt((least + _DEPTH) / known)), high)
    turns = np.maximum(1.0, np.ceil(np.log(high / low) / math.log(_WIDEST)))
    factor, total = (high / low) ** (1.0 / turns), 0.0
    root = np.sqrt(factor)
    bend, middle = (root - 1.0) / (root + 1.0), low * root
    for n in range(int(np.max(turns, initial=0.0))):
        part, square = 0.0, middle * middle
        for point, weight in zip(_WHOLE_POINTS, _WHOLE_WEIGHTS):
            y = bend * point
            above, below = square * (1.0 + y) * (1.0 + y), (1.0 - y) * (1.0 - y)
            # where arguments are so large that the exponent's rounding is, the least one is no bound of it
            depth = np.minimum(least - g * (below / above) - d * (above / below), 0.0)
            part = part + weight * np.exp(depth) / (above + below)
        total, middle = total + np.where(n < turns, middle * part, 0.0), middle * factor
    value = 2.0 * bend * total * np.exp(-least - 0.25 * (h * h + k * k)) / np.pi
    return np.where(is_empty, 0.0, value)
