"""Architectures of given weights, beside finite differences, and effective models of trained networks."""

import warnings

import numpy as np
import pytest
from helpers.ridge_formula import ridge_formula

from asympkit import Activation, AssumptionWarning
from asympkit.errors import DomainError
from asympkit.networks.covariances import covariances
from asympkit.networks.layers import measure, read_network, sample_features
from asympkit.networks.lazy import effective, laziness
from asympkit.simulate import train_layers
from asympkit.theories.deep_features.given_weights import GivenWeights

NOISE = 0.1


def gaussian(*shape, seed=0, power=0.0):
    """Rows of covariance ``diag(j^-power)``, of trace 1."""
    variances = np.arange(1, shape[1] + 1) ** -power
    return np.random.default_rng(seed).standard_normal(shape) * np.sqrt(variances / variances.sum())


def network(d, layers, seed, power=0.0):
    """``[(width ratio, activation)]`` with independent weights."""
    found, inputs = [], d
    for k, (ratio, activation) in enumerate(layers):
        width = round(ratio * d)
        found.append((gaussian(width, inputs, seed=seed + k, power=power), activation))
        inputs = width
    return found


def predicted(given, theta, n, lam):
    found = given.covariances()
    return ridge_formula(found.Omega, found.psi(theta), found.rho(theta), n=n, lam=lam, noise_variance=NOISE)


def test_a_large_norm_is_not_a_large_error():
    # the second order of relu is a term of rank one, of order 1 in the norm: errors do not see it
    d, theta = 150, np.random.default_rng(0).standard_normal(150)
    student, target = network(d, [(1.3, "relu")], 1), network(d, [(1, "relu")], 5)
    known, linear = (GivenWeights(student, target, method=m) for m in ("exact", "neuron-wise"))
    difference = np.linalg.norm(known.covariances().Omega - linear.covariances().Omega, 2)
    assert difference > 0.05 * np.linalg.norm(known.covariances().Omega, 2)
    for n, lam in ((75, 0.1), (400, 0.01)):
        assert predicted(linear, theta, n, lam)["clean_error"] == pytest.approx(
            predicted(known, theta, n, lam)["clean_error"], rel=0.02)


_ARCHITECTURES = {
    "erf-tanh": ([(1.2, "erf")], [(1, "tanh")]), "tanh-tanh, sin": ([(1.5, "tanh"), (1, "tanh")], [(1, "sin")]),
    "three layers, two": ([(1, "tanh"), (1.3, "sin"), (0.8, "erf")], [(1, "erf"), (1, "tanh")]),
    "four layers": ([(1, "tanh"), (1, "erf"), (1, "tanh"), (1.2, "tanh")], [(1, "tanh")]),
    "sign-sign": ([(1.2, "sign"), (1, "sign")], [(1, "sign")]), "relu": ([(1.3, "relu")], [(1, "relu")]),
    "relu-relu": ([(1.3, "relu"), (1, "relu")], [(1, "tanh")]),
    "softplus-gelu": ([(1, "softplus"), (1.2, "gelu")], [(1, "relu"), (1, "tanh")]),
    "a linear target": ([(1.5, "tanh"), (1, "relu")], []),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", _ARCHITECTURES)
@pytest.mark.parametrize("n_over_d, lam", [(0.5, 0.1), (2.5, 0.02)])
def test_errors_of_independent_weights(name, n_over_d, lam):
    d = 200
    student, target = (network(d, layers, seed) for layers, seed in zip(_ARCHITECTURES[name], (10, 20)))
    k = len(target[-1][0]) if target else d
    theta = np.random.default_rng(3).standard_normal(k)
    given = GivenWeights(student, target, np.arange(1, d + 1) ** -0.3 * 2)
    n = round(n_over_d * d)
    known, seen = predicted(given, theta, n, lam), given.simulate(n, lam, NOISE, theta, repeats=20, test_size=4000)
    error = seen["clean_error"]
    assert abs(known["clean_error"] - error.mean) < 3 * error.stderr + 3 / d * error.mean, name
    assert known["train_error"] == pytest.approx(seen["train_error"].mean, rel=0.15)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["first layer shared", "half of the rows shared", "correlated rows", "fully shared"])
