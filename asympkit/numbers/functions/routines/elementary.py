"""Exponentials, logarithms of sums of exponentials, sides, a resolvent, a root of free sums, the logistic loss's step.

Functions named ``lane_...`` and ``rough_...`` have no branches: the compiler vectorises loops over nodes that call only
these.  They cost a fifth of those of the C library there, and round a little more: by some units of the last place, and
by the rounding of an exponent.  Integers have 32 bits: many processors vectorise no other conversion to floating point
numbers, and numba's ``math.floor`` returns 64.
"""

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


def free_sum_root(a, b):
    """Find the largest root v of v - b v/sqrt(1 + v**2) = a by Newton's method, from the side where it is monotonic."""
    v = a + b if b > 0.0 else a / (1.0 - b)
    for _ in range(200):
        q = math.sqrt(1.0 + v * v)
        gap = (v * v + (1.0 - b) * (1.0 + b)) / (q * (q + b)) if b > 0.0 else 1.0 - b / q
        step = (v * gap - a) / (1.0 - b / (q * q * q))
        v -= step
        if abs(step) <= 4e-16 * abs(v):
            break
    return v


def free_sum_root_batch(a, b):
    """Evaluate free_sum_root at arrays."""
    a, b = np.broadcast_arrays(a, b)
    v = np.where(b > 0.0, a + b, a / (1.0 + np.abs(b)))
    for _ in range(200):
        q = np.sqrt(1.0 + v * v)
        gap = np.where(b > 0.0, (v * v + (1.0 - b) * (1.0 + b)) / (q * (q + np.abs(b))), 1.0 - b / q)
        step = (v * gap - a) / (1.0 - b / (q * q * q))
        v = v - step
        if not np.any(np.abs(step) > 4e-16 * np.abs(v)):
            break
    return v


def lane_exp(x):
    """Evaluate exp(x), between exp(-708) and exp(709): by the nearest multiple of log(2) and Taylor's series."""
    x = min(max(x, -708.0), 709.0)
    near = np.floor(x * 1.4426950408889634 + 0.5)
    r = (x - near * 0.693147180369123816490) - near * 1.90821492927058770002e-10
    p = 1.6059043836821613e-10 * r + 2.08767569878681e-09
    p = ((p * r + 2.505210838544172e-08) * r + 2.755731922398589e-07) * r + 2.7557319223985893e-06
    p = ((p * r + 2.48015873015873e-05) * r + 0.0001984126984126984) * r + 0.001388888888888889
    p = ((p * r + 0.008333333333333333) * r + 0.041666666666666664) * r + 0.16666666666666666
    p = ((p * r + 0.5) * r + 1.0) * r + 1.0
    return p * np.int64((np.int64(np.int32(near)) + 1023) << 52).view(np.float64)


def lane_erfc(x):
    """Evaluate erfc(x): exp(-x**2) times a fit by Chebyshev polynomials in (x - 3.75)/(x + 3.75)."""
    size = min(abs(x), 28.0)                # nothing is left there
    above, twice = size + 3.75, 1.0 + 2.0 * size
    inverse = 1.0 / (above * twice)
    s = 1.1339285714285714 * ((size - 3.75) * twice * inverse) + 0.13392857142857142
    p = -1.480905619143661e-10 * s + 3.85048356934672e-10
    p = ((p * s + 2.186637952593993e-09) * s - 5.332741402521657e-09) * s - 2.107862899026911e-08
    p = ((p * s + 5.498893906370652e-08) * s + 1.7541664782192806e-07) * s - 6.124499108895818e-07
    p = ((p * s - 1.183599700676788e-06) * s + 7.472185931709152e-06) * s + 9.064862192555376e-07
    p = ((p * s - 8.345284742221255e-05) * s + 0.00020076187905615953) * s + 0.0003778200467501516
    p = ((p * s - 0.004150791169883816) * s + 0.01592052777441446) * s - 0.04053954209294644
    p = ((p * s + 0.07635790529948819) * s - 0.10728411861801782) * s + 0.10198698200415389
    p = ((p * s - 0.028294804466573537) * s - 0.12066783607454441) * s + 1.2539674711853876
    tail = lane_exp(-size * size) * p * above * inverse
    return tail if x >= 0.0 else 2.0 - tail


