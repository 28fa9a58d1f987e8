"""Means without powers: the base case ``n = 0`` of the recursion on powers.

With ``w(z) = exp(A z^2 + B z + C + i (alpha z + beta))`` and ``v = 1 - 2 A``, the tilted measure is
Gaussian with variance ``1/v``.  Every value below is divided by the common factor
``v^(-1/2) exp(C + (B + i alpha)^2/(2 v) + i beta)``; it is a list of ``(special, (x, y))`` standing
for the sum of ``special * (x + i y)``.
"""

from sympy import S, erfi

from .decide import OutsideClass, is_zero, reduced, tidy
from .orthants import HalfSpace, centred, pair
from .tails import erf_of, erfc_of, named, oriented

HALF, ZERO = S.Half, S.Zero
WHOLE = (S.NegativeInfinity, S.Infinity)


def base(shape, v, lo, hi):
    """Return the mean of indicator times error functions under the tilted measure."""
    if (lo, hi) == WHOLE:
        if not shape.factors:
            return [(S.One, (S.One, ZERO))]
        if len(shape.factors) == 1:
            return _one_factor(shape, v)
    elif not shape.factors:
        return _interval(shape, v, lo, hi)
    return _orthant(shape, v, lo, hi)


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
    """Average several error functions, or some of them on an interval: probabilities of orthants."""
    if not shape.alpha.is_zero:
        raise OutsideClass("oscillation times several error functions or indicators")
    spaces = [(name, HalfSpace.of_factor(p, reduced(p * shape.B + q * v), v)) for name, p, q in shape.factors]
    ends = [HalfSpace.of_end(tidy(sign * (shape.B - end * v)), sign, v)
            for end, sign in ((lo, 1), (hi, -1)) if end not in WHOLE]
    if len(spaces) + bool(ends) > 2:
        return _three_or_more(spaces, ends)
    if not ends:
        (first, x), (second, y) = spaces
        return _signs(x, y) if first == second == "erf" else _with_tails(first, x, second, y)
    ((name, x),) = spaces
    total = []
    # above lo and, where both ends are finite, not above hi
    for weight, end in ((S.One, ends[0]), (S.NegativeOne, ends[-1].opposite()))[: len(ends)]:
        total += _on_half_line(name, x, end, weight)
    return total


def _three_or_more(spaces, ends):
    if len(ends) == 2 or not all(is_zero(space.r) for space in [x for _, x in spaces] + ends):
        raise OutsideClass("three or more error functions and indicators, not all of them centred")
    return [(part, (S.One, ZERO)) for part in centred(spaces, ends).as_ordered_terms()]


def _scaled(terms, factor):
    return [(special, (factor * weight, ZERO)) for special, weight in terms]


def _signs(x, y):
    """Return the mean of ``erf erf``: ``4 P(x, y) - 2 P(x) - 2 P(y) + 1``, odd in each of them."""
    return _scaled(pair(x, y), 4) + _scaled([(x.mass(), -2), (y.mass(), -2), (S.One, S.One)], S.One)


def _with_tails(first, x, second, y):
    """Return the mean of ``erfc erfc`` or ``erf erfc``, as small as the tails are."""
    both = _scaled(pair(x.opposite(), y.opposite()), 4)
    if first == second:
        return both
    tail = y if second == "erfc" else x
    return [(tail.opposite().mass(), (S(2), ZERO))] + [(special, (-w, ZERO)) for special, (w, _) in both]


def _on_half_line(name, x, end, weight):
    """Return the mean of an indicator times ``erf = 2 P - 1`` or ``erfc = 2 P(-U < -h)``."""
    if name == "erfc":
        return _scaled(pair(x.opposite(), end), 2 * weight)
    return _scaled(pair(x, end), 2 * weight) + [(end.mass(), (-weight, ZERO))]
