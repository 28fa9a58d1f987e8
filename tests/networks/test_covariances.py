"""Covariances of deep features: recursions against each other, exact kernels, samples and simulated errors."""

import numpy as np
import pytest
from helpers.ridge_formula import ridge_formula

import asympkit as ak
from asympkit.errors import DomainError
from asympkit.networks import covariances as exact
from asympkit.networks.covariances import covariances
from asympkit.networks.layers import sample_features
from asympkit.simulate import simulate_features


def gaussian(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape) / np.sqrt(shape[1])


def norm(a, b):
    return np.linalg.norm(a - b) / np.linalg.norm(b)


def test_one_layer_by_hand():
    W, V, inputs = gaussian(6, 5), gaussian(4, 5, seed=1), np.diag([1, 2, 3, 0.5, 0.1])
    found = covariances([(W, "erf")], [(V, "sign")], input_covariance=inputs, method="averaged")
    K, r, rt = W @ inputs @ W.T, np.trace(W @ inputs @ W.T) / 6, np.trace(V @ inputs @ V.T) / 4
    k1, k1t = 2 / np.sqrt(np.pi * (1 + 2 * r)), np.sqrt(2 / (np.pi * rt))
    rest = 2 / np.pi * np.arcsin(2 * r / (1 + 2 * r)) - r * k1**2
    np.testing.assert_allclose(found.Omega, k1**2 * K + rest * np.eye(6), rtol=0, atol=1e-14)
    np.testing.assert_allclose(found.Phi, k1 * k1t * W @ inputs @ V.T, rtol=0, atol=1e-14)
    np.testing.assert_allclose(found.Psi, k1t**2 * V @ inputs @ V.T + (1 - 2 / np.pi) * np.eye(4), rtol=0, atol=1e-14)
    # each layer has its own variance: with 1 in its place the result is another one
    wrong = 4 / (3 * np.pi) * K + (2 / np.pi * np.arcsin(2 / 3) - 4 / (3 * np.pi)) * np.eye(6)
    assert norm(found.Omega, wrong) > 0.05


def test_relu_neurons_by_hand():
    # behind a relu layer neurons have means: the second layer is relu at those, with closed moments
    W, V = gaussian(7, 5), gaussian(6, 7, seed=1)
    one = covariances([(W, "relu")])
    s = np.sqrt(np.diag(W @ W.T))
    np.testing.assert_allclose(one.student_mean, s / np.sqrt(2 * np.pi), rtol=1e-13)
    np.testing.assert_allclose(np.diag(one.Omega), s**2 * (0.5 - 0.5 / np.pi), rtol=1e-13)
    two = covariances([(W, "relu"), (V, "relu")])
    a, s = V @ one.student_mean, np.sqrt(np.diag(V @ one.Omega @ V.T))
    from scipy.special import ndtr

    density = np.exp(-((a / s) ** 2) / 2) / np.sqrt(2 * np.pi)
    mean, second = a * ndtr(a / s) + s * density, (a**2 + s**2) * ndtr(a / s) + a * s * density
    np.testing.assert_allclose(two.student_mean, mean, rtol=1e-12)
    np.testing.assert_allclose(np.diag(two.Omega), second - mean**2, rtol=1e-11)
    np.testing.assert_allclose(two.Omega[0, 1], ndtr(a / s)[0] * ndtr(a / s)[1] * (V @ one.Omega @ V.T)[0, 1])


def test_shared_units_keep_what_is_not_linear():
    W, own = gaussian(60, 40), gaussian(60, 40, seed=1)
    V = np.vstack([W[:25], own[25:]])
    theta = np.random.default_rng(2).standard_normal(60)
    for method in ("averaged", "neuron-wise"):
        found = covariances([(W, "relu")], [(V, "gelu")], method=method)
        np.testing.assert_array_equal(found.pairs[0], np.arange(25))
        measured = sample_features([(W, "relu")], [(V, "gelu")], theta, samples=40000)
        linear = covariances([(W, "relu")], [(V, "gelu")], paired=0, method=method)
        assert norm(found.psi(theta), measured.psi) < 0.12
        assert np.all(found.Phi.diagonal()[25:] == linear.Phi.diagonal()[25:])
        assert np.all(found.Phi.diagonal()[:25] != linear.Phi.diagonal()[:25])


def test_shared_rows_may_have_different_biases():
    W, shift = gaussian(20, 15), np.full(20, 0.4)
    student, target = [(W, "relu", shift)], [(W, "relu")]
    found = covariances(student, target)
    x = np.random.default_rng(0).standard_normal((200000, 15)) @ W.T
    sampled = [np.cov(np.maximum(x[:, i] + 0.4, 0), np.maximum(x[:, i], 0))[0, 1] for i in range(20)]
    np.testing.assert_allclose(found.Phi.diagonal(), sampled, rtol=0.02)
    exactly = covariances(student, target, method="exact").Phi
    np.testing.assert_allclose(found.Phi.diagonal(), exactly.diagonal(), rtol=1e-12)


