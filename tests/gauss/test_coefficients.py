"""Hermite coefficients, second moments, quadrature and conditional means of rows."""

import math

import mpmath
import numpy as np
import pytest
import sympy as sp
from helpers.tiers import slow_but
from numpy.testing import assert_allclose

import asympkit as ak
from asympkit import Activation, ConvergenceError, DomainError
from asympkit.gauss.coefficients import hermite_coefficients, second_moment
from asympkit.gauss.quadrature.averages import gaussian_quadrature
from asympkit.gauss.quadrature.row_moments import row_moments, row_pairs
from asympkit.parsing.grammar import CATALOGUE
from asympkit.properties.values import array_function

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


@pytest.mark.parametrize("text, exact", [("z**3 - 3*z", [0, 0, 0, 1, 0]), ("0.3*z**2 - 0.1", [0.2, 0, 0.3]),
                                         ("z**5", [0, 15]), ("3", [3, 0]), ("(z - 1)**2", [2, -2, 1, 0])])
def test_polynomials_are_exact(text, exact):
    assert Activation(text).hermite_coefficients(len(exact) - 1).tolist() == exact


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


mp = mpmath.mp.clone()
mp.dps = 35


@pytest.mark.parametrize("k", [30, 1000, 10**5, 10**8])
def test_any_steepness(k):
    # E[Z tanh(kZ)] = sqrt(2/pi) (1 - c/k^2 + ...), E tanh^2 = 1 - 2/(k sqrt(2 pi)) + ...
    values, estimates = gaussian_quadrature(Activation(f"tanh({k}*z)"), [(1, 1), (2, 0)])

    def tail(z):
        # 1 - tanh, and 1 - tanh^2, live on the scale 1/k
        return 2 / (1 + mp.exp(2 * z))

    def mean(g):
        return 2 * mp.quad(lambda t: g(t) * mp.npdf(t / k), [0, 1, 3, 8, 20, 50]) / k

    linear = mp.sqrt(2 / mp.pi) - mean(lambda t: t / k * tail(t))
    square = 1 - mean(lambda t: mp.sech(t) ** 2)
    assert abs(values[0] - linear) < 1e-15
    assert abs(values[1] - square) < 1e-15
    assert np.all(estimates < 1e-14)


def test_a_frequency_that_fits_every_halving_of_a_lattice_is_not_taken_for_zero():
    for doubling in range(8):
        frequency = 2 * math.pi * 16 / 19 * 2**doubling
        values, _ = gaussian_quadrature(Activation(f"sin({frequency!r}*z)"), [(1, 1), (2, 0)])
        assert values[0] == pytest.approx(frequency * math.exp(-frequency**2 / 2), abs=1e-14)
        assert values[1] == pytest.approx((1 - math.exp(-2 * frequency**2)) / 2, abs=1e-14)


@pytest.mark.parametrize(("text", "mean", "square"), [
    ("exp(-10**8*(z-1/3)**2)", 1 / math.sqrt(1 + 2e8) * math.exp(-1e8 / 9 / (1 + 2e8)),
     1 / math.sqrt(1 + 4e8) * math.exp(-2e8 / 9 / (1 + 4e8))),
    ("step(z-8)", 6.220960574271785e-16, 6.220960574271785e-16),
])
def test_features_between_all_nodes_are_met(text, mean, square):
    values, _ = gaussian_quadrature(Activation(text), [(1, 0), (2, 0)])
    assert values[0] == pytest.approx(mean, rel=1e-11)
    assert values[1] == pytest.approx(square, rel=1e-12)


def test_infinite_second_moment_at_the_scale_used():
    act = Activation("exp(z**2/8)")
    (second,), _ = gaussian_quadrature(act, [(2, 0)])
    assert second == pytest.approx(math.sqrt(2), rel=1e-14)
    with pytest.raises(DomainError, match="its second moment under a Gaussian of variance 4 is infinite"):
        gaussian_quadrature(act, [(2, 0)], 0.0, 2.0)