def test_errors_with_weights_in_common(kind):
    d, theta = 200, np.random.default_rng(3).standard_normal(200)
    student = network(d, [(1, "tanh"), (1, "relu")], 10)
    own = network(d, [(1, "tanh"), (1, "erf")], 20)
    paired = None
    if kind == "first layer shared":
        target = [student[0], own[1]]
    elif kind == "half of the rows shared":
        target = [(np.vstack([student[0][0][:100], own[0][0][100:]]), "sign"), own[1]]
    elif kind == "correlated rows":
        target, paired = [(0.8 * student[0][0] + 0.6 * own[0][0], "sign"), own[1]], [200]
    else:
        target = student
    given = GivenWeights(student, target, paired=paired)
    for n, lam in ((100, 0.1), (500, 0.02)):
        known, error = predicted(given, theta, n, lam), given.simulate(n, lam, NOISE, theta, repeats=20)["clean_error"]
        assert abs(known["clean_error"] - error.mean) < 3 * error.stderr + 3 / d * error.mean


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["rows that know the layer below", "a few large eigenvalues", "heavy-tailed rows"])
def test_errors_of_structured_weights(kind):
    d, rng, theta = 200, np.random.default_rng(7), np.random.default_rng(3).standard_normal(200)
    (first, _), (second, _) = network(d, [(1.2, "tanh"), (1, "tanh")], 10)
    if kind == "rows that know the layer below":
        values, vectors = np.linalg.eigh(first @ first.T)
        second = second @ (vectors * np.sqrt(0.3 + np.maximum(values, 0))) @ vectors.T
    elif kind == "a few large eigenvalues":
        directions = np.linalg.qr(rng.standard_normal((d, 3)))[0]
        first = first + (first @ directions) @ (np.array([1.0, 1.5, 2.0])[:, None] * directions.T)
    else:
        first = first * np.exp(0.5 * rng.standard_normal(len(first)))[:, None]
    given = GivenWeights([(first, "tanh"), (second, "erf")], network(d, [(1, "sin")], 20), method="neuron-wise")
    for n, lam in ((100, 0.1), (500, 0.02)):
        known, error = predicted(given, theta, n, lam), given.simulate(n, lam, NOISE, theta, repeats=20)["clean_error"]
        assert abs(known["clean_error"] - error.mean) < 3 * error.stderr + 3 / d * error.mean


@pytest.mark.slow
def test_strongly_decaying_spectra_need_exact_covariances():
    d, theta = 300, np.random.default_rng(3).standard_normal(300)
    student, target = network(d, [(1.2, "erf")], 10, power=0.5), network(d, [(1, "tanh")], 20)
    variances = d * np.arange(1, d + 1) ** -0.5 / np.sum(np.arange(1, d + 1) ** -0.5)
    values = {m: predicted(GivenWeights(student, target, variances, method=m), theta, 150, 0.05)["clean_error"]
              for m in ("averaged", "neuron-wise", "exact")}
    error = GivenWeights(student, target, variances).simulate(150, 0.05, NOISE, theta, repeats=60)["clean_error"]
    assert abs(values["exact"] - error.mean) < 3 * error.stderr
    assert abs(values["averaged"] / values["exact"] - 1) > abs(values["neuron-wise"] / values["exact"] - 1)
    assert abs(values["averaged"] / values["exact"] - 1) > 0.01
    assert GivenWeights(student, target, variances).covariances().method == "neuron-wise"


@pytest.mark.slow
def test_a_network_that_left_the_lazy_regime_needs_its_data():
    tanh, d, p = Activation("tanh"), 80, 120
    start = [(gaussian(p, d, seed=1), tanh), (gaussian(p, p, seed=2), tanh)]
    target = [(gaussian(d, d, seed=3), tanh)]

    def trained(scale, rate, steps):
        weights, theta, _ = train_layers(np.random.default_rng(0), start, target, learning_rate=rate, steps=steps,
                                         batch=80, scale=scale)
        given = GivenWeights([(w, tanh) for w in weights], target)
        error = given.simulate(250, 0.01, NOISE, theta, repeats=20, test_size=4000)["clean_error"]
        measured = given.sample(theta, 40000)
        from_data = ridge_formula(measured.Omega, measured.psi, measured.rho, n=250, lam=0.01, noise_variance=NOISE)
        return given, measured, error, predicted(given, theta, 250, 0.01)["clean_error"], from_data["clean_error"]

    given, measured, error, known, _ = trained(0.3, 0.5, 200)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert given.laziness(start, measured).verdict == "lazy"
    assert abs(known - error.mean) < 3 * error.stderr + 3 / d * error.mean
    given, measured, error, known, from_data = trained(0.01, 0.3, 1000)
    with pytest.warns(AssumptionWarning, match="has left the lazy regime"):
        assert given.laziness(start, measured).verdict == "not lazy"
    assert known > 1.1 * error.mean
    assert abs(from_data - error.mean) < 3 * error.stderr + 0.02 * error.mean


def normal_weights(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape) / np.sqrt(shape[1])


def drawn(*activations):
    return [(normal_weights(30 + 5 * k, 30 + 5 * (k - 1) if k else 20, seed=k), a) for k, a in enumerate(activations)]


