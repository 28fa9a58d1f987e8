"""Effective linear models, weights of other libraries, covariances from samples, the lazy regime."""

import warnings

import numpy as np
import pytest

from asympkit import Activation, AssumptionWarning
from asympkit.errors import DomainError
from asympkit.networks.covariances import covariances
from asympkit.networks.layers import measure, read_network, sample_features
from asympkit.networks.lazy import effective, laziness
from asympkit.simulate import train_layers


def gaussian(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape) / np.sqrt(shape[1])


def network(*activations):
    return [(gaussian(30 + 5 * k, 30 + 5 * (k - 1) if k else 20, seed=k), a) for k, a in enumerate(activations)]


@pytest.mark.parametrize("activations", [("tanh",), ("erf", "sin", "relu"), ("relu", "sign", "gelu", "tanh")])
def test_the_effective_model_has_the_covariance_of_the_features(activations):
    inputs = np.diag(1 / np.arange(1, 21))
    for method in ("neuron-wise", "auto"):
        found = effective(network(*activations), input_covariance=inputs, method=method)
        known = covariances(network(*activations), [], input_covariance=inputs, method=method)
        np.testing.assert_array_equal(found.Omega, known.Omega)
        together = found.W_eff @ inputs @ found.W_eff.T + found.C_eff
        np.testing.assert_allclose(together, known.Omega, rtol=0, atol=1e-13 * np.abs(known.Omega).max())
        # what a linear target sees of the features is W_eff
        np.testing.assert_allclose(known.Phi, found.W_eff @ inputs, rtol=0, atol=1e-14)
        assert found.method == known.method and 0 < found.linear_share < 1


def test_the_published_effective_model():
    # the sums over layers, as they are written, of a network of equal neurons
    layers = network("tanh", "erf", "sin")
    found = effective(layers, method="averaged")
    slopes, rests = zip(*((step.slope[0], step.rest[0]) for step in found.steps))
    W = [w for w, _ in layers]
    product = np.prod(slopes) * W[2] @ W[1] @ W[0]
    noise = (rests[2] * np.eye(40) + rests[1] * slopes[2] ** 2 * W[2] @ W[2].T
             + rests[0] * (slopes[1] * slopes[2]) ** 2 * W[2] @ W[1] @ W[1].T @ W[2].T)
    np.testing.assert_allclose(found.W_eff, product, rtol=0, atol=1e-14)
    np.testing.assert_allclose(found.C_eff, noise, rtol=0, atol=1e-14)


class Tensor:
    """What a tensor of torch can do."""

    def __init__(self, array):
        self.array = array

    def detach(self):
        return self

    def cpu(self):
        return self

    def numpy(self):
        return self.array

    def __array__(self, *_, **__):
        raise RuntimeError("can't call numpy() on a tensor that requires grad")


class Module:
    def __init__(self, **parameters):
        self.parameters_by_name = parameters

    def named_parameters(self):
        return iter(self.parameters_by_name.items())


def assert_same(one, two):
    assert len(one) == len(two)
    for a, b in zip(one, two):
        np.testing.assert_array_equal(a.weights, b.weights)
        np.testing.assert_array_equal(a.bias, b.bias)
        assert a.activation == b.activation


def test_weights_come_from_other_libraries():
    W1, W2, bias = gaussian(4, 3).astype(np.float32), gaussian(5, 4, seed=1), np.arange(4.0)
    known = read_network("student", [(W1, "tanh", bias), (W2, "relu")])
    assert_same(read_network("student", [(Tensor(W1), "tanh", Tensor(bias)), (W2.tolist(), "relu")]), known)
    torch = Module(**{"0.weight": Tensor(W1), "0.bias": Tensor(bias), "2.weight": Tensor(W2), "4.weight":
                      Tensor(gaussian(1, 5))})
    assert_same(read_network("student", (torch, ["tanh", "relu"])), known)      # the last matrix is the readout
    flax = {"params": {"Dense_10": {"kernel": W2.T}, "Dense_9": {"bias": bias, "kernel": W1.T}}}
    assert_same(read_network("student", (flax, ["tanh", "relu"])), known)     # in the order of their numbers
    assert_same(read_network("student", ({"l.weight": W1, "l.bias": bias, "m.weight": W2}, ["tanh", "relu"])), known)


@pytest.mark.parametrize("parameters, text", [
    ({"a": np.ones((2, 2)), "b": {"w": np.ones((2, 2)), "c": np.ones((2, 2))}}, r"student: b holds two matrices"),
    ({"conv": {"kernel": np.ones((3, 3, 2, 2))}}, r"student: conv.kernel has shape \(3, 3, 2, 2\); expected dense"),
    ({"a": {"kernel": np.ones((2, 2))}, "b": {"kernel": np.ones((2, 2))}, "c": {"kernel": np.ones((2, 2))}},
     r"student: 3 matrices \(a, b, c\) for 1 activations; expected as many, or one more, the readout"),
    ({"a": {"kernel": np.ones((2, 2))}, "norm": {"scale": np.ones(2)}}, r"student: norm holds a vector and no matrix"),
    ({"a": {"kernel": "text"}}, r"student: a.kernel: got 'text'; expected an array of real numbers"),
])
def test_parameters_that_are_no_network(parameters, text):
    with pytest.raises(DomainError, match=text):
        read_network("student", (parameters, ["tanh"]))


