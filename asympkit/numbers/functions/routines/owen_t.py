"""Owen's T and the bivariate normal distribution function in double precision (numpy only; copied where needed).

Both are integrals of positive functions plus terms that are not negative, so that nothing cancels.
"""

import math

import numpy as np

from .error_function import erf_batch
from .normal_tail import gauss_exp, gauss_exp_batch, normal_tail, normal_tail_batch

#: half of Gauss's rule with 40 points on [-1, 1]
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


def _double_exponential_batch():
    """Distances to the nearer end of [0, 1] and weights of the rule that resolves every scale at an end."""
    t = np.arange(0, 128) / 32.0
    e = np.exp(-np.pi * np.sinh(t))
    weights = np.pi * np.cosh(t) * e / (1.0 + e) ** 2 / 32.0
    kept = weights > 1e-22
    return (e / (1.0 + e))[kept], weights[kept]


_END_POINTS, _END_WEIGHTS = _double_exponential_batch()


def owen_t(h, a):
    """Owen's T."""
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
    """Owen's T for abs(a) <= 1 and h >= 0, by Gauss's rule where the integrand is not negligible."""
    if h > 40.0:
        return 0.0
    reach, total = min(1.0, 8.6 / max(h * abs(a), 1e-300)), 0.0
    for k in range(len(_GAUSS_POINTS)):
        for side in (-0.5, 0.5):
            s = a * reach * (0.5 + side * _GAUSS_POINTS[k])
            total += 0.5 * _GAUSS_WEIGHTS[k] * math.exp(-0.5 * (h * s) * (h * s)) / (1.0 + s * s)
    return a * reach * gauss_exp(h) * total / (2.0 * math.pi)


def owen_t_batch(h, a):
    """The same for arrays."""
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
    """Owen's T for 0 <= a <= 1 and h >= 0, arrays."""
    reach, total = np.minimum(1.0, 8.6 / np.maximum(h * a, 1e-300)), 0.0
    for point, weight in zip(_GAUSS_POINTS, _GAUSS_WEIGHTS):
        for side in (-0.5, 0.5):
            s = a * reach * (0.5 + side * point)
            total = total + 0.5 * weight * np.exp(-0.5 * (h * s) * (h * s)) / (1.0 + s * s)
    return a * reach * gauss_exp_batch(h) * total / (2.0 * np.pi)


def bivariate_cdf(h, k, r):
    """P(X < h, Y < k) of unit normals with correlation r; nan for abs(r) > 1."""
    if not abs(r) <= 1.0 or h != h or k != k:
        return math.nan
    if r >= 0.0:
        outside, gap, product = normal_tail(-h) * normal_tail(-k), h - k, -0.5 * h * k
        low, high = 2.0 * math.asin(math.sqrt(0.5 * (1.0 - r))), 0.5 * math.pi
    else:
        outside, gap, product = bivariate_overlap(h, k), h + k, 0.5 * h * k
        low, high = 0.0, 2.0 * math.asin(math.sqrt(0.5 * (1.0 + r)))
    if r == 1.0:
        return normal_tail(-min(h, k))
    top = max(abs(h), abs(k))
    peak = 2.0 * math.asin(min(1.0, math.sqrt(0.5 * abs(gap) / top))) if top > 0.0 else low
    cut = min(max(peak, low), high)         # the density is largest where the correlation is the ratio of h and k
    half_square, total = 0.5 * gap * gap, 0.0
    for j in range(len(_END_POINTS)):
        inner = 0.0
        for side in range(2 if j else 1):
            part = _END_POINTS[j]
            inner += (cut - low) * bivariate_density(
                low + (cut - low) * part if side == 0 else cut - (cut - low) * part, product, half_square)
            inner += (high - cut) * bivariate_density(
                cut + (high - cut) * part if side == 0 else high - (high - cut) * part, product, half_square)
        total += _END_WEIGHTS[j] * inner
    return outside + total / (2.0 * math.pi)


def bivariate_density(x, product, half_square):
    """The density of the pair on the path of correlations, without its constant."""
    cosine, sine = math.cos(0.5 * x), math.sin(x)
    if half_square == 0.0:
        return math.exp(product / (cosine * cosine))
    if sine == 0.0:
        return 0.0
    return math.exp(product / (cosine * cosine) - half_square / (sine * sine))


def bivariate_overlap(h, k):
    """P(-k < X < h), from the tails on the side where they are small."""
    if h + k <= 0.0:
        return 0.0
    if h < 0.0 or k > 0.0:
        return normal_tail(-h) - normal_tail(k)
    return normal_tail(-k) - normal_tail(h)


def bivariate_cdf_batch(h, k, r):
    """The same for arrays."""
    h, k, r = np.broadcast_arrays(*(np.asarray(v, dtype=float) for v in (h, k, r)))
    up = r >= 0.0
    left, right = np.where((h < 0.0) | (k > 0.0), h, k), np.where((h < 0.0) | (k > 0.0), k, h)
    overlap = np.where(h + k <= 0.0, 0.0, normal_tail_batch(-left) - normal_tail_batch(right))
    outside = np.where(up, normal_tail_batch(-h) * normal_tail_batch(-k), overlap)
    gap, product = np.where(up, h - k, h + k), np.where(up, -0.5, 0.5) * h * k
    angle = 2.0 * np.arcsin(np.sqrt(np.clip(0.5 * np.where(up, 1.0 - r, 1.0 + r), 0.0, 1.0)))
    low, high = np.where(up, angle, 0.0), np.where(up, 0.5 * np.pi, angle)
    top = np.maximum(np.maximum(np.abs(h), np.abs(k)), 1e-300)
    cut = np.clip(2.0 * np.arcsin(np.minimum(1.0, np.sqrt(0.5 * np.abs(gap) / top))), low, high)
    half_square, total = 0.5 * gap * gap, 0.0
    for j, (part, weight) in enumerate(zip(_END_POINTS, _END_WEIGHTS)):
        inner = 0.0
        for begin, width in ((low, cut - low), (cut, high - cut)):
            for x in (begin + width * part, begin + width - width * part)[:2 if j else 1]:
                inner = inner + width * bivariate_density_batch(x, product, half_square)
        total = total + weight * inner
    value = outside + total / (2.0 * np.pi)
    value = np.where(r == 1.0, normal_tail_batch(-np.minimum(h, k)), value)
    return np.where(np.abs(r) <= 1.0, value, np.nan)


def bivariate_density_batch(x, product, half_square):
    """The density of the pair on the path of correlations, arrays."""
    cosine, sine = np.cos(0.5 * x), np.sin(x)
    square = np.where(half_square == 0.0, 0.0, half_square / np.where(sine == 0.0, 1e-300, sine * sine))
    return np.exp(product / (cosine * cosine) - square)
