"""Arithmetic of truncated power series, coefficients along the first axis."""

import numpy as np


def exponential(rate, length):
    """Return the coefficients of ``exp(rate*t)``, one row for each order; ``rate`` may be an array."""
    out = [np.ones_like(rate)]
    for j in range(1, length):
        out.append(out[-1] * rate / j)
    return np.array(out)


def multiply(a, b):
    """Multiply series of equal length."""
    return np.array([sum(a[i] * b[j - i] for i in range(j + 1)) for j in range(a.shape[0])])


def divide(above, below):
    """Divide series of equal length; the divisor does not vanish."""
    out = np.zeros(np.broadcast_shapes(above.shape, below.shape), dtype=complex)
    for j in range(above.shape[0]):
        out[j] = (above[j] - sum(out[i] * below[j - i] for i in range(j))) / below[0]
    return out