def neurons(count, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal(count), np.exp(0.4 * rng.standard_normal(count))


@pytest.mark.parametrize("name", ["tanh", "erf", "relu", "sign", "elu", "hardtanh", "exp", "cubic", "tanh(20*z)",
                                  "sqrt(abs(z))", "step", "abs", "sin"])
def test_a_layer_of_neurons_is_as_right_as_each_of_them(name):
    activation, (a, s) = ak.Activation(name), neurons(40)
    found = row_moments(activation, a, s)
    for i in (0, 7, 39):
        (mean, slope, second), _ = gaussian_quadrature(activation, [(1, 0), (1, 1), (2, 0)], a[i], s[i])
        size = np.sqrt(second)
        assert found.mean[i] == pytest.approx(mean, abs=2e-13 * size)
        assert found.slope[i] * s[i] == pytest.approx(slope, abs=2e-13 * size)
        assert found.second[i] == pytest.approx(second, rel=2e-13)
        assert found.rest[i] == pytest.approx(second - mean**2 - slope**2, abs=5e-13 * second)


@pytest.mark.parametrize("name", ["relu", "sign", "erf"])
def test_closed_means_with_symbols_for_shift_and_scale(name):
    z, a, s = sp.Symbol("z", real=True), sp.Symbol("a", real=True), sp.Symbol("s", positive=True)
    activation, at = ak.Activation(name), neurons(30, seed=1)
    closed = ak.E(activation.expr.subs(activation.symbol, a + s * z), z).doit()
    value = array_function(closed, (a, s))(*at)
    np.testing.assert_allclose(row_moments(activation, *at).mean, value, rtol=0, atol=5e-14)


@pytest.mark.parametrize("r", [1.0, 1e-2, 1e-4])
def test_what_is_not_linear_keeps_its_digits(r):
    # for erf: 2/pi asin(2r/(1+2r)) - 4r/(pi(1+2r)), a difference of size r^3 of numbers of size r
    with mpmath.workdps(50):
        exact = mpmath.mpf(np.sqrt(r)) ** 2
        ratio = 2 * exact / (1 + 2 * exact)
        known = float(2 / mpmath.pi * (mpmath.asin(ratio) - ratio))
    assert row_moments(ak.Activation("erf"), 0.0, np.sqrt(r)).rest[0] == pytest.approx(known, rel=1e-12)


@pytest.mark.parametrize("s", [30.0, 300.0, 1000.0])
def test_no_bump_or_frequency_is_invisible_where_neurons_are_steep(s):
    # two coarse lattices both see nothing of a bump, and both see the same alias of a frequency
    bump, wave = (row_moments(ak.Activation(f), 0.0, s) for f in ("z*exp(-z**2)", "sin"))
    assert bump.slope[0] == pytest.approx((1 + 2 * s**2) ** -1.5, rel=1e-12)
    assert bump.variance[0] == pytest.approx(s**2 * (1 + 4 * s**2) ** -1.5, rel=1e-12)
    assert wave.slope[0] == pytest.approx(0.0, abs=1e-13)
    assert wave.variance[0] == pytest.approx(0.5, rel=1e-12)


def test_edges():
    f, one = ak.Activation("z*exp(-z**2)"), np.ones(1)
    s = 15 * one
    moments = row_moments(f, 0.0, s)
    assert row_pairs(f, f, 0 * one, s, 0 * one, s, one, moments, moments) == pytest.approx(moments.rest, rel=1e-12)
    found = row_moments(ak.Activation("tanh"), [0.3, 0.3], [0.0, 1e-9])
    assert found.mean[0] == np.tanh(0.3) and found.variance[0] == found.rest[0] == 0
    assert found.slope == pytest.approx([1 - np.tanh(0.3) ** 2] * 2, rel=1e-6)
    with pytest.raises(DomainError, match=r"expected finite means, and standard deviations that are not negative"):
        row_moments(ak.Activation("tanh"), [0.0], [-1.0])
    with pytest.raises(DomainError, match=r"second moment under a Gaussian of variance 4 is infinite"):
        row_moments(ak.Activation("exp(z**2/10)"), [0.0, 0.0], [1.0, 2.0])


_CLOSED = {
    ("erf", "erf"): lambda s, t, r: 2 / np.pi * np.arcsin(2 * r * s * t / np.sqrt((1 + 2 * s**2) * (1 + 2 * t**2))),
    ("sign", "sign"): lambda s, t, r: 2 / np.pi * np.arcsin(r),
    ("erf", "sign"): lambda s, t, r: 2 / np.pi * np.arcsin(np.sqrt(2) * r * s / np.sqrt(1 + 2 * s**2)),
    ("sin", "sin"): lambda s, t, r: np.exp(-(s**2) / 2 - t**2 / 2) * np.sinh(r * s * t),
    ("relu", "relu"): lambda s, t, r: s * t / (2 * np.pi) * (np.sqrt((1 - r) * (1 + r)) + r * (np.pi - np.arccos(r))),
}


@pytest.mark.parametrize("names", _CLOSED, ids=" ".join)
def test_pairs_of_neurons_have_the_closed_means(names):
    f, g = map(ak.Activation, names)
    (_, s), (_, t) = neurons(24, seed=2), neurons(24, seed=3)
    rho = np.r_[1.0, -1.0, 1 - 1e-10, 1e-9, 0.0, np.linspace(-0.95, 0.95, 19)]
    left, right, zero = row_moments(f, 0 * s, s), row_moments(g, 0 * t, t), np.zeros(24)
    rest = row_pairs(f, g, zero, s, zero, t, rho, left, right)
    found = rest + rho * s * t * left.slope * right.slope + left.mean * right.mean
    np.testing.assert_allclose(found, _CLOSED[names](s, t, rho), rtol=0, atol=2e-13 * np.max(left.second))
