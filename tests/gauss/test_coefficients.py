"""Hermite coefficients and second moments against closed forms, digits and each other."""

import math

import mpmath
import numpy as np
import pytest
from helpers.tiers import slow_but
from numpy.testing import assert_allclose

from asympkit import Activation, ConvergenceError, DomainError
from asympkit.gauss.coefficients import hermite_coefficients, second_moment
from asympkit.parsing.grammar import CATALOGUE

ROOTS = np.sqrt([float(math.factorial(k)) for k in range(100)])


def scaled(coefficients):
    """sqrt(k!) c_k, the coefficients of the orthonormal polynomials."""
    return np.array([float(c) for c in coefficients]) * ROOTS[:len(coefficients)]


@pytest.mark.parametrize("name", CATALOGUE)
def test_catalogue_floats_and_digits_agree(name):
    act = Activation(name)
    floats, digits = act.hermite_coefficients(6), act.hermite_coefficients(6, digits=20)
    assert floats.dtype == np.float64
    assert floats.shape == (7,)
    size = math.sqrt(act.second_moment())
    assert_allclose(scaled(floats), scaled(digits), rtol=0, atol=1e-13 * size)
    assert_allclose(act.second_moment(), float(act.second_moment(digits=20)), rtol=1e-13)


def test_known_values_sine_to_order_80():
    # E[sin(z) He_k] = (-1)^((k-1)/2) exp(-1/2) for odd k
    c = Activation("sin").hermite_coefficients(80)
    k = np.arange(81)
    exact = np.where(k % 2 == 1, (-1.0) ** ((k - 1) // 2), 0.0) * math.exp(-0.5) / ROOTS[:81]
    assert_allclose(c * ROOTS[:81], exact, rtol=0, atol=1e-15)


@pytest.mark.parametrize("n", [0, 1, 200])
def test_exponential_to_any_order(n):
    # exp(z/2) = e^(1/8) sum_k He_k / (2^k k!)
    c = Activation("exp").hermite_coefficients(n)
    exact = [mpmath.exp(mpmath.mpf(1) / 8) / 2**k / mpmath.factorial(k) for k in range(n + 1)]
    for k, (a, b) in enumerate(zip(c, exact)):
        assert abs(a - b) * mpmath.sqrt(mpmath.factorial(k)) < 1e-14


@pytest.mark.parametrize("name, zeros", [("tanh", 0), ("hardtanh", 0), ("z**3", 0), ("gaussian", 1),
                                         ("abs", 1)])
def test_parity_gives_exact_zeros(name, zeros):
    act = Activation(name)
    assert all(c == 0.0 for c in act.hermite_coefficients(9)[zeros::2])
    assert all(c == 0 for c in act.hermite_coefficients(5, digits=15)[zeros::2])


@pytest.mark.parametrize("text", ["where(z > 1/3, 1, -1)", "max(0, z - 7/5)", "tanh(15*z)",
                                  pytest.param("tanh(50*z)", marks=pytest.mark.slow), "sin(20*z)",
                                  "exp(z**2/5)", "z*tanh(z)", "abs(z)*sin(3*z)", "exp(5*z)"])
def test_harder_functions(text):
    act = Activation(text)
    floats, digits = act.hermite_coefficients(4), act.hermite_coefficients(4, digits=25)
    assert_allclose(scaled(floats), scaled(digits), rtol=0, atol=1e-13 * math.sqrt(act.second_moment()))


def test_all_digits():
    act = Activation("z*exp(-z**2/8)")
    with mpmath.workdps(50):
        assert str(mpmath.mpf("1.25") ** -1.5) == str(act.hermite_coefficients(1, digits=50)[1])
        assert str(mpmath.mpf("1.5") ** -1.5) == str(act.second_moment(digits=50))
    c = act.hermite_coefficients(1, digits=50)[1]
    assert len(str(c)) == 52 and mpmath.mp.dps == 15
    c = Activation("erf").hermite_coefficients(1, digits=150)[1]
    with mpmath.workdps(160):
        assert abs(c - 2 / mpmath.sqrt(3 * mpmath.pi)) < mpmath.mpf(10) ** -150
    t = Activation("tanh").second_moment(digits=40)
    assert mpmath.nstr(t, 12) == "0.394294490398"


@pytest.mark.parametrize("n", [-1, 201, 2.5, "3", None])
def test_order_out_of_range(n):
    with pytest.raises(DomainError, match="n: got .*0 to 200"):
        hermite_coefficients(Activation("tanh"), n)


@pytest.mark.parametrize("digits", [4, 1001, 20.0, "20"])
def test_digits_out_of_range(digits):
    with pytest.raises(DomainError, match="digits"):
        hermite_coefficients(Activation("tanh"), 2, digits)
    with pytest.raises(DomainError, match="digits"):
        second_moment(Activation("tanh"), digits)


def test_infinite_and_slow_averages():
    act = Activation("exp(z**2/3)")
    with pytest.raises(DomainError, match="second moment"):
        act.hermite_coefficients(3)
    with pytest.raises(DomainError, match="second moment"):
        act.second_moment()
    act = Activation("exp(0.2499*z**2)")
    with pytest.raises(ConvergenceError, match="pass digits"):
        act.second_moment()
    with pytest.raises(ConvergenceError, match="do not converge at the finest rule.*pass digits"):
        Activation("sin(10**6*z)").hermite_coefficients(3)


def test_a_jump_near_zero_is_no_symmetry():
    # the values at mirrored points agree everywhere but between -1/10 and 1/10
    c = Activation("where(z > 0.1, 1, -1)").hermite_coefficients(1)
    assert c[0] == pytest.approx(-math.erf(0.1 / math.sqrt(2)), rel=1e-14)
    assert Activation("where(z > 0.1, 1, -1)").parity is None
    assert Activation("where(abs(z) > 0.1, z, 2*z)").parity == "odd"


@pytest.mark.parametrize("text", slow_but(
    ["tanh(397*(z + 0.31))", "1/(1 + (300*(z - 1))**2)", "exp(-10**6*(z - 1/3)**2)"], 2))
def test_digits_meet_narrow_features_too(text):
    act = Activation(text)
    assert act.second_moment() == pytest.approx(float(act.second_moment(digits=20)), rel=1e-13)
    floats, digits = act.hermite_coefficients(3), act.hermite_coefficients(3, digits=20)
    assert_allclose(scaled(floats), scaled(digits), rtol=0, atol=1e-13 * math.sqrt(act.second_moment()))
