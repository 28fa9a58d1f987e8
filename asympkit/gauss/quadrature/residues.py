r"""Trapezoidal rule corrected by residues: the rule for meromorphic activations of any steepness.

.. math:: I = T_h - 2\,\mathrm{Re}\sum_p 2\pi i\,\mathrm{Res}_p\,F\,\frac{q}{1-q},\qquad q(z)=e^{2\pi iz/h},

over the poles in the upper half plane, of any order. The remaining error, :math:`e^{-2\pi^2/h^2}`, is that of an
entire function; poles whose factor :math:`q` is below rounding are left out.

Poles of activations that are polynomials in z times rational functions of exponentials.

tanh, sigmoid, silu, mish, 1/cosh and combinations of them become P(z, u)/Q(u) with u = exp(kz); the
poles are the logarithms of the zeros of Q, found from the expression and not from its name.

Arithmetic of truncated power series, coefficients along the first axis.  The integrands of one call: powers of the
activation times orthonormal Hermite polynomials and weight.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import comb, factorial

import numpy as np
import sympy as sp
from mpmath.libmp import NoConvergence
from sympy import Rational

from ...errors import ConvergenceError, DomainError

__all__ = ["meromorphic"]


def exponential(rate, length):
    """Return the coefficients of ``exp(rate*t)``, one row for each order; ``rate`` may be an array."""
    out = [np.ones_like(rate)]
    for j in range(1, length):
        out.append(out[-1] * rate / j)
    return np.array(out)


def multiply(a, b):
    """Multiply series of equal length."""
    return np.array([sum(a[i] * b[j - i] for i in range(j + 1)) for j in range(a.shape[0])])


def divide(above, below):
    """Divide series of equal length; the divisor does not vanish."""
    out = np.zeros(np.broadcast_shapes(above.shape, below.shape), dtype=complex)
    for j in range(above.shape[0]):
        out[j] = (above[j] - sum(out[i] * below[j - i] for i in range(j))) / below[0]
    return out


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
        sign = -1 if value.could_extract_minus_sign() else 1
        return sign * self.constants.setdefault(sign * value, sp.Dummy("c"))

    def _exponential(self, argument):
        """Rewrite exp of an affine function, of logarithms with integer factors, or of sums of both."""
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


#: beyond it the root of the normal weight underflows
_END, _SPACING, _MARGIN = 53.0, 0.25, 4
_NEGLIGIBLE = 1e-19


class Integrands:
    """Functions ``f(a+bz)**power * h_order(z) * density(z)`` on the real line.

    Parameters
    ----------
    activation : Activation
    functionals : sequence of (power, order)
        ``power`` 1 or 2, ``order`` of the orthonormal Hermite polynomial.
    a, b : float
    """

    def __init__(self, activation, functionals, a, b):
        self.activation, self.a, self.b = activation, a, b
        self.functionals = tuple(functionals)
        self.powers = np.array([p for p, _ in self.functionals])
        self.top = max(k for _, k in self.functionals)
        self.cut = self._cut()

    def __call__(self, z):
        """Evaluate at points, one row for each functional."""
        with np.errstate(all="ignore"):
            root = np.exp(-0.25 * z * z) / (2.0 * np.pi) ** 0.25
            values = self.activation(self.a + self.b * z) * root
            # each factor carries a root of the weight, so that neither overflows alone
            hermite = dict(enumerate(hermite_functions(root, z, self.top)))
            ratio = dict(enumerate(hermite_functions(np.ones_like(z), z, self.top)))
            return np.array([values * hermite[k] if p == 1 else values**2 * ratio[k] for p, k in self.functionals])

    def sizes(self, second):
        """Return the scales of the errors: powers of the root of the second moment."""
        return np.sqrt(max(second, np.finfo(float).tiny)) ** self.powers

    def _cut(self):
        """Find the cut-off beyond which every integrand is below rounding."""
        z = np.arange(0.0, _END, _SPACING)
        size = np.max([np.max(np.abs(self(side)), axis=0) for side in (-z, z)], axis=0)
        above = np.nonzero(size > _NEGLIGIBLE * np.max(size))[0] if np.all(np.isfinite(size)) else [z.size]
        last = above[-1] if len(above) else 0
        if last >= z.size - _MARGIN:
            raise ConvergenceError(f"quadrature: {self.activation.name!r} times the normal weight decays too slowly "
                                   "for double precision; pass digits, for example digits=20")
        # a feature narrower than the spacing may lie where the samples are zero
        return max(9.5, float(z[last + _MARGIN]))


def hermite_functions(first, z, top):
    """Yield orthonormal Hermite polynomials times a common factor, of order 0 .. top."""
    before, now = np.zeros_like(z), first
    for k in range(top + 1):
        yield now
        before, now = now, (z * now - np.sqrt(k) * before) / np.sqrt(k + 1)


def check_functionals(functionals):
    """Return a tuple of (power, order) pairs, or raise a DomainError."""
    pairs = tuple(functionals)
    for pair in pairs:
        if not (isinstance(pair, tuple) and len(pair) == 2 and pair[0] in (1, 2) and 0 <= pair[1] <= 200):
            raise DomainError(f"functionals: got {pair!r}; expected pairs (power, order) with power 1 or 2 and "
                              "order from 0 to 200")
    return pairs


#: exp(-42) is below rounding
_DECAY, _MAX_POLES = 42.0, 4000


def residues(integrands, tolerance):
    """Compute averages and error estimates from two unrelated steps; None for an activation without such a form."""
    form = meromorphic(integrands.activation.expr, integrands.activation.symbol)
    if form is None or integrands.b == 0.0:
        return None
    spread = np.sqrt(integrands.top)
    frequencies = (14.0 + spread, 12.0 + spread)
    if form.rate * integrands.b * (frequencies[0] + 1.0) * len(form.roots) > 2.0 * np.pi * _MAX_POLES:
        return None
    with np.errstate(all="ignore"):
        (value, absolute), (other, _) = (_corrected(integrands, form, f, spread) for f in frequencies)
    estimates = np.abs(value - other) + 4.0 * np.finfo(float).eps * absolute
    second = value[integrands.functionals.index((2, 0))]
    if not np.all(estimates <= tolerance * integrands.sizes(second)):
        return None
    return value, estimates


def _corrected(integrands, form, frequency, spread):
    step = 2.0 * np.pi / frequency
    count = int(np.ceil(integrands.cut / step))
    terms = integrands(step * np.arange(-count, count + 1)) * step
    values, absolute = terms.sum(axis=1), np.abs(terms).sum(axis=1)
    # |q phi h_k| at the height y is about exp(-frequency*y + y**2/2 + y*sqrt(k))
    slope = frequency - spread
    height = slope - np.sqrt(slope**2 - 2.0 * _DECAY)
    for multiplicity, u, w in form.poles(height * integrands.b):
        if w.size:
            for k, (power, order) in enumerate(integrands.functionals):
                correction = 2.0 * (2j * np.pi * _residue(integrands, form, multiplicity, u, w, power, order,
                                                         frequency)).real
                values[k] -= correction.sum()
                absolute[k] += np.abs(correction).sum()
    return values, absolute


def _residue(integrands, form, multiplicity, u, w, power, order, frequency):
    """Compute the residues of ``s(a+bz)**power h(z) phi(z) q/(1-q)`` at the poles of s."""
    a, b = integrands.a, integrands.b
    length, z = multiplicity * power, (w - a) / b
    scale = b ** (np.arange(length, dtype=float) - multiplicity)[:, None]
    principal = form.laurent(multiplicity, u, w, length) * scale
    if power == 2:
        principal = multiply(principal, principal)
    weight = multiply(_density_times_hermite(z, order, length), _alias(z, frequency, length))
    return multiply(principal, weight)[-1]


def _alias(z, frequency, length):
    """Return the series of q/(1-q) at z."""
    q = np.exp(1j * frequency * z) * exponential(np.full(z.shape, 1j * frequency), length)
    below = -q
    below[0] += 1.0
    return divide(q, below)


def _density_times_hermite(z, order, length):
    """Return the series of ``phi(z + t) h_order(z + t)``: the Hermite functions are derivatives of the density."""
    density = np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi)
    hermite = list(hermite_functions(density, z, order + length - 1))
    # phi He_k = (-1)^k phi^(k), and He_n = sqrt(n!) h_n
    growth = [np.sqrt(factorial(order + j) / factorial(order)) / factorial(j) for j in range(length)]
    return np.array([(-1.0) ** j * growth[j] * hermite[order + j] for j in range(length)])
