"""Rules, conditional means, linear systems, Newton's method for many points, and the prediction of rows."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asympkit import Activation
from asympkit.runtime.linear import (
    factor_linear_n,
    solve_factored_n,
    solve_linear_1,
    solve_linear_2,
    solve_linear_batch,
    solve_linear_n,
    solve_many_factored_n,
)
from asympkit.runtime.means import normal_means
from asympkit.runtime.rules import NoCommonRule, layered, outer_rule


def moments(z, s, at):
    return s, z * s, s**2


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


def test_points_without_a_common_rule_are_named():
    kinked, slope = Activation("relu"), np.array([[0.0], [0.5], [0.7]])
    with pytest.raises(NoCommonRule) as refused:
        normal_means(kinked, np.ones((3, 4)), slope, moments)
    assert refused.value.args[0].tolist() == [True, False, False]
    steep = np.array([[0.1], [9.0], [0.1]])
    with pytest.raises(NoCommonRule) as refused:
        outer_rule(1, [(0.0, steep, 1.0, (0.0,))])
    assert refused.value.args[0].tolist() == [False, True, False]


def test_exact_zeros():
    for name in ("tanh", "sin", "identity", "hardtanh", "sign"):
        (mean, _, second), _ = normal_means(Activation(name), np.array([0.0, 0.5]), 0.7, moments)
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
    for x, residual in (solve_linear_n(matrix, rhs), [out[0] for out in solve_linear_batch(matrix[None], rhs[None])]):
        assert residual <= 1e-13 and x[2] == pytest.approx(-2e-35 / 1.53, rel=1e-13)
        assert x[[0, 1, 5]] == pytest.approx(free, rel=1e-13) and x[3] == x[4] == 0.0
    # elimination alone leaves up to 1e-10 of the terms of an equation that has few: it rounds as others need it
    rng = np.random.default_rng(2)
    matrix = rng.standard_normal((2000, 6, 6)) * (rng.random((2000, 6, 6)) < 0.7)
    matrix *= 10.0 ** rng.uniform(-6, 6, matrix.shape)
    matrix += rng.standard_normal((2000, 6))[:, None] * np.eye(6)
    rhs = rng.standard_normal((2000, 6))
    assert solve_linear_batch(matrix, rhs)[1].max() < 1e-13
    matrix = np.array([[2, 1, 0], [1, 3, 1], [0, 1, 4]])
    x, missed = solve_linear_n(matrix, np.array([1, 0, 0]))
    np.testing.assert_allclose(matrix @ x, [1.0, 0.0, 0.0], atol=1e-15)
    assert missed < 1e-15


def solve_2(matrix, rhs):
    *x, residual = solve_linear_2(*matrix.ravel(), *rhs)
    return np.array(x), residual


def solve_as_batch(matrix, rhs):
    x, residual = solve_linear_batch(matrix[None], rhs[None])
    return x[0], residual[0]


SOLVERS = {1: [lambda m, r: (np.array([solve_linear_1(m[0, 0], r[0])[0]]), solve_linear_1(m[0, 0], r[0])[1])],
           2: [solve_2]}


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
    factors, order = factor_linear_n(matrix)
    x, residuals = solve_many_factored_n(matrix, factors, order, rhs)
    assert np.array_equal(matrix, before[0]) and np.array_equal(rhs, before[1])
    for c in range(columns):
        alone, residual = solve_factored_n(matrix, factors, order, rhs[:, c].copy())
        assert abs(residuals[c] - residual) <= 2e-13
        if residual < 1e-12:
            size = np.abs(np.linalg.pinv(np.where(np.abs(matrix) > 0, matrix, 0.0), rcond=0)).max() * np.abs(rhs).max()
            assert np.abs(x[:, c] - alone).max() <= 1e-12 * max(size, np.abs(alone).max()) * n


@pytest.mark.parametrize("size", [3, 5])
def test_a_singular_matrix_leaves_a_residual_in_columns_without_a_solution(size):
    matrix = np.ones((size, size)) + np.diag(np.r_[0.0, 0.0, np.ones(size - 2)])      # two equal rows
    _, residuals = solve_many_factored_n(matrix, *factor_linear_n(matrix), np.eye(size))
    assert residuals[0] > 0.1 or residuals[1] > 0.1
    assert np.all(residuals[2:] < 1e-12)
