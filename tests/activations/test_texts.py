"""Texts that random texts found: noise at switches, missing values, ranges, derivatives."""

from contextlib import suppress

import numpy as np
import pytest
import sympy as sp
from helpers.strategies import activations
from helpers.tiers import one_in
from hypothesis import given, settings
from mpmath import isfinite
from scipy.integrate import quad
from scipy.special import expit

import asympkit as ak
from asympkit import Activation
from asympkit.activations import CATALOGUE
from asympkit.parsing.reader import KNOWN_FUNCTIONS, Z, parse
from asympkit.properties.growth import find_range
from asympkit.properties.kinks import check_domain, derivative
from asympkit.properties.values import InNoiseError, Undefined, value_at, with_noise


@pytest.mark.parametrize("text, jumps", [
    # a sample on a critical point that is no kink: there both branches of max are equal
    ("z*hardtanh(quadratic(z))", 0),
    ("where(z > 3, z, 0)*hardtanh(quadratic(z))", 1),
    # tails that cancel to less than any working precision
    ("sign(z*mish(z/3 - 1.01))", 2),
    ("z/softplus(2.16*z - 1.578)", 0),
    ("sign(gelu(8*z - pi))", 1),
    # inverses of erfc
    ("max(erfc(z), 1/3)", 0),
    ("where(erfc(z) > erfc(10), 0, 1)", 1),
    # powers of long fractions
    ("where((abs(z) + 1/3)**(-z) > z + 2, z, 2*z)", 1),
    # numbers that are exactly zero, and equal sides
    ("step(tan(0*z - pi)*(z - 1)) + step(z)", 1),
    ("where(sin(z)**2 + cos(z)**2 <= 1, abs(z), -sign(z))", 0),
])
def test_what_is_claimed_holds(text, jumps):
    act = ak.Activation(text)
    assert len(act.jumps) == jumps
    for place, height in act.jumps:
        left, right = act(float(place) + np.array([-1e-8, 1e-8]))
        assert right - left == pytest.approx(float(height), abs=1e-6)


@pytest.mark.parametrize("text, why", [
    ("sin(1/(0.677*z - pi))", "not defined at z = 4.64"),                       # an irrational pole
    ("0.88*gaussian((z/3 - (z + 0.045))**-1)", "not defined at z = -0.0675"),  # a decimal that no float is
    ("erf(1/(5.49*z - 0.997))", "not defined"),
    ("atan(min(pi*e/(-z/3), z))", "no finite real value at z = 0|not defined at z = 0"),
    ("step(max(e, z + (-z/e)**(-z)))", "no finite real value"),                 # nan is not below zero
    ("where(log(step(z)) > 9*z, z, 0)", "no finite real value|not real"),
])
def test_what_has_no_value_is_refused(text, why):
    with pytest.raises(ak.DomainError, match=why):
        ak.Activation(text)


@pytest.mark.parametrize("text", ["where(z == 0, 0, sin(1/z))", "where(z == pi, 0, cos(1/(z - pi)))"])
def test_no_jump_is_claimed_where_there_is_no_limit(text):
    act = ak.Activation(text)
    assert len(act.kinks) == 1
    with pytest.raises(ak.DomainError, match="no limit of .* define it there"):
        act.jumps  # noqa: B018


def test_tails_limits_and_conditions():
    (place, height), = ak.Activation("where(z == pi, 0, atan(1/(z - pi)))").jumps
    assert str(place) == "pi" and str(height) == "pi"
    (place,) = ak.Activation("sign(log(1 + tanh(z)) + 100)").kinks
    assert float(place) == pytest.approx(-(100 + np.log(2)) / 2, rel=1e-14)
    act = ak.Activation("where(exp(2*z) > exp(z), 1, 2)")
    assert list(act(np.array([-3.0, 3.0, 800.0]))) == [2.0, 1.0, 1.0]
    assert ak.Activation("sqrt(abs(selu(z)))")(0.3) == pytest.approx((1.0507009873554805 * 0.3) ** 0.5, rel=1e-15)
    with pytest.raises(ak.DomainError, match="no finite real value"):
        ak.Activation("selu(z)**1.5")
    assert list(ak.Activation("z/(1/(z + 2))")(np.array([-2.0, 0.0, 1.0]))) == [0.0, 0.0, 3.0]


def test_noise():
    assert with_noise(parse("tan(pi)*(z - 1)"), {Z: (3, 0)})[0] == 0
    value, noise = with_noise(parse("1 + erf(z)"), {Z: (-15, 0)}, 60)
    assert value == 0 and noise < 1e-50
    value, noise = with_noise(parse("1 + erf(z)"), {Z: (-15, 0)}, 250)
    assert value > 1000 * noise > 0
    expr = parse("exp(z)")
    value, noise = with_noise(expr, {Z: ("1e20", "1e-30")})
    assert value > 0 and noise < value * 1e-25
    for text in ("exp(z)", "sinh(z)", "2**z"):
        with pytest.raises(InNoiseError):
            with_noise(parse(text), {Z: ("1e20", "1e5")})
    assert with_noise(expr, {Z: ("-1e20", "1e5")})[0] == 0
    assert with_noise(parse("1/(1+exp(z))"), {Z: ("1e290", 0)})[0] < 1e-300
    with pytest.raises(Undefined):
        value_at(parse("exp(exp(z))"), Z, 1e5)


@pytest.mark.parametrize("text", ["sqrt(z)**2", "0*log(z)", "exp(log(z) - log(z))", "step(max(e, 0*asin(z) + 2))"])
def test_what_sympy_drops_must_have_a_value(text):
    with pytest.raises(ak.DomainError, match="no finite real value at z = -8"):
        ak.Activation(text)


