"""Quadrature, conditional means and small linear systems of the kernels, against many digits."""

import math

import mpmath
import numpy as np
import pytest
from helpers.tiers import one_in

from asympkit import Activation
from asympkit.gauss.quadrature.digits import legendre
from asympkit.numbers.functions.routines.elementary import mp_resolvent, mp_resolvent_batch
from asympkit.runtime.linear import solve_linear_1, solve_linear_2, solve_linear_batch, solve_linear_n
from asympkit.runtime.means import normal_means
from asympkit.runtime.rules import OUTER_CUTS, OUTER_STEPS, PANEL_ORDERS, gauss_legendre, layered, outer_rule, trapezoid
from asympkit.runtime.tables import fold, stack_matrix, stack_vector

mp = mpmath.mp.clone()
mp.dps = 28


# -- conditional means -----------------------------------------------------------------------------------


def moments(z, s, at):
    return s, z * s, s**2


EXACT = {
    "tanh": mp.tanh, "relu": lambda t: max(t, mp.zero), "identity": lambda t: t,
    "step": lambda t: mp.mpf(t > 0), "hardtanh": lambda t: max(-1, min(1, t)), "abs": abs,
    "leaky_relu": lambda t: t if t > 0 else t / 10,
}


def exact_moments(name, offset, slope):
    """The three means and their mean absolute integrands, split at the kinks."""
    f, a, b = EXACT[name], mp.mpf(offset), mp.mpf(slope)
    kinks = [mp.mpf(k) for k in Activation(name).kinks_float] if name != "tanh" else []
    if name == "tanh":      # analytic: the trapezoidal rule
        step = min(mp.mpf(1), 1 / b) / 24
        n = int(12 / step)
        nodes = [(step * i, step * mp.npdf(step * i)) for i in range(-n, n + 1)]
    else:
        edges = sorted({mp.mpf(t) for t in range(-12, 13, 2)} | {(k - a) / b for k in kinks if abs(k - a) < 12 * b})
        x, w = legendre(mp, 24)
        nodes = [((r + q) / 2 + (r - q) / 2 * xi, (r - q) / 2 * wi) for q, r in zip(edges, edges[1:])
                 for xi, wi in zip(x, w)]
        nodes = [(t, wt * mp.npdf(t)) for t, wt in nodes]
    terms = [(t, wt, f(a + b * t)) for t, wt in nodes]
    second = mp.fsum(wt * s * s for _, wt, s in terms)
    values = mp.fsum(wt * s for _, wt, s in terms), mp.fsum(wt * t * s for t, wt, s in terms), second
    sizes = mp.fsum(wt * abs(s) for _, wt, s in terms), mp.fsum(wt * abs(t * s) for t, wt, s in terms), second
    return values, sizes


@pytest.mark.parametrize(("slope", "name"), one_in(3, [0.2, 1.0, 3.0], list(EXACT)))
def test_accuracy(name, slope):
    offsets = np.array([-2.5, -0.3, 0.0, 0.15, 1.0, 4.0])
    got, error = normal_means(Activation(name), offsets, slope, moments)
    assert error < 1e-9
    for k, a in enumerate(offsets):
        values, sizes = exact_moments(name, a, slope)
        for value, size, means in zip(values, sizes, got):
            assert abs(means[k] - value) <= 1e-14 * max(size, mp.mpf("1e-3")), (a, float(value))


@pytest.mark.parametrize("offset", [1e-8, -1e-8, 1e-5, 3e-3])
def test_odd_activation_keeps_its_relative_accuracy(offset):
    (mean, _, _), _ = normal_means(Activation("tanh"), np.array([offset]), 1.2, moments)
    (exact, _, _), _ = exact_moments("tanh", offset, 1.2)
    assert abs(mean[0] / exact - 1) < 2e-15


def test_odd_activation_has_mean_exactly_zero():
    for name in ("tanh", "sin", "identity", "hardtanh", "sign"):
        (mean, _, second), _ = normal_means(Activation(name), np.array([0.0, 0.5]), 0.7, moments)
        assert mean[0] == 0.0
        assert mean[1] > 0.0
        assert second[0] > 0.0


def test_odd_activation_is_antisymmetric_to_the_last_bit():
    offsets = np.array([0.3, -0.3, 5.0, -5.0])
    (mean, linear, second), _ = normal_means(Activation("tanh"), offsets, 1.0, moments)
    assert mean[0] == pytest.approx(-mean[1], rel=4e-16)
    assert linear[0] == pytest.approx(linear[1], rel=4e-16)
    assert second[2] == pytest.approx(second[3], rel=4e-16)


