"""Conditional means of rough functions and of many points; linear systems and rules."""

import math

import numpy as np
import pytest
from helpers.strategies import Sample, averages, mp
from helpers.tiers import slow_but
from hypothesis import given, settings
from hypothesis import strategies as st

import asympkit as ak
from asympkit import Activation
from asympkit.runtime import linear
from asympkit.runtime.means import normal_means
from asympkit.runtime.rules import NoCommonRule, layered, outer_rule

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


def _regression(slope, offset, function):
    """Return means whose second depends on numbers of the points and on columns of the first."""
    (m1, m0), first = normal_means(function, offset, slope, lambda z, s, at: (s * z / at(slope), s))
    (rest,), second = normal_means(function, offset, slope,
                                   lambda z, s, at: ((s - at(m0) - at(slope) * at(m1) * z) ** 2,))
    return np.array([m1, m0, rest]), max(first, second)


@pytest.mark.parametrize("name", ["tanh", "z**3 - z", "relu", "exp(z)*sin(3*z)"])
def test_means_of_many_points_are_those_of_each(name):
    function, kappa = Activation(name), np.linspace(-6, 6, 31)
    r, slope = np.linspace(0.0, 1.5, 12)[:, None], np.linspace(1.2, 0.5, 12)[:, None]
    together, error = _regression(slope, r * kappa, function)
    assert error <= 1e-12
    for k in range(12):
        alone, _ = _regression(float(slope[k, 0]), float(r[k, 0]) * kappa, function)
        away = np.abs(together[:, k] - alone).max(axis=1)
        assert np.all(away <= 4e-14 * np.abs(alone).max(axis=1))


def test_exact_zeros():
    for name in ("tanh", "sin", "identity", "hardtanh", "sign"):
        (mean, second), _ = normal_means(Activation(name), np.array([0.0, 0.5]), 0.7, lambda z, s, at: (s, s**2))
        assert mean[0] == 0.0
        assert mean[1] > 0.0
        assert second[0] > 0.0
    offsets = np.array([-1.0, 0.0, 0.3, 2.0])

    def residual(z, s, at):
        return ((s - at(offsets) - 0.8 * z) ** 2,)

    (left,), _ = normal_means(Activation("identity"), offsets, 0.8, residual)
    np.testing.assert_array_equal(left, 0.0)


@pytest.mark.parametrize("scale", [1.0, 1e40, 1e120])
@pytest.mark.parametrize("text", ["2 + tanh(z)", "exp(z)", "1 + abs(z)"])
def test_means_of_positive_functions_have_no_scale(text, scale):
    """A function without a sign is no square: its rounding is one of itself, whatever its size."""
    offset = np.linspace(-4.0, 4.0, 9)
    plain, large = (normal_means(Activation(f"{s}*({text})"), offset, 0.7, lambda z, s, at: (s, s * z, s * s))[0]
                    for s in ("1", f"{scale:g}"))
    for power, a, b in zip((1, 1, 2), plain, large):
        assert b == pytest.approx(a * scale**power, rel=1e-12)


@pytest.mark.parametrize("width", [1.0, 0.1, 0.01])
def test_layered_rule_integrates_thin_steps(width):
    z, w = layered(5)
    assert np.array_equal(z, -z[::-1])
    assert w.sum() == pytest.approx(1.0, rel=1e-14)
    assert w @ z**4 == pytest.approx(3.0, rel=1e-13)
    # E |z|, its sign smoothed over the width
    smoothed = w @ (z * np.vectorize(math.erf)(z / (width * np.sqrt(2.0))))
    assert smoothed == pytest.approx(np.sqrt(2.0 / np.pi / (1.0 + width**2)), rel=1e-13)


def test_small_terms():
    # the last but one row has terms of 1e-35 alone, and elimination takes its unknown from a row of terms of 1
    matrix = np.array([[0.81, -0.07, 0, 0, 0, 1.3], [-0.29, 0.9, 0, 0, 0, -1.06], [0.006, 0.002, 0.65, 0, 0, 0.19],
                       [0, 0, 0, 0, 1, 0], [0, 0, 1.53, -1, -1, 0], [0, 0, 0, 1, 0, 0]])
    rhs = np.array([0.15, 0.23, -0.0048, 0.0, -2e-35, 0.0])
    free = np.linalg.solve(matrix[np.ix_([0, 1, 2], [0, 1, 5])], rhs[:3])
    for x, residual in (linear.solve_linear_n(matrix, rhs), solve_as_batch(matrix, rhs)):
        assert residual <= 1e-13 and x[2] == pytest.approx(-2e-35 / 1.53, rel=1e-13)
        assert x[[0, 1, 5]] == pytest.approx(free, rel=1e-13) and x[3] == x[4] == 0.0
    # elimination alone leaves up to 1e-10 of the terms of an equation that has few: it rounds as others need it
    rng = np.random.default_rng(2)
    matrix = rng.standard_normal((2000, 6, 6)) * (rng.random((2000, 6, 6)) < 0.7)
    matrix *= 10.0 ** rng.uniform(-6, 6, matrix.shape)
    matrix += rng.standard_normal((2000, 6))[:, None] * np.eye(6)
    rhs = rng.standard_normal((2000, 6))
    assert linear.solve_linear_batch(matrix, rhs)[1].max() < 1e-13
    matrix = np.array([[2, 1, 0], [1, 3, 1], [0, 1, 4]])
    x, missed = linear.solve_linear_n(matrix, np.array([1, 0, 0]))
    np.testing.assert_allclose(matrix @ x, [1.0, 0.0, 0.0], atol=1e-15)
    assert missed < 1e-15