def test_correlated_rows_are_paired_on_request():
    W = gaussian(50, 40)
    V = 0.8 * W + 0.6 * gaussian(50, 40, seed=1)
    student, target = [(W, "sign")], [(V, "sign")]
    known = 2 / np.pi * np.arcsin(np.sum(W * V, axis=1) / np.linalg.norm(W, axis=1) / np.linalg.norm(V, axis=1))
    paired = covariances(student, target, paired=50, method="neuron-wise")
    np.testing.assert_allclose(paired.Phi.diagonal(), known, rtol=1e-12)
    assert not covariances(student, target).pairs[0].size
    some = covariances(student, target, paired=[[3, 7]], method="neuron-wise")
    np.testing.assert_allclose(some.Phi.diagonal()[[3, 7]], known[[3, 7]], rtol=1e-12)
    assert some.Phi[4, 4] != pytest.approx(known[4], rel=1e-3)
    mean = covariances(student, target, paired=50, method="averaged")
    assert mean.Phi.diagonal().mean() == pytest.approx(known.mean(), rel=0.01)


def test_shared_layers_deeper_down():
    W1, W2, V2 = gaussian(40, 30), gaussian(40, 40, seed=1), gaussian(40, 40, seed=2)
    both = covariances([(W1, "relu"), (W2, "tanh")], [(W1, "relu"), (V2, "tanh")])
    theta = np.random.default_rng(2).standard_normal(40)
    measured = sample_features([(W1, "relu"), (W2, "tanh")], [(W1, "relu"), (V2, "tanh")], theta, samples=40000)
    assert norm(both.psi(theta), measured.psi) < 0.16
    apart = covariances([(W1, "relu"), (W2, "tanh")], [(W1, "relu"), (V2, "tanh")], paired=0)
    assert norm(apart.psi(theta), measured.psi) > 2 * norm(both.psi(theta), measured.psi)
    # a target that is read off the student's first layer
    tapped = covariances([(W1, "relu"), (W2, "tanh")], [(W1, "relu")])
    first = covariances([(W1, "relu")])
    np.testing.assert_allclose(tapped.Phi, tapped.steps[0][1].slope[:, None] * (W2 @ first.Omega), atol=1e-14)


@pytest.mark.slow
def test_rows_that_stand_twice_are_not_left_out():
    """What the recursion leaves out is seen: one layer has the exact covariances, of more it is said."""
    W, V = gaussian(150, 120), gaussian(100, 120, seed=1)
    twice, once = np.vstack([W, W]), gaussian(300, 120, seed=2)
    found = covariances([(twice, "tanh")], [(V, "sign")])
    assert found.method == "exact"
    assert found.reason.startswith("the recursion may leave out covariances of 0.03")
    np.testing.assert_array_equal(found.Omega, covariances([(twice, "tanh")], [(V, "sign")], method="exact").Omega)
    assert covariances([(once, "tanh")], [(V, "sign")]).method != "exact"
    deep = covariances([(twice, "tanh"), (gaussian(50, 300), "tanh")], [(V, "sign")])
    assert "leave out covariances" in deep.reason


def test_the_choice_is_stated():
    W = np.linalg.qr(np.random.default_rng(0).standard_normal((12, 12)))[0]
    alike = covariances([(W, "tanh"), (W, "relu")])
    assert alike.method == "averaged" and alike.reason.startswith("features have no mean before the last layer, and")
    uneven = covariances([(W * np.linspace(0.1, 2, 12)[:, None], "tanh")])
    assert uneven.method == "neuron-wise" and "differ by 89 %" in uneven.reason
    means = covariances([(W, "tanh")], [(W, "relu"), (W, "tanh")])
    assert means.method == "neuron-wise" and means.reason.startswith("'relu', layer 1 of the target, is not odd")


def test_the_arcsine_kernel_is_found_and_the_series_agrees(monkeypatch):
    W = gaussian(30, 12)
    found, norms = covariances([(W, "erf")], method="exact").Omega, 1 + 2 * np.square(W).sum(axis=1)
    arcsine = 2 / np.pi * np.arcsin(2 * W @ W.T / np.sqrt(np.outer(norms, norms)))
    np.testing.assert_allclose(found, arcsine, rtol=0, atol=1e-15)
    monkeypatch.setattr(exact, "closed_kernel", lambda f, g: None)
    np.testing.assert_allclose(covariances([(W, "erf")], method="exact").Omega, found, rtol=0, atol=1e-14)


def test_kernels_that_are_known():
    W = gaussian(9, 4)
    K, s = W @ W.T, np.linalg.norm(W, axis=1)
    rho = np.clip(K / np.outer(s, s), -1, 1)
    kernel = np.outer(s, s) / (2 * np.pi) * (np.sqrt(1 - rho**2) + rho * (np.pi - np.arccos(rho)))
    found = covariances([(W, "relu")], [(W[:5], "relu")], method="exact", centred=False)
    np.testing.assert_allclose(found.Omega, kernel, rtol=0, atol=1e-14)
    np.testing.assert_allclose(found.Phi, kernel[:, :5], rtol=0, atol=1e-14)
    found = covariances([(gaussian(8, 6), "tanh")], [(gaussian(5, 6, seed=1), "erf")])
    e, squares = found.squares()
    one = [found.squares(np.sqrt(5) * row)[1] for row in np.eye(5)]
    np.testing.assert_allclose(squares, np.mean(one, axis=0), atol=1e-15)
    assert found.rho() == pytest.approx(np.mean([found.rho(np.sqrt(5) * row) for row in np.eye(5)]))
    np.testing.assert_allclose(e, np.linalg.eigvalsh(found.Omega))


