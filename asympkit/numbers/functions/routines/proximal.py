"""Proximal steps, that of the logistic loss (numpy only; copied into modules that need it)."""

import math

import numpy as np


def saturated(V, b):
    """Evaluate b/(1 + V b), of numbers and arrays."""
    return b / (1.0 + V * b)


def logistic_slope(V, t):
    """Find f = 1/(1 + exp(p)) at p = t + V f, the root of an increasing function in [t, t + V], by Halley's method.

    A step d leaves an error of the order of d^3, and f after the step follows from f before it.
    """
    low, high = t, t + V
    p = min(high, max(low, math.log1p(V / (1.0 + abs(t)))))
    for _ in range(100):
        e = math.exp(-abs(p))
        f = (e if p > 0.0 else 1.0) / (1.0 + e)
        c = f * (1.0 - f)
        h, slope = p - t - V * f, 1.0 + V * c
        if h > 0.0:
            high = p
        else:
            low = p
        d = 2.0 * h * slope / (2.0 * slope * slope + h * V * c * (1.0 - 2.0 * f))
        if abs(d) <= max(3e-6, 1e-15 * abs(p)):
            return f + c * d * (1.0 + 0.5 * (1.0 - 2.0 * f) * d)
        p = p - d if low <= p - d <= high else 0.5 * (low + high)
    return math.nan


def logistic_slope_batch(V, t):
    """Evaluate logistic_slope at arrays."""
    low, high = np.broadcast_arrays(t, t + V)
    p = np.minimum(high, np.maximum(low, np.log1p(V / (1.0 + np.abs(t)))))
    for _ in range(100):
        e = np.exp(-np.abs(p))
        f = np.where(p > 0.0, e, 1.0) / (1.0 + e)
        c = f * (1.0 - f)
        h, slope = p - t - V * f, 1.0 + V * c
        high, low = np.where(h > 0.0, p, high), np.where(h > 0.0, low, p)
        d = 2.0 * h * slope / (2.0 * slope * slope + h * V * c * (1.0 - 2.0 * f))
        near = np.abs(d) <= np.maximum(3e-6, 1e-15 * np.abs(p))
        if np.all(near | np.isnan(d)):
            break
        p = np.where(near, p, np.where((low <= p - d) & (p - d <= high), p - d, 0.5 * (low + high)))
    return np.where(near, f + c * d * (1.0 + 0.5 * (1.0 - 2.0 * f) * d), np.nan)


def logistic_envelope(V, t):
    """Evaluate the least (p - t)^2/(2 V) + log(1 + exp(-p))."""
    f = logistic_slope(V, t)
    p = t + V * f
    return 0.5 * V * f * f + max(-p, 0.0) + math.log1p(math.exp(-abs(p)))


def logistic_envelope_batch(V, t):
    """Evaluate logistic_envelope at arrays."""
    f = logistic_slope_batch(V, t)
    p = t + V * f
    return 0.5 * V * f * f + np.maximum(-p, 0.0) + np.log1p(np.exp(-np.abs(p)))
