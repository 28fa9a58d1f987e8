"""Every parameter of every theory, pushed to both ends of its domain: digits that hold, or a status, and an end."""

import math
import time

import numpy as np
import pytest

import asympkit as ak
from asympkit.solve.solution import Status

STEP = {"eta": 1, "alpha0": "2.5", "alpha": 2, "lam": "0.1", "beta": "0.75", "noise_variance": "0.3"}
SPIKE = {"r": "1.2", "c": "1.1", "gamma": "0.9", "alpha": 2, "lam": "0.1", "beta": "0.75", "noise_variance": "0.3"}
THEORIES = {
    "one step": (lambda: ak.OneStep("tanh", "sin"), STEP),
    "one step, not odd": (lambda: ak.OneStep("relu", "z + z**2/2"), STEP),
    "one step, a width": (lambda: ak.OneStep("tanh", "sin"), {**STEP, "width": 80}),
    "one step, signs": (lambda: ak.OneStep("tanh", "z", labels="sign"), {**STEP, "flip": "0.1"}),
    "one step, signs, a width": (lambda: ak.OneStep("tanh", "z", labels="sign"), {**STEP, "width": 80}),
    "one step, logistic": (lambda: ak.OneStep("tanh", "z", loss="logistic", labels="sign"), STEP),
    "one step, hinge": (lambda: ak.OneStep("tanh", "z", loss="hinge", labels="sign"), STEP),
    "one step, Huber": (lambda: ak.OneStep("tanh", "z", loss=ak.Huber(1)), STEP),
    "spiked features": (lambda: ak.SpikedFeatures("erf", "sin"), SPIKE),
    "nonlinear spikes": (lambda: ak.NonlinearSpikes("tanh", "sin"),
                         {"phi": "0.5", "psi": "0.7", "lam": "0.1", "noise_variance": "0.3"}),
    "deep features": (lambda: ak.DeepFeatures(student=[ak.Layer(1.5, "tanh")], target=[ak.Layer(1, "erf")]),
                      {"alpha": 2, "lam": "0.1", "noise_variance": "0.3"}),
}
#: of what is known to be cheap with many digits at all ends
PRECISE = {"one step", "one step, not odd", "one step, a width", "one step, signs", "spiked features",
           "nonlinear spikes", "deep features"}
#: seconds of processor time on a busy machine, of a call that answers or refuses
LONGEST = 60
ENDS = ("1e-12", "1e-6", "1e6", "1e12")


def pushed():
    for name, (_, usual) in THEORIES.items():
        for parameter in usual:
            for end in ENDS:
                allowed = float(end) <= {"gamma": 1, "flip": 1}.get(parameter, math.inf)
                if allowed and not (parameter == "width" and float(end) < 1):
                    yield pytest.param(name, parameter, end, id=f"{name}, {parameter} = {end}")


def compare(name, at):
    """Return the status of a point, after a comparison of its digits with those of more."""
    theory, begin = THEORIES[name][0](), time.process_time()
    try:
        found = theory.solve(**{n: float(v) for n, v in at.items()})
    except ak.AsympkitError as error:
        assert time.process_time() - begin < LONGEST
        return str(error)
    assert time.process_time() - begin < LONGEST
    if name in PRECISE:
        begin = time.process_time()
        try:
            true = theory.precise(digits=15, **at)
        except ak.AsympkitError as error:
            assert time.process_time() - begin < LONGEST
            return str(error)
        assert time.process_time() - begin < LONGEST
        largest = max(abs(float(v)) for v in true.observables.values())
        for quantity in (*found.observables, *found.order_parameters):
            error = abs(found[quantity] - float(true[quantity]))
            known = max(abs(float(true[quantity])), 1e-13 * min(largest, 1.0))
            if found.status == Status.CONVERGED:
                assert error <= 2e-12 * max(1.0, found.condition.get(quantity, 1.0) * 1e-3) * known, quantity
    return found.status


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")
@pytest.mark.parametrize(("name", "parameter", "end"), pushed())
def test_extremes(name, parameter, end):
    assert compare(name, {**THEORIES[name][1], parameter: end})


@pytest.mark.parametrize("noise", [1e50, 1e100])
def test_heavy_noise_leaves_the_overlap(noise):
    """Noise scales the spike, and the overlap theta not: -0.01174 from 1e20 on."""
    found = ak.OneStep("tanh", "sin").solve(eta=1, alpha0=2.5, alpha=2, lam=0.1, noise_variance=noise)
    assert found["theta"] == pytest.approx(-0.0117402625355768, rel=1e-9)
    assert found["psi"] == pytest.approx(6.62720244296807e23 * math.sqrt(noise / 1e50), rel=1e-9)
    assert np.isfinite(found["m"])
    assert found["m"] == pytest.approx(7.792046573e-26 * math.sqrt(1e50 / noise), rel=1e-6)
