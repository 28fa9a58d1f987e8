"""Closed form of a Gaussian mean, or ``None``."""

from collections import Counter
from functools import lru_cache

from sympy import Add, Dummy, Integral, S, factorial, nan, oo, zoo

from ..moving_kinks import affine_parts
from .decide import OutsideClass, Roots, tidy
from .moments import MomentSum, assemble
from .terms import has_imaginary_unit, normal_form, smooth_pieces

_X = Dummy("x", real=True)
#: size of the cache of forms: the same means recur at every precision, at every point and in every equation
_KEPT = 2000


@lru_cache(maxsize=_KEPT, typed=True)
def closed_mean(integrand, *symbols):
    """Return the closed form of the mean of an expression in independent standard Gaussian variables.

    Parameters
    ----------
    integrand : Expr
        The expression.  Its other symbols are parameters; kinks need them real, and need the signs
        that decide where the kinks lie to follow from their assumptions.
    *symbols : Symbol
        The variables; the last one is integrated first, and the others condition it.

    Returns
    -------
    Expr or None
        The mean in elementary functions, ``erf``, ``erfc``, ``erfi``, ``asin``, ``atan``,
        :class:`~asympkit.numbers.functions.pair_classes.OwenT` and
        :class:`~asympkit.numbers.functions.pair_classes.BivariateNormalCDF`,
        free of the variables; ``None`` when the rules do not give one.

    Notes
    -----
    The class: sums of products of polynomials, exponentials of polynomials of degree two,
    sin, cos, sinh, cosh, erf, erfc of affine arguments, made of pieces through Abs, sign, Heaviside,
    Max, Min and Piecewise.  After integration by parts a term may hold two error functions or
    indicators, three if they are centred; an oscillation next to one must be centred.  Square roots of
    parameters are taken to be real, as they are wherever the integrand is.

    Examples
    --------
    >>> from sympy import Max, symbols
    >>> z, b = symbols("z", real=True), symbols("b", positive=True)
    >>> closed_mean(Max(0, b*z), z)
    sqrt(2)*b/(2*sqrt(pi))
    """
    integrand = S(integrand)
    if has_imaginary_unit(integrand):
        return None
    shift = _shift(integrand, symbols)
    if shift is not None:
        expr, place, several = shift
        closed = closed_mean(expr, *symbols)
        if closed is not None:
            return closed.xreplace({place: several})
    roots = Roots(integrand, set(symbols))
    expr = roots.masked(integrand)
    try:
        for z in reversed(symbols):
            expr = _mean(expr.xreplace({z: _X}))
    except OutsideClass:
        return None
    return roots.unmasked(expr)


def _shift(integrand, bound):
    """Return ``(expr, s, b + m - 1)``: the integrand with one symbol for a sum of parameters, if it depends on these by
    their sum alone; None where there is no such sum.

    Then squares of the sum are not expanded: the many terms would nearly cancel.
    """
    if len(integrand.free_symbols - set(bound)) < 2:
        return None
    parts = affine_parts(integrand, bound) or {}
    sums = Counter(c if c.as_coefficients_dict()[min(c.free_symbols, key=str)] > 0 else -c
                   for _, c in parts.values() if c.is_Add and len(c.free_symbols) > 1)
    for several, _ in sums.most_common():
        s = next((s for s in sorted(several.free_symbols, key=str) if several.diff(s).is_Number), None)
        if s is None:
            continue
        place = Dummy("s", real=several.is_real, positive=several.is_positive, negative=several.is_negative)
        inside = {s: (place - several).expand() / several.diff(s) + s}
        expr = integrand.xreplace({part: Add(*(a * b for a, b in zip(slopes, bound)), c.xreplace(inside).expand())
                                   for part, (slopes, c) in parts.items()})
        if expr.free_symbols.isdisjoint(several.free_symbols):
            return expr, place, several
    return None


def _mean(expr):
    if _X not in expr.free_symbols:
        return expr
    try:
        pieces = smooth_pieces(expr, _X)
    except OutsideClass:
        terms = Add.make_args(tidy(expr))
        if len(terms) == 1:
            raise
        # Kinks whose order is not known do no harm in different terms of a sum.
        return sum((_mean(term) for term in terms), S.Zero)
    moments = MomentSum()
    for term in by_interval(pieces, _X):
        moments.add(*term)
    return _finished(moments)


def _finished(moments):
    moments.run()
    result = assemble(moments.values, moments.names())
    if result.has(_X, nan, zoo, oo, -oo, Integral) or has_imaginary_unit(result):
        raise OutsideClass("the rules met an indeterminate form")
    return result


def mean_of_shape(shape, lo, hi):
    """Return the mean of one shape of the normal form on an interval, without a power of the variable."""
    moments = MomentSum()
    moments.add(shape, {0: (S.One, S.Zero)}, lo, hi)
    return _finished(moments)


def by_interval(pieces, z):
    """Yield ``(shape, {n: coefficients}, lo, hi)``, the normal form of smooth pieces in the variable z."""
    for shape, powers in _by_power(pieces, z).items():
        for interval, poly in _merged(powers, len(pieces), pieces):
            yield shape, poly, *interval


def _by_power(pieces, z):
    """Return ``{shape: {n: coefficient on every piece}}``."""
    zero = (S.Zero, S.Zero)
    table = {}
    for i, (_, _, smooth) in enumerate(pieces):
        for shape, poly in normal_form(smooth, z).items():
            for n, pair in poly.items():
                table.setdefault(shape, {}).setdefault(n, [zero] * len(pieces))[i] = pair
    return table


def _merged(powers, count, pieces):
    """Join neighbouring pieces with the same coefficient, then gather powers by interval."""
    zero = (S.Zero, S.Zero)
    gathered = {}
    for n, row in powers.items():
        start = 0
        for i in range(1, count + 1):
            if i < count and row[i] == row[start]:
                continue
            if row[start] != zero:
                interval = (pieces[start][0], pieces[i - 1][1])
                gathered.setdefault(interval, {})[n] = row[start]
            start = i
    return gathered.items()


def hermite_coefficient(expr, z, k):
    """Return the coefficient ``c_k = E[expr He_k(z)]/k!`` of the expansion in probabilists' polynomials.

    Parameters
    ----------
    expr : Expr
        The function, as for :func:`closed_mean`.
    z : Symbol
        The standard Gaussian variable.
    k : int
        Degree of the Hermite polynomial.

    Returns
    -------
    Expr or None
        The coefficient, or ``None`` when no closed form is known.
    """
    mean = closed_mean(S(expr) * _hermite(k, z), z)
    return None if mean is None else mean / factorial(k)


def _hermite(k, z):
    total, coefficient = S.Zero, S.One
    for j in range(k // 2 + 1):
        total += coefficient * z ** (k - 2 * j)
        coefficient = -coefficient * (k - 2 * j) * (k - 2 * j - 1) / (2 * (j + 1))
    return total
