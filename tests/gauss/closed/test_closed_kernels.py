"""Dual activations ``E[f(X) g(Y)]`` with a symbolic correlation, against formulas, and against quadrature.

The quadrature is over X alone: the mean over Y given X comes from the printed means of section 3.2.
"""


import pytest
from helpers.closed_reference import Phi, check_number, mean30, phi, point
from helpers.tiers import slow_but
from sympy import (
    Abs,
    Heaviside,
    Max,
    Min,
    Piecewise,
    Rational,
    S,
    Symbol,
    acos,
    asin,
    cos,
    cosh,
    erf,
    exp,
    hermite_prob,
    pi,
    sign,
    sin,
    sinh,
    sqrt,
    symbols,
)

from asympkit import E
from asympkit.gauss import BivariateNormalCDF, OwenT
from asympkit.nodes import Average

x, y, al, be, a = symbols("x y alpha beta a", real=True)
b = Symbol("b", positive=True)
rho = Symbol("rho", real=True)
root = sqrt(1 - rho**2)
K = (root + rho * (pi - acos(rho))) / (2 * pi)


def relu(t):
    return Max(0, t)


def leaky(t):
    return Piecewise((t, t > 0), (al * t, True))


def gelu(t):
    return t * Phi(t)


def hardtanh(t):
    return Max(-1, Min(1, t))


def elu(t):
    return Piecewise((t, t > 0), (exp(t) - 1, True))


def scaled(f, c):
    return lambda t: f(c * t)


def unit_erf(t):
    return erf(t / sqrt(2))


def He(k):
    return lambda t: hermite_prob(k, t)


# pair: f, g, printed kernel, most operations of the answer
TABLE = {
    "sign sign": (sign, sign, 2 * asin(rho) / pi, 3),
    "step step": (Heaviside, Heaviside, Rational(1, 4) + asin(rho) / (2 * pi), 5),
    "relu relu": (relu, relu, K, 13),
    "abs abs": (Abs, Abs, 2 * (root + rho * asin(rho)) / pi, 11),
    "leaky leaky": (leaky, leaky, al * rho + (1 - al) ** 2 * K, 28),
    "erf erf": (scaled(erf, al), scaled(erf, be),
                2 * asin(2 * al * be * rho / sqrt((1 + 2 * al**2) * (1 + 2 * be**2))) / pi, 18),
    "cdf cdf": (Phi, Phi, Rational(1, 4) + asin(rho / 2) / (2 * pi), 6),
    "sin sin": (scaled(sin, al), scaled(sin, be), exp(-(al**2 + be**2) / 2) * sinh(al * be * rho), 11),
    "cos cos": (scaled(cos, al), scaled(cos, be), exp(-(al**2 + be**2) / 2) * cosh(al * be * rho), 11),
    "exp exp": (scaled(exp, al), scaled(exp, be), exp((al**2 + be**2) / 2 + al * be * rho), 9),
    "gelu gelu": (gelu, gelu, rho / 4 + rho * asin(rho / 2) / (2 * pi) + 1 / (2 * pi * sqrt(4 - rho**2)), 15),
    "He3 He3": (He(3), He(3), 6 * rho**3, 2),
    "He4 He2": (He(4), He(2), S.Zero, 0),
    "sign relu": (sign, relu, rho / sqrt(2 * pi), 7),
    "sign erf": (sign, unit_erf, 2 * asin(rho / sqrt(2)) / pi, 7),
    "relu gelu": (relu, gelu, rho / 4 + rho * asin(rho / sqrt(2)) / (2 * pi) + sqrt(2 - rho**2) / (4 * pi), 17),
    "gelu relu": (gelu, relu, rho / 4 + rho * asin(rho / sqrt(2)) / (2 * pi) + sqrt(2 - rho**2) / (4 * pi), 17),
}


def kernel(f, g, correlation=rho):
    return E(f(x) * g(y), (x, y), rho=correlation).doit()


def values_for(expr, seed):
    values = point(sorted(expr.free_symbols, key=str), seed)
    if rho in values:
        values[rho] = values[rho] / 2       # in (-3/4, 3/4)
    return values


@pytest.mark.parametrize("name", TABLE)
def test_printed_kernels(name):
    f, g, formula, most = TABLE[name]
    result = kernel(f, g)
    assert result.count_ops() <= most
    for seed in range(3):
        values = values_for(formula + rho + result, (name, seed))
        check_number(result.subs(values), formula.subs(values))


