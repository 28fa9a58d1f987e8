"""Hermite coefficients of symbolic degree, by rules on the normal form.

With ``m_k(f) = E[He_k(Z) f(Z)]``, integration by parts gives ``m_k(f) = m_(k-1)(f')`` plus
``He_(k-1)(x) phi(x)`` times the jump of f at each x, and ``m_k(z f) = m_(k+1)(f) + k m_(k-1)(f)``.  For a
polynomial on an interval the derivatives come to an end; for ``f' = B f + g`` they are a sum over degrees.
"""

from sympy import Add, Dummy, Eq, Mul, Piecewise, S, exp, factor_terms, factorial

from .bases import WHOLE
from .decide import OutsideClass, tidy
from .engine import by_interval, hermite_coefficient
from .pieces import smooth_pieces
from .roots import Roots
from .sequences import density, hermite_at, raised, sequence_of
from .terms import PLAIN, has_imaginary_unit

MAX_LOW = 48
"""Most low degrees listed one by one before a symbolic answer is given up."""

_X = Dummy("x", real=True)


def hermite_sequence(expr, z, k):
    """Return the coefficient ``c_k = E[expr He_k(z)]/k!`` for every integer ``k >= 0``.

    Parameters
    ----------
    expr : Expr
        A function of the class of :func:`~asympkit.gauss.closed.gaussian_mean`.
    z : Symbol
        The standard Gaussian variable.
    k : Symbol
        The degree; it need not be declared an integer.

    Returns
    -------
    Expr or None
        With the low degrees as branches of a ``Piecewise`` where they do not follow the general formula;
        ``None`` where no rule gives one.

    Notes
    -----
    The rules: polynomials; exponentials and oscillations; Gaussians; one error function, also times an
    exponential; polynomials and exponentials on intervals; each times a power of the variable.

    Examples
    --------
    >>> from sympy import Symbol, exp
    >>> x, a, n = Symbol("x", real=True), Symbol("a", real=True), Symbol("n", integer=True)
    >>> hermite_sequence(exp(a*x), x, n)
    a**n*exp(a**2/2)/factorial(n)
    """
    expr = S(expr)
    if has_imaginary_unit(expr):
        return None
    roots = Roots(expr, {z})
    try:
        general, start = _general(roots.masked(expr).xreplace({z: _X}), k)
    except OutsideClass:
        return None
    low = [hermite_coefficient(expr, z, j) for j in range(start)]
    if None in low:
        return None
    general = _over_factorial(roots.unmasked(general), k)
    branches = [(c, Eq(k, j)) for j, c in enumerate(low) if not (c == general == 0)]
    if not branches:
        return general
    return Piecewise(*branches, *(general.args if isinstance(general, Piecewise) else [(general, True)]))


def _over_factorial(total, k):
    """Divide by k!, inside the cases of even and odd degrees where all terms have the same ones."""
    cases = {}
    for term in Add.make_args(total):
        value, condition = term, True
        if even := next((f for f in Mul.make_args(term) if isinstance(f, Piecewise) and _is_even_case(f, k)), None):
            (case, condition), _ = even.args
            value = Mul(*[f for f in Mul.make_args(term) if f is not even], case)
        cases[condition] = cases.get(condition, S.Zero) + value / factorial(k)
    if len(cases) > 1 or True in cases:
        return factor_terms(total) / factorial(k)
    (condition, value), = cases.items()
    return Piecewise((factor_terms(value), condition), (0, True))


def _is_even_case(piecewise, k):
    return len(piecewise.args) == 2 and piecewise.args[1] == (0, True) and piecewise.args[0][1].has(k)


def _general(expr, k):
    """Return ``(m_k, start)``: the formula and the degree from which it holds."""
    total, start, jumps = S.Zero, 0, {}
    for shape, poly, lo, hi in by_interval(smooth_pieces(expr, _X), _X):
        if shape._replace(C=S.Zero) == PLAIN:
            _jumps(jumps, {n: c * exp(shape.C) for n, (c, _) in poly.items()}, lo, hi)
            start = max(start, max(poly) + 1)
            continue
        sequence, first = sequence_of(shape, lo, hi)
        start = max(start, first + max(poly))
        for n, (c, d) in poly.items():
            x, y = raised(sequence, n)(k)
            total += c * x - d * y
    if start > MAX_LOW:
        raise OutsideClass(f"the degrees below {start} would have to be listed")
    for (end, m), jump in jumps.items():
        jump = tidy(jump)
        if jump != 0:
            total += jump * density(end) * hermite_at(k - 1 - m, end)
    return total, start


def _jumps(jumps, poly, lo, hi):
    """Add the jumps of a polynomial and of its derivatives where it begins and ends."""
    for end, sign in ((lo, 1), (hi, -1)):
        if end in WHOLE:
            continue
        row = dict(poly)
        for m in range(max(poly) + 1):
            jumps[end, m] = jumps.get((end, m), S.Zero) + sign * sum(c * end**n for n, c in row.items())
            row = {n - 1: n * c for n, c in row.items() if n}
