"""Conditional means of functions that oscillate, grow, turn sharply or sit far out, against arbitrary precision."""

import math

import numpy as np
import pytest
from helpers.strategies import Sample, averages, mp
from helpers.tiers import slow_but

import asympkit as ak
from asympkit import Activation
from asympkit.runtime.means import normal_means

MOMENTS = [(1, 0), (1, 1), (2, 0)]


def around(place, slope=1):
    """Split points at a place and, for the reference alone, ever closer to it."""
    place = mp.mpf(place)
    return (place, *(place + d * slope * mp.mpf(8) ** -j for j in range(1, 12) for d in (-1, 1)))


ROUGH = [
    Sample("exp(3*z)", lambda x: mp.exp(3 * x)), Sample("exp(z**2/8)", lambda x: mp.exp(x * x / 8)),
    Sample("z**12", lambda x: x**12), Sample("sin(50*z)", lambda x: mp.sin(50 * x)),
    Sample("cos(51*z)", lambda x: mp.cos(51 * x)), Sample("tanh(sin(25*z))", lambda x: mp.tanh(mp.sin(25 * x))),
    Sample("tanh(1000*z)", lambda x: mp.tanh(1000 * x), around(0)),
    Sample("erf(845*(z - 0.14))", lambda x: mp.erf(845 * (x - mp.mpf("0.14"))), around("0.14")),
    Sample("tanh(10**6*z)", lambda x: mp.tanh(10**6 * x), around(0)),
    Sample("exp(-10**6*(z - 1/3)**2)", lambda x: mp.exp(-(10**6) * (x - mp.mpf(1) / 3) ** 2), around(mp.mpf(1) / 3)),
    Sample("1/(1 + (410*(z - 0.68))**2)", lambda x: 1 / (1 + (410 * (x - mp.mpf("0.68"))) ** 2), around("0.68")),
    Sample("abs(z)**0.5", lambda x: mp.sqrt(abs(x)), around(0)),
    Sample("abs(z)**0.9", lambda x: abs(x) ** mp.mpf("0.9"), around(0)),
    Sample("where(z > 0.1, sin(60*z), 0)", lambda x: mp.sin(60 * x) if x > mp.mpf("0.1") else mp.zero, around("0.1")),
    Sample("max(z - 6, 0)", lambda x: max(x - 6, mp.zero), (6,)), Sample("step(z - 8)", lambda x: mp.mpf(x > 8), (8,)),
]


@pytest.mark.parametrize("sample", slow_but(ROUGH, 1, 2, 6, 8, 11, 14), ids=repr)
def test_rough_functions(sample):
    offsets, slope = np.array([0.0, 1.19]), 1.0
    got, error = normal_means(Activation(sample.text), offsets, slope, lambda z, s, at: (s, z * s, s * s))
    assert error <= 1e-12
    for k, a in enumerate(offsets):
        exact = averages(sample, MOMENTS, a, slope)
        size = math.sqrt(float(exact[2]))
        for value, true, power in zip(got, exact, (1, 1, 2)):
            assert abs(float(value[k] - true)) <= 2e-13 * size**power, a


@pytest.mark.parametrize("slope", [30.0, 1e4])
def test_a_layer_beside_a_kink_is_as_thin_as_the_slope_is_large(slope):
    sample = Sample("elu(z)", lambda x: x if x > 0 else mp.expm1(x), around(0, slope))
    offsets = np.array([0.3, 2.0 * slope])
    got, error = normal_means(Activation("elu"), offsets, slope, lambda z, s, at: (s, z * s, s * s))
    assert error <= 1e-12
    for k, a in enumerate(offsets):
        exact = averages(sample, MOMENTS, a, slope)
        for value, true in zip(got, exact):
            assert value[k] == pytest.approx(float(true), rel=1e-13)


@pytest.mark.parametrize(("text", "least"), [("where(z > 0.1, sin(3000*z), 0)", 1e-6), ("exp(0.2499*z**2)", 1e-6),
                                             ("exp(60*z)", math.inf)])
def test_what_is_not_reached_has_a_large_error(text, least):
    _, error = normal_means(Activation(text), np.array([0.2]), 1.0, lambda z, s, at: (s, s * s))
    assert error >= least


def test_growth_does_not_hide_the_rows_in_the_middle():
    # the rows far out are 1e60 times larger: neither clipping nor convergence is judged by them
    offsets = np.linspace(-14.0, 14.0, 29)
    (mean, square), error = normal_means(Activation("exp(3*z)"), offsets, 1.0, lambda z, s, at: (s, s * s))
    assert error <= 1e-12
    np.testing.assert_allclose(mean, np.exp(3 * offsets + 4.5), rtol=1e-13)
    np.testing.assert_allclose(square, np.exp(6 * offsets + 18.0), rtol=1e-13)


