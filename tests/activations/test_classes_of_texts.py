"""Texts of the classes that random texts found: sides decided by noise, values where none is, endless work."""

import numpy as np
import pytest

import asympkit as ak
from asympkit.parsing.reader import Z, parse
from asympkit.properties.noisy import with_noise


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
    with pytest.raises(ak.DomainError, match="has no limit .* define it there"):
        act.jumps  # noqa: B018


def test_a_limit_beside_an_irrational_pole_is_exact():
    (place, height), = ak.Activation("where(z == pi, 0, atan(1/(z - pi)))").jumps
    assert str(place) == "pi" and str(height) == "pi"


def test_a_zero_in_a_tail_that_double_precision_loses():
    (place,) = ak.Activation("sign(log(1 + tanh(z)) + 100)").kinks
    assert float(place) == pytest.approx(-(100 + np.log(2)) / 2, rel=1e-14)


def test_noise_is_zero_and_small_values_are_not():
    assert with_noise(parse("tan(pi)*(z - 1)"), {Z: (3, 0)})[0] == 0
    value, noise = with_noise(parse("1 + erf(z)"), {Z: (-15, 0)}, 60)
    assert value == 0 and noise < 1e-50
    value, noise = with_noise(parse("1 + erf(z)"), {Z: (-15, 0)}, 250)
    assert value > 1000 * noise > 0


def test_conditions_between_overflows_are_decided_by_digits():
    act = ak.Activation("where(exp(2*z) > exp(z), 1, 2)")
    assert list(act(np.array([-3.0, 3.0, 800.0]))) == [2.0, 1.0, 1.0]


def test_roots_of_long_decimals_have_values():
    assert ak.Activation("sqrt(abs(selu(z)))")(0.3) == pytest.approx((1.0507009873554805 * 0.3) ** 0.5, rel=1e-15)
    with pytest.raises(ak.DomainError, match="no finite real value"):
        ak.Activation("selu(z)**1.5")


@pytest.mark.parametrize("text", ["sqrt(z)**2", "0*log(z)", "exp(log(z) - log(z))", "step(max(e, 0*asin(z) + 2))"])
def test_what_sympy_drops_must_have_a_value(text):
    with pytest.raises(ak.DomainError, match="no finite real value at z = -8"):
        ak.Activation(text)


def test_a_cancelled_quotient_is_no_pole():
    assert list(ak.Activation("z/(1/(z + 2))")(np.array([-2.0, 0.0, 1.0]))) == [0.0, 0.0, 3.0]
