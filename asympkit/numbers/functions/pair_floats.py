"""Owen's T and the bivariate normal cdf of floats and arrays (scipy is loaded when first called)."""

import numpy as np


def owen_floats(h, a):
    """Evaluate Owen's T of floats, arrays, or mpmath numbers (to the precision of their context)."""
    context = _context(h, a)
    if context is not None:
        from .pair_digits import owen_t

        return owen_t(context, context.convert(h), context.convert(a))
    from scipy.special import owens_t

    return owens_t(h, a)


def bivariate_floats(h, k, r):
    """Evaluate the bivariate normal cdf of floats, arrays, or mpmath numbers.

    Floats: Owen's formula, whose absolute error is a few units of rounding.
    """
    context = _context(h, k, r)
    if context is not None:
        from .pair_digits import bivariate_cdf

        return bivariate_cdf(context, *map(context.convert, (h, k, r)))
    from scipy.special import ndtr, owens_t

    h, k, r = np.broadcast_arrays(*(np.asarray(x, dtype=float) for x in (h, k, r)))
    root = np.sqrt(np.maximum((1 - r) * (1 + r), 0))
    near = np.where(r < 0, -1.0, 1.0)           # the correlation that r is closer to
    with np.errstate(all="ignore"):
        # k - r h = (k - near h) + (near - r) h keeps its digits where r is close to 1 or -1
        slopes = [((y - near * x) + (near - r) * x) / (x * root) for x, y in ((h, k), (k, h))]
        split = (h * k < 0) | ((h * k == 0) & (h + k < 0))
        value = (ndtr(h) + ndtr(k)) / 2 - owens_t(h, slopes[0]) - owens_t(k, slopes[1]) - np.where(split, 0.5, 0.0)
    for x, y in ((h, k), (k, h)):
        with np.errstate(all="ignore"):
            value = np.where(x == 0, ndtr(y) / 2 + owens_t(y, r / root), value)
    value = np.where((h == 0) & (k == 0), 0.25 + np.arcsin(np.clip(r, -1, 1)) / (2 * np.pi), value)
    value = np.where(np.isposinf(h), ndtr(k), np.where(np.isposinf(k), ndtr(h), value))
    value = np.where(r == 1, ndtr(np.minimum(h, k)), np.where(r == -1, np.maximum(0, ndtr(h) - ndtr(-k)), value))
    value = np.where(np.isneginf(h) | np.isneginf(k), 0.0, value)
    return np.where(abs(r) <= 1, np.clip(value, 0, 1), np.nan)[()]


def _context(*values):
    """Return the context of the first mpmath number among the values, or None."""
    return next((v.context for v in values if hasattr(v, "_mpf_") and hasattr(v, "context")), None)