def solve_2(matrix, rhs):
    *x, residual = linear.solve_linear_2(*matrix.ravel(), *rhs)
    return np.array(x), residual


def solve_as_batch(matrix, rhs):
    x, residual = linear.solve_linear_batch(matrix[None], rhs[None])
    return x[0], residual[0]


def solve_1(matrix, rhs):
    x, residual = linear.solve_linear_1(matrix[0, 0], rhs[0])
    return np.array([x]), residual


SOLVERS = {1: [solve_1], 2: [solve_2]}


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_a_vanishing_row_leaves_its_unknown_at_zero(n):
    rng = np.random.default_rng(n)
    matrix = rng.standard_normal((n, n)) + 3 * np.eye(n)
    matrix[-1] = 0.0
    matrix[:, -1] = 0.0
    rhs = rng.standard_normal(n)
    rhs[-1] = 0.0
    for solver in (*SOLVERS.get(n, []), linear.solve_linear_n, solve_as_batch):
        x, residual = solver(matrix, rhs)
        assert x[-1] == 0.0
        assert residual < 1e-14
        if n > 1:
            np.testing.assert_allclose(matrix[:-1, :-1] @ x[:-1], rhs[:-1], rtol=1e-13)
        x, residual = solver(matrix, rhs + np.eye(n)[-1])       # 0 x = 1: says so
        assert residual == 1.0


@given(n=st.integers(3, 8), columns=st.integers(1, 8), seed=st.integers(0, 10**6), spread=st.integers(0, 12),
       empty=st.booleans())
@settings(max_examples=60, deadline=None)
def test_columns_are_those_of_single_systems(n, columns, seed, spread, empty):
    rng = np.random.default_rng(seed)
    matrix = np.triu(rng.standard_normal((n, n)), -1) * 10.0**rng.uniform(-spread, spread, (n, n))
    if empty:
        matrix[rng.integers(n)] = 0.0
    rhs = rng.standard_normal((n, columns))
    before = matrix.copy(), rhs.copy()
    factors, order = linear.factor_linear_n(matrix)
    x, residuals = linear.solve_many_factored_n(matrix, factors, order, rhs)
    assert np.array_equal(matrix, before[0]) and np.array_equal(rhs, before[1])
    for c in range(columns):
        alone, residual = linear.solve_factored_n(matrix, factors, order, rhs[:, c].copy())
        assert abs(residuals[c] - residual) <= 2e-13
        if residual < 1e-12:
            size = np.abs(np.linalg.pinv(np.where(np.abs(matrix) > 0, matrix, 0.0), rcond=0)).max() * np.abs(rhs).max()
            assert np.abs(x[:, c] - alone).max() <= 1e-12 * max(size, np.abs(alone).max()) * n


def test_unknowns_that_are_zero_are_no_rounding_of_rounding():
    """Corrections left -2e-66 of a zero, which were the only terms of a row: the residual was 1."""
    rng = np.random.default_rng(4)
    for _ in range(200):
        matrix = np.zeros((6, 6))
        matrix[:2, [0, 1, 5]], matrix[2, [0, 1, 2, 5]] = rng.standard_normal((2, 3)), rng.standard_normal(4)
        matrix[3, 4] = matrix[5, 3] = 1.0
        matrix[4, 2:5] = rng.standard_normal(3)         # of zeros alone
        rhs = np.r_[rng.standard_normal(2), np.zeros(4)]
        x, residual = linear.solve_linear_n(matrix, rhs)
        many, residuals = linear.solve_linear_batch(matrix[None], rhs[None])
        assert max(residual, *residuals) < 1e-12
        np.testing.assert_allclose([x[2:5], many[0, 2:5]], 0.0, atol=1e-30 * abs(x).max())


@pytest.mark.parametrize("size", [3, 5])
def test_a_singular_matrix_leaves_a_residual_in_columns_without_a_solution(size):
    matrix = np.ones((size, size)) + np.diag(np.r_[0.0, 0.0, np.ones(size - 2)])      # two equal rows
    _, residuals = linear.solve_many_factored_n(matrix, *linear.factor_linear_n(matrix), np.eye(size))
    assert residuals[0] > 0.1 or residuals[1] > 0.1
    assert np.all(residuals[2:] < 1e-12)


def test_points_without_a_common_rule_are_named():
    def moments(z, s):
        return s, s * z

    with pytest.raises(NoCommonRule) as refused:
        normal_means(Activation("relu"), np.ones((3, 4)), np.array([[0.0], [0.5], [0.7]]), moments)
    assert refused.value.args[0].tolist() == [True, False, False]
    with pytest.raises(NoCommonRule) as refused:
        outer_rule(1, [(0.0, np.array([[0.1], [9.0], [0.1]]), 1.0, (0.0,))])
    assert refused.value.args[0].tolist() == [False, True, False]


def test_points_of_unlike_steepness_cost_hardly_more_together_than_one_by_one():
    class Counted:
        form_parity, kinks_float, values = 0, (), 0

        def __call__(self, x):
            self.values += x.size
            return np.tanh(20 * x + 1)

    function, slopes = Counted(), np.geomspace(0.2, 2.0, 40)[:, None]
    offsets = slopes * np.linspace(-3.0, 3.0, 30)
    together, error = normal_means(function, offsets, slopes, lambda z, s, at: (s, z * s))
    cost, function.values = function.values, 0
    alone = [normal_means(function, o, float(s[0]), lambda z, s, at: (s, z * s))[0] for o, s in zip(offsets, slopes)]
    assert error <= 1e-12 and cost <= 1.25 * function.values       # the steepest are looked at once more
    assert np.allclose(np.swapaxes(together, 0, 1), alone, rtol=1e-11, atol=1e-13)
