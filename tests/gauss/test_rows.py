"""Moments of layers of neurons and of pairs of them: against closed forms and the rule for one neuron."""

import mpmath
import numpy as np
import pytest
import sympy as sp

import asympkit as ak
from asympkit.errors import DomainError
from asympkit.gauss.quadrature.averages import gaussian_quadrature
from asympkit.gauss.quadrature.row_moments import row_moments, row_pairs
from asympkit.properties.values import array_function


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
