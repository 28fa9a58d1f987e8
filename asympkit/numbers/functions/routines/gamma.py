"""The gamma function and its logarithmic derivatives in double precision (numpy only; copied where needed)."""

import math

import numpy as np

#: Lanczos' sum with g = 6.0246..., as CPython has it: numerator and denominator from the highest power
_ABOVE = (2.5066282746310002, 210.82427775157936, 8071.672002365816, 186056.26539522348, 2876370.6289353725,
          31426415.585400194, 248874557.86205417, 1439720407.3117216, 6039542586.352028, 17921034426.03721,
          35711959237.35567, 42919803642.6491, 23531376880.41076)
_BELOW = (1.0, 66.0, 1925.0, 32670.0, 357423.0, 2637558.0, 13339535.0, 45995730.0, 105258076.0, 150917976.0,
          120543840.0, 39916800.0, 0.0)
_SHIFT = 5.524680040776729583740234375
#: Bernoulli numbers B_2, B_4, ...
_BERNOULLI = (1.0 / 6.0, -1.0 / 30.0, 1.0 / 42.0, -1.0 / 30.0, 5.0 / 66.0, -691.0 / 2730.0, 7.0 / 6.0,
              -3617.0 / 510.0, 43867.0 / 798.0, -174611.0 / 330.0)
#: where the asymptotic series of polygamma is taken, and from where on the recurrence leads there
_FAR, _FARTHEST = 16.0, -2000.0


def lanczos_batch(x):
    """Evaluate gamma(x)*exp(x + shift)/(x + shift)**(x - 1/2) for x > 0; in powers of 1/x where x is large."""
    small, inverse = np.minimum(x, 5.0), 1.0 / np.maximum(x, 5.0)
    above, below, far_above, far_below = 0.0, 0.0, 0.0, 0.0
    for k in range(13):
        above, below = above * small + _ABOVE[k], below * small + _BELOW[k]
        far_above, far_below = far_above * inverse + _ABOVE[12 - k], far_below * inverse + _BELOW[12 - k]
    return np.where(x < 5.0, above / below, far_above / far_below)


def sin_pi_batch(x):
    """Evaluate sin(pi x), exact at integers."""
    rest = x - 2.0 * np.floor(0.5 * x + 0.5)
    size = np.abs(rest)
    outer = np.where(size <= 0.75, np.cos(np.pi * (size - 0.5)), np.sin(np.pi * (1.0 - size)))
    return np.where(size <= 0.25, np.sin(np.pi * rest), np.copysign(outer, rest))


def gamma_function(x):
    """Evaluate the gamma function; nan at its poles."""
    if x <= 0.0 and x == math.floor(x) or x != x:
        return math.nan
    if x > 171.6243769:         # beyond doubles
        return math.inf
    return math.gamma(x) if x > -184.0 else 0.0


def gamma_function_batch(x):
    """Evaluate gamma_function at arrays."""
    x = np.asarray(x, dtype=float)
    size = np.clip(np.abs(x), 1e-20, 171.7)
    y = size + _SHIFT
    half = y ** (0.5 * size - 0.25)
    value = lanczos_batch(size) * (half * np.exp(-y)) * half
    negative = -np.pi / (sin_pi_batch(size) * size) / value
    value = np.where(x > 0.0, np.where(x > 171.7, np.inf, value), np.where(x < -171.7, 0.0, negative))
    value = np.where(np.abs(x) < 1e-20, 1.0 / x, value)
    return np.where((x <= 0.0) & (x == np.floor(x)) | np.isnan(x), np.nan, value)


def log_gamma(x):
    """Evaluate log(gamma(x)) for x > 0: near its zeros from the values of the Taylor series at 1 and 2."""
    if not x > 0.0:
        return math.nan
    if 0.5 < x < 1.5:
        return log_gamma_taylor(x - 1.0) - math.log1p(x - 1.0)
    return log_gamma_taylor(x - 2.0) if 1.5 <= x < 2.5 else math.lgamma(x)


