"""Kernels of pairs, and Hermite coefficients of every degree, in closed form."""

import pytest
from helpers.closed_reference import Phi, check30, check_number, mean30, phi, point
from helpers.tiers import slow_but
from sympy import Sum, hermite_prob, sin, sinh, sqrt, tanh
from sympy.core import Rational, S, Symbol, expand, pi, symbols
from sympy.functions import Abs, Heaviside, Max, Min, Piecewise, acos, asin, cos, cosh, erf, exp, factorial, gamma, sign

from asympkit import Activation, DomainError, E
from asympkit.gauss import BivariateNormalCDF, OwenT
from asympkit.gauss.closed import hermite_coefficient, hermite_sequence
from asympkit.nodes import Average
from asympkit.parsing.grammar import CATALOGUE

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


z, th = symbols("z theta", real=True)
s = Symbol("s", positive=True)
k = Symbol("k", integer=True, nonnegative=True)
DEGREES = range(9)
OPEN = ("tanh", "sigmoid", "softplus", "silu", "mish", "gelu_tanh", "quick_gelu", "softsign", "logsigmoid",
        "squareplus", "tanhshrink", "atan", "asinh")


@pytest.mark.parametrize("name", [n for n in CATALOGUE if n not in OPEN])
def test_catalogue(name):
    act, degree = Activation(name), Symbol("k")
    formula = act.hermite(degree)
    assert not formula.has(Average)
    sixty = act.hermite_coefficients(8, digits=60)
    for j in DEGREES:
        value = formula.subs(degree, j).doit()
        check_number(value, act.hermite(j))
        check_number(value, sixty[j], digits=30)


@pytest.mark.parametrize("name", slow_but(OPEN, 0, 2))
def test_an_unknown_coefficient_is_a_usable_node(name):
    act, degree = Activation(name), Symbol("k")
    node = act.hermite(degree)
    assert node.has(Average)
    three = node.subs(degree, 3).doit()
    check_number(three.evalf(35), act.hermite_coefficients(3, digits=40)[3])


OF_DEGREES = {
    "z^6": z**6, "z^7": z**7 - al * z, "exp": exp(al * z + be), "sin": sin(al * z + be), "cos": cos(al * z + be),
    "gauss": exp(-s * z**2), "step": Heaviside(z - th), "sign": sign(z - th), "threshold": Max(0, z - th),
    "relu": Max(0, z), "abs": Abs(z), "leaky": Piecewise((z, z > 0), (al * z, True)), "hardtanh": Max(-1, Min(1, z)),
    "cdf": Phi(al * z + be), "erf": erf(al * z + be), "gelu": z * Phi(z),
    "exp cut": Piecewise((exp(z), z < 0), (0, True)), "elu": Piecewise((z, z > 0), (exp(z) - 1, True)),
    "powers of an exponential": z**2 * exp(al * z), "powers of an oscillation": (z**2 - z) * exp(al * z) * sin(be * z),
    "erf times exp": z * erf(al * z) * exp(be * z), "shifted gauss": z * exp(-s * z**2 + al * z),
    "growing gauss": exp(z**2 / 8), "exp on an interval": Piecewise((z * exp(al * z), (z > -1) & (z < 2)), (0, True)),
    "polynomial on an interval": Piecewise((z**3, (z > th) & (z < th + s)), (0, True)),
    "sum": sin(z) + erf(z) + z**3 + Max(0, z - 1) + 2, "root": sqrt(1 - al**2) * z**2,
}


@pytest.mark.parametrize("name", slow_but(OF_DEGREES, 0, 4, 8, 11, 15, 18, 22, 26))
def test_formula_for_every_degree(name):
    expr = OF_DEGREES[name]
    formula = hermite_sequence(expr, z, k)
    assert formula is not None and z not in formula.free_symbols
    free = sorted(expr.free_symbols - {z}, key=str)
    for seed in range(3):
        values = {v: x / 2 for v, x in point(free, (name, seed)).items()}
        for j in DEGREES:
            check_number(formula.subs(k, j).doit().subs(values), S(hermite_coefficient(expr, z, j)).subs(values))


