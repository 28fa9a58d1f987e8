"""Owen's T and the bivariate normal cdf with any number of digits, by integrals of positive functions.

Both are one integral over an angle plus terms that are not negative, so that nothing cancels and small
values keep their relative accuracy.  The integrands fall off from one end of their interval on a scale
that may be tiny; the double exponential rule resolves every scale at an end.

Owen's T and the bivariate normal cdf of floats and arrays (scipy is loaded when first called).
"""

from functools import lru_cache

import numpy as np
from mpmath.ctx_mp import MPContext
from sympy import Float

from ...errors import ConvergenceError

_LEVELS = 12


def owen_t(mp, h, a):
    """Evaluate ``T(h, a)`` for real mpf of a context, to the precision of that context."""
    sign, h, a = mp.sign(a), abs(h), abs(a)
    with mp.workprec(mp.prec + _guard(mp, h * h)):
        half = h * h / 2
        value = sign * _integral(mp, lambda x: mp.exp(-half / mp.cos(x) ** 2), 0, mp.atan(a)) / (2 * mp.pi)
    return +value


def bivariate_cdf(mp, h, k, r, gaps=None):
    """Evaluate ``P(X < h, Y < k)`` for correlation r in [-1, 1], to the precision of the context.

    ``gaps = (h - k, h + k, 1 - r, 1 + r)`` may be given more accurately than h, k and r allow.
    """
    d, s, below, above = gaps or (h - k, h + k, 1 - r, 1 + r)
    if below == 0 or above == 0:
        return +(_cdf(mp, min(h, k)) if below == 0 else _overlap(mp, h, k, s))
    gap = max(0, -mp.mag(s)) if s > 0 else 0
    with mp.workprec(mp.prec + gap + _guard(mp, (h * h + k * k) / min(below, above))):
        # Plackett: the derivative by r is the density; t = cos(x) or -cos(x) is the correlation.
        if r >= 0:
            outside = _cdf(mp, h) * _cdf(mp, k)
            ends, gap, product = (_angle(mp, below / 2), mp.pi / 2), d, -h * k / 2
        else:
            outside = _overlap(mp, h, k, s)
            ends, gap, product = (mp.zero, _angle(mp, above / 2)), s, h * k / 2
        square = gap * gap / 2

        def density(x):
            exponent = product / mp.cos(x / 2) ** 2
            return mp.exp(exponent - square / mp.sin(x) ** 2 if square else exponent)

        # The density is largest where the correlation is the ratio of h and k.
        top, (low, high) = max(abs(h), abs(k)), ends
        peak = _angle(mp, abs(gap) / (2 * top)) if top else low
        cuts = [low, peak, high] if low < peak < high else [low, high]
        total = sum((_integral(mp, density, x, y) for x, y in zip(cuts, cuts[1:])), mp.zero)
        value = outside + total / (2 * mp.pi)
    return +value


def _guard(mp, size):
    """Count the bits lost in an exponent of this size, and in resolving a peak of the inverse width."""
    return 24 + 2 * max(0, mp.mag(size))


def _cdf(mp, x):
    return mp.erfc(-x / mp.sqrt(2)) / 2


def _overlap(mp, h, k, s):
    """Evaluate ``P(-k < X < h)``, from the tails on the side where they are small."""
    if s <= 0:
        return mp.zero
    return _cdf(mp, h) - _cdf(mp, -k) if h < 0 or k > 0 else _cdf(mp, k) - _cdf(mp, -h)


def _angle(mp, half_gap):
    """Evaluate ``acos(1 - 2 half_gap)`` without loss near zero."""
    return 2 * mp.asin(mp.sqrt(half_gap))


