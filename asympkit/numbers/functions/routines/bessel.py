"""Bessel functions J and I of integer order in double precision (numpy only; copied where needed).

Small arguments: the power series.  Large ones: Hankel's series for J_0 and J_1 and the recurrence upwards, or for I
of an order that is small against them.  Otherwise Miller's recurrence downwards, normalised by the sum of all orders.
"""

import math

import numpy as np

#: from here on asymptotic series
_HANKEL = 25.0


def bessel_start(n, x):
    """Return an even order from which Miller's recurrence forgets its start."""
    most = max(float(n), x) + 1.0
    return 2 * int(0.5 * (most + math.sqrt(160.0 * most)) + 5.0)


def besselj(n, x):
    """Evaluate J_n(x)."""
    sign = -1.0 if n % 2 != 0 and (x < 0.0) != (n < 0) else 1.0
    n, x = abs(n), abs(x)
    if x * x <= n + 1.0:
        return sign * bessel_series(n, x, -1.0)
    if x >= _HANKEL and n <= x:
        return sign * besselj_upward(n, x)
    return sign * besselj_downward(n, x)


def bessel_series(n, x, side):
    """Evaluate (x/2)**n/n! times the power series, whose terms have alternating signs for side -1."""
    lead = 1.0
    for k in range(1, n + 1):
        lead *= 0.5 * x / k
    quarter, term, total, k = side * 0.25 * x * x, 1.0, 1.0, 0
    while abs(term) > 1e-18 * total:
        k += 1
        term *= quarter / (k * (n + k))
        total += term
    return lead * total


def besselj_upward(n, x):
    """Evaluate J_n(x) by Hankel's series for orders 0 and 1, and the recurrence."""
    cosine, sine = math.cos(x), math.sin(x)
    root = math.sqrt(1.0 / (math.pi * x))               # sqrt(2/(pi x)) times the 1/sqrt(2) of the phases
    before, now = 0.0, 0.0
    for order in range(2):
        p, q, term = 1.0, 0.0, 1.0
        for k in range(1, 30):
            term *= (4.0 * order * order - (2.0 * k - 1.0) ** 2) / (8.0 * k * x)
            if k % 2 == 1:
                q += term if k % 4 == 1 else -term
            else:
                p += -term if k % 4 == 2 else term
            if abs(term) < 1e-18:
                break
        if order == 0:
            before = root * (p * (cosine + sine) - q * (sine - cosine))
        else:
            now = root * (p * (sine - cosine) + q * (cosine + sine))
    if n == 0:
        return before
    for k in range(1, n):
        before, now = now, 2.0 * k / x * now - before
    return now


def besselj_downward(n, x):
    """Evaluate J_n(x) by Miller's recurrence, with J_0 + 2 J_2 + 2 J_4 + ... = 1."""
    above, now, total, found = 0.0, 1e-280, 0.0, 0.0
    for k in range(bessel_start(n, x), 0, -1):
        above, now = now, 2.0 * k / x * now - above
        if abs(now) > 1e250:
            above, now, total, found = 1e-250 * above, 1e-250 * now, 1e-250 * total, 1e-250 * found
        if k - 1 == n:
            found = now
        if k % 2 == 1:
            total += now if k == 1 else 2.0 * now
    return found / total


def besseli(n, x):
    """Evaluate I_n(x)."""
    half = math.exp(0.5 * abs(x))
    return half * besseli_scaled(n, x) * half


def besseli_scaled(n, x):
    """Evaluate exp(-abs(x))*I_n(x)."""
    n = abs(n)
    sign = -1.0 if x < 0.0 and n % 2 == 1 else 1.0
    x = abs(x)
    if x <= 12.0 or x * x <= n + 1.0:
        return sign * bessel_series(n, x, 1.0) * math.exp(-x)
    if x >= 30.0 and n * n <= x:
        term, total = 1.0, 1.0
        for k in range(1, 40):
            term *= ((2.0 * k - 1.0) ** 2 - 4.0 * n * n) / (8.0 * k * x)
            total += term
            if abs(term) < 1e-18:
                break
        return sign * total / math.sqrt(2.0 * math.pi * x)
    above, now, total, found = 0.0, 1e-280, 0.0, 0.0
    for k in range(bessel_start(n, x), 0, -1):         # exp(x) = I_0 + 2 I_1 + 2 I_2 + ...
        above, now = now, 2.0 * k / x * now + above
        if now > 1e250:
            above, now, total, found = 1e-250 * above, 1e-250 * now, 1e-250 * total, 1e-250 * found
        if k - 1 == n:
            found = now
        total += now if k == 1 else 2.0 * now
    return sign * found / total


def bessel_ratio(n, x):
    """Evaluate I_n(x)/I_0(x)."""
    return besseli_scaled(n, x) / besseli_scaled(0, x)


def log_bessel_i0(x):
    """Evaluate log(I_0(x))."""
    if abs(x) > 1.0:
        return abs(x) + math.log(besseli_scaled(0, x))
    quarter, term, total, k = 0.25 * x * x, 1.0, 0.0, 0
    while term > 1e-18 * total:
        k += 1
        term *= quarter / (k * k)
        total += term
    return math.log1p(total)


