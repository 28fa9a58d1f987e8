"""Averages over two correlated normals with any number of digits: one pass over two lattices.

``E f(X) g(Y)`` at correlation r is a double sum over lattices of X and of Y with the weight

    exp(-x**2/2 - (y - r x)**2/(2 (1 - r**2)))

so that f and g are evaluated at the nodes of one lattice only, and the weights along a line follow from each other by
two products.
For analytic f and g the number of right digits is inversely proportional to the step.
"""

from sympy import Abs, Add, Dummy, Heaviside, Max, Min, Piecewise, expand_mul, sign

from ...exact import digits_of
from ...nodes import Average, unname
from ...numbers.mpmath_functions import compile_mp
from ..pairs import split_product

__all__ = ["pair_value"]

#: functions with kinks, for which a lattice is not the rule
_KINKED = (Abs, Max, Min, sign, Heaviside, Piecewise)
#: rules that are tried, the ratio of their steps, and a largest number of nodes on a side
_RULES, _RATIO, _MOST = 12, 1.4, 1500


def pair_value(average, mp, digits):
    """Evaluate an average over two normals whose integrand is a sum of ``f(x) g(a x + b y)``.

    Parameters
    ----------
    average : Average
        Without free symbols, over two normals.
    mp : mpmath context
    digits : int
        Correct digits, relative to the mean absolute integrand.

    Returns
    -------
    mpf or None
        None for an integrand of another form, with kinks, or whose sums do not converge.
    """
    integrand, (x, y) = unname(average.integrand), average.bound_symbols
    if integrand.has(Average, *_KINKED):
        return None
    z = Dummy("z", real=True)
    parts = _products(integrand, x, y, z)
    if parts is None:
        return None
    totals = [_product(*part, z, mp, digits) for part in parts]
    return None if None in totals else mp.fsum(totals)


def _products(expr, x, y, z):
    """Return ``[(f, g, a, b)]`` of the terms of a sum; None where one is of another form."""
    found = []
    for term in Add.make_args(expr):
        part = split_product(term, x, y, z) or split_product(term, y, x, z)
        if part is not None:
            found.append(part)
            continue
        expanded = expand_mul(term)
        more = _products(expanded, x, y, z) if expanded.is_Add else None
        if more is None:
            return None
        found += more
    return found


def _product(f, g, a, b, z, mp, digits):
    r, rest = mp.mpf(digits_of(a, mp.dps + 5)), mp.mpf(digits_of(b, mp.dps + 5)) ** 2
    left, right = (compile_mp(e, mp) for e in (f, g))
    cut = mp.sqrt(2 * mp.ln(10) * (digits + 9)) + 1
    # the weight is as narrow as the root of 1 - |r| across the diagonal
    step, previous = mp.mpf("0.37") * min(1, 2 * mp.sqrt(1 - abs(r))), None
    for _ in range(_RULES):
        count = int(mp.ceil(cut / step))
        if count > _MOST:
            return None
        rows = [[function({z: step * k}) for k in range(-count, count + 1)] for function in (left, right)]
        total, size = _double_sum(*rows, step, r, rest, mp)
        # the number of right digits grows by the ratio of the steps: those of the rule before are seen in the change
        if previous is not None and abs(total - previous) <= mp.mpf(10) ** (-(digits + 3) / _RATIO) * size:
            edge = max(abs(row[k]) for row in rows for k in (0, -1)) ** 2 * mp.npdf(cut) * cut
            return total if edge <= mp.mpf(10) ** (-digits) * size else None
        previous, step = total, step / _RATIO
    return None


def _double_sum(f, g, step, r, rest, mp):
    """Compute the double sum, and that of the absolute rows, in fixed-point integers.

    Along a row the weights are ``exp(-(y - r x)**2/(2 rest))``: from the largest one outwards each is the one before
    times a ratio, and each ratio the one before times one number.
    """
    count, bits = len(f) // 2, mp.prec + 20
    unit, square = mp.mpf(2) ** bits, step * step / (2 * rest)
    values, bend = [int(v * unit) for v in g], int(mp.exp(-2 * square) * unit)
    rows = []
    for j, value in zip(range(-count, count + 1), f):
        middle = r * j
        nearest = int(mp.nint(middle))
        away = nearest - middle
        first = int(mp.exp(-square * away**2) * unit)
        total = values[nearest + count] * first
        for side in (1, -1):
            weight, ratio = first, int(mp.exp(-square * (2 * side * away + 1)) * unit)
            for k in range(nearest + side, side * (count + 1), side):
                weight = weight * ratio >> bits
                if not weight:
                    break
                ratio = ratio * bend >> bits
                total += values[k + count] * weight
        rows.append(value * mp.mpf(total) * mp.exp(-(step * j) ** 2 / 2))
    scale = step * step / (2 * mp.pi * mp.sqrt(rest)) / unit**2
    return mp.fsum(rows) * scale, mp.fsum(map(abs, rows)) * scale
