"""The side of zero on which a number lies (numpy only; copied into modules that need it)."""

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