@pytest.mark.parametrize("scale", [5.0, 25.0])
def test_kernels_of_steep_units_are_right(scale):
    f = "z*exp(-z**2)"
    W = scale * gaussian(2, 8) / np.sqrt(8)
    (v, c), (_, w) = W @ W.T
    # E x y exp(-x^2 - y^2) under covariance K is the off-diagonal of (K^-1 + 2)^-1 over sqrt(det(1 + 2 K))
    det = (1 + 2 * v) * (1 + 2 * w) - 4 * c * c
    assert covariances([(W, f)], method="exact").Omega[0, 1] == pytest.approx(c / det**1.5, rel=1e-9)


@pytest.mark.parametrize("activations, centred", [(("tanh", "erf"), False), (("relu", "relu"), True)])
def test_simulated_errors(activations, centred):
    d, theta = 100, np.random.default_rng(5).standard_normal(100)
    student = [(gaussian(120, d), activations[0]), (gaussian(110, 120, seed=1), activations[1])]
    target = [(gaussian(d, d, seed=2), "sin")]
    found = covariances(student, target, method="neuron-wise", centred=centred)
    known = ridge_formula(found.Omega, found.psi(theta), found.rho(theta), n=100, lam=0.05, noise_variance=0.1)
    layers = [[(w, ak.Activation(a), np.zeros(len(w))) for w, a in network] for network in (student, target)]
    seen = simulate_features(*layers, n=100, lam=0.05, noise_variance=0.1, readout=theta, repeats=20, test_size=2000,
                             input_covariance=np.eye(d), centred=centred)
    for name in ("clean_error", "test_error"):
        assert abs(known[name] - seen[name].mean) < 3 * seen[name].stderr + 0.015 * seen[name].mean, name
    assert known["train_error"] == pytest.approx(seen["train_error"].mean, rel=0.2)
    other = covariances(student, target, method="neuron-wise", centred=not centred)
    there = ridge_formula(other.Omega, other.psi(theta), other.rho(theta), n=100, lam=0.05, noise_variance=0.1)
    assert there["test_error"] == pytest.approx(known["test_error"], rel=0.03)


W = np.ones((3, 2))


@pytest.mark.parametrize("kwargs, text", [
    ({"student": [(W, "tanh"), (W, "tanh")]}, r"the weights of layer 2 have shape \(3, 2\): expected \(width, 3"),
    ({"student": [(W[0], "tanh")]}, r"student: the weights of layer 1 have shape \(2,\): expected \(width, inputs\)"),
    ({"student": [(W * np.inf, "tanh")]}, r"student: the weights of layer 1: 6 of 6 entries are not finite"),
    ({"student": [(W, "tanh", [1.0])]}, r"student: the bias of layer 1 has shape \(1,\): expected \(3,\)"),
    ({"student": [W]}, r"student: layer 1 is .*; expected \(weights, activation\)"),
    ({"student": []}, r"student: got no layer"),
    ({"student": 3}, r"student: got 3; expected a list of \(weights, activation\)"),
    ({"student": [([["a"]], "tanh")]}, r"the weights of layer 1: got .*; expected an array of real numbers"),
    ({"target": [(W.T, "tanh")]}, r"target: the weights of layer 1 have shape \(2, 3\): expected \(width, 2\), as"),
    ({"input_covariance": np.eye(3)}, r"input_covariance: got an array of shape \(3, 3\); expected \(2, 2\)"),
    ({"input_covariance": [[1, 2], [2, 1]]}, r"input_covariance has the eigenvalue -1; expected a positive semi"),
    ({"input_covariance": [[1, 0.5], [0, 1]]}, r"input_covariance: differs from its transpose by up to 0.5"),
    ({"input_covariance": [1, np.nan]}, r"input_covariance: 1 of its 4 entries are not finite"),
    ({"method": "averaged", "student": [(W, "relu"), (np.eye(3), "tanh")]}, r"method='averaged': 'relu', layer 1 of"),
    ({"method": "exact", "student": [(W, "relu"), (np.eye(3), "tanh")]}, r"the student has 2 and the target 1 layers"),
    ({"method": "fast"}, r"method: got 'fast'.*available: 'auto', 'averaged', 'neuron-wise', 'exact'"),
    ({"paired": 4}, r"paired: layer 1: got 4; expected a number of leading units up to 3"),
    ({"paired": [1, 1]}, r"paired: got 2 entries; expected at most 1"),
    ({"paired": [[0, 0]]}, r"paired: layer 1: got \[0, 0\]; expected .* or different indices below 3"),
])
def test_what_is_refused(kwargs, text):
    with pytest.raises(DomainError, match=text):
        covariances(**({"student": [(W, "tanh")], "target": [(W, "erf")]} | kwargs))
