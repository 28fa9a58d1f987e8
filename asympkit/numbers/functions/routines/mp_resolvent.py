"""Special functions of kernels, in scalar form (compiled) and for arrays (``batch``)."""

import math

import numpy as np


def mp_resolvent(a, b, scale, ratio):
    """Evaluate E 1/(aD+b) under the Marchenko-Pastur law, on the branch without cancellation."""
    x = a * scale
    shifted = b + x * (1.0 - ratio)
    product = 4.0 * ratio * x * b
    root = math.sqrt(shifted * shifted + product)
    if shifted >= 0.0:
        return 2.0 / (shifted + root)
    return 2.0 * (root - shifted) / product


def mp_resolvent_batch(a, b, scale, ratio):
    """Evaluate mp_resolvent at arrays."""
    x = a * scale
    shifted = b + x * (1.0 - ratio)
    product = 4.0 * ratio * x * b
    total = np.abs(shifted) + np.sqrt(shifted * shifted + product)
    return np.where(shifted >= 0.0, 2.0 / total, 2.0 * total / np.where(shifted >= 0.0, 1.0, product))