POINTS = {"pi": np.pi, "sqrt(2)": 2**0.5, "1/3": 1 / 3, "-log(2)": -np.log(2)}


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize(("text", "jump"), [
    ("1/(1+exp(1/(z-P)))", -1), ("1/(1+exp(1/(P-z)))", 1), ("1/(1+exp(1/(z-P)**3))", -1),
    ("1/(1+exp(1/(z-P)**2))", None), ("1/cosh(1/(z-P))", None), ("(z-P)*tanh(sinh(1/(z-P)))", None)])
def test_limits_from_both_sides(point, text, jump):
    f = ak.Activation(f"where(z==P,0,{text})".replace("P", f"({point})"))
    assert [round(float(x), 12) for x, _ in f.jumps] == ([round(POINTS[point], 12)] if jump else [])
    assert [int(height) for _, height in f.jumps] == ([jump] if jump else [])


def test_a_moment_across_the_singularity():
    f = ak.Activation("where(z==pi,0,1/(1+exp(1/(z-pi))))")
    ends = (-12, np.pi - 0.3, np.pi, np.pi + 0.3, 12)
    exact = sum(quad(lambda x: expit(-1 / (x - np.pi)) ** 2 * np.exp(-x * x / 2), a, b, epsabs=1e-14, limit=400)[0]
                for a, b in zip(ends, ends[1:])) / np.sqrt(2 * np.pi)
    assert f.second_moment() == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("text", ["where(z==pi,0,exp(1/(z-pi)))", "where(z==1/3,0,(z-1/3)*sinh(1/(z-1/3)))",
                                  "where(z==sqrt(2),0,log(1+exp(1/(z-sqrt(2)))))"])
def test_what_is_unbounded_stays_refused(text):
    with pytest.raises(ak.DomainError, match="is unbounded near z = "):
        ak.Activation(text)


@pytest.mark.parametrize(("inner", "x"), one_in(
    7, ["exp(z)", "-exp(z)", "sinh(z)", "1/exp(z)", "exp(z)**3", "z"], ["1e14", "1e200", "-1e250"]))
def test_arguments_of_any_size_have_a_value_or_none(inner, x):
    with pytest.raises(ak.ParseError, match="not real"):
        parse("sqrt(-exp(z))")
    for name in sorted({*KNOWN_FUNCTIONS} - {"where", "sqrt" if inner == "-exp(z)" else ""}):
        more = {"max": 1, "min": 1, "clip": 2}.get(name, 0) * ",1"
        expr = parse(f"{name}({inner}{more})")
        for digits in (60, 400):
            with suppress(Undefined):
                assert all(map(isfinite, with_noise(expr, {Z: (x, 0)}, digits))), name


TEXTS = [*CATALOGUE, "max(z, z**2, 1 - z)", "max(abs(z) - 1, 0)", "abs(z)*z", "where(z <= 1/2, z, 2*z)",
         "where(z == 0, 3, z)", "max(z, 1)*tanh(z)", "abs(z) - abs(-z)", "step(z - 3)*(z - 3)", "sqrt(1 + z**2)",
         "tanh(300*(z - 1/3))", "exp(-4000*(z + 1)**2)", "1/(z**2 + 1e-5)", "log(1e-5 + z**2)", "where(z < pi, z, 1)",
         "sign(z)*(z**2 - 1)", "min(z, 0)*max(z, 0)", "erf(80*z**3)"]
ZIGZAG = np.concatenate([np.linspace(-9, 9, 181), [-200.0, 200.0]]) + 0.00173


def assert_agrees(text):
    act = Activation(text)
    for f in (act, act.derivative):
        seen = find_range(f.expr)
        if seen is not None:
            check_domain(f.expr, Z, text)
            values = f(ZIGZAG)
            slack = 1e-9 * (1.0 + np.abs(values))
            assert np.all(values >= seen[0] - slack) and np.all(values <= seen[1] + slack)


@pytest.mark.parametrize("text", TEXTS)
def test_agreement(text):
    assert_agrees(text)


@settings(max_examples=12, deadline=None, derandomize=True)
@given(activations())
def test_agreement_on_random_texts(sample):
    assert_agrees(sample.text)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(activations())
def test_derivative_of_random_texts(sample):
    act = Activation(sample.text)
    x = np.linspace(-3.1, 3.3, 25) + 0.00371
    if any(np.min(np.abs(x - float(p))) < 1e-3 for p in sample.places):
        x = x[np.min(np.abs(x[:, None] - np.array([float(p) for p in sample.places])), axis=1) > 1e-3]
    oracle = sp.lambdify(act.symbol, _by_sympy(act), "mpmath")
    expected = np.array([float(oracle(t)) for t in x])
    np.testing.assert_allclose(act.derivative(x), expected, rtol=1e-8, atol=1e-9)


def _by_sympy(act):
    """sympy's own derivative: point masses of jumps are zero beside them."""
    return act.expr.diff(act.symbol).replace(sp.DiracDelta, lambda *_: sp.Integer(0))


def test_derivatives():
    slope = derivative(parse("*".join(f"(z - {k})" for k in range(60))), Z)
    x = [sp.Rational(1, 2), sp.Rational(5, 4)]
    for t in x:
        exact = sp.prod([t - k for k in range(60)]) * sum(1 / (t - k) for k in range(60))
        assert slope.subs(Z, t) == exact
    assert sum(1 for _ in sp.preorder_traversal(slope)) < 5000
    for text, name in (("z**3 - 3*z", "3*z**2 - 3"), ("tanh(z)", "1 - tanh(z)**2"),
                       ("softplus(z)", "tanh(z/2)/2 + 1/2"), ("3*z/2 - 7", "3/2"), ("max(z, 0)", "step(z)"),
                       ("abs(z)", "sign(z)")):
        assert Activation(text).derivative.name == name
