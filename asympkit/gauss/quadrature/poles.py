"""Poles of activations that are polynomials in z times rational functions of exponentials.

tanh, sigmoid, silu, mish, 1/cosh and combinations of them become P(z, u)/Q(u) with u = exp(kz); the
poles are the logarithms of the zeros of Q, found from the expression and not from its name.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import comb

import numpy as np

from .series import divide, exponential

__all__ = ["Meromorphic", "meromorphic"]

_MAX_DEGREE = 24


@dataclass(frozen=True, eq=False)
class Meromorphic:
    """``sum_ln numerator[l, n] z**l u**n / sum_n denominator[n] u**n`` with ``u = exp(rate*z)``, rate > 0."""

    rate: float
    numerator: np.ndarray
    denominator: np.ndarray
    roots: tuple  # of (zero u of the denominator, multiplicity)

    def poles(self, height):
        """Return ``[(multiplicity, zero u, poles)]`` in the upper half plane, up to an imaginary part."""
        turns = np.arange(-1.0, height * self.rate / (2.0 * np.pi) + 2.0)
        out = []
        for u, multiplicity in self.roots:
            points = (np.log(u) + 2j * np.pi * turns) / self.rate
            out.append((multiplicity, u, points[(points.imag > 0.0) & (points.imag <= height)]))
        return out

    def laurent(self, multiplicity, u, points, length):
        """Return the coefficients of ``t**(j - multiplicity)``, j < length, of the function at ``points + t``."""
        degree, top = self.numerator.shape
        # the first coefficients of the denominator vanish at the pole: they are left out, not computed
        below = self._powers(u, self.denominator.size, multiplicity + length) @ self.denominator
        above = np.zeros((length, points.size), dtype=complex)
        for l in range(degree):
            wave = self._powers(u, top, length) @ self.numerator[l]
            for j in range(min(l + 1, length)):
                above[j:] += comb(l, j) * points ** (l - j) * wave[:length - j, None]
        return divide(above, below[multiplicity:, None])

    def _powers(self, u, count, length):
        """Return the series of ``(u*exp(rate*t))**n`` for n < count, shape (length, count)."""
        n = np.arange(count)
        return u**n * exponential(self.rate * n.astype(float), length)


@lru_cache(maxsize=256)
def meromorphic(expr, z):
    """Return the :class:`Meromorphic` form of an expression, or None if it has none."""
    try:
        rational = _Rational(z)
        form = rational.rewrite(expr)
        return rational.solved(form)
    except _NotRational:
        return None


class _NotRational(Exception):
    """The expression is not of the class."""


class _Rational:
    """Rewriting of one expression: exponentials of affine arguments become symbols."""

    def __init__(self, z):
        self.z, self.waves, self.constants = z, {}, {}

    def rewrite(self, expr):
        import sympy as sp

        z = self.z
        if expr == z or expr.is_Rational:
            return expr
        if not expr.has(z):
            return self._constant(expr)
        if expr.is_Add or expr.is_Mul:
            return expr.func(*[self.rewrite(arg) for arg in expr.args])
        if isinstance(expr, sp.exp):
            return self._exponential(expr.args[0])
        if expr.is_Pow and expr.exp.is_Integer:
            return self.rewrite(expr.base) ** expr.exp
        if isinstance(expr, sp.tanh | sp.cosh | sp.sinh):
            up = self._exponential(expr.args[0])
            even, odd = (up + 1 / up) / 2, (up - 1 / up) / 2
            return odd / even if isinstance(expr, sp.tanh) else even if isinstance(expr, sp.cosh) else odd
        raise _NotRational

    def _constant(self, value):
        import sympy as sp

        sign = -1 if value.could_extract_minus_sign() else 1
        return sign * self.constants.setdefault(sign * value, sp.Dummy("c"))

    def _exponential(self, argument):
        """Rewrite exp of an affine function, of logarithms with integer factors, or of sums of both."""
        import sympy as sp

        product = sp.Integer(1)
        for term in sp.Add.make_args(sp.expand(argument)):
            factor, rest = term.as_independent(self.z, as_Add=False)
            if rest == 1:
                sign = -1 if term.could_extract_minus_sign() else 1
                product *= self.constants.setdefault(sp.exp(sign * term), sp.Dummy("c", positive=True)) ** sign
            elif rest == self.z:
                sign = -1 if factor.could_extract_minus_sign() else 1
                product *= self.waves.setdefault(sign * factor, sp.Dummy("u", positive=True)) ** sign
            elif isinstance(rest, sp.log) and factor.is_Integer:
                product *= self.rewrite(rest.args[0]) ** factor
            else:
                raise _NotRational
        return product

    def solved(self, form):
        """Return numerator, denominator and its zeros as numbers."""
        import sympy as sp

        if not self.waves:
            raise _NotRational
        u, rate, powers = sp.Dummy("u", positive=True), *_common_rate(tuple(self.waves))
        form = form.xreplace({self.waves[c]: u**n for c, n in powers.items()})
        above, below = sp.fraction(sp.cancel(sp.together(form)))
        if below.has(self.z) or max(sp.degree(above, u), sp.degree(below, u)) > _MAX_DEGREE:
            raise _NotRational
        numbers = {symbol: sp.N(value, 30) for value, symbol in self.constants.items()}
        roots = []
        for factor, multiplicity in sp.factor_list(below)[1]:
            zeros = _zeros(sp.Poly(factor.xreplace(numbers), u))
            roots += [(root, multiplicity) for root in zeros if root != 0]
        powers_of_u = sp.Poly(below, u).monoms()[-1][0]
        if sum(m for _, m in roots) != sp.degree(below, u) - powers_of_u:
            raise _NotRational      # a pole that is left out would be missed by both steps alike
        if any(abs(np.log(abs(root))) * _MAX_DEGREE > 600.0 for root, _ in roots):
            raise _NotRational      # powers of u would leave the range of floats
        if any(abs(root.imag) <= 1e-12 * abs(root) and root.real > 0 for root, _ in roots):
            raise _NotRational      # a removable zero on the real line; its images would have to be distinguished
        above, below = sp.Poly(above.xreplace(numbers), self.z, u), sp.Poly(below.xreplace(numbers), u)
        numerator = np.zeros((above.degree(self.z) + 1, above.degree(u) + 1))
        for (l, n), c in above.terms():
            numerator[l, n] = float(c)
        denominator = np.array([float(c) for c in reversed(below.all_coeffs())])
        return Meromorphic(float(rate), numerator, denominator, tuple(roots))


def _zeros(poly):
    """Find the complex zeros of a square-free polynomial, scaled first to zeros of size one."""
    from mpmath.libmp import NoConvergence
    from sympy import Rational

    degree, coefficients = poly.degree(), poly.all_coeffs()
    if degree < 1:
        return []
    if coefficients[-1] == 0:
        return [0j]
    size = abs(coefficients[-1] / coefficients[0]) ** Rational(1, degree)
    scaled = poly.from_list([c / coefficients[0] / size**k for k, c in enumerate(coefficients)], poly.gen)
    try:
        return [complex(root * size) for root in scaled.nroots(n=20, maxsteps=200)]
    except NoConvergence:
        raise _NotRational from None


def _common_rate(rates):
    """Return the largest k with every rate an integer multiple of it, and the multiples."""
    import sympy as sp

    ratios = [sp.factor_terms(c) / sp.factor_terms(rates[0]) for c in rates]
    if not all(r.is_Rational for r in ratios):
        raise _NotRational
    unit = sp.gcd_list(ratios) if len(ratios) > 1 else ratios[0]
    powers = {c: int(r / unit) for c, r in zip(rates, ratios)}
    if max(map(abs, powers.values())) > _MAX_DEGREE:
        raise _NotRational
    rate = rates[0] * unit
    if rate.is_negative:
        rate, powers = -rate, {c: -n for c, n in powers.items()}
    return rate, powers
