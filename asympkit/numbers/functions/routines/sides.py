"""The side of zero on which a number lies, and scales (numpy only; copied into modules that need it)."""

import numpy as np


def side(x):
    """Return 1 above zero, -1 elsewhere."""
    return 1.0 if x > 0.0 else -1.0


def side_batch(x):
    """Evaluate side at arrays."""
    return np.where(x > 0.0, 1.0, -1.0)


def lane_side(x):
    """Evaluate side, to be inlined into loops."""
    return 1.0 if x > 0.0 else -1.0


def larger(a, b):
    """Return the larger of two scales."""
    return a if a > b else b


def larger_batch(a, b):
    """Return the larger real part, entry by entry."""
    return np.maximum(np.real(a), np.real(b))
