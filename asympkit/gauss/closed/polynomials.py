"""Coefficients in the integration variable, and where a real polynomial changes sign."""

from sympy import Add, Mul, Poly, Pow, Rational, S, sqrt

from .decide import OutsideClass, order, sign_of, tidy

MAX_DEGREE = 400
"""Largest degree met before an integrand is given up (a guard on running time only)."""


def add_to(target, source, factor=S.One):
    """Add ``factor`` times the polynomial ``source`` to ``target`` (both ``{degree: coefficient}``)."""
    for n, c in source.items():
        target[n] = target.get(n, S.Zero) + factor * c


def _raw(expr, z):
    if z not in expr.free_symbols:
        return {0: expr}
    if expr == z:
        return {1: S.One}
    if isinstance(expr, Add):
        total = {}
        for term in expr.args:
            add_to(total, _raw(term, z))
        return total
    if isinstance(expr, Mul):
        total = {0: S.One}
        for factor in expr.args:
            total = _product(total, _raw(factor, z))
        return total
    if isinstance(expr, Pow) and expr.exp.is_Integer and 0 < expr.exp <= MAX_DEGREE:
        if expr.base == z:
            return {int(expr.exp): S.One}
        base, total = _raw(expr.base, z), {0: S.One}
        for _ in range(int(expr.exp)):
            total = _product(total, base)
        return total
    raise OutsideClass(f"{expr} is not a polynomial of {z}")


def _product(f, g):
    total = {}
    for m, c in f.items():
        for n, d in g.items():
            total[m + n] = total.get(m + n, S.Zero) + c * d
    if max(total) > MAX_DEGREE:
        raise OutsideClass("degree too high")
    return total


def coefficients(expr, z, top=MAX_DEGREE):
    """Return the coefficients of a polynomial, lowest degree first.

    Parameters
    ----------
    expr : Expr
        The expression to read as a polynomial.
    z : Symbol
        Its variable.
    top : int
        Highest degree accepted; with ``top=1`` the answer always has two entries.

    Returns
    -------
    list of Expr
        Multiplied out, so that equal coefficients are equal expressions.

    Raises
    ------
    OutsideClass
        If ``expr`` is not a polynomial in ``z``, or its degree exceeds ``top``.
    """
    raw = {n: c for n, c in ((n, tidy(c)) for n, c in _raw(expr, z).items()) if not c.is_zero}
    degree = max(raw, default=0)
    if degree > top:
        raise OutsideClass(f"degree {degree} in {expr}, at most {top} is handled")
    return [raw.get(n, S.Zero) for n in range((top if top < MAX_DEGREE else degree) + 1)]


def sign_changes(expr, z):
    """Find where a real polynomial changes sign.

    Returns
    -------
    roots : list of Expr
        Points of sign change, ascending.
    last : int
        Sign to the right of the last one (0 for the zero polynomial).

    Raises
    ------
    OutsideClass
        If the expression is not a polynomial with real coefficients, if the leading sign or the
        reality of the roots is not known, or if a root has no expression in square roots.
    """
    coeffs = coefficients(expr, z)
    if not all(c.is_extended_real for c in coeffs):
        raise OutsideClass(f"{expr} is not known to be real")
    last = sign_of(coeffs[-1])
    if len(coeffs) == 1:
        return [], last
    if last == 0:
        raise OutsideClass(f"the degree of {expr} is not known")
    if len(coeffs) == 2:
        return [-coeffs[0] / coeffs[1]], last
    if len(coeffs) == 3:
        return _quadratic(*coeffs, last), last
    if not all(c.is_Rational for c in coeffs):
        raise OutsideClass(f"no rule for the roots of {expr}")
    roots = []
    for factor, power in Poly(coeffs[::-1], z, domain="QQ").factor_list()[1]:
        if power % 2:
            roots += _simple_roots(factor)
    # Roots of different irreducible factors differ, so that every one of them is a crossing.
    return sorted(roots, key=lambda r: r.evalf(40)), last


def _quadratic(c0, c1, c2, sign):
    discriminant = tidy(c1**2 - 4 * c0 * c2)
    if discriminant.is_nonpositive or sign_of(discriminant) < 1:
        return []
    centre, half = -c1 / (2 * c2), sign * sqrt(discriminant) / (2 * c2)
    return [tidy(centre - half), tidy(centre + half)]


def _simple_roots(factor):
    coeffs = [Rational(c) for c in reversed(factor.all_coeffs())]
    if len(coeffs) == 2:
        return [-coeffs[0] / coeffs[1]]
    if len(coeffs) == 3:
        return _quadratic(*coeffs, sign_of(coeffs[-1]))
    if factor.count_roots():
        raise OutsideClass(f"the roots of {factor.as_expr()} are not square roots")
    return []


def split_interval(lo, hi, roots, last):
    """Cut an interval at the sign changes that lie inside it.

    Returns
    -------
    list of (Expr, Expr, int)
        Consecutive intervals and the sign on each.
    """
    cuts, signs = [], [last * (-1) ** len(roots)]
    for root in roots:
        if order(root, lo) <= 0:
            signs = [-signs[-1]]
        elif order(root, hi) < 0:
            cuts.append(root)
            signs.append(-signs[-1])
        else:
            break
    return list(zip([lo, *cuts], [*cuts, hi], signs))