#: log(gamma(2 + t)) = t (1 - Euler) + sum (zeta(k) - 1)/k (-t)**k: the coefficients of t, t**2, ...
_AT_TWO = (0.42278433509846713, 0.3224670334241132, -0.0673523010531981, 0.020580808427784546, -0.007385551028673986,
           0.0028905103307415234, -0.001192753911703261, 0.0005096695247430425, -0.00022315475845357939,
           9.945751278180853e-05, -4.492623673813314e-05, 2.050721277567069e-05, -9.439488275268397e-06,
           4.374866789907488e-06, -2.039215753801366e-06, 9.55141213040742e-07, -4.492469198764566e-07,
           2.1207184805554665e-07, -1.0043224823968099e-07, 4.7698101693639804e-08, -2.2711094608943164e-08,
           1.0838659214896955e-08, -5.183475041970047e-09, 2.4836745438024785e-09)


def log_gamma_taylor(t):
    """Evaluate log(gamma(2 + t)) for small t, numbers or arrays."""
    total = 0.0
    for k in range(23, -1, -1):
        total = total * t + _AT_TWO[k]
    return total * t


def log_gamma_batch(x):
    """Evaluate log_gamma at arrays."""
    x = np.asarray(x, dtype=float)
    safe = np.where(x > 0.0, x, 1.0)
    one, two = np.clip(safe - 1.0, -0.5, 0.5), np.clip(safe - 2.0, -0.5, 0.5)
    total = log_gamma_taylor(two)
    near = log_gamma_taylor(one) - np.log1p(one)
    y = safe + _SHIFT
    far = np.log(lanczos_batch(safe)) - 6.024680040776729 + (safe - 0.5) * (np.log(y) - 1.0)
    value = np.where(np.abs(safe - 1.5) >= 1.0, far, np.where(safe < 1.5, near, total))
    return np.where(x > 0.0, value, np.nan)


def polygamma(n, x):
    """Evaluate the n-th derivative of digamma; nan at its poles and below -2000."""
    if x <= 0.0 and (x == math.floor(x) or x < _FARTHEST) or x != x:
        return math.nan
    factorial = 1.0
    for k in range(2, n + 1):
        factorial *= k
    sign = 1.0 if n % 2 else -1.0                        # of polygamma at large x, but for digamma itself
    total = 0.0
    while x < _FAR + n:
        total += sign * factorial / x ** (n + 1)
        x += 1.0
    lead = factorial / x**n
    total += sign * 0.5 * lead / x
    if n:
        total += sign * lead / n
    else:
        total += math.log(x)
    square, term = x * x, 0.5 * (n + 1.0) * lead / (x * x)      # (2k+n-1)!/((2k)! x**(2k+n)) for k = 1, 2, ...
    for k in range(1, 11):
        total += sign * _BERNOULLI[k - 1] * term
        term *= (2.0 * k + n) * (2.0 * k + n + 1.0) / ((2.0 * k + 1.0) * (2.0 * k + 2.0) * square)
    return total


def polygamma_batch(n, x):
    """Evaluate polygamma at arrays."""
    x = np.array(x, dtype=float)
    lost = (x <= 0.0) & ((x == np.floor(x)) | (x < _FARTHEST)) | np.isnan(x)
    x[lost] = 1.0
    factorial = float(math.factorial(n))
    sign = 1.0 if n % 2 else -1.0
    total = np.zeros(x.shape)
    while np.any(low := x < _FAR + n):
        total[low] += sign * factorial / x[low] ** (n + 1)
        x[low] += 1.0
    lead = factorial / x**n
    total += sign * 0.5 * lead / x + (sign * lead / n if n else np.log(x))
    square, term = x * x, 0.5 * (n + 1.0) * lead / (x * x)
    for k in range(1, 11):
        total += sign * _BERNOULLI[k - 1] * term
        term = term * ((2.0 * k + n) * (2.0 * k + n + 1.0) / ((2.0 * k + 1.0) * (2.0 * k + 2.0))) / square
    return np.where(lost, np.nan, total)
