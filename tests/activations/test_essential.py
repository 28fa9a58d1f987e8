"""Essential singularities with finite limits from both sides: bounded, with the jump that the limits make."""

from contextlib import suppress

import numpy as np
import pytest
from helpers.tiers import one_in
from mpmath import isfinite
from scipy.integrate import quad
from scipy.special import expit

import asympkit as ak
from asympkit.parsing.reader import KNOWN_FUNCTIONS, Z, parse
from asympkit.properties.noisy import InNoiseError, Undefined, with_noise
from asympkit.properties.values import value_at

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


def test_an_exponential_of_what_is_known_too_roughly_has_no_value():
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


@pytest.mark.parametrize(("inner", "name", "x"), one_in(
    7, ["exp(z)", "-exp(z)", "sinh(z)", "1/exp(z)", "exp(z)**3", "z"], sorted({*KNOWN_FUNCTIONS} - {"where"}),
    ["1e14", "1e200", "-1e250"]))
def test_arguments_of_any_size_have_a_value_or_none(inner, name, x):
    expr = parse(f"{name}({inner},1)" if name in ("max", "min") else f"{name}({inner})")
    for digits in (60, 400):
        with suppress(Undefined):
            assert all(map(isfinite, with_noise(expr, {Z: (x, 0)}, digits)))
