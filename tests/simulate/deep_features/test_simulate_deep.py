"""Simulated deep networks: exact cases, the gradient of the training, and what is refused."""

import numpy as np
import pytest
from helpers.ridge_formula import ridge_formula

from asympkit import Activation
from asympkit.errors import ConvergenceError, DomainError
from asympkit.simulate.deep_features import _gradient, draw_deep, simulate_features, train_layers


def identity(x):
    return x


def linear_networks(d=60, p=90, k=40):
    rng = np.random.default_rng(0)
    return (rng.standard_normal((80, d)) / np.sqrt(d), rng.standard_normal((p, 80)) / np.sqrt(80),
            rng.standard_normal((k, d)) / np.sqrt(d), rng.standard_normal(k), 1 / np.arange(1, d + 1) ** 0.5)


def test_linear_networks_have_the_errors_of_their_exact_covariances():
    W1, W2, V, theta, variances = linear_networks()
    W, beta = W2 @ W1, V.T @ theta / np.sqrt(len(theta))
    omega, psi = W * variances @ W.T, W @ (variances * beta)
    found = simulate_features([(W1, identity), (W2, identity)], [(V, identity)], n=120, lam=[0.01, 1.0],
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
    at = {"n": 200, "lam": 1e-6, "repeats": 3, "test_size": 4000, "readout": np.ones(40)}
    raw = simulate_features([(W, lambda x: x + 5)], [(W, lambda x: x + 5)], **at)
    centred = simulate_features([(W, lambda x: x + 5)], [(W, lambda x: x + 5)], centred=True, **at)
    assert raw["clean_error"].mean < 1e-4 and centred["clean_error"].mean < 1e-4
    biased = simulate_features([(W, identity)], [(W, lambda x: x + 5)], **at)
    removed = simulate_features([(W, identity)], [(W, lambda x: x + 5)], centred=True, **at)
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


W = np.ones((3, 2))


@pytest.mark.parametrize("student, target, changed, text", [
    ([(W, np.tanh), (W, np.tanh)], [], {}, r"student: the weights of layer 2 have shape \(3, 2\): expected \(width, 3"),
    ([(W[0], np.tanh)], [], {}, r"student: the weights of layer 1 have shape \(2,\): expected \(width, inputs\)"),
    ([(W, np.tanh)], [(W.T, np.tanh)], {}, r"target: the weights of layer 1 have shape \(2, 3\): expected \(w"),
    ([(W * np.nan, np.tanh)], [], {}, r"student: the weights of layer 1 are not all finite"),
    ([W], [], {}, r"student: layer 1 is not a pair; expected \(weights, function\)"),
    ([(W, np.tanh, [1.0])], [], {}, r"student: the bias of layer 1 has shape \(1,\): expected \(3,\)"),
    ([], [], {}, r"student: got no layer"),
    ([(W, np.tanh)], [], {"readout": [1.0]}, r"readout of shape \(1,\): expected \(2,\)"),
    ([(W, np.tanh)], [], {"input_covariance": np.eye(3)}, r"input_covariance of shape \(3, 3\): expected finite"),
    ([(W, np.tanh)], [], {"input_covariance": [[1, 2], [2, 1]]}, r"input_covariance has the eigenvalue -1;"),
    ([(W, np.tanh)], [], {"lam": -1}, r"lam: got -1; expected a finite number >= 0"),
])
def test_what_is_refused(student, target, changed, text):
    with pytest.raises(DomainError, match=text):
        simulate_features(student, target, **({"n": 5, "lam": 0.1, "repeats": 2} | changed))


@pytest.mark.parametrize("changed, text", [
    ({"student": []}, r"student: got no layer"),
    ({"student": [np.tanh]}, r"student: layer 1 is .*; expected \(width, function\)"),
    ({"student": [(0, np.tanh)]}, r"student: layer 1: width: got 0; expected a positive finite number"),
    ({"target": [(1, np.tanh), (1, np.tanh, True)]}, r"a shared layer follows one that is not"),
    ({"target": [(2, np.tanh, True)]}, r"layer 1 is shared and has the width 2; expected 1"),
    ({"target": [(1, np.tanh, True)] * 2}, r"target: 2 layers are shared; expected at most 1"),
    ({"alpha": 0}, r"alpha: got 0; expected a positive finite number"),
])
def test_what_a_draw_refuses(changed, text):
    kwargs = {"student": [(1, np.tanh)], "target": [], "alpha": 1, "lam": 0.1} | changed
    with pytest.raises(DomainError, match=text):
        draw_deep(np.random.default_rng(0), 10, **kwargs)
