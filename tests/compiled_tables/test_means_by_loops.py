"""Conditional means by compiled loops over samples: the same numbers as by numpy, or none."""

import numpy as np
import pytest
from asympkit.generated.spiked_features import kernel
from helpers.strategies import Sample, activations, averages, mp
from helpers.tiers import one_in, slow_but
from hypothesis import given, settings
from hypothesis import strategies as st

from asympkit import Activation
from asympkit.compiled_tables import means_by_loops
from asympkit.compiled_tables.loops import lattice_fits
from asympkit.compiled_tables.means import settled_means
from asympkit.compiled_tables.samples import Samples
from asympkit.runtime.means import normal_means
from asympkit.runtime.rules import outer_rules

MOMENTS = [(1, 0), (1, 1), (2, 0)]


def moments(z, s, at):
    return s, s * z, s * s


def sampled(function, offset, slope, signs=None, pairs=None):
    """Means of s, s z and s**2 and their error; or None."""
    return settled_means(function, np.asarray(offset, float), slope, moments, signs, pairs)


SMOOTH = [
    Sample("tanh(1.3*z)", lambda x: mp.tanh(mp.mpf("1.3") * x)),
    Sample("sin(z + 0.4)", lambda x: mp.sin(x + mp.mpf("0.4"))),
    Sample("erf(2*z)", lambda x: mp.erf(2 * x)),
    Sample("z*exp(-z**2/2)", lambda x: x * mp.exp(-x * x / 2)),
    Sample("log(1 + exp(z))", lambda x: mp.log(1 + mp.exp(x))),
    Sample("z**3 - z", lambda x: x**3 - x),
    Sample("exp(z/4)", lambda x: mp.exp(x / 4)),
    Sample("tanh(8*z)", lambda x: mp.tanh(8 * x)),
    Sample("cos(20*z)", lambda x: mp.cos(20 * x)),
    Sample("exp(-(30*(z - 3.3))**2)", lambda x: mp.exp(-((30 * (x - mp.mpf("3.3"))) ** 2)), (mp.mpf("3.3"),)),
    Sample("1e-30*tanh(z)", lambda x: mp.mpf(10) ** -30 * mp.tanh(x)),
]


@pytest.mark.parametrize(("slope", "sample"), one_in(6, [0.6, 1.02, 2.3], SMOOTH), ids=repr)
def test_against_many_digits(sample, slope):
    offsets = np.array([-4.1, -0.7, 0.0, 0.013, 2.2, 6.0])
    got, error = sampled(Activation(sample.text), offsets, slope)
    assert error <= 1e-12
    exact = [averages(sample, MOMENTS, a, slope) for a in offsets]
    largest = max(np.sqrt(float(e[2])) for e in exact)
    for k, a in enumerate(offsets):
        size = max(np.sqrt(float(exact[k][2])), 1e-3 * largest)
        for value, true, power in zip(got, exact[k], (1, 1, 2)):
            assert abs(float(value[k] - true)) <= 2e-13 * size**power, a


@pytest.mark.parametrize("offset", [1e-9, -1e-7, 1e-3, 0.04])
def test_odd_function_keeps_its_relative_accuracy(offset):
    sample = SMOOTH[0]
    (mean, linear, _), _ = sampled(Activation(sample.text), [offset], 1.1)
    exact = averages(sample, MOMENTS, offset, 1.1)
    assert abs(mean[0] / exact[0] - 1) < 5e-15
    assert abs(linear[0] / exact[1] - 1) < 5e-15


def test_what_cancels_is_exactly_zero():
    for text in ("tanh", "sin", "z**3", "z*exp(-z**2/2)"):
        (mean, _, second), _ = sampled(Activation(text), [0.0, 0.5], 0.7)
        assert mean[0] == 0.0 < mean[1] and second[0] > 0.0
    (made,), _ = kernel.kappa_rule((1,), 1.3, 0.64, 0.5, 0.8, Activation("identity"), Activation("sin"), means_by_loops)
    np.testing.assert_array_equal(made[0][1], 0.0)               # the variance of s - mu0 - sqrt(c) mu1 z
    assert np.all(made[0][0] > 0.5)


