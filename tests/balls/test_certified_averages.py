"""Certified averages: containment, growth bounds, switching points, and what tampering does."""

from fractions import Fraction
from math import inf

import mpmath
import pytest
import sympy as sp
from helpers.tiers import slow_but

import asympkit as ak
from asympkit.parsing.grammar import CATALOGUE

pytest.importorskip("flint", reason="python-flint is not installed")

from asympkit.balls.growth import growth_bound  # noqa: E402
from asympkit.balls.pieces import pieces  # noqa: E402

Z = sp.Symbol("z", real=True)
MORE = ["z*exp(-z**2/2)", "max(z,0)-0.3*min(z,0)**2", "abs(tanh(z))", "log(1+z**2)", "sqrt(1+z**2)",
        "abs(z**3-2*z-1)", "exp(z**2/5)"]


def reference(value, scale=1):
    """A 60-digit number with its rounding, as a ball."""
    return ak.Ball(value, mpmath.mpf(10) ** -57 * (scale + abs(value)))


@pytest.mark.parametrize("name", slow_but([*CATALOGUE, *MORE], 0, 2, 5, 8, 14, 16, 19, 22))
def test_balls_hold_the_values(name):
    activation = ak.Activation(name)
    balls = activation.hermite_coefficients(8, digits=30, certified=True)
    values = activation.hermite_coefficients(8, digits=60)
    assert len(balls) == 9
    for ball, value in zip(balls, values):
        assert ball.rad < 1e-28
        assert ball.overlaps(reference(value))
    square = activation.second_moment(digits=30, certified=True)
    assert square.rad < 1e-28
    assert square.overlaps(reference(activation.second_moment(digits=60)))


@pytest.mark.parametrize("text", [*CATALOGUE.values(), *MORE, "2**z", "sinh(z)*atan(z)", "1/(2+sin(z))",
                                  "exp(-1/(1+z**2))", "asin(tanh(z))*erfc(z)", "log(1/3+z**2)"])
def test_growth_bounds_hold(text):
    parts = pieces(ak.Activation(text).expr, Z)
    sides = ((parts[0].formula, (-inf, Fraction(-2)), -1), (parts[-1].formula, (Fraction(2), inf), 1))
    for formula, domain, side in sides:
        bound = growth_bound(formula, Z, domain)
        assert min(bound.coefficients) >= 0
        for x in (2, 3, 7, 15, 40):
            size = abs(sp.N(formula.subs(Z, side * x), 40))
            limit = sum(c * x**n for n, c in enumerate(bound.coefficients))
            exponent = bound.rate * x + bound.curvature * x**2
            limit = sp.Rational(limit.numerator, limit.denominator) * sp.exp(
                sp.Rational(exponent.numerator, exponent.denominator))
            assert size <= sp.N(limit, 40) * (1 + sp.Float("1e-35"))


@pytest.mark.parametrize("expr, reason", [
    (sp.exp(Z**3), "degree at most two"), (sp.exp(sp.exp(Z)), "degree at most two"),
    (1 / (1 + sp.sin(Z)), "away from zero"), (sp.tan(Z), "tan has no rule"),
    (sp.log(2 + sp.sin(Z) - sp.cos(Z)), "above a positive number"),
    (sp.sqrt(1 + sp.sin(Z) * 2), "not proved non-negative"), (sp.tanh(sp.log(sp.sin(Z))), "not proved non-negative"),
])
def test_growth_refuses(expr, reason):
    with pytest.raises(ak.DomainError, match=reason):
        growth_bound(expr, Z, (Fraction(2), inf))


def test_points_and_roots_at_the_edge():
    ball = ak.enclose(ak.E(sp.exp(Z**2 * sp.Rational(2, 5)), Z), 20)
    assert ak.enclose(sp.sqrt(5) - ak.E(sp.exp(Z**2 * sp.Rational(2, 5)), Z), 20).contains(0)
    assert ball.rad < 1e-19
    with pytest.raises(ak.DomainError, match="may be infinite"):
        ak.enclose(ak.E(sp.exp(Z**2 / 2), Z))
    near = sp.Rational(1, 3) + sp.sqrt(2) / 10**40
    with pytest.raises(ak.DomainError, match="cannot prove whether"):
        ak.enclose(ak.E(sp.Abs(Z - near) + sp.sign(Z - sp.Rational(1, 3)), Z))
    ball = ak.Activation("where(z > 0, sqrt(z), 0)").hermite_coefficients(0, certified=True)[0]
    with mpmath.workdps(60):
        value = mpmath.mpf(2) ** mpmath.mpf("-0.75") * mpmath.gamma(mpmath.mpf("0.75")) / mpmath.sqrt(mpmath.pi)
    assert ball.overlaps(reference(value))


@pytest.mark.parametrize("expr", [sp.Abs(sp.exp(Z) - 3 * Z), sp.Max(sp.erf(Z), sp.Rational(1, 3)),
                                  sp.sign(sp.sin(Z) - Z / 2)])
def test_unproved_switching_points_are_refused(expr):
    with pytest.raises(ak.DomainError, match="not proved"):
        ak.enclose(ak.E(expr, Z))


@pytest.mark.parametrize("expr, points", [
    (sp.Abs(Z**3 - 2 * Z - 1), 3), (sp.Abs(sp.exp(Z) - 2), 1), (sp.Max(sp.tanh(Z), sp.Rational(1, 2)), 1),
    (sp.Abs(Z**5 - Z - 1), 1), (sp.Max(0, sp.Min(sp.sqrt(2), Z)), 2), (sp.sign(sp.sinh(Z - 1)), 1),
    (sp.Abs(sp.Abs(Z) - 1), 3), (sp.sign(2 + sp.sin(Z)), 0), (sp.sign(Z * sp.exp(-100 * Z**2)), 1),
])
def test_exact_switching_points(expr, points):
    assert len(pieces(expr, Z)) == points + 1
    ball = ak.enclose(ak.E(expr, Z))
    with mpmath.workdps(40):
        f = sp.lambdify(Z, expr, "mpmath")
        edges = sorted({mpmath.mpf(-16), mpmath.mpf(16), mpmath.mpf(0), mpmath.mpf(4), mpmath.mpf(-4),
                        *(mpmath.mpf(sp.N(p.high, 45)._to_mpmath(150)) for p in pieces(expr, Z)[:-1])})
        value = mpmath.quad(lambda x: f(x) * mpmath.npdf(x), edges)
    assert ball.overlaps(ak.Ball(value, mpmath.mpf(10) ** -22))


@pytest.mark.parametrize("p", [sp.Rational(7, 3), sp.Rational(1, 3), sp.Rational(3, 2)])
def test_powers_at_their_branch_point(p):
    exact = 2 ** (p / 2) * sp.gamma((p + 1) / 2) / sp.sqrt(sp.pi) / 2
    ball = ak.enclose(ak.E(sp.Max(Z, 0) ** p, Z), 15)
    with mpmath.workdps(30):
        assert ball.overlaps(reference(mpmath.mpf(sp.N(exact, 25)._to_mpmath(80)), 10**35))
    assert ball.rad < 1e-15


@pytest.mark.slow
def test_not_real_and_not_smooth():
    with pytest.raises(ak.DomainError, match="not real"):
        ak.enclose(ak.E(sp.sqrt(Z**2 - 1), Z))
    with pytest.raises(ak.ConvergenceError, match="no enclosure"):
        ak.enclose(ak.E(1 / Z**2, Z), 10)
