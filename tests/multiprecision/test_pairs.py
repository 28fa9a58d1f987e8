"""Averages over two correlated normals with many digits, against balls and against closed forms."""

import mpmath
import pytest
from sympy import Rational, symbols

import asympkit as ak
from asympkit.gauss.quadrature.digits import gaussian_value, pair_value
from asympkit.multiprecision.number_systems import MultiprecisionNumbers

x, y = symbols("x y", real=True)


def lattice(expr, digits):
    return pair_value(expr, MultiprecisionNumbers(digits + 10).mp, digits)


@pytest.mark.parametrize(("text", "rho"), [
    ("tanh(x)*tanh(y)", "1/2"), ("tanh(x)*tanh(y)", "9/10"), ("tanh(x)*sin(y)/(1+y**2/9)", "-1/3"),
    pytest.param("tanh(x)*y*cos(y)+x*tanh(y)/2", "1/4", marks=pytest.mark.slow),
    pytest.param("gelu(x)*tanh(3*y)", "1/4", marks=pytest.mark.slow),
    pytest.param("tanh(x)*tanh(y)", "999/1000", marks=pytest.mark.slow)])
def test_against_balls(text, rho):
    pair = ak.E(text, (x, y), rho=rho)
    ball = ak.enclose(pair, 30)
    found = pair.evalf(25)
    with mpmath.workdps(40):
        assert abs(mpmath.mpf(str(found)) - mpmath.mpf(str(ball.mid))) < 1e-24


@pytest.mark.parametrize("digits", [10, 30, 60])
def test_against_a_closed_form(digits):
    """E sin(X) sin(Y) = exp(-1) sinh(r)."""
    pair = ak.E("sin(x)*sin(y)", (x, y), rho="2/3")
    mp = MultiprecisionNumbers(digits + 10).mp
    assert abs(lattice(pair, digits) - mp.exp(-1) * mp.sinh(mp.mpf(2) / 3)) < mp.mpf(10) ** -digits


def test_forms_that_no_lattice_serves_go_the_other_way():
    kinked = ak.E("abs(x)*tanh(y)**2", (x, y), rho="1/2")
    assert lattice(kinked, 15) is None
    joint = ak.E("1/(2+tanh(x*y))", (x, y))
    assert lattice(joint, 15) is None
    narrow = ak.E("tanh(x)*tanh(y)", (x, y), rho=1 - Rational(1, 10**9))
    assert lattice(narrow, 15) is None


@pytest.mark.slow
def test_kinked_pairs_by_nested_rules():
    kinked = ak.E("abs(x)*tanh(y)**2", (x, y), rho="1/2")
    with mpmath.workdps(20):
        half = mpmath.sqrt(3) / 2

        def inner(a):
            return abs(a) * mpmath.npdf(a) * mpmath.quad(lambda b: mpmath.tanh(a / 2 + half * b) ** 2 * mpmath.npdf(b),
                                                         [-9, 0, 9])

        expected = mpmath.quad(inner, [-9, 0, 9])
    assert abs(gaussian_value(kinked, 12) - expected) < 1e-11
