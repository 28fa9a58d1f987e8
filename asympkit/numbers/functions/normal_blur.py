r"""Smoothed kinks: means of the normal law's repeated integrals over an interval, in every back end.

With :math:`\varphi^{(n)}` the derivatives of the normal density, its repeated integrals from the left for n < 0, the
function of c and h is the mean of :math:`u^j\varphi^{(n)}(c+hu)` over u between -1/2 and 1/2: the Gaussian convolution
of a kink whose slope rises over an interval.  A narrow interval takes a power series in h, a wide one differences of
the ends.

For n < 0 the integrals are polynomials on the right, but for a tail.  The arguments left and right are 1 for an end on
the right, else -1; there the polynomials are left out, and the caller adds them where they do not cancel.
"""

from functools import lru_cache
from math import exp, frexp, lgamma, log

from .entry import Entry

_HERE = "asympkit.numbers.functions.routines.normal_blur"
#: narrower intervals take power series
_NARROW = 2
#: largest interval where a ball that does not decide between the two forms takes the series
_WIDEST = 16
#: radius of balls that are evaluated at their centres
_WIDE = 1e-12
#: terms of these at most
_MOST = 2000
#: the orders (j, n) that the fused evaluator of compiled loops returns
_TOGETHER = (0, -2), (0, -1), (1, -1), (0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (0, 2)


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


def _wide(kit, j, n, c, h, left, right):
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


def _digits(mp, j, n, c, h, left, right):
    j, n = int(j), int(n)
    c, h = mp.convert(c), mp.convert(h)
    kit = mp.npdf, lambda x: mp.erfc(-x / mp.sqrt(2)) / 2
    with mp.workprec(mp.prec + 40 + 8 * max(0, int(mp.mag(c)) if c else 0, int(mp.mag(h)) if h else 0)):
        if left != right or h > _NARROW:
            value = _wide(kit, j, n, c, h, left, right)
        else:
            value, small, x = mp.zero, 0, -c if right > 0 else c
            for term in _series(kit, j, n, x, h):
                value += term
                small = small + 1 if abs(term) <= mp.ldexp(abs(value), -mp.prec) else 0
                if small > 3:
                    break
            value *= (-1) ** ((j + n) % 2 if right > 0 else 0) * mp.ldexp(1, -j)
    return +value


@lru_cache(maxsize=64)
def _kit(bits):
    from flint import arb

    root, scale = arb(2).sqrt(), (2 * arb.pi()).sqrt()
    return lambda x: (-(x * x) / 2).exp() / scale, lambda x: (-x / root).erfc() / 2


def _plain_balls(j, n, c, h, left, right):
    """Enclose the mean without regard to the dependence between arguments."""
    from flint import arb, arb_series, ctx

    kit, size = _kit(ctx.prec), abs(h).upper()
    if left != right or h > _NARROW or not size < _WIDEST:      # a series would have no end there
        return _wide(kit, j, n, c, h, left, right)
    flip, x = (-1 if (j + n) % 2 else 1, -c) if right > 0 else (1, c)
    count, rest = _count(n, frexp(float(size))[1], ctx.prec)
    before, ctx.cap = ctx.cap, count
    try:
        terms = derivative(*kit, n, arb_series([x, h / 2], count)).coeffs()
    finally:
        ctx.cap = before
    total = sum((a / (j + k + 1) for k, a in enumerate(terms) if (j + k) % 2 == 0), arb(0))
    return (total + arb(0, rest)) * flip / 2**j


@lru_cache(maxsize=4096)
def _count(n, exponent, bits):
    """Return the count of powers of h below ``2**exponent`` that reach the precision, and a bound of the remainder.

    Cramer: :math:`|\\varphi^{(m)}|\\le0.44\\sqrt{m!}`, for Taylor's remainder of each value in the interval.
    """
    k, log_h = max(1, -n), (max(exponent, -1000) - 1) * log(2)
    while (found := lgamma(n + k + 1) / 2 + k * log_h - lgamma(k + 1)) > -bits * log(2):
        k += 1
    return k, exp(max(found, -700.0))


def _balls(j, n, c, h, left, right):
    """Enclose the mean; for wide arguments by the mean-value form, as c and h occur many times."""
    from flint import arb, ctx

    j, n, wide = int(j), int(n), max(c.rad(), h.rad())
    if not wide > _WIDE:
        return _plain_balls(j, n, c, h, left, right)
    before, ctx.prec = ctx.prec, 30
    try:
        moved = sum((_plain_balls(j + i, n + 1, c, h, left, right) * arb(0, x.rad()) for i, x in enumerate((c, h))),
                    arb(0))
    finally:
        ctx.prec = before
    return _plain_balls(j, n, arb(c.mid()), arb(h.mid()), left, right) + moved


ENTRIES = (
    Entry("NormalBlur", "normal_blur", "normal_blur_batch", f"{_HERE}:normal_blur_batch", _digits, _balls,
          source="normal_blur", arity=6, orders=2, symbol="asympkit.numbers.functions.blur_classes:NormalBlur",
          is_steep=True, spelling=None, together=("lane_normal_window", "normal_window_batch", _TOGETHER)),
)
