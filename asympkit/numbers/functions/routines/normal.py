"""Error functions, tails of the normal law, and smoothed kinks: means of its repeated integrals over an interval."""

import math

import numpy as np

from .elementary import lane_erfc, lane_exp

#: erf(x)/x - 1 in powers of x**2, for |x| <= 1/2
_CENTRE = (0.12837916709551256, -0.3761263890318375, 0.1128379167095487, -0.026866170645000076, 0.005223977622024224,
           -0.0008548326511566567, 0.00012055286259121393, -1.4923005626894847e-05, 1.6371282597755977e-06,
           -1.4621341491012844e-07)
#: (1 + 2 x) exp(x**2) erfc(x) in powers of the variable of :func:`_tail`, for 1/2 <= x <= 28 (Chebyshev's fit)
_TAIL = (1.2375775878742366, -0.10718035223579091, 0.0020272665605603167, 0.03681584375576414, -0.03718972455075305,
         0.02410715250438919, -0.011712710150870652, 0.004324272748792475, -0.001135085308579763,
         0.00015601854370272234, 2.0064077589016676e-05, -1.5087018837743043e-05, 2.0449635927928114e-06,
         6.814863712551092e-07, -2.650465832988577e-07, -1.7630252042465045e-08, 2.354423123016171e-08,
         -4.472555526115271e-10, -1.9044664000815805e-09, 8.029748109564344e-11, 1.1407598718555105e-10)


def _horner_batch(coefficients, x):
    total = coefficients[-1] * x
    for c in coefficients[-2:0:-1]:
        total += c
        total *= x
    total += coefficients[0]
    return total


def _centre_batch(x):
    """Evaluate erf for |x| <= 1/2."""
    return x + x * _horner_batch(_CENTRE, x * x)


def _tail_batch(x):
    """Evaluate erfc for x >= 1/2; the square's rounding is treated apart where it is large."""
    x = np.minimum(x, 28.0)                # nothing is left there
    near = np.rint(64.0 * x) / 64.0
    t = 0.0006060606060606061 + 1.3084848484848486 * ((x - 3.75) / (x + 3.75))
    return np.exp(-near * near) * np.exp((near - x) * (near + x)) * (_horner_batch(_TAIL, t) / (1.0 + 2.0 * x))


def erf_batch(x):
    """Evaluate the error function."""
    size = np.abs(x)
    outer = 1.0 - _tail_batch(np.maximum(size, 0.5))
    return np.where(size <= 0.5, _centre_batch(np.clip(x, -0.5, 0.5)), np.copysign(outer, x))


def erfc_batch(x):
    """Evaluate the complementary error function, with its relative accuracy in the tail."""
    tail = _tail_batch(np.maximum(np.abs(x), 0.5))
    return np.where(np.abs(x) <= 0.5, 1.0 - _centre_batch(np.clip(x, -0.5, 0.5)), np.where(x < 0.0, 2.0 - tail, tail))


def log_erfc(x):
    """Evaluate log(erfc(x)), which is finite where erfc underflows."""
    if abs(x) <= 0.5:
        return math.log1p(-math.erf(x))
    return log_phi(-1.4142135623730951 * x) + 0.6931471805599453


def log_erfc_batch(x):
    """Evaluate log_erfc at arrays."""
    outer = log_phi_batch(-1.4142135623730951 * x) + 0.6931471805599453
    return np.where(np.abs(x) <= 0.5, np.log1p(-_centre_batch(np.clip(x, -0.5, 0.5))), outer)


#: 1/sqrt(2), sqrt(2/pi), 1/sqrt(2 pi)
_HALF_ROOT, _TWO_OVER_PI, _DENSITY = 0.7071067811865476, 0.7978845608028654, 0.3989422804014327


def gauss_exp(x):
    """Evaluate exp(-x**2/2), with the rounding of the square treated apart."""
    if not abs(x) <= 40.0:
        return 0.0 if x == x else x
    near = round(16.0 * x) / 16.0
    return math.exp(-0.5 * near * near) * math.exp(0.5 * (near - x) * (near + x))


