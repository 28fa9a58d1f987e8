"""The signs of a network that has left the lazy regime."""

import warnings

import numpy as np
import pytest

from asympkit import Activation, AssumptionWarning
from asympkit.errors import DomainError
from asympkit.networks.covariances import covariances
from asympkit.networks.lazy import laziness
from asympkit.networks.samples import measure, sample_features
from asympkit.simulate import train_layers


def gaussian(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape) / np.sqrt(shape[1])


def test_random_weights_are_lazy():
    network = [(gaussian(120, 100), "tanh"), (gaussian(110, 120, seed=1), "tanh")]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = laziness(network, network)
    assert found.verdict == "lazy" and found.changes == (0, 0) and max(found.neglected) < 0.02
    assert str(found).startswith("lazy: covariances of size 0.0")


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


def test_what_is_left_out_is_a_bound():
    W = gaussian(30, 6)
    for name in ("relu", "tanh"):
        found = covariances([(W, name)], method="neuron-wise")
        known = covariances([(W, name)], method="exact")
        error = np.linalg.norm(found.Omega - known.Omega) / np.linalg.norm(found.Omega)
        assert error <= found.steps[0][0].neglected < 10 * error


def test_refusals():
    network = [(gaussian(6, 5), "tanh")]
    with pytest.raises(DomainError, match=r"initial: its weights have the shapes \[\(5, 5\)\]: expected \[\(6, 5\)\]"):
        laziness(network, [(gaussian(5, 5), "tanh")])
    few = measure(np.random.default_rng(0).standard_normal((200, 5)), np.ones(200))
    with pytest.raises(DomainError, match=r"measured: Omega of shape \(5, 5\), centred=True: expected \(6, 6\)"):
        laziness(network, measured=few)
