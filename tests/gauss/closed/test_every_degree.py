"""Hermite coefficients of symbolic degree against those of every number."""

import time

import pytest
from helpers.closed_reference import Phi, check30, check_number, point
from helpers.tiers import slow_but
from sympy import (
    Abs,
    Heaviside,
    Max,
    Min,
    Piecewise,
    Rational,
    S,
    Sum,
    Symbol,
    cos,
    erf,
    exp,
    expand,
    factorial,
    gamma,
    hermite_prob,
    pi,
    sign,
    sin,
    sqrt,
    symbols,
    tanh,
)

from asympkit import Activation, DomainError
from asympkit.gauss.closed import hermite_coefficient, hermite_sequence
from asympkit.nodes import Average
from asympkit.parsing.grammar import CATALOGUE

z, al, be, th = symbols("z alpha beta theta", real=True)
s = Symbol("s", positive=True)
k = Symbol("k", integer=True, nonnegative=True)
DEGREES = range(9)
OPEN = ("tanh", "sigmoid", "softplus", "silu", "mish", "gelu_tanh", "quick_gelu", "softsign", "logsigmoid",
        "squareplus", "tanhshrink", "atan", "asinh")


@pytest.mark.parametrize("name", [n for n in CATALOGUE if n not in OPEN])
def test_catalogue(name):
    act, degree = Activation(name), Symbol("k")
    formula = act.hermite(degree)
    assert not formula.has(Average), f"{name} has no closed form of every degree: add it to OPEN, above"
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


TABLE = {
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


@pytest.mark.parametrize("name", slow_but(TABLE, 0, 4, 8, 11, 15, 18, 22, 26))
def test_formula_for_every_degree(name):
    expr = TABLE[name]
    formula = hermite_sequence(expr, z, k)
    assert formula is not None and z not in formula.free_symbols
    free = sorted(expr.free_symbols - {z}, key=str)
    for seed in range(3):
        values = {v: x / 2 for v, x in point(free, (name, seed)).items()}
        for j in DEGREES:
            check_number(formula.subs(k, j).doit().subs(values), S(hermite_coefficient(expr, z, j)).subs(values))


@pytest.mark.parametrize("name", slow_but(["sum", "elu", "erf times exp", "exp on an interval"], 1, 3))
def test_a_high_degree_against_quadrature(name):
    expr, degree = TABLE[name], 11
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
    start = time.perf_counter()
    assert hermite_sequence(expr, z, k) is None
    assert time.perf_counter() - start < 0.5


def test_what_is_no_degree_is_refused():
    with pytest.raises(DomainError, match="k: got z, the variable of the activation itself; use another symbol"):
        Activation("relu").hermite(Symbol("z", real=True))
    with pytest.raises(DomainError, match="k: got -1; expected a non-negative integer or a symbol"):
        Activation("relu").hermite(-1)
