"""Simulated spiked features and deep networks: exact cases, known errors, training, refusals."""

import math

import numpy as np
import pytest
from helpers.ridge_formula import ridge_formula
from helpers.tiers import slow_but

from asympkit import Activation
from asympkit.errors import ConvergenceError, DomainError
from asympkit.simulate import simulate_spiked
from asympkit.simulate.deep_features import _gradient, draw_deep, simulate_features, train_layers
from asympkit.simulate.spiked_features import draw_weights


def identity(x):
    return x


def test_rows():
    def square_norms(rows):
        bulk = draw_weights(np.random.default_rng(0), d=50, p=2000, gamma=0.1, c=1.7, rows=rows)[0]
        return np.square(bulk).sum(axis=1)

    np.testing.assert_allclose(square_norms("sphere"), 1.7, rtol=1e-14)
    assert square_norms("gaussian").mean() == pytest.approx(1.7, rel=0.02)
    assert square_norms("gaussian").var() * 50 == pytest.approx(2 * 1.7**2, rel=0.15)


@pytest.mark.parametrize("gamma", [0.6, 1.0, -1.0])
def test_linear_network_learns_a_linear_target_exactly(gamma):
    # W^T w / sqrt(p) = (theta_* - r m v) / sqrt(d), hence theta = gamma - r m, psi = rho, q1 = rho^2.
    r, rho = 1.4, math.sqrt(1 - gamma**2)
    s = simulate_spiked(identity, identity, d=30, r=r, gamma=gamma, c=1.3, alpha=2, beta=1.5, lam=0.0,
                        repeats=3, test_size=100)
    assert s["clean_error"].values.max() < 1e-20
    np.testing.assert_allclose(s["theta"].values, gamma - r * s["m"].values, atol=1e-10)
    np.testing.assert_allclose(s["psi"].values, rho, atol=1e-10)
    np.testing.assert_allclose(s["q1"].values, rho**2, atol=1e-10)


@pytest.mark.parametrize("rows, expected", slow_but([("sphere", 0.06427), ("gaussian", 0.06275)], 0))
def test_known_errors(rows, expected):
    s = simulate_spiked(np.tanh, np.sin, d=250, r=3, gamma=0.95, c=1, alpha=3, lam=0.01, rows=rows,
                        repeats=10, seed=1)
    error = s["test_error"]
    assert abs(error.mean - expected) < 4 * error.stderr + 0.02 * expected


def layer(weights, function):
    return weights, function, np.zeros(len(weights))


def test_linear_networks_have_the_errors_of_their_exact_covariances():
    rng, (d, p, k) = np.random.default_rng(0), (60, 90, 40)
    W1, W2, V = (rng.standard_normal(s) / np.sqrt(s[1]) for s in ((80, d), (p, 80), (k, d)))
    theta, variances = rng.standard_normal(k), 1 / np.arange(1, d + 1) ** 0.5
    W, beta = W2 @ W1, V.T @ theta / np.sqrt(len(theta))
    omega, psi = W * variances @ W.T, W @ (variances * beta)
    found = simulate_features([layer(W1, identity), layer(W2, identity)], [layer(V, identity)], n=120, lam=[0.01, 1.0],
                              noise_variance=0.2, input_covariance=np.diag(variances), readout=theta, repeats=60,
                              test_size=2000)
    assert found.sizes == {"d": 60, "p": 90, "k": 40, "n": 120} and list(found.axes) == ["lam"]
    for i, lam in enumerate((0.01, 1.0)):
        known = ridge_formula(omega, psi, beta @ (variances * beta), n=120, lam=lam, noise_variance=0.2)
        for name, value in known.items():
            estimate = found[name]
            assert abs(estimate.mean[i] - value) < 4 * estimate.stderr[i] + 0.01 * value, (name, lam)


def test_centred_features_lose_their_mean():
    rng = np.random.default_rng(0)
    W = rng.standard_normal((40, 30)) / np.sqrt(30)
    at = {"n": 200, "lam": 1e-6, "repeats": 3, "test_size": 4000, "readout": np.ones(40),
          "input_covariance": np.eye(30)}
    plain, moved = [layer(W, identity)], [layer(W, lambda x: x + 5)]
    raw, centred = (simulate_features(moved, moved, centred=c, **at) for c in (False, True))
    assert raw["clean_error"].mean < 1e-4 and centred["clean_error"].mean < 1e-4
    biased, removed = (simulate_features(plain, moved, centred=c, **at) for c in (False, True))
    assert biased["clean_error"].mean > 1 and removed["clean_error"].mean < 0.02


