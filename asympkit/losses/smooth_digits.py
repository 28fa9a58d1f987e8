"""Compute the proximal step of a smooth convex function in arbitrary precision."""

from functools import lru_cache

import numpy as np

from ..numbers.digits import Digits
from ..numbers.evaluation import evaluate
from ..numbers.functions.proximal import refined_slope

__all__ = ["readings_in_digits", "refined_of"]


def readings_in_digits(rates, x, others, floats):
    """Return ``(slope, envelope, bend)``: functions ``(mp, V, t, *others)`` and ``(mp, p, *others)``.

    Parameters
    ----------
    rates : list of Expr
        The function and its first two derivatives in x.
    floats : callable
        The slope in double precision.
    """

    def solved(mp, V, t, *values):
        V, t, *values = map(mp.convert, (V, t, *values))
        numbers, at = _numbers(mp, mp.prec), dict(zip(others, values))

        def rate(order, p):
            return evaluate(rates[order], {**at, x: p}, numbers)

        end = -rate(1, t)
        low, high = min(end, mp.zero), max(end, mp.zero)
        with np.errstate(all="ignore"):
            start = mp.mpf(float(floats(*map(np.float64, (V, t, *values)))))
        f = start if low <= start <= high else (low + high) / 2
        moved = high - low
        for _ in range(20 * mp.prec):
            h = f + rate(1, t + V * f)
            low, high = (low, f) if h > 0 else (f, high)
            step = h / (1 + V * rate(2, t + V * f))
            new = f - step
            # Newton's method squares its error: after a step below a third of the digits the next one has all of them
            is_last = abs(step) <= abs(f) * mp.ldexp(1, -mp.prec // 3)
            if is_last or end == 0:
                f = new - (new + rate(1, t + V * new)) / (1 + V * rate(2, t + V * new))
                return f, V * f**2 / 2 + rate(0, t + V * f)
            is_halved = low <= new <= high and 2 * abs(step) <= moved
            new = new if is_halved else (low + high) / 2
            moved, f = abs(new - f), new
        return mp.nan, mp.nan

    def bend(mp, p, *values):
        at = {**dict(zip(others, map(mp.convert, values))), x: mp.convert(p)}
        return evaluate(rates[2], at, _numbers(mp, mp.prec))

    return (lambda mp, *a: solved(mp, *a)[0]), (lambda mp, *a: solved(mp, *a)[1]), bend


def refined_of(rates, x, others, floats):
    """Return the slope for arrays in a multiprecision number system; arguments as for :func:`readings_in_digits`."""

    def refined(numbers, V, t, *values):
        at = dict(zip(others, values))
        start = floats(*map(numbers.floats, (V, t, *values)))
        return refined_slope(numbers, V, t, start, lambda p: [
            evaluate(rates[order], {**at, x: p}, numbers) for order in (1, 2)])

    return refined


@lru_cache(maxsize=16)
def _numbers(mp, precision):
    return Digits.of_context(mp)