def lane_soft_plus(x):
    """Evaluate log(1 + exp(x)): with e = exp(-abs(x)), log(1 + e) is 2*atanh(e/(2 + e))."""
    e = lane_exp(-abs(x))
    s = e / (2.0 + e)
    y = s * s
    p = 0.030303030303030304 * y + 0.03225806451612903
    p = ((p * y + 0.034482758620689655) * y + 0.037037037037037035) * y + 0.04
    p = ((p * y + 0.043478260869565216) * y + 0.047619047619047616) * y + 0.05263157894736842
    p = ((p * y + 0.058823529411764705) * y + 0.06666666666666667) * y + 0.07692307692307693
    p = ((p * y + 0.09090909090909091) * y + 0.1111111111111111) * y + 0.14285714285714285
    p = ((p * y + 0.2) * y + 0.3333333333333333) * y + 1.0
    return max(x, 0.0) + 2.0 * s * p


def rough_log(x):
    """Approximate log(x) of a positive number within 0.03: its exponent bits, and a line between powers of 2."""
    bits = np.float64(x).view(np.int64)
    part = np.int64((bits & 0xFFFFFFFFFFFFF) | 0x3FF0000000000000).view(np.float64)
    return (np.float64(np.int32(bits >> 52)) + part - 1023.957) * 0.6931471805599453


def rough_exp(x):
    """Approximate exp(x) of a number below 709, from exp(-708) on, within a relative error of 4e-6."""
    v = max(x, -708.0) * 1.4426950408889634
    near = np.floor(v + 0.5)
    r = v - near
    p = 0.0013333558146428441 * r + 0.009618129107628477
    p = ((p * r + 0.05550410866482158) * r + 0.2402265069591007) * r + 0.6931471805599453
    return (p * r + 1.0) * np.int64((np.int64(np.int32(near)) + 1023) << 52).view(np.float64)


def lane_logistic_slope(V, t):
    """Evaluate ``logistic_slope`` by three steps of Halley's method.

    The root of p + V*tanh(p/2)/2 = u = t + V/2 is odd in u, and is sought for abs(u): p = u/(1 + V/4) near 0, u - V/2
    far away, and between them a logarithm.  From there the last step is below 1e-4 for V < 1e7, its error a cube;
    the exponentials of the steps before it may be rough.
    """
    u = t + 0.5 * V
    size, far = abs(u), t if u >= 0.0 else -t - V
    least, line = max(far, 0.0), size / (1.0 + 0.25 * V)
    p = least + rough_log(1.0 + V * rough_exp(-least) / (1.0 + max(-far, 0.0)))
    p = line if line < 1.0 else p
    for _ in range(2):
        p = min(max(p - lane_logistic_step(V, far, p, rough_exp(-p)), least), size)
    e = lane_exp(-p)
    d = lane_logistic_step(V, far, p, e)
    f, d = (e, d) if u >= 0.0 else (1.0, -d)
    f = f / (1.0 + e)
    return f + f * (1.0 - f) * d * (1.0 + 0.5 * (1.0 - 2.0 * f) * d)


def lane_logistic_step(V, far, p, e):
    """Compute a step of Halley's method for p - far - V*e/(1 + e) with e = exp(-p), multiplied out: one division."""
    w = 1.0 + e
    h, slope = ((p - far) * w - V * e) * w, w * w + V * e
    return 2.0 * h * slope * w / (2.0 * slope * slope * w + h * V * e * (1.0 - e))


def log_cosh(x):
    """Evaluate log(cosh(x))."""
    size = abs(x)
    if size < 1.0:
        return 0.5 * math.log1p(math.sinh(x) ** 2)
    return size + math.log1p(math.exp(-2.0 * size)) - 0.6931471805599453


def log_cosh_batch(x):
    """Evaluate log_cosh at arrays."""
    size = np.abs(x)
    near = np.sinh(np.minimum(size, 1.0))
    far = size + np.log1p(np.exp(-2.0 * size)) - 0.6931471805599453
    return np.where(size < 1.0, 0.5 * np.log1p(near * near), far)


def soft_plus(x):
    """Evaluate log(1 + exp(x))."""
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


