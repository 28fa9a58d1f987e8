"""Means of the normal law's repeated integrals over a window (numpy only; copied into modules that need it)."""

import math

import numpy as np

from .error_function import erfc_batch


def normal_derivative(n, x):
    """The n-th derivative of the normal density; for n = -1, -2, -3 its repeated integrals from the left."""
    x = max(x, -40.0)                                           # nothing is left there
    density = 0.3989422804014327 * math.exp(-0.5 * x * x)
    if n >= 0:
        before, value = 0.0, density
        for k in range(n):
            before, value = value, -x * value - k * before
        return value
    below = 0.5 * math.erfc(-0.7071067811865476 * x)
    if n == -1:
        return below
    if n == -2:
        return x * below + density
    return 0.5 * ((x * x + 1.0) * below + x * density)


def normal_remainder(n, x, side):
    """The same without the polynomial that it becomes on the right, where the side is 1."""
    if side > 0.0:
        return (-1.0) ** n * normal_derivative(n, -x)
    return normal_derivative(n, x)


def normal_blur(j, n, c, h, left, right):
    """Mean of u^j times these remainders at c + h u, for u between -1/2 and 1/2."""
    if left == right and h <= 1.0:
        flip = (-1.0) ** (j + n) if right > 0.0 else 1.0
        x = max(-c if right > 0.0 else c, -40.0)
        before, value = normal_derivative(n - 1, x), normal_derivative(n, x)
        total, power = 0.0, 0.5 ** j
        for k in range(22):
            if (j + k) % 2 == 0:
                total += value * power / (j + k + 1)
            power *= 0.5 * h / (k + 1)
            before, value = value, -x * value - (n + k) * before
        return flip * total
    low, high = c - 0.5 * h, c + 0.5 * h
    total = (normal_remainder(n - j - 1, high, right) - normal_remainder(n - j - 1, low, left)) / h
    for k in range(1, j + 1):
        m = n - j + k - 1
        ends = 0.5 ** k * normal_remainder(m, high, right) - (-0.5) ** k * normal_remainder(m, low, left)
        total = (ends - k * total) / h
    return total


def normal_derivative_batch(n, x):
    """The same for arrays."""
    x = np.maximum(x, -40.0)
    density = 0.3989422804014327 * np.exp(-0.5 * x * x)
    if n >= 0:
        before, value = 0.0, density
        for k in range(n):
            before, value = value, -x * value - k * before
        return value
    below = 0.5 * erfc_batch(-0.7071067811865476 * x)
    if n == -1:
        return below
    if n == -2:
        return x * below + density
    return 0.5 * ((x * x + 1.0) * below + x * density)


def normal_remainder_batch(n, x, side):
    """The same for arrays."""
    return np.where(side > 0.0, (-1.0) ** n, 1.0) * normal_derivative_batch(n, np.where(side > 0.0, -x, x))


def normal_blur_batch(j, n, c, h, left, right):
    """The same for arrays."""
    c, h, left, right = np.broadcast_arrays(c, h, left, right)
    is_near = (left == right) & (h <= 1.0)
    x = np.maximum(np.where(right > 0.0, -c, c), -40.0)
    before, value = normal_derivative_batch(n - 1, x), normal_derivative_batch(n, x)
    near, power, narrow = 0.0, 0.5 ** j, np.where(is_near, h, 1.0)
    for k in range(22):
        if (j + k) % 2 == 0:
            near = near + value * power / (j + k + 1)
        power = power * (0.5 * narrow / (k + 1))
        before, value = value, -x * value - (n + k) * before
    near = np.where(right > 0.0, (-1.0) ** (j + n), 1.0) * near
    wide, low, high = np.where(is_near, 1.0, h), c - 0.5 * h, c + 0.5 * h
    far = (normal_remainder_batch(n - j - 1, high, right) - normal_remainder_batch(n - j - 1, low, left)) / wide
    for k in range(1, j + 1):
        m = n - j + k - 1
        ends = 0.5 ** k * normal_remainder_batch(m, high, right) - (-0.5) ** k * normal_remainder_batch(m, low, left)
        far = (ends - k * far) / wide
    return np.where(is_near, near, far)
