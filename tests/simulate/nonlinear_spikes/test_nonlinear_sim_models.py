"""What simulations of a large gradient step are made of: gradient, spikes, tied ridge regression."""

import numpy as np
import pytest

from asympkit import Activation
from asympkit.simulate import nonlinear_spikes as models
from asympkit.simulate.nonlinear_spikes import (
    EIGEN_FROM,
    Gram,
    Start,
    first_step,
    fit,
    hermite_coefficients,
    train_features,
)

MIXED = Activation("tanh(z)+3/10*(z**2-1)")


def start_and_data(kept, *, n=7, d=5, width=4, teachers=2):
    """A small start, and the first set drawn again from a generator in the same state."""
    start = Start.draw(np.random.default_rng(1), d=d, width=width, teachers=teachers, rows="gaussian")
    noise = np.random.default_rng(2).standard_normal((n, teachers))
    result = first_step(np.random.default_rng(3), start, MIXED, np.sin, noise, kept=kept, gradient=True)
    inputs = np.random.default_rng(3).standard_normal((n, d))
    return start, inputs, np.sin(inputs @ start.teachers) + noise, result


def test_step_is_the_gradient_of_the_loss():
    start, inputs, labels, (directions, descent) = start_and_data(kept=True)
    moves = 1e-5 * np.eye(start.weights.size).reshape(-1, *start.weights.shape)
    for t in range(2):
        def loss(weights, y=labels[:, t]):
            return np.square(y - MIXED(inputs @ weights.T) @ start.readout).sum() / (2 * len(inputs))

        slope = [(loss(start.weights - move) - loss(start.weights + move)) / 2e-5 for move in moves]
        np.testing.assert_allclose(descent[t].ravel(), slope, rtol=0, atol=1e-8)
        initial = MIXED(inputs @ start.weights.T) @ start.readout
        np.testing.assert_allclose(directions[:, t], inputs.T @ (labels[:, t] - initial) / len(inputs), atol=1e-14)


def test_step_without_the_initial_output_sees_the_labels_alone():
    """Removing f0 from the residual is what a gradient with labels y + f0 does."""
    start, inputs, labels, (directions, descent) = start_and_data(kept=False)
    slope = MIXED.derivative(inputs @ start.weights.T)
    for t in range(2):
        expected = start.readout[:, None] * ((slope * labels[:, [t]]).T @ inputs) / len(inputs)
        np.testing.assert_allclose(descent[t], expected, atol=1e-14)
    np.testing.assert_allclose(directions, inputs.T @ labels / len(inputs), atol=1e-14)


@pytest.mark.parametrize("rows, spread", [("sphere", 0.0), ("gaussian", 2.0)])
def test_start(rows, spread):
    start = Start.draw(np.random.default_rng(0), d=50, width=3000, teachers=3, rows=rows)
    squares = np.square(start.weights).sum(axis=1)
    assert squares.mean() == pytest.approx(1, rel=0.02)
    assert squares.var() * 50 == pytest.approx(spread, rel=0.15, abs=1e-12)
    assert np.square(start.readout).sum() == pytest.approx(1, rel=0.1)
    np.testing.assert_allclose(np.linalg.norm(start.teachers, axis=0), 1, rtol=1e-14)


def test_truncated_features_are_the_formula():
    start, inputs, _, (directions, descent) = start_and_data(kept=False)
    c, eta = hermite_coefficients(MIXED, 3), 1.7
    for t, made in enumerate(train_features("truncated", start, directions, descent, eta=eta, coefficients=c,
                                              degree=3)):
        got = MIXED(inputs @ made.weights.T) + made.monomials(inputs) @ made.loadings.T
        expected = MIXED(inputs @ start.weights.T)
        for k in (1, 2, 3):
            pulled = (inputs @ directions[:, t]) ** k
            expected = expected + c[1] ** k * c[k] * eta**k * np.outer(pulled, start.readout**k)
        np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("coefficients, present", [
    ([0, 1, 0.5, 0, 0.1], (1, 2, 4)), ([0, 0, 0.5, 0, 0.1], ()), ([0.2, 1, 0, 0, 0], (1,)),
])
def test_spikes_need_their_coefficient_and_the_first(coefficients, present):
    assert models.spike_degrees(np.array(coefficients), 4) == present


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
