"""Compute the proximal step of a smooth convex function for numpy arrays, as :mod:`.smooth_source` does."""

import numpy as np

from ..numbers.evaluation import evaluate
from ..numbers.floats import Floats

__all__ = ["readings_in_floats"]

#: a step below this part of the root squares its error
_NEAR = 1e-6


def readings_in_floats(rates, x, others):
    """Return ``(slope, envelope, bend)``: functions ``(V, t, *others)`` and ``(p, *others)``.

    ``rates`` are the function and its first two derivatives in x.
    """

    def rate(order, p, values):
        found = evaluate(rates[order], {x: p, **dict(zip(others, values))}, Floats())
        return np.asarray(found, dtype=float) + 0.0 * p

    def slope(V, t, *values):
        """Return the root f of ``f + g'(t + V f)`` between 0 and ``-g'(t)``."""
        V, t, *values = (a + 0.0 for a in np.broadcast_arrays(V, t, *values))
        with np.errstate(all="ignore"):
            end = -rate(1, t, values)
            low, high = np.minimum(end, 0.0), np.maximum(end, 0.0)
            f, moved = end / (1.0 + V * rate(2, t, values)), high - low
            left = np.full(np.shape(f), 2)          # remaining steps once they are small
            for _ in range(200):
                p = t + V * f
                h = f + rate(1, p, values)
                high, low = np.where(h > 0.0, f, high), np.where(h > 0.0, low, f)
                step = np.where(left > 0, h / (1.0 + V * rate(2, p, values)), 0.0)
                is_near = (np.abs(step) <= _NEAR * np.abs(f)) | (end == 0.0)
                new = f - step
                is_halved = (low <= new) & (new <= high) & (2.0 * np.abs(step) <= moved)
                new = np.where(is_near | is_halved, new, 0.5 * (low + high))
                left, moved, f = left - is_near, np.abs(new - f), new
                if not np.any((left > 0) & ~np.isnan(f)):
                    break
        return np.where(left > 0, np.nan, f)

    def envelope(V, t, *values):
        f = slope(V, t, *values)
        return 0.5 * V * f * f + rate(0, t + V * f, values)

    return slope, envelope, lambda p, *values: rate(2, np.asarray(p, dtype=float), values)