def besselj_batch(n, x):
    """Evaluate J_n at an array."""
    x = np.asarray(x, dtype=float)
    order, size, out = abs(n), np.abs(x), np.full(x.shape, np.nan)
    small = size * size <= order + 1.0
    large = (size >= _HANKEL) & (size >= order) & (size < np.inf)
    middle = ~small & ~large & (size < np.inf)
    if np.any(small):
        out[small] = bessel_series_batch(order, size[small], -1.0)
    if np.any(large):
        out[large] = besselj_upward_batch(order, size[large])
    if np.any(middle):
        out[middle] = bessel_downward_batch(order, size[middle], -1.0)
    out[np.isinf(size)] = 0.0
    return np.where((order % 2 == 1) & ((x < 0.0) ^ (n < 0)), -out, out)


def bessel_series_batch(n, x, side):
    """Evaluate (x/2)**n/n! times the power series, for arrays."""
    lead = np.ones(x.shape)
    for k in range(1, n + 1):
        lead *= 0.5 * x / k
    quarter, term, total, k = side * 0.25 * x * x, np.ones(x.shape), np.ones(x.shape), 0
    while np.any(np.abs(term) > 1e-18 * total):
        k += 1
        term = term * quarter / (k * (n + k))
        total = total + term
    return lead * total


def besselj_upward_batch(n, x):
    """Evaluate J_n by Hankel's series and the recurrence, for arrays."""
    cosine, sine, root = np.cos(x), np.sin(x), np.sqrt(1.0 / (np.pi * x))
    pairs = []
    for order in range(2):
        p, q, term = np.ones(x.shape), np.zeros(x.shape), np.ones(x.shape)
        for k in range(1, 30):
            term = term * ((4.0 * order * order - (2.0 * k - 1.0) ** 2) / (8.0 * k * x))
            if k % 2 == 1:
                q += term if k % 4 == 1 else -term
            else:
                p += -term if k % 4 == 2 else term
            if np.all(np.abs(term) < 1e-18):
                break
        pairs.append((p, q))
    (p, q), (p_one, q_one) = pairs
    before = root * (p * (cosine + sine) - q * (sine - cosine))
    now = root * (p_one * (sine - cosine) + q_one * (cosine + sine))
    for k in range(1, n):
        before, now = now, 2.0 * k / x * now - before
    return now if n else before


def bessel_downward_batch(n, x, side):
    """Evaluate J_n (side -1) or exp(-x) I_n (side 1) by Miller's recurrence, for arrays."""
    above, now = np.zeros(x.shape), np.full(x.shape, 1e-280)
    total, found = np.zeros(x.shape), np.zeros(x.shape)
    for k in range(bessel_start(n, float(np.max(x))), 0, -1):
        above, now = now, 2.0 * k / x * now + side * above
        if np.any(large := np.abs(now) > 1e250):
            factor = np.where(large, 1e-250, 1.0)
            above, now, total, found = above * factor, now * factor, total * factor, found * factor
        if k - 1 == n:
            found = now
        if side > 0.0 or k % 2 == 1:
            total = total + (now if k == 1 else 2.0 * now)
    return found / total


def besseli_batch(n, x):
    """Evaluate I_n at an array."""
    half = np.exp(0.5 * np.abs(x))
    return half * besseli_scaled_batch(n, x) * half


def besseli_scaled_batch(n, x):
    """Evaluate exp(-abs(x))*I_n(x) at an array."""
    x = np.asarray(x, dtype=float)
    order, size, out = abs(n), np.abs(x), np.full(x.shape, np.nan)
    small = (size <= 12.0) | (size * size <= order + 1.0)
    large = ~small & (size >= 30.0) & (size >= order * order)
    middle = ~small & ~large & (size < np.inf)
    if np.any(small):
        out[small] = bessel_series_batch(order, size[small], 1.0) * np.exp(-size[small])
    if np.any(large):
        term = total = np.ones(np.count_nonzero(large))
        for k in range(1, 40):
            term = term * (((2.0 * k - 1.0) ** 2 - 4.0 * order * order) / (8.0 * k * size[large]))
            total = total + term
            if np.all(np.abs(term) < 1e-18):
                break
        out[large] = total / np.sqrt(2.0 * np.pi * size[large])
    if np.any(middle):
        out[middle] = bessel_downward_batch(order, size[middle], 1.0)
    return np.where((order % 2 == 1) & (x < 0.0), -out, out)


def bessel_ratio_batch(n, x):
    """Evaluate I_n/I_0 at an array."""
    return besseli_scaled_batch(n, x) / besseli_scaled_batch(0, x)


def log_bessel_i0_batch(x):
    """Evaluate log(I_0) at an array."""
    x = np.asarray(x, dtype=float)
    inside = np.minimum(np.abs(x), 1.0)
    quarter, term, total = 0.25 * inside * inside, np.ones(x.shape), np.zeros(x.shape)
    for k in range(1, 13):
        term = term * (quarter / (k * k))
        total = total + term
    return np.where(np.abs(x) > 1.0, np.abs(x) + np.log(besseli_scaled_batch(0, x)), np.log1p(total))