def gauss_exp_batch(x):
    """Evaluate gauss_exp at arrays."""
    x = np.clip(x, -40.0, 40.0)
    near = np.rint(16.0 * x) / 16.0
    value = np.exp(-0.5 * near * near) * np.exp(0.5 * (near - x) * (near + x))
    return np.where(np.abs(x) < 40.0, value, 0.0)


def erfcx(x):
    """Evaluate exp(x**2)*erfc(x) for x >= 0."""
    if x < 0.5:
        return math.exp(x * x) * math.erfc(x)
    if x > 25.0:
        y = 0.5 / (x * x)
        rest = 1.0 - y * (1.0 - 3.0 * y * (1.0 - 5.0 * y * (1.0 - 7.0 * y * (1.0 - 9.0 * y * (1.0 - 11.0 * y)))))
        return rest / (x * 1.772453850905516)
    t = 0.0006060606060606061 + 1.3084848484848486 * ((x - 3.75) / (x + 3.75))
    total = 0.0
    for k in range(20, -1, -1):
        total = total * t + _TAIL[k]
    return total / (1.0 + 2.0 * x)


def erfcx_batch(x):
    """Evaluate erfcx at arrays."""
    near = np.minimum(x, 0.5)
    inner = np.exp(near * near) * erfc_batch(near)
    middle = np.clip(x, 0.5, 25.0)
    t = 0.0006060606060606061 + 1.3084848484848486 * ((middle - 3.75) / (middle + 3.75))
    far = np.maximum(x, 25.0)
    y = 0.5 / (far * far)
    rest = 1.0 - y * (1.0 - 3.0 * y * (1.0 - 5.0 * y * (1.0 - 7.0 * y * (1.0 - 9.0 * y * (1.0 - 11.0 * y)))))
    outer = np.where(x > 25.0, rest / (far * 1.772453850905516), _horner_batch(_TAIL, t) / (1.0 + 2.0 * middle))
    return np.where(x < 0.5, inner, outer)


def normal_tail(x):
    """Evaluate the probability that a normal exceeds x, with its relative accuracy."""
    return both_tails(x)[1]


def both_tails(x):
    """Evaluate the probabilities that a normal lies below x and above it."""
    tail = 0.5 * erfcx(abs(x) * _HALF_ROOT) * gauss_exp(x)
    return (1.0 - tail, tail) if x >= 0.0 else (tail, 1.0 - tail)


def normal_tail_batch(x):
    """Evaluate normal_tail at arrays."""
    tail = 0.5 * erfcx_batch(np.abs(x) * _HALF_ROOT) * gauss_exp_batch(x)
    return np.where(x >= 0.0, tail, 1.0 - tail)


def log_phi(x):
    """Evaluate the logarithm of the normal distribution function, also where that underflows."""
    if x >= 0.0:
        return math.log1p(-normal_tail(x))
    return math.log(0.5 * erfcx(-x * _HALF_ROOT)) - 0.5 * x * x


def log_phi_batch(x):
    """Evaluate log_phi at arrays."""
    left = np.minimum(x, 0.0)
    below = np.log(0.5 * erfcx_batch(-left * _HALF_ROOT)) - 0.5 * left * left
    return np.where(x >= 0.0, np.log1p(-normal_tail_batch(np.maximum(x, 0.0))), below)


def mills(x):
    """Evaluate the normal density over the distribution function."""
    if x < 0.0:
        return _TWO_OVER_PI / erfcx(-x * _HALF_ROOT)
    return _DENSITY * gauss_exp(x) / (1.0 - normal_tail(x))


def mills_batch(x):
    """Evaluate mills at arrays."""
    left, right = np.minimum(x, 0.0), np.maximum(x, 0.0)
    above = _DENSITY * gauss_exp_batch(right) / (1.0 - normal_tail_batch(right))
    return np.where(x < 0.0, _TWO_OVER_PI / erfcx_batch(-left * _HALF_ROOT), above)