@pytest.mark.parametrize("name", slow_but(["sum", "elu", "erf times exp", "exp on an interval"], 1, 3))
def test_a_high_degree_against_quadrature(name):
    expr, degree = OF_DEGREES[name], 11
    values = {v: x / 2 for v, x in point(sorted(expr.free_symbols - {z}, key=str), name).items()}
    formula = hermite_sequence(expr, z, k).subs(k, degree).doit() * factorial(degree)
    kinks = [-1, 0, 1, 2]
    check30(formula, expr * expand(hermite_prob(degree, z)), z, values, kinks, digits=25)


def test_exact_coefficients():
    assert [hermite_coefficient(z**4 - 2 * z, z, j) for j in range(6)] == [3, -2, 6, 0, 1, 0]
    for expr, degree in ((Max(0, z), 3), (Max(-1, Min(1, z)), 4), (erf(z), 2)):
        assert hermite_coefficient(expr, z, degree) == 0
    assert hermite_coefficient(1 / (1 + z**2), z, 2) is None


def test_known_forms():
    assert hermite_sequence(exp(al * z), z, k) == al**k * exp(al**2 / 2) / factorial(k)
    assert hermite_sequence(sin(z), z, k) == exp(-S.Half) * sin(pi * k / 2) / factorial(k)
    gauss = hermite_sequence(exp(-s * z**2), z, k)
    assert gauss.args[0][0] == (-s / (2 * s + 1)) ** (k / 2) / (sqrt(2 * s + 1) * factorial(k / 2))
    step = hermite_sequence(Heaviside(z - th), z, k)
    assert step.args[1][0] == sqrt(2) * exp(-(th**2) / 2) * hermite_prob(k - 1, th) / (2 * sqrt(pi) * factorial(k))
    assert hermite_sequence(z**3 - 3 * z, z, k).args == ((1, k - 3 == 0),) or hermite_sequence(
        z**3 - 3 * z, z, k).subs(k, 3) == 1
    assert hermite_sequence(Piecewise((exp(z), z < 0), (0, True)), z, k).has(Sum)
    p = Symbol("p", integer=True, positive=True)
    # the branch of degree 0 cannot be taken
    assert hermite_sequence(Heaviside(z - th), z, p).func is not Piecewise
    # sympy 1.14 gives ``hermite_prob(n, 0)`` of a symbolic degree a wrong value
    assert hermite_prob(k, 0).subs(k, 4) != hermite_prob(4, 0)
    formula = hermite_sequence(Max(0, z), z, k)
    assert not formula.has(gamma)
    assert formula.subs(k, 6) == hermite_coefficient(Max(0, z), z, 6)
    formula = Activation("sin").hermite(k)
    total = sum(factorial(j) * formula.subs(k, j) ** 2 * Rational(1, 3) ** j for j in range(30))
    from sympy import sinh

    check_number(total, exp(-1) * sinh(Rational(1, 3)))


@pytest.mark.parametrize("expr", [tanh(z), erf(z) ** 2, exp(-(z**2)) * Heaviside(z), sin(z) * exp(-(z**2)),
                                  erf(z) * exp(-(z**2)), z**60, 1 / (1 + z**2), exp(z**2), Heaviside(z) * sin(z)],
                         ids=str)
def test_no_rule(expr):
    assert hermite_sequence(expr, z, k) is None


def test_what_is_no_degree_is_refused():
    with pytest.raises(DomainError, match="k: got z, the variable of the activation itself; use another symbol"):
        Activation("relu").hermite(Symbol("z", real=True))
    with pytest.raises(DomainError, match="k: got -1; expected a non-negative integer or a symbol"):
        Activation("relu").hermite(-1)
