"""What the simulations of a large gradient step draw and build: gradient, spikes, Hermite coefficients."""

import math

import numpy as np
import pytest

from asympkit import Activation
from asympkit.simulate import nonlinear_models as models
from asympkit.simulate.nonlinear_models import Start, first_step, hermite_coefficients, trained_features

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


@pytest.mark.parametrize("kept", [True, False])
def test_blocks_do_not_matter(kept, monkeypatch):
    whole = start_and_data(kept)[3]
    monkeypatch.setattr(models, "CHUNK", 10)      # two samples a block
    for got, expected in zip(start_and_data(kept)[3], whole):
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("rows, spread", [("sphere", 0.0), ("gaussian", 2.0)])
def test_start(rows, spread):
    start = Start.draw(np.random.default_rng(0), d=50, width=3000, teachers=3, rows=rows)
    squares = np.square(start.weights).sum(axis=1)
    assert squares.mean() == pytest.approx(1, rel=0.02)
    assert squares.var() * 50 == pytest.approx(spread, rel=0.15, abs=1e-12)
    assert np.square(start.readout).sum() == pytest.approx(1, rel=0.1)
    np.testing.assert_allclose(np.linalg.norm(start.teachers, axis=0), 1, rtol=1e-14)


def test_hermite_coefficients_of_a_trigonometric_student():
    """f(z) = sin(z + pi/4) has E f^(k) = exp(-1/2) sin((2k+1) pi/4)."""
    got = hermite_coefficients(lambda z: np.sin(z + np.pi / 4), 6)
    expected = [math.exp(-0.5) * math.sin((2 * k + 1) * math.pi / 4) / math.factorial(k) for k in range(7)]
    np.testing.assert_allclose(got, expected, rtol=1e-13)


def test_hermite_coefficients_that_are_rounding_are_zero():
    root = math.sqrt(2 * math.pi)
    np.testing.assert_allclose(hermite_coefficients(Activation("relu"), 5)[[0, 1, 2, 4]],
                               [1 / root, 1 / 2, 1 / (2 * root), -1 / (24 * root)], rtol=1e-13)
    assert hermite_coefficients(Activation("relu"), 5)[[3, 5]].tolist() == [0, 0]
    assert hermite_coefficients(np.tanh, 4)[[0, 2, 4]].tolist() == [0, 0, 0]


def test_truncated_features_are_the_formula():
    start, inputs, _, (directions, descent) = start_and_data(kept=False)
    c, eta = hermite_coefficients(MIXED, 3), 1.7
    for t, made in enumerate(trained_features("truncated", start, directions, descent, eta=eta, coefficients=c,
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
