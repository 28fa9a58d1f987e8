"""Every argument of the chain and of given weights, moved off its default by itself, against a route of its own.

The chain: its one unknown, found by a bracket in plain numpy.  Given weights: networks
with a trained readout.  The tables are complete: an argument that nobody moves fails the last test of its kind.
"""

import inspect

import numpy as np
import pytest
from helpers.deep_means import walked
from helpers.tiers import slow_but

import asympkit as ak
from asympkit.theories.deep_features.given_weights import GivenWeights
from asympkit.theories.deep_features.theory import Layer

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


def gaussian(*shape, seed):
    return np.random.default_rng(seed).standard_normal(shape) / np.sqrt(shape[1])


def given_base():
    one, two, own = gaussian(120, D, seed=1), gaussian(90, 120, seed=2), gaussian(80, D, seed=3)
    return {"student": [(one, "tanh"), (two, "erf(z)")], "target": [(own, "sin")]}


def _shared_rows():
    base = given_base()
    one = base["student"][0][0]
    return {"target": [(0.96 * one[:80] + 0.28 * gaussian(80, D, seed=4), "sign")], "paired": [80]}


GIVEN = {
    "student": lambda: {"student": [(gaussian(150, D, seed=5), "relu")]},
    "target": lambda: {"target": [(gaussian(60, D, seed=6), "relu"), (gaussian(50, 60, seed=7), "tanh")]},
    "bias": lambda: {"student": [(*layer, np.linspace(-0.8, 0.8, len(layer[0]))) for layer in given_base()["student"]]},
    "input_covariance": lambda: {"input_covariance": np.arange(1, D + 1) ** -0.3 * 2}, "paired": _shared_rows,
    "method": lambda: {"student": [(gaussian(120, D, seed=1), "tanh")], "method": "exact"},
    "centred": lambda: {"target": [(gaussian(60, D, seed=6), "relu")], "centred": False},
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
