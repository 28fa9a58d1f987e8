"""Means without powers: what is left when the recursion on powers has come down to ``n = 0``.

With ``w(z) = exp(A z^2 + B z + C + i (alpha z + beta))`` and ``v = 1 - 2 A``, the tilted measure is
Gaussian with variance ``1/v``.  Every value below is divided by the common factor
``v^(-1/2) exp(C + (B + i alpha)^2/(2 v) + i beta)``; it is a list of ``(special, (x, y))`` standing
for the sum of ``special * (x + i y)``.
"""

from sympy import S, asin, atan, erfi, pi, sqrt

from .decide import OutsideClass, is_zero, reduced, tidy
from .tails import erf_of, erfc_of, named, oriented

HALF, ZERO = S.Half, S.Zero
WHOLE = (S.NegativeInfinity, S.Infinity)


def base(shape, v, lo, hi):
    """Mean of indicator times error functions under the tilted measure."""
    constraints = len(shape.factors) + ((lo, hi) != WHOLE)
    if constraints == 0:
        return [(S.One, (S.One, ZERO))]
    if constraints > 1:
        return _orthant(shape, v, lo, hi)
    if shape.factors:
        return _one_factor(shape, v)
    return _interval(shape, v, lo, hi)


def _interval(shape, v, lo, hi):
    ends = [None if x in WHOLE else reduced(x * v - shape.B) for x in (lo, hi)]
    if not shape.alpha.is_zero:
        return _half_line_oscillation(shape, v, ends)
    low, high = ends
    if high is None:
        return [(erfc_of(low, 2 * v), (HALF, ZERO))]
    if low is None:
        return [(erfc_of(high, 2 * v, -1), (HALF, ZERO))]
    return [(erf_of(high, 2 * v), (HALF, ZERO)), (erf_of(low, 2 * v), (-HALF, ZERO))]


def _half_line_oscillation(shape, v, ends):
    # Off the centre the error function has a genuinely complex argument: no real closed form.
    end = ends[0] if ends[1] is None else ends[1]
    if None not in ends or not is_zero(end):
        raise OutsideClass("oscillation on an interval that does not end at the centre")
    side = HALF if ends[1] is None else -HALF
    return [(S.One, (HALF, ZERO)), (_erfi_of(shape.alpha, 2 * v), (ZERO, side))]


def _erfi_of(r, square):
    sign, y = oriented(r, square)
    return sign * erfi(y)


def _one_factor(shape, v):
    name, p, q = shape.factors[0]
    square = reduced(v + 2 * p**2)
    r = reduced(p * shape.B + q * v)
    if shape.alpha.is_zero:
        return [(named(name, r, v * square), (S.One, ZERO))]
    if not is_zero(r):
        raise OutsideClass("oscillation times an error function that is not centred")
    value = _erfi_of(tidy(p * shape.alpha), v * square)
    if name == "erf":
        return [(value, (ZERO, S.One))]
    return [(S.One, (S.One, ZERO)), (value, (ZERO, -S.One))]


def _orthant(shape, v, lo, hi):
    """Several constraints: closed only if all of them are centred, when signs are odd functions."""
    if not shape.alpha.is_zero:
        raise OutsideClass("oscillation times several error functions or indicators")
    if not all(is_zero(reduced(p * shape.B + q * v)) for _, p, q in shape.factors):
        raise OutsideClass("several error functions or indicators, not all of them centred")
    side = 0
    if (lo, hi) != WHOLE:
        end, side = (lo, 1) if hi is S.Infinity else (hi, -1)
        if (lo if side < 0 else hi) not in WHOLE or not is_zero(reduced(end * v - shape.B)):
            raise OutsideClass("error functions on an interval that does not end at the centre")
    value = ZERO
    # erfc = 1 - erf, and an indicator is (1 + sign)/2: multiply out, keep the even products.
    for slopes, weight in _products(shape.factors):
        if side:
            weight = weight / 2
            value += weight * (side * _with_sign(slopes, v) if len(slopes) % 2 else _even(slopes, v))
        elif len(slopes) % 2 == 0:
            value += weight * _even(slopes, v)
    return [(part, (S.One, ZERO)) for part in value.as_ordered_terms()]


def _products(factors):
    products = [((), S.One)]
    for name, p, _ in factors:
        taken = [((*slopes, p), -w if name == "erfc" else w) for slopes, w in products]
        products = taken + (products if name == "erfc" else [])
    return products


def _even(slopes, v):
    """Mean of a product of an even number of centred error functions."""
    if not slopes:
        return S.One
    if len(slopes) > 2:
        raise OutsideClass("four or more error functions")
    (p, q) = slopes
    first, second = reduced(v + 2 * p**2), reduced(v + 2 * q**2)
    return 2 * asin(2 * tidy(p * q) / (sqrt(first) * sqrt(second))) / pi


def _with_sign(slopes, v):
    """Mean of a product of an odd number of centred error functions, times the sign."""
    if len(slopes) > 1:
        raise OutsideClass("four or more error functions and indicators")
    return 2 * atan(sqrt(2) * slopes[0] / sqrt(v)) / pi
