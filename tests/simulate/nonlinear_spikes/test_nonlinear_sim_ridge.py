"""Ridge regression with free and tied regressors, against least squares written out."""

import numpy as np
import pytest

from asympkit.simulate.nonlinear_gram import EIGEN_FROM, Gram, fit

SHAPES = [(30, 20), (20, 20), (20, 33)]


@pytest.fixture(params=SHAPES, ids=str)
def problem(request):
    n, width = request.param
    rng = np.random.default_rng(n + width)
    powers = rng.standard_normal((n, 1)) ** [1, 2]
    return rng.standard_normal((n, width)), np.hstack([np.ones((n, 1)), powers]), rng.standard_normal((n, 2)), rng


def least_squares(features, free, labels, lam):
    """Minimise the same objective as one augmented least-squares problem."""
    (n, width), k = features.shape, free.shape[1]
    top = np.hstack([features, free])
    bottom = np.hstack([np.sqrt(n * lam) * np.eye(width), np.zeros((width, k))])
    rows = np.vstack([top, bottom])
    right = np.vstack([labels, np.zeros((width, labels.shape[1]))])
    solution = np.linalg.lstsq(rows, right, rcond=None)[0]
    return np.square(right - rows @ solution).sum(axis=0) / (n * lam), solution[:width], solution[width:]


@pytest.mark.parametrize("penalties", [1, EIGEN_FROM])
@pytest.mark.parametrize("lam", [1e-3, 0.3])
def test_free_regressors(problem, penalties, lam):
    features, free, labels, _ = problem
    got = fit(Gram(features, penalties).resolvent(lam), features, labels, free)
    for value, expected in zip(got, least_squares(features, free, labels, lam)):
        np.testing.assert_allclose(value, expected, rtol=0, atol=1e-10 * np.abs(expected).max())


def test_without_free_regressors(problem):
    features, free, labels, _ = problem
    minimum, weights, coefficients = fit(Gram(features).resolvent(0.2), features, labels, free[:, :0])
    expected = least_squares(features, free[:, :0], labels, 0.2)
    np.testing.assert_allclose(minimum, expected[0], rtol=1e-12)
    np.testing.assert_allclose(weights, expected[1], atol=1e-12)
    assert coefficients.shape == (0, 2)


@pytest.mark.parametrize("penalties", [1, EIGEN_FROM])
@pytest.mark.parametrize("sizes", [[1.0, 1.0], [1e-6, 30.0], [200.0, 1e3]])
def test_tied_regressors_are_a_low_rank_change_of_the_features(problem, penalties, sizes):
    """The constant stays free; V^T b multiplies the powers."""
    features, free, labels, rng = problem
    loadings = rng.standard_normal((features.shape[1], 2)) * sizes
    minimum, weights, coefficients = fit(Gram(features, penalties).resolvent(0.1), features, labels, free, loadings)
    expected = least_squares(features + free[:, 1:] @ loadings.T, free[:, :1], labels, 0.1)
    np.testing.assert_allclose(minimum, expected[0], rtol=1e-9)
    np.testing.assert_allclose(weights, expected[1], atol=1e-9 * np.abs(expected[1]).max())
    np.testing.assert_allclose(coefficients[:1], expected[2], atol=1e-8)
    np.testing.assert_allclose(coefficients[1:], loadings.T @ expected[1], atol=1e-8 * max(sizes))


@pytest.mark.parametrize("size, diverging", [(1e12, False), (1.0, True)])
def test_ties_of_any_size_lose_no_digits(problem, size, diverging):
    """V -> infinity: b is orthogonal to V and the powers are free, which least squares on the complement says too."""
    features, free, labels, rng = problem
    loadings = rng.standard_normal((features.shape[1], 2))
    got = fit(Gram(features).resolvent(0.1), features, labels, free, size * loadings, diverging=diverging)
    complement = np.linalg.svd(loadings, full_matrices=True)[0][:, 2:]
    expected = least_squares(features @ complement, free, labels, 0.1)
    np.testing.assert_allclose(got[0], expected[0], rtol=1e-10)
    np.testing.assert_allclose(got[1], complement @ expected[1], atol=1e-10)
    np.testing.assert_allclose(got[2], expected[2], atol=1e-10)


def test_minimum_is_the_identity_of_the_resolvent(problem):
    """lam y^T (F F^T + n lam)^-1 y is the training error with its penalty."""
    features, free, labels, _ = problem
    n, lam = len(features), 0.05
    minimum, weights, _ = fit(Gram(features).resolvent(lam), features, labels, free[:, :0])
    direct = np.square(labels - features @ weights).mean(axis=0) + lam * np.square(weights).sum(axis=0)
    np.testing.assert_allclose(lam * minimum, direct, rtol=1e-12)
    inverse = np.linalg.inv(features @ features.T + n * lam * np.eye(n))
    np.testing.assert_allclose(minimum, np.einsum("it,ij,jt->t", labels, inverse, labels), rtol=1e-11)