def test_samples():
    rng = np.random.default_rng(0)
    features, labels = rng.standard_normal((2000, 3)) + 1, rng.standard_normal(2000) - 2
    found = measure(features, labels)
    both = np.cov(np.column_stack([features, labels]).T, bias=True)
    np.testing.assert_allclose(found.Omega, both[:3, :3], atol=1e-12)
    np.testing.assert_allclose(found.psi, both[:3, 3], atol=1e-12)
    assert found.rho == pytest.approx(both[3, 3]) and found.samples == 2000
    raw = measure(features, labels, centred=False)
    np.testing.assert_allclose(raw.Omega, features.T @ features / 2000)
    assert raw.rho == pytest.approx(np.mean(labels**2))
    assert found.distance(np.eye(3)) < 0.03 and found.distance(2 * np.eye(3)) == pytest.approx(1, abs=0.1)
    layers, theta = network("tanh"), np.ones(20)
    inputs = np.random.default_rng(1).uniform(-1, 1, (1000, 20))
    found = sample_features(layers, [], theta, samples=1000, inputs=inputs)
    hidden = np.tanh(inputs @ layers[0][0].T)
    np.testing.assert_allclose(found.Omega, np.cov(hidden.T, bias=True), atol=1e-13)
    assert found.rho == pytest.approx(np.var(inputs.sum(axis=1) / np.sqrt(20)))
    with pytest.warns(AssumptionWarning, match=r"covariances of 30 features from 100 samples: expected at least 600;"):
        sample_features(network("tanh"), [], np.ones(20), samples=100)


@pytest.mark.parametrize("call, text", [
    (lambda: measure(np.ones((5, 2)), np.ones(4)), r"features of shape \(5, 2\) and labels of shape \(4,\): expected"),
    (lambda: measure(np.full((50, 2), np.nan), np.ones(50)), r"features or labels have values that are not finite"),
    (lambda: sample_features(network("tanh"), [], np.ones(3), samples=9), r"readout of shape \(3,\): expected \(20,\)"),
    (lambda: sample_features(network("tanh"), [], np.ones(20), samples=9, inputs=np.ones((5, 20))),
     r"inputs of shape \(5, 20\): expected \(9, 20\), as many as samples"),
])
def test_what_is_refused(call, text):
    with pytest.raises(DomainError, match=text):
        call()


def test_lazy_networks():
    network = [(gaussian(120, 100), "tanh"), (gaussian(110, 120, seed=1), "tanh")]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = laziness(network, network)
    assert found.verdict == "lazy" and found.changes == (0, 0) and max(found.neglected) < 0.02
    assert str(found).startswith("lazy: covariances of size 0.0")
    W = gaussian(30, 6)
    for name in ("relu", "tanh"):
        found = covariances([(W, name)], method="neuron-wise")
        known = covariances([(W, name)], method="exact")
        error = np.linalg.norm(found.Omega - known.Omega) / np.linalg.norm(found.Omega)
        assert error <= found.steps[0][0].neglected < 10 * error
    network = [(gaussian(6, 5), "tanh")]
    with pytest.raises(DomainError, match=r"initial: its weights have the shapes \[\(5, 5\)\]: expected \[\(6, 5\)\]"):
        laziness(network, [(gaussian(5, 5), "tanh")])
    few = measure(np.random.default_rng(0).standard_normal((200, 5)), np.ones(200))
    with pytest.raises(DomainError, match=r"measured: Omega of shape \(5, 5\), centred=True: expected \(6, 6\)"):
        laziness(network, measured=few)


def test_training_with_a_small_scale_is_seen():
    tanh = Activation("tanh")
    start = [(gaussian(60, 40), tanh), (gaussian(60, 60, seed=1), tanh)]
    target = [(gaussian(40, 40, seed=2), tanh)]

    def trained(scale, rate):
        weights, theta, _ = train_layers(np.random.default_rng(3), start, target, learning_rate=rate, steps=200,
                                         batch=60, scale=scale)
        return [(w, tanh) for w in weights], theta

    near, _ = trained(0.3, 0.5)
    assert laziness(near, start).verdict == "lazy"
    far, theta = trained(0.001, 0.05)
    measured = sample_features(far, target, theta, samples=4000)
    with pytest.warns(AssumptionWarning, match=r"the network has left the lazy regime \(not lazy: covariances of size"):
        found = laziness(far, start, measured=measured)
    assert max(found.changes) > 1 and found.distance > 0.1
    assert max(found.neglected) > 5 * max(laziness(near).neglected)
