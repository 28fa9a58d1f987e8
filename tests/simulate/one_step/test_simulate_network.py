"""The real network: its gradient step, its sizes, its errors."""

import math

import numpy as np
import pytest

from asympkit.errors import DomainError, UnknownNameError
from asympkit.simulate import simulate_network
from asympkit.simulate.one_step import gradient_step
from asympkit.simulate.ridge import draw_fresh_samples, draw_on_sphere


class Tanh:
    def __call__(self, x):
        return np.tanh(x)

    def derivative(self, x):
        return 1 - np.tanh(x) ** 2


class Softplus:  # not odd: the initial output is of order one
    def __call__(self, x):
        return np.log1p(np.exp(x))

    def derivative(self, x):
        return 1 / (1 + np.exp(-x))


@pytest.mark.parametrize("student", [Tanh(), Softplus()])
def test_step_is_the_gradient_of_the_loss(student):
    d, p, n0, rate = 5, 4, 7, 3.0
    rng = np.random.default_rng(0)
    weights, X, y = draw_on_sphere(rng, (p, d), 1.0), rng.standard_normal((n0, d)), rng.standard_normal(n0)
    a = np.ones(p) / math.sqrt(p)

    def loss(flat):
        output = student(X @ flat.reshape(p, d).T) @ a / math.sqrt(p)
        return np.square(y - output).sum() / (2 * n0)

    h = 1e-5
    moves = h * np.eye(p * d)
    gradient = np.array([(loss(weights.ravel() + m) - loss(weights.ravel() - m)) / (2 * h) for m in moves])
    expected = weights - rate * gradient.reshape(p, d)
    whole = gradient_step(student, weights, [(X, y)], rate)
    np.testing.assert_allclose(whole, expected, rtol=0, atol=1e-8)
    parts = gradient_step(student, weights, [(X[:3], y[:3]), (X[3:], y[3:])], rate)
    np.testing.assert_allclose(parts, whole, rtol=0, atol=1e-14)


def test_first_layer_and_labels():
    rng = np.random.default_rng(0)
    np.testing.assert_allclose(np.linalg.norm(draw_on_sphere(rng, (50, 20), 1.0), axis=1), 1.0, rtol=1e-14)
    direction = draw_on_sphere(rng, 20, 20)
    (block, X, y), = draw_fresh_samples(rng, np.sin, direction, 9, width=4)
    assert block == slice(0, 9)
    np.testing.assert_allclose(y, np.sin(X @ direction / math.sqrt(20)))
    _, X, y = next(draw_fresh_samples(rng, np.sin, direction, 20000, width=4, noise_variance=0.25))
    assert np.var(y - np.sin(X @ direction / math.sqrt(20))) == pytest.approx(0.25, rel=0.06)


def test_sizes_are_reported_after_rounding():
    s = simulate_network(Tanh(), np.sin, d=30, eta=1, alpha0=0.5, alpha=1.01, beta=0.72, lam=0.1,
                         repeats=2, seed=4, test_size=50)
    assert (s.d, s.n0, s.n, s.p, s.test_size, s.repeats, s.seed) == (30, 15, 30, 22, 50, 2, 4)
    assert (s.alpha0, s.alpha, s.beta) == (0.5, 1.0, 22 / 30)
    assert list(s) == ["test_error", "clean_error", "train_error", "objective", "m", "q2"]
    assert s["test_error"].values.shape == (2,)
    assert "train_error  0." in str(s)
    with pytest.raises(UnknownNameError, match="did you mean 'test_error'"):
        s["test_eror"]


@pytest.mark.parametrize("no_step", [{"eta": 0, "alpha0": 2}, {"eta": 2, "alpha0": 0},
                                     {"eta": 0, "alpha0": math.inf}])
def test_no_step_needs_no_derivative(no_step):
    s = simulate_network(np.tanh, np.sin, d=30, alpha=1.5, lam=0.01, repeats=2, test_size=100, **no_step)
    assert s.n0 == 0


@pytest.mark.slow
def test_network_after_one_step():
    s = simulate_network(Tanh(), np.sin, d=350, eta=4, alpha0=2, alpha=2, lam=0.01, repeats=8, seed=1)
    assert abs(s["test_error"].mean - 0.172) < 4 * s["test_error"].stderr + 0.03 * 0.172


@pytest.mark.parametrize("changed, text", [
    ({"alpha": 0.001}, r"alpha=0.001 at d=20 leaves no sample: expected alpha >= 0.05"),
    ({"d": 20.5}, r"d: got 20.5; expected an integer >= 2"),
    ({"repeats": 1}, r"repeats: got 1; expected an integer >= 2"),
    ({"seed": -3}, r"seed: got -3; expected an integer >= 0"),
    ({"test_size": 0}, r"test_size: got 0; expected an integer >= 1"),
    ({"executor": 3}, r"executor: got 3; expected a concurrent.futures executor"),
])
def test_what_is_refused(changed, text):
    kwargs = {"student": Tanh(), "target": np.sin, "d": 20, "eta": 1.0, "alpha0": 1.0, "alpha": 1.0,
              "lam": 0.1, "repeats": 2, "test_size": 10} | changed
    with pytest.raises(DomainError, match=text):
        simulate_network(**kwargs)
