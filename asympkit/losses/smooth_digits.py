"""The proximal step of a smooth convex function with any number of digits."""

from functools import lru_cache

import numpy as np

from ..numbers.digits import Digits
from ..numbers.evaluation import evaluate

__all__ = ["readings_in_digits"]


def readings_in_digits(rates, x, others, floats):
    """``(slope, envelope)``: functions ``(mp, V, t, *others)``.

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
        for _ in range(400):
            p = t + V * f
            h = f + rate(1, p)
            low, high = (low, f) if h > 0 else (f, high)
            new = f - h / (1 + V * rate(2, p))
            new = new if low <= new <= high else (low + high) / 2
            step, f = abs(new - f), new
            # Newton's method squares its error: after a step of half the digits the next one has all of them
            if step <= abs(f) * mp.ldexp(1, -mp.prec // 2 - 4) or high - low <= abs(f) * 2 * mp.eps:
                f -= (f + rate(1, t + V * f)) / (1 + V * rate(2, t + V * f))
                break
        return f, V * f**2 / 2 + rate(0, t + V * f)

    return (lambda mp, *a: solved(mp, *a)[0]), (lambda mp, *a: solved(mp, *a)[1])


@lru_cache(maxsize=16)
def _numbers(mp, precision):
    return Digits.of_context(mp)