def mills_gap(x):
    """Evaluate x + mills(x); far on the left, where the sum cancels, by Laplace's continued fraction."""
    if not x <= -2.5:           # nan too, which is no number of terms
        return x + mills(x)
    total = -x
    for k in range(int(14.0 + 700.0 / (x * x)), 1, -1):
        total = k / total - x
    return 1.0 / total


def mills_gap_batch(x):
    """Evaluate mills_gap at arrays."""
    right, left = np.maximum(x, -2.5), np.minimum(x, -2.5)
    total = -left
    for k in range(126, 1, -1):
        total = k / total - left
    return np.where(x > -2.5, right + mills_batch(right), 1.0 / total)


def normal_derivative(n, x):
    """Evaluate the n-th derivative of the normal density; for n = -1, -2, -3 its repeated integrals from the left."""
    x = max(x, -40.0)                                           # nothing is left there
    density = 0.3989422804014327 * math.exp(-0.5 * x * x)
    if n >= 0:
        before, value = 0.0, density
        for k in range(n):
            before, value = value, -x * value - k * before
        return value
    below = 0.5 * math.erfc(-0.7071067811865476 * x)
    if n == -1:
        return below
    if n == -2:
        return x * below + density
    return 0.5 * ((x * x + 1.0) * below + x * density)


def normal_remainder(n, x, side):
    """Evaluate normal_derivative without the polynomial that it becomes on the right, where the side is 1."""
    if side > 0.0:
        return (-1.0) ** n * normal_derivative(n, -x)
    return normal_derivative(n, x)


def normal_blur(j, n, c, h, left, right):
    """Evaluate the mean of u^j times these remainders at c + h u, for u between -1/2 and 1/2."""
    if left == right and h <= 1.0:
        flip = (-1.0) ** (j + n) if right > 0.0 else 1.0
        x = max(-c if right > 0.0 else c, -40.0)
        before, value = normal_derivative(n - 1, x), normal_derivative(n, x)
        total, power = 0.0, 0.5 ** j
        for k in range(22):
            if (j + k) % 2 == 0:
                total += value * power / (j + k + 1)
            power *= 0.5 * h / (k + 1)
            before, value = value, -x * value - (n + k) * before
        return flip * total
    low, high = c - 0.5 * h, c + 0.5 * h
    total = (normal_remainder(n - j - 1, high, right) - normal_remainder(n - j - 1, low, left)) / h
    for k in range(1, j + 1):
        m = n - j + k - 1
        ends = 0.5 ** k * normal_remainder(m, high, right) - (-0.5) ** k * normal_remainder(m, low, left)
        total = (ends - k * total) / h
    return total


def normal_blur_batch(j, n, c, h, left, right):
    """Evaluate normal_blur at arrays."""
    return normal_window_batch(((j, n),), c, h, left, right)[0]


def normal_window_batch(orders, c, h, left, right):
    """Evaluate normal_blur at arrays for several (j, n), along the first axis."""
    c, h, left, right = np.broadcast_arrays(c, h, left, right)
    is_near = (left == right) & (h <= 1.0)
    out = np.empty((len(orders), *c.shape))
    for rows, form in ((is_near, _narrow_windows), (~is_near, _wide_windows)):
        if rows.all():
            return np.stack(form(orders, c, h, left, right))
        if rows.any():
            out[:, rows] = form(orders, c[rows], h[rows], left[rows], right[rows])
    return out


def _narrow_windows(orders, c, h, left, right):
    flip = np.where(right > 0.0, -1.0, 1.0)
    x, y = np.maximum(flip * c, -40.0), 0.25 * h * h
    d = _normal_derivatives(x, -2 if min(n for _, n in orders) < -1 else -1)
    for m in range(max(n + j % 2 for j, n in orders) + 20):
        d[m + 1] = -x * d[m] - m * d[m - 1]
    out = []
    for j, n in orders:
        total = 0.0
        for k in range(20 + j % 2, -1, -2):
            total = total * y + d[n + k] / float(math.factorial(k) * (j + k + 1))
        total = total * (0.5 ** j if j % 2 == 0 else 0.5 ** (j + 1) * h)
        out.append(total * flip if (j + n) % 2 else total)
    return out


