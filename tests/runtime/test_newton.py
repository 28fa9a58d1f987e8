"""Newton's method for many points: each as alone, those that have arrived left out."""

import numpy as np
import pytest

from asympkit.runtime.linear import eliminate_batch
from asympkit.runtime.newton import newton_batch


def cosine(record):
    """x = cos(a x) and y = 1/(1 + x y) as maps, y positive; the sizes of the calls are recorded."""
    def step(a, x, y):
        record.append(np.size(x))
        f, g = np.cos(a * x), 1.0 / (1.0 + x * y)
        rows = ((1.0 + a * np.sin(a * x), 0.0), (y * g, 1.0 + x * g * y))
        return (f, g), (x - f, np.log(y / g)), rows

    return step


def test_points_are_solved_as_alone():
    a = np.linspace(0.1, 2.0, 9)
    together, steps, matrix, _ = newton_batch(cosine([]), (a,), (np.ones(9), np.ones(9)), (False, True), 2, 1e-12, 50)
    assert np.abs(together[0] - np.cos(a * together[0])).max() < 1e-14
    assert np.abs(together[1] * (1 + together[0] * together[1]) - 1).max() < 1e-14
    for k in range(9):
        alone, count, one, _ = newton_batch(cosine([]), (a[k:k + 1],), (np.ones(1), np.ones(1)), (False, True), 2,
                                            1e-12, 50)
        np.testing.assert_allclose(alone[:, 0], together[:, k], rtol=1e-15)
        np.testing.assert_allclose(one[0], matrix[k], rtol=1e-12)
        assert count[0] == steps[k]


def test_finished_points_leave():
    record, a = [], np.array([0.0, 0.5, 1.5, 1.9])
    golden = (np.sqrt(5.0) - 1.0) / 2.0          # the first point starts at its solution
    start = (np.ones(4), np.array([golden, 1.0, 1.0, 1.0]))
    _, steps, _, _ = newton_batch(cosine(record), (a,), start, (False, True), 0, 1e-12, 50)
    assert record == sorted(record, reverse=True) and record[-1] < 4
    assert sum(record) == steps.sum()


def test_scalar_inputs_and_equations_without_maps():
    def step(target, x):
        return None, (x * x - target,), ((2 * x,),)

    found, steps, matrix, _ = newton_batch(step, (2.0,), (np.array([1.0, 5.0]),), (False,), 3, 1e-12, 50)
    np.testing.assert_allclose(found[0], np.sqrt(2.0), rtol=1e-15)
    assert steps[1] > steps[0] and matrix[0, 0, 0] == pytest.approx(2 * np.sqrt(2.0))


def test_a_point_that_cannot_be_solved_stops_alone():
    def step(a, x):
        return (np.sqrt(a - x),), (x - np.sqrt(a - x),), ((1.0 + 0.5 / np.sqrt(a - x),),)

    with np.errstate(invalid="ignore"):
        found, _, _, moved = newton_batch(step, (np.array([-1.0, 6.0]),), (np.ones(2),), (False,), 0, 1e-12, 50)
    assert np.isnan(found[0, 0]) and found[0, 1] == pytest.approx(2.0, rel=1e-14)
    assert moved.tolist() == [np.inf, 0.0]


@pytest.mark.parametrize("n", [1, 2, 3])
def test_elimination_is_that_of_lapack(n):
    rng = np.random.default_rng(n)
    matrix, rhs = rng.normal(size=(200, n, n)) * 10.0 ** rng.uniform(-8, 8, (200, n, 1)), rng.normal(size=(200, n))
    exact = np.linalg.solve(matrix, rhs[..., None])[..., 0]
    condition = np.linalg.cond(matrix / np.abs(matrix).sum(axis=-1, keepdims=True))[:, None]
    size = np.abs(exact).max(axis=-1, keepdims=True)
    assert np.all(np.abs(eliminate_batch(matrix, rhs) - exact) <= 1e-14 * condition * size)


@pytest.mark.parametrize("n", [2, 3])
def test_elimination_at_the_edges(n):
    matrix, rhs = np.stack([np.eye(n)] * 4), np.ones((4, n))
    matrix[1, 0] = 0.0             # an empty row: its unknown is 0
    matrix[2] = 1.0                # singular
    matrix[3, n - 1, 0] = np.nan
    x = eliminate_batch(matrix, rhs)
    np.testing.assert_array_equal(x[0], np.ones(n))
    np.testing.assert_array_equal(x[1], [0.0] + [1.0] * (n - 1))
    np.testing.assert_array_equal(x[2], np.zeros(n))
    assert np.all(np.isnan(x[3]))
