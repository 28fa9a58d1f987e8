"""Networks whose readout has several values before the step: published numbers, one value, derivatives, simulations."""

import math
from functools import cache

import numpy as np
import pytest

import asympkit as ak

#: target, readout, (eta, alpha0, alpha, beta, lam, noise variance), d, test error of the limit and of networks
ROWS = [
    ("sin", ((0.5, 0.5), (1.5, 0.5)), (2, 3, 1, 1, 0.1, 0), 400, 0.1171585082664, 0.11875, 0.00096),
    ("sin", ((0.5, 0.5), (1.5, 0.5)), (2, 3, 2, 1, 0.1, 0), 400, 0.0948451468175, 0.09638, 0.00076),
    ("sin(2*z)", ((-0.5, 0.3), (1, 0.3), (2, 0.4)), (2, 4, 3, 0.7, 0.05, 0.1), 400, 0.6661905369170, 0.66965, 0.00171),
    ("sin(2*z)", ((0, 0.5), (2, 0.5)), (1.5, 8, 3, 1, 0.05, 0.1), 300, 0.7003339791263, 0.70097, 0.00245)]
NAMES = ("eta", "alpha0", "alpha", "beta", "lam", "noise_variance")
pytestmark = pytest.mark.filterwarnings("ignore")


@cache
def step(target, readout, **options):
    return ak.OneStep("tanh", target, readout=readout, **options)


@pytest.mark.parametrize("row", [*ROWS[:2], *(pytest.param(row, marks=pytest.mark.slow) for row in ROWS[2:])])
def test_published_numbers(row):
    target, readout, values, d, limit, mean, stderr = row
    theory, at = step(target, readout), dict(zip(NAMES, values))
    assert theory.solve(width=math.inf, **at).test_error == pytest.approx(limit, abs=1e-12)
    found = theory.solve(width=at["beta"] * d, **at).test_error
    assert abs(found - mean) < 3 * stderr


def test_values_that_are_one():
    at = {"eta": 1.2, "alpha0": 3, "alpha": 2, "lam": 0.1, "beta": 0.7}
    uniform = ak.OneStep("tanh", "sin").solve(**at)
    for readout in (((1, 1),), ((1, 0.5), (-1, 0.5)), None):
        assert ak.OneStep("tanh", "sin", readout=readout).solve(**at).test_error == uniform.test_error
    # twice the readout makes twice the step; without a width, or an initial output, that is all
    twice = ak.OneStep("tanh", "sin", readout=[(2, 1)])
    same = ak.OneStep("tanh", "sin").solve(**{**at, "eta": 2.4})
    assert twice.solve(**at).test_error == pytest.approx(same.test_error, rel=1e-12)


def test_classes_after_the_step():
    at = {"eta": 2, "alpha0": 3, "beta": 0.8, "noise_variance": 0.2}
    one, found = ak.OneStep("tanh", "sin").parameters_at(**at), step("sin", ROWS[0][1]).parameters_at(**at)
    assert found["gamma"] == one["gamma"]
    for (u, c, fraction), value in zip(found["units"], (0.5, 1.5)):
        assert (u, fraction) == (pytest.approx(value * one["r"]), 0.5)
        assert c == pytest.approx(1 + value**2 * (one["c"] - 1))
    features = ak.SpikedFeatures("tanh", "sin")          # which have no output before the step
    solved = step("sin", ROWS[0][1]).solve(alpha=1.5, lam=0.2, width=math.inf, **at)
    given = features.solve(units=found["units"], gamma=found["gamma"], alpha=1.5, lam=0.2, width=math.inf, beta=0.8,
                           noise_variance=0.2)
    for name in solved.observables:
        assert solved[name] == pytest.approx(given[name], rel=1e-12)


