"""Networks whose weights are given, and every parameter of deep features moved."""

import inspect

import numpy as np
import pytest
from helpers.deep_means import walked
from helpers.ridge_formula import ridge_formula
from helpers.tiers import slow_but
from scipy.sparse.linalg import aslinearoperator

import asympkit as ak
from asympkit.errors import DomainError
from asympkit.theories.deep_features.given_weights import GivenWeights
from asympkit.theories.deep_features.theory import Layer


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


BASE = {"alpha": 0.8, "lam": 0.01, "noise_variance": 0.1, "input_spectrum": [2.0, 0.5]}
STUDENT, TARGET = ["1.5:tanh", "0.7:erf(z)"], ["1:sin", "1:tanh"]
#: what is moved: parameters by keyword, or a layer of one of the networks
MOVES = {
    "alpha": {"alpha": 3.0}, "lam": {"lam": 2.0}, "noise_variance": {"noise_variance": 0.0}, "width1": {"width1": 0.4},
    "width2": {"width2": 2.6}, "input_spectrum": {"input_spectrum": [3.0, 1.0, 0.25, 0.0]},
    "student.activation1": ("student", 0, "1.5:sin"), "student.activation2": ("student", 1, "0.7:atan(z)"),
    "student.width1": ("student", 0, "0.6:tanh"), "student.width2": ("student", 1, "2:erf(z)"),
    "target.activation1": ("target", 0, "1:z/sqrt(1+z**2)"), "target.activation2": ("target", 1, "1:erf(z)"),
    "target.width1": ("target", 0, "3:sin"), "target.width2": ("target", 1, "0.2:tanh"),
    "target.shared1": ("target", 0, "1.5:tanh="), "target.shared": ("target", slice(0, 2), "1.5:tanh=,0.7:erf(z)="),
    "depth": ("student", 2, "1.2:sin"), "target.depth": ("target", 2, "1:atan(z)"),
}


@pytest.mark.parametrize("move", slow_but(
    ["nothing", *MOVES], "alpha", "width1", "student.activation2", "target.shared1", "depth"))
def test_the_chain_against_a_bracket(move):
    student, target, at, moved = list(STUDENT), list(TARGET), dict(BASE), MOVES.get(move, {})
    if isinstance(moved, tuple):
        which, place, layer = moved
        place = place if isinstance(place, slice) else slice(place, place + 1)
        (student if which == "student" else target)[place] = layer.split(",")
    else:
        at |= moved
    student, target = ",".join(student), ",".join(target)
    s, (test, train) = ak.DeepFeatures(student, target).solve(**at), walked(student, target, **at)
    assert s.test_error == pytest.approx(test, rel=1e-11) and s.train_error == pytest.approx(train, rel=1e-9)
    base, _ = walked(",".join(STUDENT), ",".join(TARGET), **BASE)
    idle = move in ("nothing", "target.width1", "target.width2")       # widths of a target's own layers do not matter
    assert (abs(test / base - 1) < 1e-12) == idle


def test_no_parameter_of_the_chain_is_forgotten():
    names = ak.DeepFeatures(",".join(STUDENT), ",".join(TARGET)).names
    assert set(names) <= set(MOVES)
    fields = set(inspect.signature(Layer).parameters)
    assert {m.split(".")[1].rstrip("12") for m in MOVES if "." in m} - {"depth"} == fields


D = 100


def weights_of(*shape, seed):
    return np.random.default_rng(seed).standard_normal(shape) / np.sqrt(shape[1])


def given_base():
    one, two, own = weights_of(120, D, seed=1), weights_of(90, 120, seed=2), weights_of(80, D, seed=3)
    return {"student": [(one, "tanh"), (two, "erf(z)")], "target": [(own, "sin")]}


def _shared_rows():
    base = given_base()
    one = base["student"][0][0]
    return {"target": [(0.96 * one[:80] + 0.28 * weights_of(80, D, seed=4), "sign")], "paired": [80]}


GIVEN = {
    "student": lambda: {"student": [(weights_of(150, D, seed=5), "relu")]},
    "target": lambda: {"target": [(weights_of(60, D, seed=6), "relu"), (weights_of(50, 60, seed=7), "tanh")]},
    "bias": lambda: {"student": [(*layer, np.linspace(-0.8, 0.8, len(layer[0]))) for layer in given_base()["student"]]},
    "input_covariance": lambda: {"input_covariance": np.arange(1, D + 1) ** -0.3 * 2}, "paired": _shared_rows,
    "method": lambda: {"student": [(weights_of(120, D, seed=1), "tanh")], "method": "exact"},
    "centred": lambda: {"target": [(weights_of(60, D, seed=6), "relu")], "centred": False},
}
POINTS = {"n": {"n": 300}, "lam": {"lam": 1.0}, "noise_variance": {"noise_variance": 0.5}, "readout": {"readout": 1.0}}


@pytest.mark.parametrize("move", slow_but(["nothing", *GIVEN, *POINTS], "bias", "paired"))
def test_given_weights_against_trained_readouts(move):
    given = GivenWeights(**given_base() | GIVEN.get(move, dict)())
    at = {"n": 120, "lam": 0.05, "noise_variance": 0.2} | POINTS.get(move, {})
    size = len(given.target[-1].weights)
    theta = np.random.default_rng(8).standard_normal(size)
    at["readout"] = np.ones(size) if move in ("readout", "centred") else theta
    known = given.solve(**at)
    seen = given.simulate(at["n"], at["lam"], at["noise_variance"], at["readout"], repeats=16, test_size=2000, seed=9)
    for name in ("test_error", "train_error"):
        mean, error = seen[name].mean, seen[name].stderr
        assert abs(known[name] - mean) < 3 * error + 3 / D * mean, (move, name)
    if move in ("paired", "centred"):               # and would not without it
        network = GivenWeights(**given_base() | {k: v for k, v in GIVEN[move]().items() if k != move})
        without = network.ridge(at.pop("readout")).solve(**at)
        mean, error = seen["test_error"].mean, seen["test_error"].stderr
        assert abs(without.test_error - mean) > 3 * error + 3 / D * mean


def test_what_is_not_said_to_be_paired_is_seen():
    """Rows that are nearly those of the student, and are not said to be: sampled covariances know."""
    given = given_base() | _shared_rows()
    theta, at = np.random.default_rng(8).standard_normal(80), {"n": 120, "lam": 0.05, "noise_variance": 0.2}
    known = GivenWeights(**given).solve(**at, readout=theta).test_error
    network = GivenWeights(**given | {"paired": None})
    with pytest.warns(ak.AssumptionWarning, match="1.251 by neuron-wise covariances, and 1.07 .* which are used"):
        found = network.solve(**at, readout=theta)
    assert found.test_error == pytest.approx(known, rel=0.02) and found.assumptions[0].endswith("which are used")
    assert network.errors(**at, readout=theta)["neuron-wise"][0] == pytest.approx(1.251, abs=1e-3)


def test_no_argument_of_given_weights_is_forgotten():
    assert set(inspect.signature(GivenWeights).parameters) | {"bias"} == set(GIVEN)
    assert set(inspect.signature(GivenWeights.solve).parameters) - {"self"} == set(POINTS)
