"""Exact Gaussian moments of polynomials, so that those zero by orthogonality are exactly zero, no small ball."""

from fractions import Fraction
from math import comb

from ..balls.backend import exact, ratio

__all__ = ["exact_moments", "normal_moment"]

_HIGHEST = 24           # degree; beyond, lattice sums are as good


def normal_moment(j):
    """Return ``E Z**j``, an integer."""
    value = 1
    for k in range(1, j, 2):
        value *= k
    return value if j % 2 == 0 else 0


def exact_moments(activation, wanted, start, slope):
    """Compute ``E[z**j f(a + b z)**i]`` of a polynomial with rational coefficients at exact a and b.

    Parameters
    ----------
    activation : Activation
    wanted : iterable of (int, int)
        Pairs (i, j).
    start, slope : arb
        a and b.

    Returns
    -------
    dict or None
        Balls of rounding size, exact zeros; None for all other functions and arguments.
    """
    expr, z = activation.expr, activation.symbol
    if not (start.is_exact() and slope.is_exact() and expr.is_polynomial(z)):
        return None
    rows = expr.as_poly(z).all_coeffs()[::-1] if expr.has(z) else [expr]
    if len(rows) > _HIGHEST + 1 or not all(c.is_Rational for c in rows):
        return None
    a, b = exact(start), exact(slope)
    base = [Fraction(0)] * len(rows)
    for n, c in enumerate(rows):
        for k in range(n + 1):
            base[k] += Fraction(int(c.p), int(c.q)) * comb(n, k) * a ** (n - k) * b**k
    powers = {0: [Fraction(1)]}
    for i in range(1, max(i for i, _ in wanted) + 1):
        powers[i] = _product(powers[i - 1], base)
    return {(i, j): ratio(sum(c * normal_moment(k + j) for k, c in enumerate(powers[i]))) for i, j in wanted}


def _product(p, q):
    out = [Fraction(0)] * (len(p) + len(q) - 1)
    for i, a in enumerate(p):
        for j, b in enumerate(q):
            out[i + j] += a * b
    return out
