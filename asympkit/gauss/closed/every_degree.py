"""Hermite coefficients of symbolic degree, by rules on the normal form.

With ``m_k(f) = E[He_k(Z) f(Z)]``, integration by parts gives ``m_k(f) = m_(k-1)(f')`` plus
``He_(k-1)(x) phi(x)`` times the jump of f at each x, and ``m_k(z f) = m_(k+1)(f) + k m_(k-1)(f)``.  For a
polynomial on an interval the derivatives come to an end; for ``f' = B f + g`` they are a sum over degrees.

Moments ``m_k = E[He_k(Z) f(Z)]`` of one shape of the normal form, as functions of a symbolic k.
"""

from sympy import (
    Abs,
    Add,
    Dummy,
    Eq,
    Mod,
    Mul,
    Piecewise,
    S,
    Sum,
    atan2,
    cos,
    exp,
    factor_terms,
    factorial,
    hermite_prob,
    pi,
    sin,
    sqrt,
)

from .bases import WHOLE
from .decide import OutsideClass, Roots, reduced, root_of, tidy
from .engine import by_interval, hermite_coefficient, mean_of_shape
from .terms import PLAIN, has_imaginary_unit, smooth_pieces


def density(x):
    """Return the standard normal density."""
    return exp(-(x**2) / 2) / sqrt(2 * pi)


def hermite_at(k, x):
    """Return ``He_k(x)``; at 0 written out, where sympy's own value for a symbolic degree is wrong (1.14)."""
    return if_even(k, (-S.Half) ** (k / 2) * factorial(k) / factorial(k / 2)) if x.is_zero else hermite_prob(k, x)


def if_even(k, value):
    """Return the value for even k, and 0 for odd ones."""
    return Piecewise((value, Eq(Mod(k, 2), 0)), (0, True))


def raised(sequence, n):
    """Derive the moments of ``z^n f`` from those of f."""
    if n == 0:
        return sequence
    below = raised(sequence, n - 1)

    def moment(k):
        (a, b), (c, d) = below(k + 1), below(k - 1)
        return a + k * c, b + k * d

    return moment


def sequence_of(shape, lo, hi):
    """Return ``(function of k that gives the real and imaginary part of m_k, first k where it holds)``."""
    if shape.factors or (lo, hi) != WHOLE:
        return _recursive(shape, lo, hi)
    if shape.alpha.is_zero:
        return (_gaussian(shape) if not shape.A.is_zero else _exponential(shape)), 0
    if not shape.A.is_zero:
        raise OutsideClass("oscillation times a Gaussian")
    return _exponential(shape), 0


def _exponential(shape):
    """Return ``m_k = (B + i alpha)^k exp(C + (B + i alpha)^2/2 + i beta)``."""
    B, alpha = shape.B, shape.alpha
    size = exp(tidy(shape.C + (B**2 - alpha**2) / 2))
    if alpha.is_zero:
        return lambda k: (B**k * size, S.Zero)
    radius, turn = (alpha, pi / 2) if B.is_zero else (sqrt(B**2 + alpha**2), atan2(alpha, B))
    phase = tidy(shape.beta + alpha * B)
    return lambda k: (radius**k * size * cos(phase + k * turn), radius**k * size * sin(phase + k * turn))


def _gaussian(shape):
    """Return m_k from the generating function ``exp((A t^2 + B t)/v)``, ``v = 1 - 2 A``."""
    A, B = shape.A, shape.B
    v = reduced(1 - 2 * A)
    if not v.is_positive:
        raise OutsideClass("the exponential grows as fast as the Gaussian falls")
    size = exp(reduced(shape.C + B**2 / (2 * v))) / root_of(v)
    if B.is_zero:
        ratio = reduced(A / v)
        return lambda k: (if_even(k, size * ratio ** (k / 2) * factorial(k) / factorial(k / 2)), S.Zero)
    if not A.is_nonpositive:
        raise OutsideClass("a growing exponential off the centre")
    # s^k He_k(x/s) is even in s, so that the sign of the root does not matter
    s = root_of(reduced(-2 * A / v)).replace(Abs, lambda x: x)
    return lambda k: (size * s**k * hermite_prob(k, reduced(B / (v * s))), S.Zero)


def _recursive(shape, lo, hi):
    """Solve ``f' = B f + g``, g a Gaussian or point masses, by ``m_k = B m_(k-1) + g_(k-1)``."""
    ends = [(end, sign) for end, sign in ((lo, 1), (hi, -1)) if end not in WHOLE]
    if not (shape.A.is_zero and shape.alpha.is_zero) or len(shape.factors) + bool(ends) > 1:
        raise OutsideClass("no rule for every degree")
    if ends:
        masses = [(end, sign * density(end) * exp(tidy(shape.B * end + shape.C))) for end, sign in ends]

        def g(k):
            return sum(mass * hermite_at(k, end) for end, mass in masses)
    else:
        (name, p, q), = shape.factors
        slope = (2 if name == "erf" else -2) * p / sqrt(pi)
        inner = _gaussian(shape._replace(A=-(p**2), B=tidy(shape.B - 2 * p * q), C=tidy(shape.C - q**2), factors=()))

        def g(k):
            return slope * inner(k)[0]

    if shape.B.is_zero:
        return (lambda k: (g(k - 1), S.Zero)), 1
    first, j = mean_of_shape(shape, lo, hi), Dummy("j", integer=True, nonnegative=True)
    return (lambda k: (shape.B**k * first + Sum(shape.B ** (k - 1 - j) * g(j), (j, 0, k - 1)), S.Zero)), 0


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
