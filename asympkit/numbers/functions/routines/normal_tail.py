"""Tails of the normal law in double precision (numpy only; copied into generated modules that need them)."""

import math

import numpy as np

from .error_function import _TAIL, _horner_batch, erfc_batch

#: 1/sqrt(2), sqrt(2/pi), 1/sqrt(2 pi)
_HALF_ROOT, _TWO_OVER_PI, _DENSITY = 0.7071067811865476, 0.7978845608028654, 0.3989422804014327


def gauss_exp(x):
    """Evaluate exp(-x**2/2), with the rounding of the square treated apart."""
    if not abs(x) <= 40.0:
        return 0.0 if x == x else x
    near = round(16.0 * x) / 16.0
    return math.exp(-0.5 * near * near) * math.exp(0.5 * (near - x) * (near + x))


def gauss_exp_batch(x):
    """Evaluate gauss_exp at arrays."""
    x = np.clip(x, -40.0, 40.0)
    near = np.rint(16.0 * x) / 16.0
    value = np.exp(-0.5 * near * near) * np.exp(0.5 * (near - x) * (near + x))
    return np.where(np.abs(x) < 40.0, value, 0.0)


def erfcx(x):
    """Evaluate exp(x**2)*erfc(x) for x >= 0."""
    if x < 0.5:
        return math.exp(x * x) * math.erfc(x)
    if x > 25.0:
        y = 0.5 / (x * x)
        rest = 1.0 - y * (1.0 - 3.0 * y * (1.0 - 5.0 * y * (1.0 - 7.0 * y * (1.0 - 9.0 * y * (1.0 - 11.0 * y)))))
        return rest / (x * 1.772453850905516)
    t = 0.0006060606060606061 + 1.3084848484848486 * ((x - 3.75) / (x + 3.75))
    total = 0.0
    for k in range(20, -1, -1):
        total = total * t + _TAIL[k]
    return total / (1.0 + 2.0 * x)


def erfcx_batch(x):
    """Evaluate erfcx at arrays."""
    near = np.minimum(x, 0.5)
    inner = np.exp(near * near) * erfc_batch(near)
    middle = np.clip(x, 0.5, 25.0)
    t = 0.0006060606060606061 + 1.3084848484848486 * ((middle - 3.75) / (middle + 3.75))
    far = np.maximum(x, 25.0)
    y = 0.5 / (far * far)
    rest = 1.0 - y * (1.0 - 3.0 * y * (1.0 - 5.0 * y * (1.0 - 7.0 * y * (1.0 - 9.0 * y * (1.0 - 11.0 * y)))))
    outer = np.where(x > 25.0, rest / (far * 1.772453850905516), _horner_batch(_TAIL, t) / (1.0 + 2.0 * middle))
    return np.where(x < 0.5, inner, outer)


def normal_tail(x):
    """Evaluate the probability that a normal exceeds x, with its relative accuracy."""
    return both_tails(x)[1]


def both_tails(x):
    """Evaluate the probabilities that a normal lies below x and above it."""
    tail = 0.5 * erfcx(abs(x) * _HALF_ROOT) * gauss_exp(x)
    return (1.0 - tail, tail) if x >= 0.0 else (tail, 1.0 - tail)


def normal_tail_batch(x):
    """Evaluate normal_tail at arrays."""
    tail = 0.5 * erfcx_batch(np.abs(x) * _HALF_ROOT) * gauss_exp_batch(x)
    return np.where(x >= 0.0, tail, 1.0 - tail)


def log_phi(x):
    """Evaluate the logarithm of the normal distribution function, also where that underflows."""
    if x >= 0.0:
        return math.log1p(-normal_tail(x))
    return math.log(0.5 * erfcx(-x * _HALF_ROOT)) - 0.5 * x * x


def log_phi_batch(x):
    """Evaluate log_phi at arrays."""
    left = np.minimum(x, 0.0)
    below = np.log(0.5 * erfcx_batch(-left * _HALF_ROOT)) - 0.5 * left * left
    return np.where(x >= 0.0, np.log1p(-normal_tail_batch(np.maximum(x, 0.0))), below)


def mills(x):
    """Evaluate the normal density over the distribution function."""
    if x < 0.0:
        return _TWO_OVER_PI / erfcx(-x * _HALF_ROOT)
    return _DENSITY * gauss_exp(x) / (1.0 - normal_tail(x))


def mills_batch(x):
    """Evaluate mills at arrays."""
    left, right = np.minimum(x, 0.0), np.maximum(x, 0.0)
    above = _DENSITY * gauss_exp_batch(right) / (1.0 - normal_tail_batch(right))
    return np.where(x < 0.0, _TWO_OVER_PI / erfcx_batch(-left * _HALF_ROOT), above)


def mills_gap(x):
    """Evaluate x + mills(x); far on the left, where the sum cancels, by Laplace's continued fraction."""
    if not x <= -2.5:           # nan too, which is no number of terms
        return x + mills(x)
    total = -x
    for k in range(int(14.0 + 700.0 / (x * x)), 1, -1):
        total = k / total - x
    return 1.0 / total


def mills_gap_batch(x):
    """Evaluate mills_gap at arrays."""
    right, left = np.maximum(x, -2.5), np.minimum(x, -2.5)
    total = -left
    for k in range(126, 1, -1):
        total = k / total - left
    return np.where(x > -2.5, right + mills_batch(right), 1.0 / total)
