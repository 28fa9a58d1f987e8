"""Hermite coefficients against the formulas valid for every degree."""

import time

import pytest
from helpers.closed_reference import Phi, check30, check_number, phi, point
from helpers.tiers import one_in
from sympy import (
    Abs,
    Heaviside,
    Max,
    Min,
    Piecewise,
    Rational,
    S,
    binomial,
    erf,
    exp,
    expand,
    factorial,
    factorial2,
    hermite_prob,
    pi,
    sign,
    sin,
    sqrt,
    symbols,
)

from asympkit.gauss.closed import closed_mean, hermite_coefficient

z, al, be, th = symbols("z alpha beta theta", real=True)
s = symbols("s", positive=True)
DEGREES = range(7)


def one_if(truth):
    return S.One if truth else S.Zero


def He(k, x):
    return hermite_prob(k, x) if k >= 0 else S.Zero


def c_power(n):
    def c(k):
        return binomial(n, k) * factorial2(n - k - 1) if n >= k and (n - k) % 2 == 0 else S.Zero

    return c


def c_gauss(k):
    if k % 2:
        return S.Zero
    return (1 + 2 * s) ** Rational(-1, 2) * (-s / (1 + 2 * s)) ** (k // 2) / factorial(k // 2)


def c_step(k, t=th):
    return Phi(-t) if k == 0 else phi(t) * He(k - 1, t) / factorial(k)


def c_sign(k):
    return 2 * c_step(k) - one_if(k == 0)


def c_relu(k, t=th):
    if k < 2:
        return Phi(-t) if k else phi(t) - t * Phi(-t)
    return phi(t) * He(k - 2, t) / factorial(k)


def c_abs(k):
    return 2 * c_relu(k, S.Zero) - one_if(k == 1)


def c_leaky(k):
    return al * one_if(k == 1) + (1 - al) * c_relu(k, S.Zero)


def c_hardtanh(k):
    return c_relu(k, S.NegativeOne) - c_relu(k, S.One) - one_if(k == 0)


def c_cdf(k, p=al, q=be):
    w = sqrt(1 + p**2)
    u = q / w
    return Phi(u) if k == 0 else (-1) ** (k - 1) * (p / w) ** k * He(k - 1, u) * phi(u) / factorial(k)


def c_erf(k):
    return 2 * c_cdf(k, sqrt(2) * al, sqrt(2) * be) - one_if(k == 0)


def c_gelu(k):
    own = (-1) ** k * sqrt(2) ** -(k + 1) * He(k, S.Zero) * phi(S.Zero) / factorial(k)
    return own + (c_cdf(k - 1, S.One, S.Zero) if k else 0)


def d_exp(k):
    return exp(S.Half) * Phi(-1) if k == 0 else d_exp(k - 1) - phi(S.Zero) * He(k - 1, S.Zero)


def c_expcut(k):
    return d_exp(k) / factorial(k)


def c_elu(k):
    if k == 0:
        return phi(S.Zero) + d_exp(0) - S.Half
    return S.Half + d_exp(0) if k == 1 else d_exp(k - 2) / factorial(k)


TABLE = {
    "z^6": (z**6, c_power(6)),
    "z^7": (z**7, c_power(7)),
    "exp": (exp(al * z + be), lambda k: al**k * exp(be + al**2 / 2) / factorial(k)),
    "sin": (sin(al * z + be), lambda k: al**k * exp(-(al**2) / 2) * sin(be + k * pi / 2) / factorial(k)),
    "gauss": (exp(-s * z**2), c_gauss),
    "step": (Heaviside(z - th), c_step),
    "sign": (sign(z - th), c_sign),
    "relu": (Max(0, z), lambda k: c_relu(k, S.Zero)),
    "threshold": (Max(0, z - th), c_relu),
    "abs": (Abs(z), c_abs),
    "leaky": (Piecewise((z, z > 0), (al * z, True)), c_leaky),
    "hardtanh": (Max(-1, Min(1, z)), c_hardtanh),
    "cdf": (Phi(al * z + be), c_cdf),
    "erf": (erf(al * z + be), c_erf),
    "gelu": (z * Phi(z), c_gelu),
    "exp cut": (Piecewise((exp(z), z < 0), (0, True)), c_expcut),
    "elu": (Piecewise((z, z > 0), (exp(z) - 1, True)), c_elu),
}


@pytest.mark.parametrize("name", TABLE)
def test_coefficients_equal_the_printed_formula(name):
    expr, formula = TABLE[name]
    free = sorted(expr.free_symbols - {z}, key=str)
    for k in DEGREES:
        result = hermite_coefficient(expr, z, k)
        assert result is not None and z not in result.free_symbols
        values = point(free, (name, k))
        check_number(result.subs(values), S(formula(k)).subs(values))


@pytest.mark.parametrize(("name", "k"), one_in(4, ["threshold", "erf", "gelu", "elu", "sin"], [3, 6]))
def test_coefficients_equal_quadrature(name, k):
    expr, _ = TABLE[name]
    values = point(sorted(expr.free_symbols - {z}, key=str), (name, k, "quadrature"))
    weight = expand(hermite_prob(k, z)) / factorial(k)
    check30(hermite_coefficient(expr, z, k), expr * weight, z, values, [values.get(th, 0)])


def test_coefficients_of_a_polynomial_are_exact():
    assert [hermite_coefficient(z**4 - 2 * z, z, k) for k in range(6)] == [3, -2, 6, 0, 1, 0]


def test_vanishing_coefficients_are_exactly_zero():
    assert hermite_coefficient(Max(0, z), z, 3) == 0
    assert hermite_coefficient(Max(-1, Min(1, z)), z, 4) == 0
    assert hermite_coefficient(erf(z), z, 2) == 0


def test_orthogonality():
    for j in range(5):
        for k in range(5):
            mean = closed_mean(He(j, z) * He(k, z), z)
            assert mean == (factorial(k) if j == k else 0)


def test_outside_the_class():
    assert hermite_coefficient(1 / (1 + z**2), z, 2) is None


@pytest.mark.slow
def test_median_time_up_to_degree_eight():
    times = []
    for expr, _ in TABLE.values():
        for k in range(9):
            start = time.perf_counter()
            hermite_coefficient(expr, z, k)
            times.append(time.perf_counter() - start)
    assert sorted(times)[len(times) // 2] < 0.1