@pytest.mark.parametrize(("place", "sharpness", "slope"), [(3.044, 2400, 10.0), (0.97, 2400, 30.0), (20.0, 160, 100.0)])
def test_a_bump_between_the_nodes_is_seen_or_the_error_says_so(place, sharpness, slope):
    """Wider than what is cut into panels, narrower than the lattice of a steep argument."""
    sample = Sample(f"exp(-{sharpness}*(z-{place})**2)", lambda x: mp.exp(-sharpness * (x - mp.mpf(str(place))) ** 2),
                    around(str(place), slope))
    offsets = np.linspace(-0.1, 0.1, 9)
    got, error = normal_means(Activation(sample.text), offsets, slope, lambda z, s, at: (s, z * s, s * s))
    exact = averages(sample, MOMENTS, offsets[0], slope)
    size = math.sqrt(float(exact[2]))
    wrong = max(abs(float(v[0] - t)) / size**k for v, t, k in zip(got, exact, (1, 1, 2)))
    assert error > 1e-12 or wrong <= 1e-11


@pytest.mark.parametrize("size", [1.0, 1e9, 1e14, 1e40])
def test_a_product_with_the_variable_is_no_square(size):
    # z s(z) of an odd function is nowhere negative; what it is compared with must grow like s, not like its square
    cubic = normal_means(Activation("z**3"), np.zeros(1), size, lambda z, s, at: (s, z * s))[0]
    assert float(cubic[1][0]) == pytest.approx(3 * size**3, rel=1e-13)

    class Large:
        kinks_float, form_parity = (), -1

        def __call__(self, x):
            return size * np.tanh(5 * x)

    values, error = normal_means(Large(), np.zeros(1), 1.0, lambda z, s, at: (s, z * s))
    known, _ = normal_means(Activation("tanh(5*z)"), np.zeros(1), 1.0, lambda z, s, at: (s, z * s))
    assert float(values[1][0]) == pytest.approx(size * float(known[1][0]), rel=1e-13)
    assert error <= 1e-12


@pytest.mark.parametrize("slope", [1e4, 1e6])
def test_steep_functions_are_seen_beside_argument_zero(slope):
    def wanted(z, s, at):
        return s * s, z * s

    (square, product), error = normal_means(Activation("z*exp(-z**2)"), np.zeros(1), slope, wanted)
    assert float(square[0]) == pytest.approx(slope**2 * (1 + 4 * slope**2) ** -1.5, rel=1e-12)
    assert float(product[0]) == pytest.approx(slope * (1 + 2 * slope**2) ** -1.5, rel=1e-12)
    assert error <= 1e-12
    (square, _), error = normal_means(Activation("tanh"), np.zeros(1), slope, wanted)
    # 1 - E tanh(b z)**2 = E sech(b z)**2 is 2 phi(0)/b to order 1/b**3
    assert 1 - float(square[0]) == pytest.approx(math.sqrt(2 / math.pi) / slope, abs=3 / slope**3 + 1e-13)
    assert error <= 1e-12


@pytest.mark.parametrize("slope", [1.0, 2.0, 4.0])
def test_lattices_are_no_parts_of_the_fine_one(slope):
    for text in ("tanh(3*cos(104.71975511966*z))", "cos(314.159265358979*z)", "tanh(3*cos(320/3*z))"):
        (mean, _, _), error = normal_means(Activation(text), np.array([0.0]), slope, lambda z, s, at: (s, s * z, s * s))
        assert abs(mean[0]) <= 1e-12 or error > 1e-12


@pytest.mark.parametrize(("text", "r", "c", "exact"), [
    # E(s - mu0 - sqrt(c) mu1 z)**2 at kappa = 0.4*r, from 40 digits of mpmath
    ("z+4.12e-6*tanh(.842*z)", 0.033, 1.0, 2.9020064142221473e-13),
    ("2.88*z-2.01+3.69e-4*sin(.71*z)", 0.019, 1.0, 1.7787027018189849e-9),
])
def test_small_squares_near_the_centre_keep_their_digits(text, r, c, exact):
    """A square whose value at no shift is far larger is not separated from it."""
    act, offset = Activation(text), np.array([0.4 * r])
    (m1, m0), _ = normal_means(act, offset, np.sqrt(c), lambda z, s, at: (s * z, s))
    (square,), _ = normal_means(act, offset, np.sqrt(c), lambda z, s, at: ((s - at(m0) - at(m1) * z) ** 2,))
    assert abs(square[0] / exact - 1) < 1e-8


@pytest.mark.parametrize("offset", slow_but([1e-12, 1e-7, 1e-2], 0))
def test_odd_means_near_the_centre(offset):
    """E[(z**2 - 1) tanh(a + z)] and E[(z**4 - 3) tanh(a + z)] are as small as a."""
    tanh, a = ak.Activation("tanh"), np.array([offset, -3 * offset])
    found, error = normal_means(tanh, a, 1.0, lambda z, s, at: (s * (z * z - 1), s * (z**4 - 3), s))
    assert error < 1e-12
    for k, polynomial in enumerate((lambda z: z**2 - 1, lambda z: z**4 - 3, lambda z: 1)):
        for i, x in enumerate(a):
            with mp.workdps(20):
                exact = mp.quad(lambda z: polynomial(z) * mp.tanh(mp.mpf(float(x)) + z) * mp.npdf(z),  # noqa: B023
                                mp.linspace(-12, 12, 13))
            assert found[k][i] == pytest.approx(float(exact), rel=2e-13)