def _integral(mp, f, low, high):
    """Integrate a positive function with its only sharp features at the ends."""
    width, step, total, before = high - low, mp.one, mp.zero, None
    if not width:
        return mp.zero
    bits = mp.prec
    # halving the step squares the error; a monotone function is largest at an end
    enough, nothing = mp.ldexp(mp.one, -int(0.6 * bits)), mp.ldexp(mp.one, -bits)
    edge = width * nothing**2
    largest = f(low + edge) + f(high - edge)
    for level in range(_LEVELS):
        for t_is_zero, near, weight in _nodes(-(-bits // 64) * 64, level):      # few tables, used often
            x, weight = width * mp.make_mpf(near), mp.make_mpf(weight)
            both = f(low + x) if t_is_zero else f(low + x) + f(high - x)
            total += weight * both
            if weight * largest < nothing * total:
                break
        value = total * step * width
        if before is not None and level > 2 and abs(value - before) <= enough * value:
            return value
        before, step = value, step / 2
    raise ConvergenceError(f"evalf: an integral over an angle did not converge to {int(bits / 3.32)} digits; "
                           "ask for fewer digits")


@lru_cache(maxsize=128)
def _nodes(bits, level):
    """Return the new nodes of a level: distance to the nearer end of the unit interval, and weight without the step."""
    mp = MPContext()
    mp.prec = bits + 10
    step, index, rows = mp.ldexp(mp.one, -level), 1 if level else 0, []
    smallest = mp.ldexp(mp.one, -2 * bits)
    while True:
        t = index * step
        e = mp.exp(-mp.pi * mp.sinh(t))
        weight = mp.pi * mp.cosh(t) * e / (1 + e) ** 2
        if weight < smallest:
            return rows
        rows.append((index == 0, (e / (1 + e))._mpf_, weight._mpf_))
        index += 2 if level else 1


# -- between sympy and mpmath ------------------------------------------------------------------------


def real_numbers(args, prec):
    """Convert arguments to real numbers of a private context of that precision; return both, or None."""
    mp = MPContext()
    mp.prec = prec + 10
    values = []
    for arg in args:
        value = arg if arg.is_Rational else arg.evalf(int(mp.prec / 3.3219) + 3)
        if not (value.is_Rational or isinstance(value, Float)):
            return None
        values.append(mp.mpf(value.p) / value.q if value.is_Rational else +mp.make_mpf(value._mpf_))
    return mp, values


def as_float(value, prec):
    """Convert an mpf to a sympy number."""
    return Float._new(value._mpf_, prec)


def owen_floats(h, a):
    """Evaluate Owen's T of floats, arrays, or mpmath numbers (to the precision of their context)."""
    context = _context(h, a)
    if context is not None:
        return owen_t(context, context.convert(h), context.convert(a))
    from scipy.special import owens_t

    return owens_t(h, a)


def bivariate_floats(h, k, r):
    """Evaluate the bivariate normal cdf of floats, arrays, or mpmath numbers.

    Floats: Owen's formula, whose absolute error is a few units of rounding.
    """
    context = _context(h, k, r)
    if context is not None:
        return bivariate_cdf(context, *map(context.convert, (h, k, r)))
    from scipy.special import ndtr, owens_t

    h, k, r = np.broadcast_arrays(*(np.asarray(x, dtype=float) for x in (h, k, r)))
    root = np.sqrt(np.maximum((1 - r) * (1 + r), 0))
    near = np.where(r < 0, -1.0, 1.0)           # the correlation that r is closer to
    with np.errstate(all="ignore"):
        # k - r h = (k - near h) + (near - r) h keeps its digits where r is close to 1 or -1
        slopes = [((y - near * x) + (near - r) * x) / (x * root) for x, y in ((h, k), (k, h))]
        split = (h * k < 0) | ((h * k == 0) & (h + k < 0))
        value = (ndtr(h) + ndtr(k)) / 2 - owens_t(h, slopes[0]) - owens_t(k, slopes[1]) - np.where(split, 0.5, 0.0)
    for x, y in ((h, k), (k, h)):
        with np.errstate(all="ignore"):
            value = np.where(x == 0, ndtr(y) / 2 + owens_t(y, r / root), value)
    value = np.where((h == 0) & (k == 0), 0.25 + np.arcsin(np.clip(r, -1, 1)) / (2 * np.pi), value)
    value = np.where(np.isposinf(h), ndtr(k), np.where(np.isposinf(k), ndtr(h), value))
    value = np.where(r == 1, ndtr(np.minimum(h, k)), np.where(r == -1, np.maximum(0, ndtr(h) - ndtr(-k)), value))
    value = np.where(np.isneginf(h) | np.isneginf(k), 0.0, value)
    return np.where(abs(r) <= 1, np.clip(value, 0, 1), np.nan)[()]


def _context(*values):
    """Return the context of the first mpmath number among the values, or None."""
    return next((v.context for v in values if hasattr(v, "_mpf_") and hasattr(v, "context")), None)