def _wide_windows(orders, c, h, left, right):
    ends, low = [], min(n - j - 1 for j, n in orders)
    for x, side in ((c + 0.5 * h, right), (c - 0.5 * h, left)):
        flip = np.where(side > 0.0, -1.0, 1.0)
        size = np.maximum(flip * x, -40.0)
        d = _normal_derivatives(size, low)
        for m in range(max(n for _, n in orders)):
            d[m + 1] = -size * d[m] - m * d[m - 1]
        ends.append({m: flip * v if m % 2 else v for m, v in d.items()})
    after, before = ends
    out = []
    for j, n in orders:
        total = (after[n - j - 1] - before[n - j - 1]) / h
        for k in range(1, j + 1):
            m = n - j + k - 1
            total = (0.5 ** k * after[m] - (-0.5) ** k * before[m] - k * total) / h
        out.append(total)
    return out


def _normal_derivatives(x, low):
    """Return the derivatives by n, from low to zero."""
    density = 0.3989422804014327 * np.exp(-0.5 * x * x)
    d = {0: density, -1: 0.5 * erfc_batch(-0.7071067811865476 * x)}
    if low < -1:
        d[-2] = x * d[-1] + density
    if low < -2:
        d[-3] = 0.5 * ((x * x + 1.0) * d[-1] + x * density)
    return d


def lane_normal_window(c, h, left, right):
    """Evaluate normal_blur without branches for (j, n) = (0, -2), (0, -1), (1, -1), (0, 0), (1, 0), (2, 0), (0, 1), (1,
    1), (0, 2), all at once."""
    # a narrow interval, from the side where the integrals are tails
    y, flip = 0.25 * min(h, 1.0) ** 2, -1.0 if right > 0.0 else 1.0
    x = max(flip * c, -40.0)
    d0, below = 0.3989422804014327 * lane_exp(-0.5 * x * x), 0.5 * lane_erfc(-0.7071067811865476 * x)
    twice = x * below + d0
    d1 = -x * d0
    d2 = -x * d1 - d0
    d3 = -x * d2 - 2.0 * d1
    d4 = -x * d3 - 3.0 * d2
    d5 = -x * d4 - 4.0 * d3
    d6 = -x * d5 - 5.0 * d4
    d7 = -x * d6 - 6.0 * d5
    d8 = -x * d7 - 7.0 * d6
    d9 = -x * d8 - 8.0 * d7
    d10 = -x * d9 - 9.0 * d8
    d11 = -x * d10 - 10.0 * d9
    d12 = -x * d11 - 11.0 * d10
    d13 = -x * d12 - 12.0 * d11
    d14 = -x * d13 - 13.0 * d12
    d15 = -x * d14 - 14.0 * d13
    d16 = -x * d15 - 15.0 * d14
    d17 = -x * d16 - 16.0 * d15
    d18 = -x * d17 - 17.0 * d16
    d19 = -x * d18 - 18.0 * d17
    d20 = -x * d19 - 19.0 * d18
    d21 = -x * d20 - 20.0 * d19
    d22 = -x * d21 - 21.0 * d20
    near0 = lane_window_0(y, twice, d0, d2, d4, d6, d8, d10, d12, d14, d16, d18)
    near1 = flip * lane_window_0(y, below, d1, d3, d5, d7, d9, d11, d13, d15, d17, d19)
    near2 = 0.25 * h * lane_window_1(y, d0, d2, d4, d6, d8, d10, d12, d14, d16, d18, d20)
    near3 = lane_window_0(y, d0, d2, d4, d6, d8, d10, d12, d14, d16, d18, d20)
    near4 = flip * 0.25 * h * lane_window_1(y, d1, d3, d5, d7, d9, d11, d13, d15, d17, d19, d21)
    near5 = 0.25 * lane_window_2(y, d0, d2, d4, d6, d8, d10, d12, d14, d16, d18, d20)
    near6 = flip * lane_window_0(y, d1, d3, d5, d7, d9, d11, d13, d15, d17, d19, d21)
    near7 = 0.25 * h * lane_window_1(y, d2, d4, d6, d8, d10, d12, d14, d16, d18, d20, d22)
    near8 = lane_window_0(y, d2, d4, d6, d8, d10, d12, d14, d16, d18, d20, d22)
    # a wide one, by its ends
    is_near = left == right and h <= 1.0
    wide, low, high = 1.0 if is_near else h, c - 0.5 * h, c + 0.5 * h
    before, at_left, by_left, up_left = lane_remainders(low, left)
    after, at_right, by_right, up_right = lane_remainders(high, right)
    far0 = (up_right - up_left) / wide
    far1 = (by_right - by_left) / wide
    far2 = (0.5 * (by_right + by_left) - far0) / wide
    far3 = (at_right - at_left) / wide
    far4 = (0.5 * (at_right + at_left) - far1) / wide
    far5 = (0.25 * (at_right - at_left) - 2.0 * far2) / wide
    far6 = (after - before) / wide
    far7 = (0.5 * (after + before) - far3) / wide
    far8 = (low * before - high * after) / wide
    return (near0 if is_near else far0, near1 if is_near else far1, near2 if is_near else far2,
            near3 if is_near else far3, near4 if is_near else far4, near5 if is_near else far5,
            near6 if is_near else far6, near7 if is_near else far7, near8 if is_near else far8)


