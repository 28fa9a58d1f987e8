"""The proximal step of a smooth convex function for numpy arrays, as the source of :mod:`.smooth_source` has it."""

import numpy as np

from ..numbers.evaluation import evaluate
from ..numbers.floats import Floats

__all__ = ["readings_in_floats"]

_NEAR, _LAST = 1e-9, 1e-15


def readings_in_floats(rates, x, others):
    """``(slope, envelope)``: functions ``(V, t, *others)``; ``rates`` are the function and its derivatives in x."""

    def rate(order, p, values):
        found = evaluate(rates[order], {x: p, **dict(zip(others, values))}, Floats())
        return np.asarray(found, dtype=float) + 0.0 * p

    def slope(V, t, *values):
        """The root f of ``f + g'(t + V f)`` between 0 and ``-g'(t)``, by Newton's method."""
        V, t, *values = (a + 0.0 for a in np.broadcast_arrays(V, t, *values))
        with np.errstate(all="ignore"):
            end = -rate(1, t, values)
            low, high = np.minimum(end, 0.0), np.maximum(end, 0.0)
            f, was_near = end / (1.0 + V * rate(2, t, values)), False
            for _ in range(200):
                p = t + V * f
                h = f + rate(1, p, values)
                high, low = np.where(h > 0.0, f, high), np.where(h > 0.0, low, f)
                new = f - h / (1.0 + V * rate(2, p, values))
                new = np.where((low <= new) & (new <= high), new, 0.5 * (low + high))
                is_near = (np.abs(new - f) <= _NEAR * np.abs(new)) | (high - low <= _LAST * (np.abs(low) + np.abs(high)))
                f = np.where(was_near & is_near, f, new)
                if np.all(is_near & was_near | (f == 0.0) | np.isnan(f)):
                    break
                was_near = is_near
        return f

    def envelope(V, t, *values):
        f = slope(V, t, *values)
        return 0.5 * V * f * f + rate(0, t + V * f, values)

    return slope, envelope
