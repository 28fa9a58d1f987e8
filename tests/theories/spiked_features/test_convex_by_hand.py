"""Solutions with any loss in equations that are written and integrated by hand, every parameter moved."""

import numpy as np
import pytest
from scipy.special import expit
from sympy import Rational, sqrt, symbols

import asympkit as ak
from tests.helpers import convex_fixed_point as hand

y, z = symbols("y z", real=True)
#: of each loss: how it is asked for, by hand, labels, target
OWN = ak.Loss(sqrt(1 + (y - z) ** 2) - 1, y, z)
PSEUDO = hand.of_residual(lambda r: np.sqrt(1 + r * r) - 1, lambda r: r / np.sqrt(1 + r * r),
                          lambda r: (1 + r * r) ** -1.5)
STEEP = ak.Loss("log(1+exp(1-2*y*z))", y, z)
STEEP_BY_HAND = hand.of_margin(lambda t: np.logaddexp(0, 1 - 2 * t), lambda t: -2 * expit(1 - 2 * t),
                               lambda t: 4 * expit(1 - 2 * t) * expit(2 * t - 1))
LOSSES = {"logistic": ("logistic", hand.logistic, "sign", "z"), "hinge": ("hinge", hand.hinge, "sign", "z"),
          "square": ("square", hand.square, "sign", "z"), "steep": (STEEP, STEEP_BY_HAND, "sign", "z"),
          "huber on signs": (ak.Huber(0.5), hand.huber(0.5), "sign", "z"),
          "own on signs": (OWN, PSEUDO, "sign", "z"),
          "huber": (ak.Huber(Rational(1, 2)), hand.huber(0.5), "regression", "sin"),
          "absolute": ("absolute", hand.absolute, "regression", "sin"), "own": (OWN, PSEUDO, "regression", "sin"),
          "half square": (ak.Loss((y - z) ** 2 / 2, y, z), hand.square, "regression", "sin")}
AT = {"r": 1.2, "c": 1.1, "gamma": 0.9, "alpha": 2.0, "lam": 0.1}
MOVED = [{"gamma": 0.3}, {"gamma": -0.8, "alpha": 0.7}, {"r": 0.6, "c": 0.8, "lam": 2.0}, {"beta": 0.4},
         {"beta": 2.5, "alpha": 5.0}, {"noise_variance": 0.5}, {"bias": 0.4}]
FLIPPED = [{"flip": 0.15}, {"flip": 0.8, "noise_variance": 0.2}, {"gamma": 0.99}, {"gamma": 0.999, "flip": 0.1}]


def assert_agrees(name, at, rtol=1e-11):
    """The solution fulfils the equations by hand, and its observables are theirs."""
    loss, by_hand, labels, target = LOSSES[name]
    at = dict(at)
    bias = at.pop("bias", 0.0)
    theory = ak.SpikedFeatures("tanh", target, loss=loss, labels=labels, bias=bias)
    s = theory.solve(rtol=rtol, **at)
    r, c = at["r"], at["c"]
    other = {new: at[n] for n, new in (("alpha", "alpha"), ("lam", "lam"), ("beta", "beta"), ("flip", "flip"),
                                       ("noise_variance", "noise"), ("gamma", "gamma")) if n in at}
    point = hand.FixedPoint(np.tanh, by_hand, None if labels == "sign" else np.sin, r=r, c=c, bias=bias,
                            panel=0.75 if at["lam"] > 0.05 else 0.2, **other)
    u = {n: s[n] for n in ("V1", "V2", "q1", "q2", "theta", "psi", "m")}
    assert point.gap(u) < 1e-9
    scale = 2 if loss == "square" else 1
    for n, value in point.observables(u).items():
        value *= scale if n in ("train_loss", "objective") else 1
        assert getattr(s, n) == pytest.approx(value, rel=1e-9, abs=1e-12), n


def test_logistic_regression():
    assert_agrees("logistic", {**AT, "flip": 0.1, "noise_variance": 0.3, "beta": 0.7})


def test_a_smooth_loss_of_a_person_on_signs():
    """Its derivatives are long: no symmetry of theirs is looked for by multiplying them out."""
    assert_agrees("own on signs", {**AT, "flip": 0.1, "noise_variance": 0.3, "beta": 0.7})


@pytest.mark.parametrize("lam", [0.01, 1e-3, 1e-6])
def test_labels_that_are_separated(lam):
    """V grows as the inverse of the penalty there, and nearly no sample is inside the margin."""
    assert_agrees("hinge", {**AT, "alpha": 0.5, "beta": 2.0, "lam": lam})


@pytest.mark.slow
@pytest.mark.parametrize("name", ["hinge", "logistic", "steep", "square", "huber on signs", "own on signs"])
@pytest.mark.parametrize("at", [{"alpha": 0.5, "beta": 2.0}, {"alpha": 2.0, "lam": 1e-4},
                                {"alpha": 2.0, "beta": 2.0, "lam": 1e-4},
                                {"alpha": 1.9, "lam": 1e-3, "flip": 0.2, "noise_variance": 1.0}])
def test_little_penalty(name, at):
    assert_agrees(name, {**AT, "lam": 1e-3, **at}, rtol=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("moved", range(len(MOVED)))
def test_every_parameter_moved(name, moved):
    assert_agrees(name, {**AT, **MOVED[moved]})


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n, (_, _, labels, _) in LOSSES.items() if labels == "sign"])
@pytest.mark.parametrize("moved", range(len(FLIPPED)))
def test_flips_and_targets_almost_along_the_spike(name, moved):
    assert_agrees(name, {**AT, **FLIPPED[moved]})
