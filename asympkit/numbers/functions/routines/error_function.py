"""The error functions of arrays (numpy only; copied into generated modules that need them)."""

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
