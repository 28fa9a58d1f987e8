"""The law of a deep covariance: the conjugate of a level, and the density and edges of the spectrum.

The conjugate is one unknown, by Newton's method from above.  For the density the lowest penalty is followed down to the
real axis.
"""

import numpy as np

#: a step down the imaginary axis, and the last one before the axis itself
_FACTOR, _FLOOR = 0.6, 1e-15


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
