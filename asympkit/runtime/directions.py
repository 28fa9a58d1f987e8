"""Relative rounding of tabulated means of which only the direction counts (numpy only; copied where needed)."""

import math

import numpy as np

#: rounding of a mean relative to the root mean square of its integrand, and the least mean whose square has all digits
_MEAN_ROUNDING, _LEAST_MEAN = 2.0 * np.finfo(float).eps, 1e-145


def direction_error(table, weights, direction, activations):
    """Return the rounding of a mean relative to the mean itself; 0 where it is proved to vanish.

    Parameters
    ----------
    table : ndarray, shape (rows, nodes)
    weights : ndarray, shape (nodes,)
    direction : tuple
        The first of its three rows, the place and order of its activation, and the parities for which it vanishes
        without shift.
    activations : sequence
        With attributes ``mirror``: the parity where it is known, 2 for one whose mean without shift is proved zero.

    Returns
    -------
    float
        Infinite where the mean is too small for its square to be a number with all digits, or is not resolved at all.
    """
    row, place, order, odd = direction[:4]
    size, rounding, shifted = table[row:row + 3].dot(weights).tolist()      # less overhead than @
    function = activations[place]
    for _ in range(order):
        function = function.derivative
    mirror = getattr(function, "mirror", 0)
    if mirror in (*odd, 2):
        # no shift at any node, and it is not the size that underflows
        if size == 0.0 and not table[row + 2].any() and (rounding > 0.0 or mirror == 2):
            return 0.0
        rounding = shifted
    return _MEAN_ROUNDING * rounding / size if size > _LEAST_MEAN else math.inf
