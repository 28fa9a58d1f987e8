"""Fewer integrals: identities for tanh, sigmoid, silu and softplus, checked by quadrature."""


import pytest
from helpers.tiers import slow_but
from sympy import Add, Rational, Symbol, cosh, exp, log, sin, sinh, symbols, tanh

from asympkit import E
from asympkit.gauss import reduce_means
from asympkit.nodes import Average, Named

z, a, c = symbols("z a c", real=True)
b = Symbol("b", positive=True)
weight = Symbol("w", positive=True)
u = a + b * z
SIGMOIDS = {
    "reciprocal": 1 / (1 + exp(-u)), "quotient": exp(u) / (1 + exp(u)), "tanh": (1 + tanh(u / 2)) / 2,
    "exponentials": exp(u / 2) / (2 * cosh(u / 2)),
}
SOFTPLUSES = {
    "log": log(1 + exp(u)), "mirrored": u + log(1 + exp(-u)), "cosh": u / 2 + log(2 * cosh(u / 2)),
}


def moments(f):
    return [E(f, z), E(z * f, z), E(f**2, z)]


def total(parts):
    return Add(*[weight**i * part for i, part in enumerate(parts)])


def check(parts, left):
    """The value stays, and so many different integrals are left."""
    expr = total(parts)
    reduced = reduce_means(expr)
    assert len(reduced.atoms(Average)) == left < len(expr.atoms(Average))
    values = {a: Rational(-1, 3), b: Rational(7, 5), weight: Rational(3, 7)}
    want, got = (e.subs(values).doit().evalf(32) for e in (expr, reduced))
    assert abs(want - got) < 1e-30
    return reduced


def test_few_integrals_are_left():
    reduced = check(moments(tanh(u)), 2)
    assert reduced.atoms(Average) == {E(tanh(u), z), E(z * tanh(u), z)}
    check([E(tanh(u), z), E(SIGMOIDS["reciprocal"].xreplace({a: 2 * a, b: 2 * b}), z)], 1)
    check([E(u * SIGMOIDS["tanh"], z), E(SIGMOIDS["tanh"], z), E(z * SIGMOIDS["tanh"], z)], 2)
    # the mean and the second moment share E[z tanh]; the first moment is closed
    f = b * z * (1 + tanh(b * z / 2)) / 2
    expr = total(moments(f))
    reduced = reduce_means(expr)
    assert len(reduced.atoms(Average)) == 2
    values = {b: Rational(4, 3), weight: Rational(1, 5)}
    assert abs((expr - reduced).subs(values).doit().evalf(32)) < 1e-30


@pytest.mark.parametrize("name", slow_but(SIGMOIDS, 1, 2))
def test_moments_of_the_sigmoid_need_two(name):
    check(moments(SIGMOIDS[name]), 2)


@pytest.mark.parametrize("name", slow_but(SOFTPLUSES, "log"))
def test_the_derivative_of_softplus_is_the_sigmoid(name):
    f = SOFTPLUSES[name]
    reduced = check([E(f, z), E(z * f, z), E(f, z).diff(a)], 2)
    assert reduced.has(log)


@pytest.mark.slow
def test_squares_of_derivatives():
    check([E(1 / cosh(u) ** 2, z), E(z * tanh(u), z)], 1)
    check([E(exp(u) / (1 + exp(u)) ** 2, z), E(z * SIGMOIDS["reciprocal"], z)], 1)
    check([E(sinh(u) / cosh(u), z), E(tanh(u) ** 3, z), E(tanh(u) - tanh(u) ** 3, z)], 2)


def test_integrals_that_are_left():
    # reducing the moments of silu with an offset would trade three integrals for four
    for expr in (total(moments(u * SIGMOIDS["tanh"])), E(tanh(u) ** 3, z) + c * E(tanh(u) ** 4, z),
                 E(tanh(u), z) * E(sin(z), z), E(tanh(z**2), z), E(u * tanh(log(1 + exp(u))), z)):
        assert reduce_means(expr) == expr
    expr = Named("mean", E(tanh(u), z)) + Named("square", E(tanh(u) ** 2, z)) + Named("first", E(z * tanh(u), z))
    reduced = reduce_means(expr)
    assert {n.label for n in reduced.atoms(Named)} == {"mean", "square", "first"}
    assert len({x for n in reduced.atoms(Named) for x in n.expr.atoms(Average)}) == 2


def test_doit():
    assert E(tanh(u) ** 2 + z * tanh(u) / b, z).doit() == 1
    assert E(tanh(b * z), z).doit() == 0
    assert E(1 / (1 + exp(-z)), z).doit() == Rational(1, 2)
    assert E(tanh(u) - 2 / (1 + exp(-2 * u)), z).doit() == -1
    for f in (tanh(u), SIGMOIDS["reciprocal"], SOFTPLUSES["cosh"], z * tanh(log(1 + exp(u)))):
        mean = E(f, z)
        assert mean.doit() == mean.doit().doit()
        assert mean.doit().has(Average)
