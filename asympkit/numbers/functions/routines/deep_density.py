"""Density and edges of the law of a deep covariance: the lowest penalty is followed down to the real axis."""

import numpy as np

from .deep_conjugate import chain_above, chain_start

#: a step down the imaginary axis, and the last one before the axis itself
_FACTOR, _FLOOR = 0.6, 1e-15


def deep_density(x, widths, slopes, rests, inputs, shares):
    """Evaluate the density of the continuous part at x."""
    y = penalty_at(x, widths, slopes, rests, inputs, shares)
    K = chain_above(y, widths, slopes, rests, inputs, shares)[2]
    return max(-(1.0 / (K - x)).imag / np.pi, 0.0)


def penalty_at(x, widths, slopes, rests, inputs, shares):
    """Find the lowest penalty of :func:`penalty_beside` for one number."""
    mean = sum([e * w for e, w in zip(inputs, shares)])
    for a, s in zip(slopes, rests):
        mean = s + a * mean
    top = 8.0 * (mean + abs(x))
    height, factor = top / _FACTOR, _FACTOR
    y = chain_start(complex(-x, top), widths, slopes, rests, inputs, shares)
    while height > 0.0 and factor < 0.9999:
        new = factor * height if factor * height > _FLOOR * top else 0.0
        found, is_found = y, True
        for k in range(14):
            zeta, V, K, rate, slope = chain_above(found, widths, slopes, rests, inputs, shares)
            step = (zeta - complex(-x, new)) / rate
            is_found = is_found and (k == 0 or abs(step) <= 0.5 * abs(found))
            found = found - step
            if not (is_found and abs(step) > 1e-15 * abs(found)):
                break
        if is_found and abs(step) <= 1e-8 * abs(found) and found.imag >= -1e-14 * abs(found):
            y, height, factor = found, new, max(_FACTOR, factor * factor)
        else:
            factor = factor**0.5
    return y


def deep_density_batch(x, widths, slopes, rests, inputs, shares):
    """Evaluate deep_density at an array of x."""
    y = penalty_beside(x, widths, slopes, rests, inputs, shares)
    K = chain_above(y, widths, slopes, rests, inputs, shares)[2]
    return np.maximum(-(1.0 / (K - x)).imag / np.pi, 0.0)


def penalty_beside(x, widths, slopes, rests, inputs, shares):
    """Find the lowest penalty, in the upper half plane or on its edge, with -x + 0i at the top.

    Continues from far above the axis down by Newton's method from the last root, with smaller steps where that fails.
    """
    mean = sum([e * w for e, w in zip(inputs, shares)])
    for a, s in zip(slopes, rests):
        mean = s + a * mean
    top = 8.0 * (mean + np.abs(x))
    height, factor = top, np.full(np.shape(x), _FACTOR)
    y = chain_start(-x + 1j * height, widths, slopes, rests, inputs, shares)
    y, _ = _polished(y, -x + 1j * height, widths, slopes, rests, inputs, shares)
    is_open = np.full(np.shape(x), True)
    for _ in range(1000):
        new = np.where(factor * height > _FLOOR * top, factor * height, 0.0)
        found, is_good = _polished(y, -x + 1j * new, widths, slopes, rests, inputs, shares)
        is_good = is_good & is_open
        y, height = np.where(is_good, found, y), np.where(is_good, new, height)
        factor = np.where(is_good, np.maximum(_FACTOR, factor**2), np.sqrt(factor))
        is_open = is_open & (height > 0.0) & (factor < 0.9999)
        if not np.any(is_open):
            break
    return y


def _polished(y, z, widths, slopes, rests, inputs, shares):
    """Run Newton's method from y with short first steps; return the root and whether it was found."""
    first, is_short = y, np.full(np.shape(y), True)
    with np.errstate(all="ignore"):
        for k in range(14):
            zeta, V, K, rate, slope = chain_above(y, widths, slopes, rests, inputs, shares)
            step = (zeta - z) / rate
            is_short = is_short & (np.abs(step) <= 0.5 * np.abs(y)) if k else is_short
            y = y - step
            if not np.any(np.abs(step) > 1e-15 * np.abs(y)):
                break
    is_found = np.isfinite(y) & (np.abs(step) <= 1e-8 * np.abs(y)) & (y.imag >= -1e-14 * np.abs(y)) & is_short
    return np.where(is_found, y, first), is_found


def deep_edge(y, widths, slopes, rests, inputs, shares):
    """Find the edge of the spectrum near a lowest penalty y, where the top penalty is stationary in the lowest one."""
    before, now = y * (1.0 + 1e-7), y
    low = chain_above(before, widths, slopes, rests, inputs, shares)[3]
    for _ in range(60):
        found = chain_above(now, widths, slopes, rests, inputs, shares)
        if found[3] == low or found[3] == 0.0:
            break
        step = found[3] * (now - before) / (found[3] - low)
        before, low, now = now, found[3], now - step
        if not abs(step) > 1e-13 * abs(now):
            break
    return -chain_above(now, widths, slopes, rests, inputs, shares)[0]


def deep_edge_batch(y, widths, slopes, rests, inputs, shares):
    """Find the edge for arrays whose entries are all equal."""
    plain = [[float(np.ravel(v)[0]) for v in part] for part in ((y,), widths, slopes, rests, inputs, shares)]
    return np.asarray(deep_edge(plain[0][0], *plain[1:]))