def test_slope_zero_is_the_value_itself():
    offsets = np.array([-1.0, 0.0, 2.0])
    (mean, linear, second), _ = normal_means(Activation("tanh"), offsets, 0.0, moments)
    np.testing.assert_allclose(mean, np.tanh(offsets), rtol=1e-15)
    np.testing.assert_allclose(second, np.tanh(offsets) ** 2, rtol=1e-15)
    np.testing.assert_allclose(linear, 0.0, atol=1e-16)


def test_residual_of_a_linear_activation_is_exactly_zero():
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


def test_columns_are_picked_row_by_row():
    offsets = np.array([-3.0, 0.1, 0.2, 5.0])          # rows of both branches
    column = np.array([1.0, 2.0, 3.0, 4.0])
    (got,), _ = normal_means(Activation("tanh"), offsets, 1.0, lambda z, s, at: (at(column) * s**2 + 0 * z,))
    (plain,), _ = normal_means(Activation("tanh"), offsets, 1.0, lambda z, s, at: (s**2 + 0 * z,))
    np.testing.assert_allclose(got, column * plain, rtol=1e-15)


# -- rules ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("step", "cut"), list(zip(OUTER_STEPS, OUTER_CUTS)))
def test_trapezoid(step, cut):
    z, w = trapezoid(step, cut)
    assert w.sum() == pytest.approx(1.0, abs=1e-15)
    np.testing.assert_array_equal(z, -z[::-1])
    np.testing.assert_array_equal(w, w[::-1])
    assert abs(z[-1]) >= cut
    assert np.dot(w, z**2) == pytest.approx(1.0, rel=1e-13)
    assert np.dot(w, np.cos(z)) == pytest.approx(math.exp(-0.5), rel=1e-13)


def test_gauss_legendre_panels():
    z, w = gauss_legendre(np.linspace(-9.0, 9.0, 19), 16)
    assert w.sum() == pytest.approx(1.0, abs=1e-14)
    assert np.dot(w, z**4) == pytest.approx(3.0, rel=1e-13)
    rows, weights = gauss_legendre(np.array([[-9.0, 0.0, 9.0], [-9.0, 1.0, 9.0]]), 60)
    assert rows.shape == weights.shape == (2, 120)
    for z, w, kink in zip(rows, weights, (0.0, 1.0)):
        exact = mp.quad(lambda t, k=kink: abs(t - k) * mp.npdf(t), [-9, kink, 9])
        assert np.dot(w, np.abs(z - kink)) == pytest.approx(float(exact), rel=1e-13)


def test_outer_rule_without_sharp_kinks_is_the_trapezoid():
    for features in ([], [(0.0, 2.0, 1.0, ())], [(0.0, 1.0, 1.0, (0.0,))], [(0.0, 0.0, 1.0, (0.0,))]):
        z, w, symmetric = outer_rule(1, features)
        assert symmetric
        np.testing.assert_array_equal(z, trapezoid(OUTER_STEPS[1], OUTER_CUTS[1])[0])


@pytest.mark.parametrize("level", range(len(OUTER_STEPS)))
def test_outer_rule_with_sharp_kinks_is_graded(level):
    z, w, symmetric = outer_rule(level, [(0.5, 2.0, 1e-3, (0.0, 1.0))])
    assert not symmetric
    assert w.sum() == pytest.approx(1.0, abs=1e-15)
    assert np.all(np.diff(z) > 0)
    assert z.size % PANEL_ORDERS[level] == 0
    for centre in (-0.25, 0.25):      # (kink - offset)/slope, smoothed over 1e-3/2
        gaps = np.diff(z)[np.abs(z[1:] - centre) < 1e-3]
        assert gaps.size > 4
        assert gaps.max() < 2e-3
        assert np.diff(z)[np.abs(z[1:] - centre) > 1.5].max() > 50 * gaps.max() / PANEL_ORDERS[level]


def test_outer_rule_integrates_a_smoothed_step():
    # E Phi(x / w) = 1/2 and E Phi(x / w)^2, a step of width w at 0.3
    width, centre = 1e-4, 0.3
    z, w, _ = outer_rule(2, [(-centre, 1.0, width, (0.0,))])
    step = np.array([0.5 * math.erfc(-(t - centre) / width / math.sqrt(2)) for t in z])
    exact = 0.5 * math.erfc(centre / math.sqrt(2 * (1 + width**2)))
    assert np.dot(w, step) == pytest.approx(exact, rel=1e-13)


