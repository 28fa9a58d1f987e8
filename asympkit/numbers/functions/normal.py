r"""Catalogue of functions of the normal law: error functions, tails, pairs of normals, smoothed kinks.

``LogPhi`` is the logarithm of the normal distribution function, ``Mills`` the density over it, ``MillsGap`` Mills
plus ``x``; the latter two give the derivatives of the first without cancellation.

Smoothed kinks are means of the normal law's repeated integrals over an interval.  With :math:`\varphi^{(n)}` the
derivatives of the normal density, its repeated integrals from the left for n < 0, the function of c and h is the mean
of :math:`u^j\varphi^{(n)}(c+hu)` over u between -1/2 and 1/2: the Gaussian convolution of a kink whose slope rises over
an interval.  A narrow interval takes a power series in h, a wide one differences of the ends.  For n < 0 the integrals
are polynomials on the right, but for a tail.  The arguments left and right are 1 for an end on the right, else -1;
there the polynomials are left out, and the caller adds them where they do not cancel.
"""

from fractions import Fraction
from math import inf

from .entry import Entry, FunctionGrowth

_HERE = "asympkit.numbers.functions"
_CLASSES, _BALLS, _ROUTINES = f"{_HERE}.classes", f"{_HERE}.balls", f"{_HERE}.routines"
#: narrower intervals take power series
NARROW = 2
#: terms of these at most
_MOST = 2000
#: the orders (j, n) that the fused evaluator of compiled loops returns
_TOGETHER = (0, -2), (0, -1), (1, -1), (0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (0, 2)


# -- tails with their exponentials taken out, in multiprecision -------------------------------------


def _extra_digits(mp, x):
    """Return the bits that exponents of the size of ``x**2`` take."""
    return 2 * max(0, mp.mag(x)) + 20


def _log_erfc_digits(mp, x):
    with mp.workprec(mp.prec + _extra_digits(mp, x)):
        value = mp.log1p(-mp.erf(x)) if abs(x) < 1 else mp.log(mp.erfc(x))
    return +value


def _log_phi_digits(mp, x):
    with mp.workprec(mp.prec + _extra_digits(mp, x)):
        root = mp.sqrt(2)
        value = mp.log1p(-mp.erfc(x / root) / 2) if x > 0 else mp.log(mp.erfc(-x / root) / 2)
    return +value


def _mills_digits(mp, x):
    with mp.workprec(mp.prec + _extra_digits(mp, x)):
        value = mp.exp(-x * x / 2) * mp.sqrt(2 / mp.pi) / mp.erfc(-x / mp.sqrt(2))
    return +value


def _mills_gap_digits(mp, x):
    with mp.workprec(mp.prec + 2 * _extra_digits(mp, x)):       # x*mills(x) is near -x**2
        value = x + _mills_digits(mp, x)
    return +value


# -- smoothed kinks, in multiprecision; balls take the same steps ------------------------------------


def derivative(density, below, n, x):
    r"""Evaluate :math:`\varphi^{(n)}(x)` for n >= -3 in any number system, from the density and its integral."""
    phi = density(x)
    if n >= 0:
        before, value = 0 * phi, phi
        for k in range(n):
            before, value = value, -x * value - k * before
        return value
    left = below(x)
    return {-1: lambda: left, -2: lambda: x * left + phi, -3: lambda: ((x * x + 1) * left + x * phi) / 2}[n]()


def remainder(density, below, n, x, side):
    """Evaluate the derivative without the polynomial that it becomes on the right."""
    return (-1) ** (n % 2) * derivative(density, below, n, -x) if side > 0 else derivative(density, below, n, x)


def blur_by_ends(kit, j, n, c, h, left, right):
    """Evaluate the mean over a wide interval by differences of its ends, in any number system."""
    low, high = c - h / 2, c + h / 2
    total = (remainder(*kit, n - j - 1, high, right) - remainder(*kit, n - j - 1, low, left)) / h
    for k in range(1, j + 1):
        m = n - j + k - 1
        ends = remainder(*kit, m, high, right) - (-1) ** k * remainder(*kit, m, low, left)
        total = (ends / 2**k - k * total) / h
    return total


def _series(kit, j, n, x, h):
    """Yield the nonzero terms of the power series, k = j mod 2 and on by twos, without the factor ``2**-j``."""
    before, value, power = derivative(*kit, n - 1, x), derivative(*kit, n, x), 1
    for k in range(_MOST):
        if (j + k) % 2 == 0:
            yield value * power / (j + k + 1)
        power = power * h / (2 * (k + 1))
        before, value = value, -x * value - (n + k) * before


def _blur_digits(mp, j, n, c, h, left, right):
    j, n = int(j), int(n)
    c, h = mp.convert(c), mp.convert(h)
    kit = mp.npdf, lambda x: mp.erfc(-x / mp.sqrt(2)) / 2
    with mp.workprec(mp.prec + 40 + 8 * max(0, int(mp.mag(c)) if c else 0, int(mp.mag(h)) if h else 0)):
        if left != right or h > NARROW:
            value = blur_by_ends(kit, j, n, c, h, left, right)
        else:
            value, small, x = mp.zero, 0, -c if right > 0 else c
            for term in _series(kit, j, n, x, h):
                value += term
                small = small + 1 if abs(term) <= mp.ldexp(abs(value), -mp.prec) else 0
                if small > 3:
                    break
            value *= (-1) ** ((j + n) % 2 if right > 0 else 0) * mp.ldexp(1, -j)
    return +value


def _tail(name, called, digits, source="normal", **facts):
    """Make the entry of a tail, which has the same name in loops, texts and balls."""
    return Entry(name, called, f"{called}_batch", f"{_ROUTINES}.normal:{called}_batch", digits, f"{_BALLS}:{called}",
                 f"{_BALLS}:{called}_complex", called, source, symbol=f"{_CLASSES}:{name}", is_steep=True, **facts)


def _pair(name, called, text, **facts):
    return Entry(name, called, f"{called}_batch", f"{_ROUTINES}.normal_pairs:{called}_batch",
                 f"{_HERE}.pair_classes:{called}", f"{_BALLS}:{called}", f"{_BALLS}:{called}_complex", text,
                 "normal_pairs", growth=FunctionGrowth((1,)), symbol=f"{_HERE}.pair_classes:{name}", is_steep=True,
                 **facts)


ENTRIES = (
    Entry("erf", "math.erf", "erf_batch", "scipy.special:erf", "erf", "erf", "erf", "erf", "normal",
          image=(-1, 1), growth=FunctionGrowth((1,)), monotone=1, parity="odd", is_steep=True),
    Entry("erfc", "math.erfc", "erfc_batch", "scipy.special:erfc", "erfc", "erfc", "erfc", "erfc", "normal",
          image=(0, 2), growth=FunctionGrowth((2,)), monotone=-1, is_steep=True, lanes="lane_erfc"),
    _tail("LogErfc", "log_erfc", _log_erfc_digits, image=(-inf, 1), growth=FunctionGrowth((1, 2, 1)), monotone=-1),
    _tail("LogPhi", "log_phi", _log_phi_digits, image=(-inf, 0), growth=FunctionGrowth((2, 2, 1)), monotone=1),
    _tail("Mills", "mills", _mills_digits, image=(0, inf), growth=FunctionGrowth((1, 1)), monotone=-1),
    _tail("MillsGap", "mills_gap", _mills_gap_digits, image=(0, inf), growth=FunctionGrowth((1, 1)), monotone=1,
          spelling=None),
    _pair("OwenT", "owen_t", "owen_t", arity=2, image=(-Fraction(1, 4), Fraction(1, 4))),
    _pair("BivariateNormalCDF", "bivariate_cdf", "bivariate_normal_cdf", arity=3, image=(0, 1),
          opposite="bivariate_opposite"),
    Entry("NormalBlur", "normal_blur", "normal_blur_batch", f"{_ROUTINES}.normal:normal_blur_batch", _blur_digits,
          f"{_BALLS}:normal_blur", source="normal", arity=6, orders=2, symbol=f"{_HERE}.step_classes:NormalBlur",
          is_steep=True, spelling=None, together=("lane_normal_window", "normal_window_batch", _TOGETHER)),
)
