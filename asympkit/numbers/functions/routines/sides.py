"""The side of zero on which a number lies, and scales (numpy only; copied into modules that need it)."""

import numpy as np


def side(x):
    """1 above zero, -1 elsewhere."""
    return 1.0 if x > 0.0 else -1.0


def side_batch(x):
    """The same for arrays."""
    return np.where(x > 0.0, 1.0, -1.0)


def lane_side(x):
    """The same, written into loops."""
    return 1.0 if x > 0.0 else -1.0


def larger(a, b):
    """The larger of two scales."""
    return a if a > b else b


def larger_batch(a, b):
    """The same for arrays, whatever is beside the real line."""
    return np.maximum(np.real(a), np.real(b))