@pytest.mark.parametrize("activations", [("tanh",), ("erf", "sin", "relu"), ("relu", "sign", "gelu", "tanh")])
def test_the_effective_model_has_the_covariance_of_the_features(activations):
    inputs = np.diag(1 / np.arange(1, 21))
    for method in ("neuron-wise", "auto"):
        found = effective(drawn(*activations), input_covariance=inputs, method=method)
        known = covariances(drawn(*activations), [], input_covariance=inputs, method=method)
        np.testing.assert_array_equal(found.Omega, known.Omega)
        together = found.W_eff @ inputs @ found.W_eff.T + found.C_eff
        np.testing.assert_allclose(together, known.Omega, rtol=0, atol=1e-13 * np.abs(known.Omega).max())
        # what a linear target sees of the features is W_eff
        np.testing.assert_allclose(known.Phi, found.W_eff @ inputs, rtol=0, atol=1e-14)
        assert found.method == known.method and 0 < found.linear_share < 1


def test_the_published_effective_model():
    # the sums over layers, as they are written, of a network of equal neurons
    layers = drawn("tanh", "erf", "sin")
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
    W1, W2, bias = normal_weights(4, 3).astype(np.float32), normal_weights(5, 4, seed=1), np.arange(4.0)
    known = read_network("student", [(W1, "tanh", bias), (W2, "relu")])
    assert_same(read_network("student", [(Tensor(W1), "tanh", Tensor(bias)), (W2.tolist(), "relu")]), known)
    torch = Module(**{"0.weight": Tensor(W1), "0.bias": Tensor(bias), "2.weight": Tensor(W2), "4.weight":
                      Tensor(normal_weights(1, 5))})
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
    layers, theta = drawn("tanh"), np.ones(20)
    inputs = np.random.default_rng(1).uniform(-1, 1, (1000, 20))
    found = sample_features(layers, [], theta, samples=1000, inputs=inputs)
    hidden = np.tanh(inputs @ layers[0][0].T)
    np.testing.assert_allclose(found.Omega, np.cov(hidden.T, bias=True), atol=1e-13)
    assert found.rho == pytest.approx(np.var(inputs.sum(axis=1) / np.sqrt(20)))
    with pytest.warns(AssumptionWarning, match=r"covariances of 30 features from 100 samples: expected at least 600;"):
        sample_features(drawn("tanh"), [], np.ones(20), samples=100)


@pytest.mark.parametrize("call, text", [
    (lambda: measure(np.ones((5, 2)), np.ones(4)), r"features of shape \(5, 2\) and labels of shape \(4,\): expected"),
    (lambda: measure(np.full((50, 2), np.nan), np.ones(50)), r"features or labels have values that are not finite"),
    (lambda: sample_features(drawn("tanh"), [], np.ones(3), samples=9), r"readout of shape \(3,\): expected \(20,\)"),
    (lambda: sample_features(drawn("tanh"), [], np.ones(20), samples=9, inputs=np.ones((5, 20))),
     r"inputs of shape \(5, 20\): expected \(9, 20\), as many as samples"),
])
def test_what_is_refused(call, text):
    with pytest.raises(DomainError, match=text):
        call()


def test_lazy_networks():
    network = [(normal_weights(120, 100), "tanh"), (normal_weights(110, 120, seed=1), "tanh")]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = laziness(network, network)
    assert found.verdict == "lazy" and found.changes == (0, 0) and max(found.neglected) < 0.02
    assert str(found).startswith("lazy: covariances of size 0.0")
    W = normal_weights(30, 6)
    for name in ("relu", "tanh"):
        found = covariances([(W, name)], method="neuron-wise")
        known = covariances([(W, name)], method="exact")
        error = np.linalg.norm(found.Omega - known.Omega) / np.linalg.norm(found.Omega)
        assert error <= found.steps[0][0].neglected < 10 * error
    network = [(normal_weights(6, 5), "tanh")]
    with pytest.raises(DomainError, match=r"initial: its weights have the shapes \[\(5, 5\)\]: expected \[\(6, 5\)\]"):
        laziness(network, [(normal_weights(5, 5), "tanh")])
    few = measure(np.random.default_rng(0).standard_normal((200, 5)), np.ones(200))
    with pytest.raises(DomainError, match=r"measured: Omega of shape \(5, 5\), centred=True: expected \(6, 6\)"):
        laziness(network, measured=few)


def test_training_with_a_small_scale_is_seen():
    tanh = Activation("tanh")
    start = [(normal_weights(60, 40), tanh), (normal_weights(60, 60, seed=1), tanh)]
    target = [(normal_weights(40, 40, seed=2), tanh)]

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
