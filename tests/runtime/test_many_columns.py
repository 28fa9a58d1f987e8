"""Several right-hand sides at once agree with one after the other, also where a matrix is singular or rough."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asympkit.runtime.linear import factor_linear_n, solve_factored_n, solve_many_factored_n


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


def test_the_inverse_of_a_chain():
    rng = np.random.default_rng(1)
    matrix = np.eye(17) + 0.2 * np.triu(rng.standard_normal((17, 17)), -1)
    x, residuals = solve_many_factored_n(matrix, *factor_linear_n(matrix), np.eye(17))
    assert np.abs(x @ matrix - np.eye(17)).max() < 1e-14 and residuals.max() < 1e-14


@pytest.mark.parametrize("size", [3, 5])
def test_a_singular_matrix_leaves_a_residual_in_columns_without_a_solution(size):
    matrix = np.ones((size, size)) + np.diag(np.r_[0.0, 0.0, np.ones(size - 2)])      # two equal rows
    _, residuals = solve_many_factored_n(matrix, *factor_linear_n(matrix), np.eye(size))
    assert residuals[0] > 0.1 or residuals[1] > 0.1
    assert np.all(residuals[2:] < 1e-12)
