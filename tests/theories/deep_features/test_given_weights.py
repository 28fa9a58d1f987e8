"""Networks of given weights, from their matrices to the errors of their readout."""

import numpy as np
import pytest
from helpers.ridge_formula import ridge_formula
from scipy.sparse.linalg import aslinearoperator

import asympkit as ak
from asympkit.errors import DomainError
from asympkit.theories.deep_features.given_weights import GivenWeights


def gaussian(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape) / np.sqrt(shape[1])


def model(**changed):
    student = [(gaussian(90, 80), "tanh"), (gaussian(100, 90, seed=1), "relu")]
    target = [(student[0][0], "tanh"), (gaussian(60, 90, seed=2), "erf", np.full(60, 0.1))]
    return ak.DeepFeatures.from_weights(student, target, np.linspace(0.5, 1.5, 80), **changed)


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


def rainbow(d):
    """Two layers of the same weights with a decaying spectrum, and a target of weights correlated with them."""
    rng, k = np.random.default_rng(5), np.arange(1.0, d + 1)

    def normal():
        return rng.normal(0, d**-0.5, (d, d))

    V = normal() * k**-0.15
    W = 0.5 * normal() * k**-0.4 + 0.5 * V
    values, vectors = np.linalg.eigh(W @ W.T + 0.5 * np.eye(d))
    top = normal() @ (vectors / np.sqrt(values)) @ vectors.T
    theta = rng.normal(0, 1, d)
    return ak.DeepFeatures.from_weights([(W, "tanh"), (W, "tanh"), (top, "tanh")], [(V, "tanh")]), theta


def test_small_errors_of_covariances_decide_about_small_errors():
    """Covariances of the recursion agree with the features to a percent, and the error was off by a quarter."""
    given, theta = rainbow(100)
    at = {"n": 300, "lam": 1e-5, "readout": theta}
    errors = given.errors(**at)
    linearised, (known, spread) = errors["neuron-wise"][0], errors["sampled"]
    assert linearised > 1.15 * known and spread < 0.02 * known
    with pytest.warns(ak.AssumptionWarning, match=r"at n = 300 and lam = 1e-05 the test error is .* by neuron-wise "
                                                  r"covariances, and .* \+/- .* by sampled ones, which are used"):
        found = given.solve(**at)
    assert found.test_error == known
    seen = given.simulate(300, 1e-5, readout=theta, repeats=12, test_size=3000)["test_error"]
    assert abs(known - seen.mean) < 3 * seen.stderr + 0.02 * known and linearised - seen.mean > 4 * seen.stderr
    with pytest.warns(ak.AssumptionWarning, match=r"the test error is 0.\d* \(relative\) away from that of sampled"):
        assert given.laziness(**at).verdict == "not lazy" != given.laziness().verdict
    asked = GivenWeights(*given._networks, method="neuron-wise")
    with pytest.warns(ak.AssumptionWarning, match="the former are used, as requested"):
        assert asked.solve(**at).test_error == linearised
    assert list(GivenWeights(*given._networks, method="sampled").errors(**at)) == ["sampled"]


@pytest.mark.slow
@pytest.mark.parametrize("n", [250, 850])
def test_the_random_feature_figure(n):
    given, theta = rainbow(300)
    with pytest.warns(ak.AssumptionWarning, match="by sampled ones, which are used"):
        found = given.solve(n, 1e-3 / 300, readout=theta).test_error
    seen = given.simulate(n, 1e-3 / 300, readout=theta, repeats=10)["test_error"]
    assert abs(found - seen.mean) < 3 * seen.stderr + 0.02 * found
    assert given.ridge(theta).solve(n=n, lam=1e-3 / 300).test_error > 1.1 * found


def test_given_weights_have_the_methods_of_theories():
    given, theta = model(), np.ones(60)
    at = {"lam": 0.1, "noise_variance": 0.2, "readout": theta}
    sweep = given.sweep(n=[60, 120, 240], **at)
    assert sweep["test_error"][1] == pytest.approx(given.solve(n=120, **at).test_error, rel=1e-10)
    best = given.minimize("test_error", over="lam", bounds=(1e-3, 10), n=120, noise_variance=0.2, readout=theta)
    assert best.value <= given.solve(n=120, **at).test_error and not best.at_bound
    assert float(given.precise(digits=15, n=120, **at).test_error) == pytest.approx(sweep["test_error"][1], rel=1e-10)
    report = given.check(n=120, repeats=12, test_size=1000, **at)
    assert report.passed and "simulation: d=80 p=100" in str(report)
    assert repr(given).startswith("<GivenWeights of 80 inputs, student 90:tanh, 100:relu, target 90:tanh, 60:erf, cov")
    assert {"sweep", "plot", "check"} <= set(dir(given))
    with pytest.raises(AttributeError, match="'GivenWeights' object has no attribute 'sweeps'"):
        given.sweeps  # noqa: B018
    with pytest.raises(ak.UnknownNameError, match="unknown parameter 'alpha'; parameters are n, lam, noise_variance"):
        given.sweep(n=[60, 120], alpha=1, **at)


def test_given_weights_are_drawn(tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    axes = np.ravel(model().plot("test_error", over="n", n=[60, 120, 240], lam=0.1, readout=np.ones(60)))
    assert len(axes[0].get_lines()[0].get_xdata()) == 3
