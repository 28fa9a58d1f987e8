"""Polynomials in ``|x|`` with non-negative coefficients: majorants and their Gaussian means, in float64.

Sums and products of non-negative floats have no cancellation: a few hundred operations lose less than
1e-12 relative, and ``MARGIN`` makes every result an upper bound again.  Coefficients run along the last
axis from the lowest degree; leading axes are cells.
"""

from functools import cache
from math import comb, inf, lgamma, log, pi, sqrt

import numpy as np

MARGIN = 1 + 1e-9

__all__ = ["MARGIN", "above", "absolute_moment", "argument", "mean", "normal_tail", "power", "product"]


def above(ball):
    """Return a float not below the absolute value of a ball."""
    return float(ball.abs_upper()) * (1 + 1e-14) if ball.is_finite() else inf


@cache
def absolute_moment(k):
    """Return ``E|Z|**k`` of a standard normal, rounded up."""
    exponent = k / 2 * log(2) + lgamma((k + 1) / 2)
    return float(np.exp(exponent)) / sqrt(pi) * MARGIN if exponent < 700 else inf


def product(p, q):
    """Multiply two polynomials."""
    p, q = np.asarray(p, float), np.asarray(q, float)
    out = np.zeros((*np.broadcast_shapes(p.shape[:-1], q.shape[:-1]), p.shape[-1] + q.shape[-1] - 1))
    for k in range(p.shape[-1]):
        out[..., k:k + q.shape[-1]] += p[..., k:k + 1] * q
    return out


def power(p, n):
    """Return ``p**n``."""
    out = np.ones((1,))
    for _ in range(n):
        out = product(out, p)
    return out


def argument(p, start, slope):
    """Return the polynomial ``p(start + slope t)`` in t, for non-negative ``start`` (an array) and ``slope``."""
    p, start = np.asarray(p, float), np.asarray(start, float)
    out = np.zeros((*start.shape, p.shape[-1]))
    for n in range(p.shape[-1]):
        for k in range(n + 1):
            out[..., k] += p[..., n] * comb(n, k) * start ** (n - k) * slope**k
    return out


def mean(p):
    """Return ``E p(|Z|)``, rounded up."""
    return sum(p[..., k] * absolute_moment(k) for k in range(p.shape[-1])) * MARGIN


def normal_tail(p, edge, log_factor=0.0):
    """Bound the integral of ``p(x)`` against the normal density from ``edge`` to infinity from above.

    It needs ``edge**2 > degree``: the integral of ``x**k`` is at most
    ``edge**(k-1) density(edge) / (1 - (k-1)/edge**2)``.  The result is multiplied by ``exp(log_factor)``.
    """
    p, k = np.asarray(p, float), np.arange(np.shape(p)[-1])
    shrink = 1 - np.maximum(k - 1, 0) / edge**2
    if shrink[-1] <= 0:
        return inf
    # one exponential, as the power of the edge alone may overflow; underflow is not rounded to 0
    exponent = np.asarray(log_factor)[..., None] + (k - 1) * log(edge) - edge * edge / 2
    size = np.where(exponent < 700, np.exp(np.clip(exponent, -690, 700)), inf)
    return np.sum(p * size / shrink, axis=-1) / sqrt(2 * pi) * MARGIN