def test_the_output_before_the_step():
    """It turns the spike: values near one are as one, to the order 1/width."""
    at, excess = {"eta": 1, "alpha0": 5, "alpha": 1.5, "lam": 0.1}, []
    for width in (240, 960):
        near = step("sin", ((1 + 1e-7, 1),)).solve(width=width, **at).test_error
        one = ak.OneStep("tanh", "sin").solve(width=width, **at).test_error
        left_out = ak.SpikedFeatures("tanh", "sin").solve(width=width, alpha=1.5, lam=0.1, **{
            n: ak.OneStep("tanh", "sin").parameters_at(eta=1, alpha0=5)[n] for n in ("r", "c", "gamma")}).test_error
        assert abs(near - one) < 0.1 * abs(left_out - one)
        excess.append((near - one) * width)
    assert excess[0] == pytest.approx(excess[1], rel=0.1)


@pytest.mark.slow
def test_the_output_before_a_step_along_the_target():
    at = {"eta": 1, "alpha": 1.5, "lam": 0.1}
    theory = step("z", ((0.5, 0.5), (1.5, 0.5)), loss="logistic", labels="sign")
    many, all_of_them = (theory.solve(**{**at, "alpha0": n}, width=200).test_error for n in (1e8, math.inf))
    assert many == pytest.approx(all_of_them, rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("alpha0, model", [(6.0, "network"), (math.inf, "network")])
def test_signs_of_networks(alpha0, model):
    theory = step("z", ((0.5, 0.5), (1.5, 0.5)), loss="logistic", labels="sign")
    at = {"eta": 0.8, "alpha0": alpha0, "alpha": 2.0, "lam": 0.5, "flip": 0.05}
    simulation = theory.simulate(d=150, repeats=40, model=model, **at)
    found = theory.solve(width=150, **at)
    for name in ("test_error", "train_error", "objective"):
        estimate = simulation[name]
        assert abs(estimate.mean - found[name]) <= 3 * estimate.stderr + 2 * found[name] / 150, name


@pytest.mark.slow
@pytest.mark.parametrize("model", ["network", "spiked"])
def test_real_networks(model):
    theory, at = step("sin", ROWS[0][1]), {"eta": 1.5, "alpha0": 4, "alpha": 1.5, "lam": 0.1, "beta": 0.8}
    simulation = theory.simulate(d=250, repeats=60, model=model, **at)
    found = theory.solve(width=200, **at)
    for name in ("test_error", "train_error", "objective"):
        estimate = simulation[name]
        assert abs(estimate.mean - found[name]) <= 3 * estimate.stderr + 2 * found[name] / 250, name


def test_steps_of_several_values_are_products():
    """A unit's step is its readout times a common factor, from the same residuals."""
    from asympkit.simulate.one_step import gradient_step

    rng = np.random.default_rng(0)
    student, weights, x = ak.Activation("tanh"), rng.standard_normal((6, 4)), rng.standard_normal((9, 4))
    labels, readout = rng.standard_normal(9), np.array([0.5, 0.5, 0.5, -1.5, -1.5, 0.0])
    missing = labels - np.tanh(x @ weights.T) @ readout / 6
    step_of = [a * (missing * (1 - np.tanh(x @ w) ** 2)) @ x * 0.7 / (6 * 9) for a, w in zip(readout, weights)]
    assert gradient_step(student, weights, [(x, labels)], 0.7, readout) == pytest.approx(weights + np.array(step_of))


@pytest.mark.parametrize("options, text", [
    ({"readout": [(1, 0.5), (2, 0.6)]}, "fractions are positive and sum to 1"),
    ({"readout": [1, 2]}, r"expected a list of \(value, fraction\)"),
    ({"readout": [(1, 0.5), (2, 0.5)], "bulk": "exact"}, "bulk='exact'"),
    ({"readout": [(1, 0.5), (2, 0.5)], "student": "relu"}, "which is not odd")])
def test_what_is_refused(options, text):
    with pytest.raises(ak.DomainError, match=text):
        ak.OneStep(**{"student": "tanh", "target": "sin", **options}).solve(eta=1, alpha0=1, alpha=1, lam=1, width=9)


def test_a_width_is_needed():
    with pytest.raises(ak.DomainError, match="width: not given with 2 classes"):
        step("sin", ROWS[0][1]).solve(eta=1, alpha0=1, alpha=1, lam=1)
    with pytest.raises(ak.NotAvailableError, match="generate"):
        step("sin", ROWS[0][1]).generate("never.py")
