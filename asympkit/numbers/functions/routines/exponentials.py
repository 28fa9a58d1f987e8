"""Logarithms of sums of exponentials that do not overflow (numpy only; copied into modules that need them)."""

import math

import numpy as np


def log_cosh(x):
    """Evaluate log(cosh(x))."""
    size = abs(x)
    if size < 1.0:
        return 0.5 * math.log1p(math.sinh(x) ** 2)
    return size + math.log1p(math.exp(-2.0 * size)) - 0.6931471805599453


def log_cosh_batch(x):
    """Evaluate log_cosh at arrays."""
    size = np.abs(x)
    near = np.sinh(np.minimum(size, 1.0))
    far = size + np.log1p(np.exp(-2.0 * size)) - 0.6931471805599453
    return np.where(size < 1.0, 0.5 * np.log1p(near * near), far)


def soft_plus(x):
    """Evaluate log(1 + exp(x))."""
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


def soft_plus_batch(x):
    """Evaluate soft_plus at arrays."""
    return np.maximum(x, 0.0) + np.log1p(np.exp(-np.abs(x)))


def x_log_x(x):
    """Evaluate x*log(x), 0 at 0."""
    return x * math.log(x) if x > 0.0 else 0.0 if x == 0.0 else math.nan


def x_log_x_batch(x):
    """Evaluate x_log_x at arrays."""
    return np.where(x == 0.0, 0.0, x * np.log(x))
