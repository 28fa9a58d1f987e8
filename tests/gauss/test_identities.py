"""Means of tanh, sigmoid and softplus that identities give without an integral."""

import pytest
from helpers.tiers import slow_but
from sympy import Rational, Symbol, cosh, exp, log, sinh, symbols, tanh

from asympkit import E
from asympkit.nodes import Average

z, a, c = symbols("z a c", real=True)
b = Symbol("b", positive=True)
u = a + b * z
SIGMOIDS = {
    "reciprocal": 1 / (1 + exp(-u)), "quotient": exp(u) / (1 + exp(u)), "tanh": (1 + tanh(u / 2)) / 2,
    "exponentials": exp(u / 2) / (2 * cosh(u / 2)),
}
SOFTPLUSES = {
    "log": log(1 + exp(u)), "mirrored": u + log(1 + exp(-u)), "cosh": u / 2 + log(2 * cosh(u / 2)),
}


@pytest.mark.parametrize("name", SIGMOIDS)
def test_moments_of_the_sigmoid(name):
    f = SIGMOIDS[name]
    assert E(z * f + b * f**2 - b * f, z).doit() == 0


@pytest.mark.parametrize("name", slow_but(SOFTPLUSES, "log"))
def test_the_derivative_of_softplus_is_the_sigmoid(name):
    assert E(z * SOFTPLUSES[name] - b * SIGMOIDS["tanh"], z).doit() == 0


def test_squares_of_derivatives():
    assert E(1 / cosh(u) ** 2 - z * tanh(u) / b, z).doit() == 0
    assert E(b * exp(u) / (1 + exp(u)) ** 2 - z * SIGMOIDS["reciprocal"], z).doit() == 0
    assert E(2 * b * sinh(u) / cosh(u) ** 3 + (z**2 - 1) * tanh(u) / b, z).doit() == 0


def test_doit():
    assert E(tanh(u) ** 2 + z * tanh(u) / b, z).doit() == 1
    assert E(tanh(b * z), z).doit() == 0
    assert E(1 / (1 + exp(-z)), z).doit() == Rational(1, 2)
    assert E(tanh(u) - 2 / (1 + exp(-2 * u)), z).doit() == -1
    for f in (tanh(u), SIGMOIDS["reciprocal"], SOFTPLUSES["cosh"], z * tanh(log(1 + exp(u)))):
        mean = E(f, z)
        assert mean.doit() == mean.doit().doit()
        assert mean.doit().has(Average)
