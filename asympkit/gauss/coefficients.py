"""Hermite coefficients and second moments of activations, as floats or with any number of digits."""

import operator

import mpmath
import numpy as np
import sympy as sp

from ..arguments import check_digits
from ..errors import DomainError
from ..nodes import Average
from ..numbers.evaluation import Digits
from ..once import exclusive
from .measure import E
from .quadrature.averages import gaussian_quadrature
from .quadrature.digits import gaussian_value

MAX_ORDER = 200


def hermite_coefficients(activation, n, digits=None):
    r"""Return :math:`c_k=E[f(z)\,\mathrm{He}_k(z)]/k!`, k from 0 to n, of :math:`f=\sum_k c_k\,\mathrm{He}_k`.

    With digits: a list of mpf with so many correct ones, relative to :math:`E|f\,\mathrm{He}_k|/k!`; the numbers print
    all of them.  Without: float64, with an error of :math:`\sqrt{k!}\,c_k` below :math:`10^{-12}\sqrt{E f^2}`, usually
    some roundings, or ConvergenceError.  Coefficients that vanish by parity are exactly zero, and those of polynomials
    are exact.
    """
    n = _order(n)
    activation.require_second_moment()
    if digits is not None:
        digits = _digits(digits)
        return [shown(coefficient(activation, k, digits), digits) for k in range(n + 1)]
    if activation.expr.is_polynomial(activation.symbol):
        exact = [sp.S.Zero] * (n + 1)
        for (m,), a in sp.Poly(activation.expr, activation.symbol).terms():
            for k in range(m, -1, -2):
                if k <= n:      # E[z**m He_k(z)]/k!
                    exact[k] += a * sp.ff(m, m - k) / sp.factorial2(m - k)
        return np.array(exact, dtype=float)
    scaled, _ = gaussian_quadrature(activation, [(1, k) for k in range(n + 1)])
    coefficients = scaled * np.cumprod(np.concatenate([[1.0], 1.0 / np.sqrt(np.arange(1.0, n + 1.0))]))
    if activation.parity is not None:
        coefficients[(1 if activation.parity == "even" else 0)::2] = 0.0
    return coefficients


def second_moment(activation, digits=None):
    """Return ``E[f(z)**2]``, z ~ N(0, 1), with digits as mpf; else as float to a relative 1e-12, or ConvergenceError.
    """
    activation.require_second_moment()
    if digits is None:
        return float(gaussian_quadrature(activation, [(2, 0)])[0][0])
    digits = _digits(digits)
    return shown(_value(activation.expr**2, activation.symbol, digits), digits)


# -- digits ------------------------------------------------------------------------------------------


@exclusive
def coefficient(activation, k, digits):
    """Return one coefficient as :func:`hermite_coefficients` does with digits; 0 by parity."""
    if activation.parity == ("odd", "even")[k % 2]:
        return mpmath.mpf(0)
    z = activation.symbol
    # the factorial is divided out at full precision
    value = _value(activation.expr * sp.hermite_prob(k, z), z, digits + 3)
    with mpmath.workdps(digits + 10):
        return value / mpmath.factorial(k)


@exclusive
def _value(integrand, z, digits):
    """Return the mean of an integrand as an mpf of the common context, with all its digits."""
    mean = E(integrand, z)
    if isinstance(mean, Average):
        closed = mean.doit()
        if closed.has(Average):
            return mpmath.mp.make_mpf(gaussian_value(mean, digits)._mpf_)
        mean = closed
    with mpmath.workdps(digits + 10):
        return mpmath.mpf(mean.evalf(digits + 5, maxn=4 * digits + 100)._to_mpmath(mpmath.mp.prec))


# -- arguments ---------------------------------------------------------------------------------------


def _order(n):
    try:
        number = operator.index(n)
    except TypeError:
        number = -1
    if not 0 <= number <= MAX_ORDER:
        raise DomainError(f"n: got {n!r}; expected an integer from 0 to {MAX_ORDER}")
    return number


def _digits(digits):
    check_digits(digits)
    return int(digits)


def shown(value, digits):
    """Return a number in a context of its own, which prints all requested digits."""
    return Digits(digits).mp.mpf(value)
