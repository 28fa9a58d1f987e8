"""Networks of given weights, from their matrices to the errors of their readout."""

import numpy as np
import pytest
from helpers.ridge_formula import ridge_formula
from scipy.sparse.linalg import aslinearoperator

import asympkit as ak
from asympkit.errors import DomainError
from asympkit.networks.covariances import covariances
from asympkit.networks.effective import effective
from asympkit.theories.deep_features.given_weights import GivenWeights


def gaussian(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape) / np.sqrt(shape[1])


def model(**changed):
    student = [(gaussian(90, 80), "tanh"), (gaussian(100, 90, seed=1), "relu")]
    target = [(student[0][0], "tanh"), (gaussian(60, 90, seed=2), "erf", np.full(60, 0.1))]
    return ak.DeepFeatures.from_weights(student, target, np.linspace(0.5, 1.5, 80), **changed)


def test_what_it_returns_is_that_of_the_rooms():
    given = model()
    found, student, target = given.covariances(), *given._networks
    known = covariances(student, target, input_covariance=np.linspace(0.5, 1.5, 80))
    np.testing.assert_array_equal(found.Phi, known.Phi)
    assert found is given.covariances() and found.method == "neuron-wise" and len(found.pairs[0]) == 90
    one = given.effective()
    np.testing.assert_array_equal(one.W_eff, effective(student, input_covariance=np.linspace(0.5, 1.5, 80)).W_eff)
    assert model(method="exact").effective().method == "neuron-wise"
    assert given.laziness(student).verdict in ("lazy", "doubtful")
    assert given.sample(np.ones(60), 2000).distance(found.Omega) < 0.15


def test_solutions_agree_with_simulations():
    given, theta = model(), np.random.default_rng(4).standard_normal(60)
    for n, lam in ((60, 0.1), (200, 0.01)):
        known = given.solve(n=n, lam=lam, noise_variance=0.2, readout=theta)
        seen = given.simulate(n, lam, 0.2, theta, repeats=20, test_size=2000)
        for name in ("test_error", "clean_error"):
            assert abs(getattr(known, name) - seen[name].mean) < 3 * seen[name].stderr + 0.02 * seen[name].mean
        omega, psi = given.covariances().Omega, given.covariances().psi(theta)
        direct = ridge_formula(omega, psi, given.covariances().rho(theta), n=n, lam=lam, noise_variance=0.2)
        assert known.test_error == pytest.approx(direct["test_error"], rel=1e-11)


def test_no_readout_is_the_mean_over_readouts():
    given = GivenWeights([(gaussian(20, 15), "tanh")], [(gaussian(4, 15, seed=1), "relu")])
    mean = given.solve(n=30, lam=0.1).test_error
    each = [given.solve(n=30, lam=0.1, readout=2 * row).test_error for row in np.eye(4)]
    assert mean == pytest.approx(np.mean(each), rel=1e-12)


def test_its_readout_is_a_theory():
    given, theta = model(), np.ones(60)
    ridge = given.ridge(theta)
    assert ridge is given.ridge(theta) and ridge is not given.ridge()
    found = given.covariances()
    for Omega in (found.Omega, aslinearoperator(found.Omega)):
        direct = ak.Ridge(Omega, found.psi(theta), found.rho(theta)).solve(n=150, lam=0.01, noise_variance=0.1)
        known = given.solve(n=150, lam=0.01, noise_variance=0.1, readout=theta)
        assert known.test_error == pytest.approx(direct.test_error, rel=1e-12)
        assert known.train_error == pytest.approx(direct.train_error, rel=1e-12)
    best = ridge.minimize("test_error", over="lam", bounds=(1e-4, 1e2), n=150, noise_variance=0.1)
    assert best.value <= known.test_error


def test_what_does_not_fit_is_refused_at_once():
    with pytest.raises(DomainError, match=r"target: the weights of layer 1 have shape \(4, 3\): expected \(width, 5\)"):
        GivenWeights([(gaussian(6, 5), "tanh")], [(gaussian(4, 3), "erf")])
    with pytest.raises(DomainError, match="method: got 'foo'; available: 'auto', "):
        GivenWeights([(gaussian(6, 5), "tanh")], method="foo")
    with pytest.raises(DomainError, match="readout: got 'a'; expected an array of real numbers"):
        GivenWeights([(gaussian(6, 5), "tanh")]).solve(n=3, lam=1, readout="a")
