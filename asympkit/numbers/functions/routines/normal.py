"""Error functions and tails of the normal law in double precision."""

import math

import numpy as np

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
    if x <= 20.0:
        return math.log(math.erfc(x))
    y = 0.5 / (x * x)
    rest = 1.0 - y * (1.0 - 3.0 * y * (1.0 - 5.0 * y * (1.0 - 7.0 * y * (1.0 - 9.0 * y * (1.0 - 11.0 * y)))))
    return math.log(rest / (x * 1.772453850905516)) - x * x


def log_erfc_batch(x):
    """Evaluate log_erfc at arrays."""
    inner = np.where(np.abs(x) <= 0.5, np.log1p(-_centre_batch(np.clip(x, -0.5, 0.5))),
                     np.log(erfc_batch(np.minimum(x, 20.0))))
    far = np.maximum(x, 20.0)
    y = 0.5 / (far * far)
    rest = 1.0 - y * (1.0 - 3.0 * y * (1.0 - 5.0 * y * (1.0 - 7.0 * y * (1.0 - 9.0 * y * (1.0 - 11.0 * y)))))
    return np.where(x <= 20.0, inner, np.log(rest / (far * 1.772453850905516)) - far * far)


#: 1/sqrt(2), sqrt(2/pi), 1/sqrt(2 pi)
_HALF_ROOT, _TWO_OVER_PI, _DENSITY = 0.7071067811865476, 0.7978845608028654, 0.3989422804014327


def gauss_exp(x):
    """Evaluate exp(-x**2/2), with the rounding of the square treated apart."""
    if abs(x) > 40.0:
        return 0.0
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
    if x > -2.5:
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
