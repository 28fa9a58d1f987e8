"""Errors of deep networks of many kinds against simulations, and where the theory is known to fail."""

import warnings

import numpy as np
import pytest
from helpers.ridge_formula import ridge_formula

from asympkit import Activation, AssumptionWarning
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
