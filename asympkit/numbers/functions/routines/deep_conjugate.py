"""The conjugate of a level of a deep random network: one unknown, by Newton's method from above."""

import numpy as np


def chain_above(y, widths, slopes, rests, inputs, shares):
    """Return ``(zeta, V, K)`` of the top of a chain over its lowest penalty y, and the y-slopes of the first two."""
    V = sum([w * y * e / (e + y) for e, w in zip(inputs, shares)], 0.0 * y)
    slope = sum([w * e * e / ((e + y) * (e + y)) for e, w in zip(inputs, shares)], 0.0 * y)
    zeta, rate, below, K = y, 1.0 + 0.0 * y, 1.0, 0.0 * y
    for p, a, s in zip(widths, slopes, rests):
        K, bend = s + a * V, a * slope
        zeta, rate = a * p / below * zeta - K, a * p / below * rate - bend
        V, slope = zeta * K / (zeta + K), (bend * zeta * zeta + rate * K * K) / ((zeta + K) * (zeta + K))
        below = p
    return zeta, V, K, rate, slope


def chain_start(z, widths, slopes, rests, inputs, shares):
    """Return a lowest penalty that is no smaller than the one with z at the top, and close to it for large z."""
    mean, below, y, factor = sum([e * w for e, w in zip(inputs, shares)]), 1.0, 0.0 * z, 1.0 + 0.0 * z
    for p, a, s in zip(widths, slopes, rests):
        mean = s + a * mean
        factor = factor / (a * p / below)
        y = y + mean * factor
        below = p
    return y + z * factor


def deep_conjugate(level, t, widths, slopes, rests, inputs, shares):
    """Evaluate ``1/zeta`` of a level where it is t at the top, which is a convex function of the lowest penalty."""
    if not t > 0.0:
        return 0.0 if t == 0.0 else np.nan
    z = 1.0 / t
    y = chain_start(z, widths, slopes, rests, inputs, shares)
    for _ in range(200):
        zeta, V, K, rate, slope = chain_above(y, widths, slopes, rests, inputs, shares)
        step = (zeta - z) / rate
        y = y - step
        if not step > 4e-16 * y:
            break
    return conjugate_below(level, t, y, widths, slopes, rests, inputs, shares)


def deep_conjugate_batch(level, t, widths, slopes, rests, inputs, shares):
    """Evaluate deep_conjugate at arrays, which may be complex near the real axis."""
    with np.errstate(all="ignore"):
        z = 1.0 / np.where(np.real(t) > 0.0, t, np.nan)
        y = chain_start(z, widths, slopes, rests, inputs, shares)
        is_last = 0
        for _ in range(200):
            zeta, V, K, rate, slope = chain_above(y, widths, slopes, rests, inputs, shares)
            step = (zeta - z) / rate
            y = y - step
            is_last = is_last + (not np.any(np.real(step) > 4e-16 * np.real(y)))
            if is_last == 2:
                break
        found = conjugate_below(level, t, y, widths, slopes, rests, inputs, shares)
    return np.where(t == 0.0, 0.0, found)


def conjugate_below(level, t, y, widths, slopes, rests, inputs, shares):
    """Evaluate ``1/zeta`` of a level from that of the top, without differences, given the lowest penalty."""
    for n in range(len(widths), int(level), -1):
        K = chain_above(y, widths[:n], slopes[:n], rests[:n], inputs, shares)[2]
        below = widths[n - 2] if n > 1 else 1.0
        t = widths[n - 1] / below * slopes[n - 1] * t / (1.0 + t * K)
    return t