@pytest.mark.parametrize("name", ["sign sign", "relu relu", "gelu gelu", "exp exp", "erf erf"])
@pytest.mark.parametrize("correlation", [Symbol("rho"), Symbol("rho", positive=True), Rational(-3, 7)], ids=str)
def test_correlations_of_other_kinds(name, correlation):
    """A symbol without assumptions, a positive one, a number."""
    f, g, formula, _ = TABLE[name]
    result = kernel(f, g, correlation)
    for seed in range(2):
        values = values_for(formula, (name, seed))
        if correlation.is_Rational:
            values[rho] = correlation
        here = {correlation: values[rho]} if correlation.free_symbols else {}
        if not (correlation.is_positive and values[rho] < 0):
            check_number(result.subs({**values, **here}), formula.subs(values))


def test_other_forms():
    q = Symbol("q", positive=True)
    result = kernel(relu, relu, q / (1 + q))
    assert not result.has(Average)
    check_number(result.subs(q, Rational(2, 3)), K.subs(rho, Rational(2, 5)))
    result = E(Max(x, y), (x, y), rho=rho).doit()
    for seed in range(3):
        values = values_for(rho, ("max", seed))
        check_number(result.subs(values), sqrt((1 - rho) / pi).subs(values))
    assert E(Abs(x - y), (x, y), rho=Rational(1, 2)).doit() == sqrt(2) / sqrt(pi)
    assert kernel(relu, relu, S.One) == Rational(1, 2)
    assert kernel(relu, relu, S.NegativeOne) == 0
    assert not kernel(relu, gelu).has(OwenT, BivariateNormalCDF)
    assert kernel(hardtanh, hardtanh).has(OwenT)
    assert kernel(elu, erf).has(BivariateNormalCDF)


def R(u, s):
    return u * Phi(u / s) + s * phi(u / s)


def mean_hardtanh(m, s):
    return R(m + 1, s) - R(m - 1, s) - 1


def mean_elu(m, s):
    return R(m, s) + exp(m + s**2 / 2) * Phi(-(m + s**2) / s) - Phi(-m / s)


def mean_erf(m, s):
    return erf(m / sqrt(1 + 2 * s**2))


def mean_gelu(m, s):
    q = m / sqrt(1 + s**2)
    return m * Phi(q) + s**2 / sqrt(1 + s**2) * phi(q)


def shifted(f):
    return lambda t: f(a + b * t)


def shifted_mean(mean):
    return lambda m, s: mean(a + b * m, b * s)


# pair: f, g, the mean of g over N(m, s^2), kinks of f, most operations of the answer
FURTHER = {
    "hardtanh hardtanh": (hardtanh, hardtanh, mean_hardtanh, [-1, 1], 100),
    "elu elu": (elu, elu, mean_elu, [0], 120),
    "elu erf": (elu, erf, mean_erf, [0], 45),
    "hardtanh gelu": (hardtanh, gelu, mean_gelu, [-1, 1], 10),
    "step at 1, cdf": (lambda t: Heaviside(t - 1), lambda t: Phi(t + al),
                       lambda m, s: Phi((m + al) / sqrt(1 + s**2)), [1], 30),
    "erf erf with bias": (shifted(erf), shifted(erf), shifted_mean(mean_erf), [], 60),
    "gelu gelu with bias": (shifted(gelu), shifted(gelu), shifted_mean(mean_gelu), [], 200),
    "relu relu with bias": (shifted(relu), shifted(relu), shifted_mean(R), [-a / b], 90),
    "relu hardtanh with bias": (shifted(relu), hardtanh, mean_hardtanh, [-a / b], 185),
}


@pytest.mark.parametrize("name", slow_but(FURTHER, "erf erf with bias"))
def test_further_kernels(name):
    f, g, mean, kinks, most = FURTHER[name]
    result = kernel(f, g)
    assert not result.has(Average) and result.count_ops() <= most
    for seed in range(1 if "bias" in name else 3):
        values = values_for((f(x) * g(x) + rho).subs(x, 1) + result, (name, seed))
        integrand = (f(x) * mean(rho * x, root)).subs(values)
        want = mean30(integrand, x, [S(k).subs(values) for k in kinks])
        check_number(result.subs(values), want)