def lane_remainders(x, side):
    """Return the normal density, and its repeated integrals without their polynomials on the right."""
    flip = -1.0 if side > 0.0 else 1.0
    size = max(flip * x, -40.0)
    density, below = 0.3989422804014327 * lane_exp(-0.5 * size * size), 0.5 * lane_erfc(-0.7071067811865476 * size)
    return density, flip * below, size * below + density, flip * 0.5 * ((size * size + 1.0) * below + size * density)


def lane_window_0(y, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10):
    """Sum the power series of j = 0: y is h**2/4, and a0 to a10 are every other derivative."""
    p = (1.9572941063391263e-20 * a10 * y + 8.22063524662433e-18 * a9) * y + 2.8114572543455206e-15 * a8
    p = ((p * y + 7.647163731819816e-13 * a7) * y + 1.6059043836821613e-10 * a6) * y + 2.505210838544172e-08 * a5
    p = ((p * y + 2.7557319223985893e-06 * a4) * y + 0.0001984126984126984 * a3) * y + 0.008333333333333333 * a2
    return (p * y + 0.16666666666666666 * a1) * y + a0


def lane_window_1(y, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10):
    """Sum the power series of j = 1, but for a factor h/4."""
    p = (8.509974375387505e-22 * a10 * y + 3.9145882126782523e-19 * a9) * y + 1.4797143443923793e-16 * a8
    p = ((p * y + 4.498331606952833e-14 * a7) * y + 1.0706029224547743e-11 * a6) * y + 1.9270852604185937e-09 * a5
    p = ((p * y + 2.505210838544172e-07 * a4) * y + 2.2045855379188714e-05 * a3) * y + 0.0011904761904761906 * a2
    return (p * y + 0.03333333333333333 * a1) * y + 0.3333333333333333 * a0


def lane_window_2(y, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10):
    """Sum the power series of j = 2, but for a factor 1/4."""
    p = (1.787094618831376e-20 * a10 * y + 7.437717604088679e-18 * a9) * y + 2.515514385467045e-15 * a8
    p = ((p * y + 6.74749741042925e-13 * a7) * y + 1.3917837991912066e-10 * a6) * y + 2.1197937864604532e-08 * a5
    p = ((p * y + 2.2546897546897547e-06 * a4) * y + 0.00015432098765432098 * a3) * y + 0.005952380952380952 * a2
    return (p * y + 0.1 * a1) * y + 0.3333333333333333 * a0