def soft_plus_batch(x):
    """Evaluate soft_plus at arrays."""
    return np.maximum(x, 0.0) + np.log1p(np.exp(-np.abs(x)))


def x_log_x(x):
    """Evaluate x*log(x), 0 at 0."""
    return x * math.log(x) if x > 0.0 else 0.0 if x == 0.0 else math.nan


def x_log_x_batch(x):
    """Evaluate x_log_x at arrays."""
    return np.where(x == 0.0, 0.0, x * np.log(x))


def saturated(V, b):
    """Evaluate b/(1 + V b), of numbers and arrays."""
    return b / (1.0 + V * b)


def logistic_slope(V, t):
    """Find f = 1/(1 + exp(p)) at p = t + V f, the root of an increasing function in [t, t + V], by Halley's method.

    A step d leaves an error of the order of d^3, and f after the step follows from f before it.
    """
    low, high = t, t + V
    p = min(high, max(low, math.log1p(V / (1.0 + abs(t)))))
    for _ in range(100):
        e = math.exp(-abs(p))
        f = (e if p > 0.0 else 1.0) / (1.0 + e)
        c = f * (1.0 - f)
        h, slope = p - t - V * f, 1.0 + V * c
        if h > 0.0:
            high = p
        else:
            low = p
        d = 2.0 * h * slope / (2.0 * slope * slope + h * V * c * (1.0 - 2.0 * f))
        if abs(d) <= max(3e-6, 1e-15 * abs(p)):
            return f + c * d * (1.0 + 0.5 * (1.0 - 2.0 * f) * d)
        p = p - d if low <= p - d <= high else 0.5 * (low + high)
    return math.nan


def logistic_slope_batch(V, t):
    """Evaluate logistic_slope at arrays."""
    low, high = np.broadcast_arrays(t, t + V)
    p = np.minimum(high, np.maximum(low, np.log1p(V / (1.0 + np.abs(t)))))
    for _ in range(100):
        e = np.exp(-np.abs(p))
        f = np.where(p > 0.0, e, 1.0) / (1.0 + e)
        c = f * (1.0 - f)
        h, slope = p - t - V * f, 1.0 + V * c
        high, low = np.where(h > 0.0, p, high), np.where(h > 0.0, low, p)
        d = 2.0 * h * slope / (2.0 * slope * slope + h * V * c * (1.0 - 2.0 * f))
        near = np.abs(d) <= np.maximum(3e-6, 1e-15 * np.abs(p))
        if np.all(near | np.isnan(d)):
            break
        p = np.where(near, p, np.where((low <= p - d) & (p - d <= high), p - d, 0.5 * (low + high)))
    return np.where(near, f + c * d * (1.0 + 0.5 * (1.0 - 2.0 * f) * d), np.nan)


def logistic_envelope(V, t):
    """Evaluate the least (p - t)^2/(2 V) + log(1 + exp(-p))."""
    f = logistic_slope(V, t)
    p = t + V * f
    return 0.5 * V * f * f + max(-p, 0.0) + math.log1p(math.exp(-abs(p)))


def logistic_envelope_batch(V, t):
    """Evaluate logistic_envelope at arrays."""
    f = logistic_slope_batch(V, t)
    p = t + V * f
    return 0.5 * V * f * f + np.maximum(-p, 0.0) + np.log1p(np.exp(-np.abs(p)))


def side(x):
    """Return 1 above zero, -1 elsewhere."""
    return 1.0 if x > 0.0 else -1.0


def side_batch(x):
    """Evaluate side at arrays."""
    return np.where(x > 0.0, 1.0, -1.0)


def lane_side(x):
    """Evaluate side, to be inlined into loops."""
    return 1.0 if x > 0.0 else -1.0


def slope_size(x):
    """Return the absolute value, or a number whose fourth power has an inverse."""
    return max(abs(x), 1e-75)


def slope_size_batch(x):
    """Evaluate slope_size at arrays, of complex steps too."""
    return np.where(np.real(x) > 0.0, x, -x) + 1e-75 * (np.abs(x) < 1e-75)


def larger(a, b):
    """Return the larger of two scales."""
    return a if a > b else b


def larger_batch(a, b):
    """Return the larger real part, entry by entry."""
    return np.maximum(np.real(a), np.real(b))