def test_half_of_the_rows_stand_for_all():
    _, nodes, pairs = outer_rules((0, 1), [])
    for text, signs in (("tanh(1.3*z)", {-1: (-1, 1, 1)}), ("cos(2*z)", {1: (1, -1, 1)})):
        whole, _ = sampled(Activation(text), 1.3 * nodes, 0.8)
        half, _ = sampled(Activation(text), 1.3 * nodes, 0.8, signs, pairs)
        for a, b in zip(whole, half):
            np.testing.assert_allclose(a, b, rtol=0, atol=2e-15)


@pytest.mark.parametrize(("text", "offset", "slope"), [
    ("relu", 0.3, 1.0),                    # a kink
    ("tanh(1000*z)", 0.3, 1.0),            # as good as one
    ("exp(z**2/5)", 0.3, 1.0),             # no second moment; the far samples tell
    ("exp(z/2)", 0.3, 2.7),                # the usual cut-off is too near
    ("exp(z**2/6)", 30.0, 2.0),            # overflow
    ("tanh", 0.3, 0.0), ("tanh", 0.3, 1e-7), ("tanh", 0.3, 1e7), ("tanh", 1e6, 1.0),
])
def test_what_samples_do_not_settle_is_left_to_numpy(text, offset, slope):
    assert sampled(Activation(text), [offset, 2 * offset], slope) is None


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(activations(), st.floats(-5, 5), st.floats(0.05, 4))
def test_any_function(sample, offset, slope):
    act, offsets = Activation(sample.text), np.array([offset, 0.0, 0.02 * slope, -1.7 * offset, 8.1])
    got = sampled(act, offsets, slope)
    if got is None:
        return
    with np.errstate(all="ignore"):
        plain, error = normal_means(act, offsets, slope, moments)
    for value, other, power in zip(got[0], plain, (1, 1, 2)):
        size = np.sqrt(plain[2]) ** power
        assert np.all(np.abs(value - other) <= (1e-12 + error) * np.maximum(size, 1e-3 * np.max(size)) + 1e-300)


OSCILLATIONS = ["tanh(2*cos({}*z))", "tanh(10*cos({}*z))", "1/(1.01 + cos({}*z))", "exp(3*cos({}*z))", "cos({}*z)"]


@pytest.mark.parametrize("form", OSCILLATIONS)
def test_harmonics_that_a_lattice_takes_for_slow_ones(form):
    """Multiples of 2 pi/0.02 = 314.16 and of the frequency of the other lattice are met by harmonics of these."""
    found = 0
    for k in (17, 21, 31, 37, 44, 63, 73, 105, 110, 157, 219, 314):
        act, offsets = Activation(form.format(k)), np.array([0.0, 0.7])
        got = sampled(act, offsets, 1.0)
        if got is not None:
            plain, error = normal_means(act, offsets, 1.0, moments)
            assert error <= 1e-12
            found += 1
            for value, other, power in zip(got[0], plain, (1, 1, 2)):
                assert np.all(np.abs(value - other) <= 2e-12 * np.sqrt(plain[2]) ** power), k
    assert found >= 4


@pytest.mark.parametrize("slope", [1.0, 2.0, 4.0])
def test_numpy_lattices_are_no_parts_of_the_fine_one(slope):
    for text in ("tanh(3*cos(104.71975511966*z))", "cos(314.159265358979*z)", "tanh(3*cos(320/3*z))"):
        (mean, _, _), error = normal_means(Activation(text), np.array([0.0]), slope, moments)
        assert abs(mean[0]) <= 1e-12 or error > 1e-12