@pytest.mark.parametrize("width", [1.0, 0.1, 0.01])
def test_layered_rule_integrates_thin_steps(width):
    z, w = layered(5)
    assert np.array_equal(z, -z[::-1])
    assert w.sum() == pytest.approx(1.0, rel=1e-14)
    assert w @ z**4 == pytest.approx(3.0, rel=1e-13)
    # E |z|, its sign smoothed over the width
    smoothed = w @ (z * np.vectorize(math.erf)(z / (width * np.sqrt(2.0))))
    assert smoothed == pytest.approx(np.sqrt(2.0 / np.pi / (1.0 + width**2)), rel=1e-13)


def test_outer_rule_with_a_kink_that_is_not_smoothed():
    z, w, _ = outer_rule(2, [(0.0, 1.0, 0.0, (0.5,))])
    assert np.dot(w, np.maximum(z - 0.5, 0)) == pytest.approx(
        math.exp(-0.125) / math.sqrt(2 * math.pi) - 0.25 * math.erfc(0.5 / math.sqrt(2)), rel=1e-13)


# -- tables -----------------------------------------------------------------------------------------------


def test_fold_halves_even_integrands():
    z, w = trapezoid(0.2, 10.0)
    base, folded = fold([z, np.tanh(z)], w, ((-1, -1),))
    assert folded.size == w.size // 2 + 1
    assert np.dot(folded, base[0] * base[1]) == pytest.approx(np.dot(w, z * np.tanh(z)), rel=1e-15)
    assert folded.sum() == pytest.approx(1.0, abs=1e-15)


def test_fold_leaves_alone_what_has_no_parity():
    z, w = trapezoid(0.2, 10.0)
    for column, patterns in ((np.exp(z), ((-1, 1), (-1, -1))), (np.tanh(z), ((-1, 1),)), (np.tanh(z), ())):
        base, weights = fold([z, column], w, patterns)
        assert weights is w
        assert base[1] is column


def test_fold_takes_a_vanishing_column_for_either_parity():
    z, w = trapezoid(0.2, 10.0)
    for sign in (1, -1):
        assert fold([z, 0 * z], w, ((-1, sign),))[1].size < w.size


def test_stacks():
    a = np.arange(3.0)
    np.testing.assert_array_equal(stack_vector((3,), (a, 1.0)), np.stack([a, np.ones(3)], axis=-1))
    assert stack_matrix((3,), ((a, 0.0), (1, 2.0))).shape == (3, 2, 2)
    np.testing.assert_array_equal(stack_matrix((3,), ((a, 0.0), (1, 2.0)))[2], [[2, 0], [1, 2]])


# -- linear systems -----------------------------------------------------------------------------------------


def test_small_rows_beside_large_unknowns_keep_their_digits():
    """The last but one row has terms of 1e-35 alone, and elimination takes its unknown from a row of terms of 1."""
    matrix = np.array([[0.81, -0.07, 0, 0, 0, 1.3], [-0.29, 0.9, 0, 0, 0, -1.06], [0.006, 0.002, 0.65, 0, 0, 0.19],
                       [0, 0, 0, 0, 1, 0], [0, 0, 1.53, -1, -1, 0], [0, 0, 0, 1, 0, 0]])
    rhs = np.array([0.15, 0.23, -0.0048, 0.0, -2e-35, 0.0])
    free = np.linalg.solve(matrix[np.ix_([0, 1, 2], [0, 1, 5])], rhs[:3])
    for x, residual in (solve_linear_n(matrix, rhs), [out[0] for out in solve_linear_batch(matrix[None], rhs[None])]):
        assert residual <= 1e-13 and x[2] == pytest.approx(-2e-35 / 1.53, rel=1e-13)
        assert x[[0, 1, 5]] == pytest.approx(free, rel=1e-13) and x[3] == x[4] == 0.0



def solve_2(matrix, rhs):
    *x, residual = solve_linear_2(*matrix.ravel(), *rhs)
    return np.array(x), residual


def solve_as_batch(matrix, rhs):
    x, residual = solve_linear_batch(matrix[None], rhs[None])
    return x[0], residual[0]


SOLVERS = {1: [lambda m, r: (np.array([solve_linear_1(m[0, 0], r[0])[0]]), solve_linear_1(m[0, 0], r[0])[1])],
           2: [solve_2]}


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8])
def test_random_systems(n):
    rng = np.random.default_rng(n)
    for _ in range(20):
        matrix, x = rng.standard_normal((n, n)), rng.standard_normal(n)
        matrix += 2 * np.sign(np.diag(matrix).copy())[:, None] * np.eye(n)
        matrix *= 10.0 ** rng.integers(-150, 150, (n, 1))       # badly scaled rows
        rhs = matrix @ x
        amplified = np.linalg.cond(matrix / np.abs(matrix).sum(axis=1, keepdims=True))
        for solver in (*SOLVERS.get(n, []), solve_linear_n, solve_as_batch):
            got, residual = solver(matrix, rhs)
            np.testing.assert_allclose(got, x, rtol=0, atol=1e-14 * amplified * np.abs(x).max())
            assert residual < 1e-14
    kept = matrix.copy()
    solve_linear_n(matrix, rhs)
    np.testing.assert_array_equal(matrix, kept)


