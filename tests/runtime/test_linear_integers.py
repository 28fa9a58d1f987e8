"""Elimination takes whole numbers for what they are."""

import numpy as np

from asympkit.runtime.linear import solve_linear_n


def test_right_sides_of_whole_numbers_are_not_rounded():
    matrix = np.array([[2, 1, 0], [1, 3, 1], [0, 1, 4]])
    x, missed = solve_linear_n(matrix, np.array([1, 0, 0]))
    np.testing.assert_allclose(matrix @ x, [1.0, 0.0, 0.0], atol=1e-15)
    assert missed < 1e-15
