"""Evaluate the proximal step of a smooth convex function: in arbitrary precision, for numpy arrays, in generated code.

Each solves for the slope f of ``f + g'(t + V f)`` by Newton steps that halve, else bisection, from the function and its
first two derivatives; generated code is source text with the common parts of these written once.
"""

import math
import re
from functools import lru_cache

import numpy as np
from sympy import cse, numbered_symbols

from ..codegen.expressions import ExpressionPrinter
from ..numbers.evaluation import Digits, evaluate
from ..numbers.functions import sources
from ..numbers.functions.classes import refined_slope


def evaluators_in_digits(rates, x, others, floats):
    """Return ``(slope, envelope, bend)``: functions ``(mp, V, t, *others)`` and ``(mp, p, *others)``.

    ``rates`` are the function and its first two derivatives in x, ``floats`` is the slope in double precision.
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


def refine_for_arrays(rates, x, others, floats):
    """Return the slope for arrays in a multiprecision number system; arguments as for :func:`evaluators_in_digits`."""

    def refined(numbers, V, t, *values):
        at = dict(zip(others, values))
        start = floats(*map(numbers.floats, (V, t, *values)))
        return refined_slope(numbers, V, t, start, lambda p: [
            evaluate(rates[order], {**at, x: p}, numbers) for order in (1, 2)])

    return refined


@lru_cache(maxsize=16)
def _numbers(mp, precision):
    return Digits.of_context(mp)


def evaluators_in_floats(digest, text):
    """Return the functions ``(slope, envelope, bend)`` of arrays that the source text of :func:`source_of` defines."""
    space = {"math": math, "np": np}
    for source in (*sources(text), text):
        exec(re.sub(r"^(?:from|import) .*\n", "", source, flags=re.MULTILINE), space)      # generated, no user's text

    def quiet(function):
        def value(*arguments):
            with np.errstate(all="ignore"):
                return function(*(np.asarray(a, dtype=float) for a in arguments))

        return value

    return [quiet(space[f"{kind}_of_{digest}_batch"]) for kind in ("slope", "envelope", "bend")]


_TEXT = '''
def slope_of_{digest}(V, t{others}):
    """Return the root f of f + g'(t + V f) between 0 and -g'(t): Newton steps that halve, else bisection."""
    p = t
    {first}
    end = -g1
    low, high = min(end, 0.0), max(end, 0.0)
    f, moved, left = end / (1.0 + V * g2), high - low, 2
    for _ in range(200):
        p = t + V * f
        {first_inside}
        h = f + g1
        if h > 0.0:
            high = f
        else:
            low = f
        step = h / (1.0 + V * g2)
        if abs(step) <= 1e-6 * abs(f) or end == 0.0:
            f, left = f - step, left - 1
            if left == 0:
                return f
        else:
            new = f - step
            if not (low <= new <= high and 2.0 * abs(step) <= moved):
                new = 0.5 * (low + high)
            moved, f = abs(new - f), new
    return math.nan


def slope_of_{digest}_batch(V, t{others}):
    """Return the same for arrays."""
    p = t
    {first_batch}
    end = -g1 + 0.0 * V
    low, high = np.minimum(end, 0.0), np.maximum(end, 0.0)
    f, moved = end / (1.0 + V * g2), high - low
    left = np.full(np.shape(f), 2)
    for _ in range(200):
        p = t + V * f
        {batch_inside}
        h = f + g1
        high, low = np.where(h > 0.0, f, high), np.where(h > 0.0, low, f)
        step = np.where(left > 0, h / (1.0 + V * g2), 0.0)
        is_near = (np.abs(step) <= 1e-6 * np.abs(f)) | (end == 0.0)
        new = f - step
        is_halved = (low <= new) & (new <= high) & (2.0 * np.abs(step) <= moved)
        new = np.where(is_near | is_halved, new, 0.5 * (low + high))
        left, moved, f = left - is_near, np.abs(new - f), new
        if not np.any((left > 0) & ~np.isnan(f)):
            break
    return np.where(left > 0, np.nan, f)


def envelope_of_{digest}(V, t{others}):
    """Return the minimum of (p - t)^2/(2 V) + g(p)."""
    f = slope_of_{digest}(V, t{others})
    p = t + V * f
    return 0.5 * V * f * f + {g}


def envelope_of_{digest}_batch(V, t{others}):
    """Return the same for arrays."""
    f = slope_of_{digest}_batch(V, t{others})
    p = t + V * f
    return 0.5 * V * f * f + {g_batch}


def bend_of_{digest}(p{others}):
    """Return the second derivative of g."""
    return {bend}


def bend_of_{digest}_batch(p{others}):
    """Return the same for arrays."""
    return {bend_batch}
'''


def source_of(digest, rates, x, others):
    """Return the text; ``rates`` are the function and its first two derivatives in x."""
    g, *slopes = rates
    names = {s: s.name for s in (x, *others)}
    scalar, batch = _assigned(slopes, names, False), _assigned(slopes, names, True)
    scalar_printer, batch_printer = ExpressionPrinter(names), ExpressionPrinter(names, batch=True)
    return _TEXT.format(
        digest=digest, others="".join(f", {s.name}" for s in others),
        first="\n    ".join(scalar), first_inside="\n        ".join(scalar),
        first_batch="\n    ".join(batch), batch_inside="\n        ".join(batch),
        g=scalar_printer.source(g), g_batch=batch_printer.source(g), bend=scalar_printer.source(slopes[1]),
        bend_batch=batch_printer.source(slopes[1]))


def _assigned(slopes, names, is_batch):
    """Return lines that compute g1 and g2 and their common parts."""
    steps, forms = cse(slopes, symbols=numbered_symbols("u", real=True))
    printer = ExpressionPrinter({**names, **{s: s.name for s, _ in steps}}, batch=is_batch)
    return [f"{s} = {printer.source(e)}" for s, e in (*steps, *zip(("g1", "g2"), forms))]