@pytest.mark.parametrize("n", [2, 3, 5])
def test_pivots_are_chosen(n):
    matrix = np.roll(np.eye(n), 1, axis=0) + 1e-20 * np.eye(n)
    x = np.arange(1.0, n + 1)
    for solver in (*SOLVERS.get(n, []), solve_linear_n, solve_as_batch):
        np.testing.assert_allclose(solver(matrix, matrix @ x)[0], x, rtol=1e-15)


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_a_vanishing_row_leaves_its_unknown_at_zero(n):
    rng = np.random.default_rng(n)
    matrix = rng.standard_normal((n, n)) + 3 * np.eye(n)
    matrix[-1] = 0.0
    matrix[:, -1] = 0.0
    rhs = rng.standard_normal(n)
    rhs[-1] = 0.0
    for solver in (*SOLVERS.get(n, []), solve_linear_n, solve_as_batch):
        x, residual = solver(matrix, rhs)
        assert x[-1] == 0.0
        assert residual < 1e-14
        if n > 1:
            np.testing.assert_allclose(matrix[:-1, :-1] @ x[:-1], rhs[:-1], rtol=1e-13)
        x, residual = solver(matrix, rhs + np.eye(n)[-1])       # 0 x = 1: says so
        assert residual == 1.0


@pytest.mark.parametrize("n", [2, 3])
def test_inconsistent_singular_systems_are_not_passed_off(n):
    matrix = np.ones((n, n))
    rhs = np.arange(1.0, n + 1)
    for solver in (*SOLVERS.get(n, []), solve_linear_n):
        assert not solver(matrix, rhs)[1] < 1e-6


def test_batches_of_systems():
    rng = np.random.default_rng(0)
    matrix, rhs = rng.standard_normal((7, 3, 3)) + 3 * np.eye(3), rng.standard_normal((7, 3))
    matrix[3, 1] = 0.0
    rhs[3, 1] = 0.0
    x, residual = solve_linear_batch(matrix, rhs)
    assert residual.max() < 1e-14
    for k in range(7):
        np.testing.assert_allclose(x[k], solve_linear_n(matrix[k], rhs[k])[0], rtol=1e-13, atol=1e-15)
    matrix[5, 0, 0] = np.nan
    x, _ = solve_linear_batch(matrix, rhs)
    assert np.all(np.isnan(x[5]))
    assert np.all(np.isfinite(np.delete(x, 5, axis=0)))


def test_equations_of_small_terms_hold_as_well_as_others():
    """Elimination alone leaves up to 1e-10 of the terms of an equation that has few: it rounds as others need it."""
    rng = np.random.default_rng(2)
    matrix = rng.standard_normal((2000, 6, 6)) * (rng.random((2000, 6, 6)) < 0.7)
    matrix *= 10.0 ** rng.uniform(-6, 6, matrix.shape)
    matrix += rng.standard_normal((2000, 6))[:, None] * np.eye(6)
    rhs = rng.standard_normal((2000, 6))
    assert solve_linear_batch(matrix, rhs)[1].max() < 1e-13


# -- special functions ----------------------------------------------------------------------------------------


def test_resolvent_scalar_equals_batch():
    rng = np.random.default_rng(1)
    a, b, c, ratio = 10 ** rng.uniform(-6, 6, (4, 300))
    batch = mp_resolvent_batch(a, b, c, ratio)
    scalar = [mp_resolvent(*row) for row in zip(a, b, c, ratio)]
    np.testing.assert_allclose(batch, scalar, rtol=4e-16)
    assert np.all(batch > 0)


def test_resolvent_limits():
    assert mp_resolvent(0.0, 2.0, 1.0, 3.0) == 0.5
    assert mp_resolvent_batch(np.zeros(2), np.full(2, 2.0), 1.0, 3.0)[1] == 0.5
    # many more columns than rows: D = c
    assert mp_resolvent(1.0, 2.0, 3.0, 1e-12) == pytest.approx(0.2, rel=1e-11)
    # an atom at zero of weight 1 - 1/ratio
    assert mp_resolvent(1.0, 1e-12, 1.0, 4.0) == pytest.approx(0.75e12, rel=1e-10)