def test_samples_are_never_too_many():
    for slope in (2e-6, 1e-4, 1e-2):
        act = Activation("tanh(1.1*z + 0.1)")
        sampled(act, [0.0, 1e-7], slope)
        assert sum(known[0].size for known in act.samples._known.values()) < 250_000


@pytest.mark.parametrize(("text", "r", "c", "exact"), [
    # E(s - mu0 - sqrt(c) mu1 z)**2 at kappa = 0.4*r, from 40 digits of mpmath
    ("z+4.12e-6*tanh(.842*z)", 0.033, 1.0, 2.9020064142221473e-13),
    ("2.88*z-2.01+3.69e-4*sin(.71*z)", 0.019, 1.0, 1.7787027018189849e-9),
])
def test_small_squares_near_the_centre_keep_their_digits(text, r, c, exact):
    """A square whose value at no shift is far larger is not separated from it."""
    act, node = Activation(text), 0.4
    offset = np.array([r * node])
    (m1, m0), _ = normal_means(act, offset, np.sqrt(c), lambda z, s, at: (s * z, s))
    (plain,), _ = normal_means(act, offset, np.sqrt(c),
                                      lambda z, s, at: ((s - at(m0) - at(m1) * z) ** 2,))
    assert abs(plain[0] / exact - 1) < 1e-8
    made, _ = kernel.kappa_rule((1, 2), r, c, 0.5, np.sqrt(0.75), act, Activation("sin"), means_by_loops)
    rule, _ = kernel.kappa_rule((1, 2), r, c, 0.5, np.sqrt(0.75), act, Activation("sin"))
    for (a, _), (b, _) in zip(made, rule):
        np.testing.assert_allclose(a[1], b[1], rtol=1e-8)


def test_offsets_that_are_no_numbers_fit_no_lattice():
    wanted = np.empty(3)
    _, lattice = Samples().on(0.02, 12.0, 50.0, Activation("tanh"))
    assert lattice_fits(lattice, np.array([0.0, 0.5]), 1.0, wanted)
    for bad in ([np.nan, 0.5], [0.5, np.nan], [np.inf, 0.0]):
        assert not lattice_fits(lattice, np.array(bad), 1.0, wanted)


# -- tables and numbers ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("student", "target"), [
    ("tanh(1.1*z)", "sin"), ("softplus", "tanh"), ("z*exp(-z**2/2)", "z**3"), ("sigmoid", "cos"), ("identity", "erf"),
    ("relu", "sin"), ("tanh", "sign"),
])
@pytest.mark.parametrize("table", [(1.2, 1.05, 0.8, 0.6), (-0.05, 0.7, -0.3, np.sqrt(0.91)), (0.0, 1.0, 0.0, 1.0),
                                   (3.0, 2.2, 1.0, 0.0)])
def test_tables_are_the_same(student, target, table):
    functions = [Activation(student), Activation(target)]
    loops, other = kernel.kappa_rule((1, 2), *table, *functions, means_by_loops)
    with np.errstate(all="ignore"):
        plain, error = kernel.kappa_rule((1, 2), *table, *functions)
    assert error <= 1e-12 and other <= 1e-12
    for (a, wa), (b, wb) in zip(plain, loops):
        np.testing.assert_array_equal(wa, wb)
        size = np.maximum(np.max(np.abs(a), axis=1, keepdims=True), 1e-300)
        assert np.max(np.abs(a - b) / size) <= 1e-12


@pytest.mark.parametrize(("student", "target"), slow_but([("softplus", "relu"), ("tanh(1.1*z)", "sin"),
                                                          ("z**2 + z", "z**3")], 0))
def test_numbers_after_the_step_are_the_same(student, target):
    at = (1.7, 2.5, 1.3, 0.2, Activation(student), Activation(target))
    found = kernel.one_step_parameters(*at, normal_means=means_by_loops)
    np.testing.assert_allclose(kernel.one_step_parameters(*at)[:4], found[:4], rtol=1e-13)