def test_random_linear_networks():
    rng, n, lam, noise = np.random.default_rng(1), 80, 0.1, 0.1
    at = {"student": [(1.0, identity)], "target": [], "alpha": 2, "lam": lam, "noise_variance": noise,
          "test_size": 500, "spectrum": (0.5, 1.5)}
    found = [draw_deep(rng, 40, **at) for _ in range(60)]
    expected, weights = [], np.random.default_rng(2)
    variances = np.resize((0.5, 1.5), 40)
    for _ in range(40):
        W, theta = weights.standard_normal((40, 40)) / np.sqrt(40), weights.standard_normal(40) / np.sqrt(40)
        expected.append(ridge_formula(W * variances @ W.T, W @ (variances * theta), theta**2 @ variances, n=n, lam=lam,
                                      noise_variance=noise))
    for name in ("test_error", "clean_error", "train_error"):
        here, there = [f[name] for f in found], [e[name] for e in expected]
        error = np.hypot(np.std(here) / np.sqrt(len(here)), np.std(there) / np.sqrt(len(there)))
        assert abs(np.mean(here) - np.mean(there)) < 4 * error + 0.02 * np.mean(there), name


def test_a_fully_shared_target_is_learnt():
    rng = np.random.default_rng(0)
    at = {"alpha": 4, "lam": 1e-8, "test_size": 300}
    same = draw_deep(rng, 30, student=[(1.5, np.tanh), (1, np.sign)],
                     target=[(1.5, np.tanh, True), (1, np.sign, True)], **at)
    own = draw_deep(rng, 30, student=[(1.5, np.tanh), (1, np.sign)], target=[(1.5, np.tanh, True), (1, np.sign)], **at)
    assert same["clean_error"] < 1e-10 < 0.05 < own["clean_error"]


def test_training():
    rng, f = np.random.default_rng(0), Activation("tanh")
    weights, own = [rng.standard_normal((5, 4)), rng.standard_normal((3, 5))], rng.standard_normal(3)
    inputs, labels = rng.standard_normal((7, 4)), rng.standard_normal(7)
    slopes, own_slope, loss = _gradient(weights, [f, f], own, inputs, labels)

    def half_loss():
        hidden = np.tanh(np.tanh(inputs @ weights[0].T) @ weights[1].T)
        return np.mean((hidden @ own / np.sqrt(3) - labels) ** 2) / 2

    assert loss == pytest.approx(2 * half_loss())
    for array, slope in zip((*weights, own), (*slopes, own_slope)):
        index = (1,) * array.ndim
        array[index] += 1e-5
        above = half_loss()
        array[index] -= 2e-5
        assert (above - half_loss()) / 2e-5 == pytest.approx(slope[index], rel=1e-6)
        array[index] += 1e-5
    rng, f = np.random.default_rng(0), Activation("tanh")
    start = [rng.standard_normal((30, 20)) / np.sqrt(20), rng.standard_normal((30, 30)) / np.sqrt(30)]
    target = [(rng.standard_normal((20, 20)) / np.sqrt(20), f)]

    def moved(scale):
        found, theta, losses = train_layers(np.random.default_rng(1), [(w, f) for w in start], target,
                                            learning_rate=0.5, steps=300, batch=50, scale=scale, noise_variance=0.01)
        assert theta.shape == (20,) and losses[-20:].mean() < 0.7 * losses[:5].mean()
        return [np.linalg.norm(a - b) / np.linalg.norm(b) for a, b in zip(found, start)]

    lazy, far = moved(1.0), moved(0.05)
    assert max(lazy) < 0.1 and max(far) > 3 * max(lazy)
    f = Activation("relu")
    with pytest.raises(ConvergenceError, match=r"learning_rate=1000: the weights diverge in step \d+"):
        train_layers(np.random.default_rng(0), [(np.eye(5), f)], [(np.eye(5), f)], learning_rate=1000, steps=50,
                     batch=5)


@pytest.mark.parametrize("changed, text", [
    ({"readout": [1.0]}, r"readout of shape \(1,\): expected \(2,\)"),
    ({"lam": -1}, r"lam: got -1; expected a finite number >= 0")])
def test_what_is_refused(changed, text):
    with pytest.raises(DomainError, match=text):
        simulate_features([layer(np.ones((3, 2)), np.tanh)], [], **({"n": 5, "lam": 0.1, "input_covariance": np.eye(2)}
                                                                    | changed))
