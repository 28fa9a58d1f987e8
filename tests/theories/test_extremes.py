"""Every parameter of every theory, pushed to both ends of its domain: digits that hold, or a status, and an end."""

import math

import numpy as np
import pytest
from helpers.tiers import BACKENDS

import asympkit as ak
from asympkit.solve.solution import Status

pytestmark = pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")

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
    theory = THEORIES[name][0]()
    try:
        found = theory.solve(**{n: float(v) for n, v in at.items()})
        true = theory.precise(digits=15, **at) if name in PRECISE else None
    except ak.AsympkitError as error:
        return str(error)
    if true is not None:
        largest = max(abs(float(v)) for v in true.observables.values())
        for quantity in (*found.observables, *found.order_parameters):
            error = abs(found[quantity] - float(true[quantity]))
            known = max(abs(float(true[quantity])), 1e-13 * min(largest, 1.0))
            if found.status == Status.CONVERGED:
                assert error <= 2e-12 * max(1.0, found.condition.get(quantity, 1.0) * 1e-3) * known, quantity
            elif found.status == Status.LIMITED:
                assert error <= (2e-12 + 2.0**-50 * found.condition.get(quantity, 1.0)) * known, quantity
    return found.status


@pytest.mark.slow
@pytest.mark.parametrize(("name", "parameter", "end"), [*pushed()])
def test_extremes(name, parameter, end):
    assert compare(name, {**THEORIES[name][1], parameter: end})


@pytest.mark.parametrize("c", [1e-8, 1e-12])
@pytest.mark.parametrize("backend", BACKENDS)
def test_means_of_a_function_that_hardly_varies_are_limited(backend, c):
    """Vhat2 was 3e-6 off at c = 1e-12, and the overlaps 6e-12, "converged"."""
    theory, at, space = THEORIES["spiked features"][0](), {**{n: float(v) for n, v in SPIKE.items()}, "c": c}, {}
    assert theory.solve(**at).status == Status.LIMITED
    assert {*theory.sweep(**at | {"alpha": np.linspace(1, 2, 20)}, backend=backend).status} == {Status.LIMITED}
    exec(compile(theory.source(), "module", "exec"), space)
    assert [*space["solve_many"](**at | {"alpha": [1.0, 2.0]})["status"]] == ["limited"] * 2
    assert theory.solve(**at | {"c": 1.0}).status == Status.CONVERGED


@pytest.mark.parametrize("noise", [1e50, 1e100])
def test_heavy_noise_leaves_the_overlap(noise):
    """Noise scales the spike, and the overlap theta not: -0.01174 from 1e20 on."""
    found = ak.OneStep("tanh", "sin").solve(eta=1, alpha0=2.5, alpha=2, lam=0.1, noise_variance=noise)
    assert found["theta"] == pytest.approx(-0.0117402625355768, rel=1e-9)
    assert found["psi"] == pytest.approx(6.62720244296807e23 * math.sqrt(noise / 1e50), rel=1e-9)
    assert np.isfinite(found["m"])
    assert found["m"] == pytest.approx(7.792046573e-26 * math.sqrt(1e50 / noise), rel=1e-6)


@pytest.mark.parametrize(("change", "theta", "error"), [
    ({"noise_variance": 1e12}, -6.0021918234734479e-15, 1e-3), ({"alpha0": 1e-12}, -0.0099913072721569095, 1e-10)])
def test_overlap_of_signs_that_are_nearly_random(change, theta, error):
    """The terms of both labels cancel: few digits are left of the overlap, and that is said; 20 of ``precise``."""
    found = ak.OneStep("tanh", "z", labels="sign").solve(
        **{**{n: float(v) for n, v in STEP.items()}, "flip": 0.1, **change})
    assert found.status == Status.LIMITED
    assert found["theta"] == pytest.approx(theta, rel=error)
    assert abs(found["theta"] / theta - 1) < 1e-15 * found.condition["theta"]


@pytest.mark.slow
def test_hinge_with_few_features_is_quick():
    """Far out the student saturates: the variance of its rest is small there, and no narrow feature of errors."""
    theory = ak.OneStep("tanh", "z", loss="hinge", labels="sign")
    found = theory.solve(**{**{n: float(v) for n, v in STEP.items()}, "beta": 0.01})
    assert found.nodes < 10_000
    assert found.test_error == pytest.approx(0.2754745437028335, rel=1e-11)


@pytest.mark.slow
def test_hinge_at_a_large_penalty():
    """Kinks of the loss are narrow, and nodes lie around them; all penalties tend to the error of the mean readout.

    At 1e6 predictions vary by that part of their size: what rounding leaves is said.
    """
    theory = ak.OneStep("tanh", "z", loss="hinge", labels="sign")
    at = {"eta": 1, "alpha0": 2.5, "alpha": 2}
    found = theory.solve(**at, lam=1e4)
    assert found.test_error == pytest.approx(0.2133426159576575, rel=1e-10)
    of_mean = ak.OneStep("tanh", "z", loss="logistic", labels="sign").solve(**at, lam=1e12).test_error
    assert found.test_error == pytest.approx(of_mean, rel=1e-4)
    found = theory.solve(**at, lam=1e6)
    assert found.status == Status.LIMITED
    assert found.test_error == pytest.approx(of_mean, rel=1e-6)


@pytest.mark.slow
def test_sweep_of_hinge_at_large_penalties():
    """Points whose kinks are too narrow for common nodes are reached along a path, as by ``solve``."""
    theory, at = ak.OneStep("tanh", "z", loss="hinge", labels="sign"), {"eta": 1, "alpha0": 2.5, "alpha": 2}
    found = theory.sweep(lam=[20, 300, 1e4], backend="numpy", **at)
    assert set(found.status) == {Status.CONVERGED}
    assert found["test_error"][1:] == pytest.approx(
        [theory.solve(**at, lam=lam).test_error for lam in (300, 1e4)], rel=1e-10)


@pytest.mark.parametrize("alpha0", [1e-7, 1e-8])
def test_steep_features_have_the_error_of_signs(alpha0):
    """Features tanh(s*x) of slopes s of 600 and 2000 tend to signs, whose error they miss by a multiple of 1/s."""
    at = {"eta": 1, "alpha": 2, "lam": 0.1}
    signs, here, less = (ak.OneStep("tanh", "sin").solve(**at, alpha0=a).test_error for a in (1e-13, alpha0, 1e-6))
    assert (signs - here) / math.sqrt(alpha0) == pytest.approx((signs - less) / 1e-3, rel=1e-2)


@pytest.mark.slow
def test_proof_at_no_step_ends():
    """Huber's loss on signs: theta is 0 by symmetry, and the box around it is not smaller than others."""
    theory = ak.OneStep("tanh", "z", loss=ak.Huber(0.5), labels="sign")
    proved = theory.certify(eta=0, alpha0=2, alpha=2, lam="0.1", digits=10)
    solved = theory.solve(eta=0, alpha0=2, alpha=2, lam=0.1)
    assert float(proved.test_error.mid) == pytest.approx(solved.test_error, rel=1e-11)
    assert proved["theta"].contains(0)


@pytest.mark.slow
def test_averages_that_digits_do_not_reach_end():
    """The mean readout is exponentially small, and rounding at every number of nodes that is tried."""
    with pytest.raises(ak.ConvergenceError, match="averages changed by .* at the last of 4 rules"):
        ak.OneStep("sin(z)/(2+cos(z))", "sin").precise(eta=1, alpha0="0.0001", alpha=2, lam="0.1")


@pytest.mark.slow
@pytest.mark.parametrize(("loss", "lam"), [("square", 1e10), ("square", 1e12), ("hinge", 1e8), ("hinge", 1e10)])
def test_huge_penalties_of_signs_are_limited(loss, lam):
    """Rounding leaves the conjugates of V few digits, which count for nothing beside the penalty; it was refused."""
    theory, at = ak.OneStep("tanh", "z", loss=loss, labels="sign"), {**STEP, "alpha0": 2.5, "lam": lam}
    at = {n: float(v) for n, v in at.items() if n != "beta"}
    found = theory.solve(**at)
    assert found.status == Status.LIMITED
    assert found.condition["Vhat1"] > 1e7
    of_mean = ak.OneStep("tanh", "z", labels="sign").precise(**{n: repr(v) for n, v in at.items()}, digits=15)
    assert found.test_error == pytest.approx(float(of_mean.test_error), rel=1e-10 + 1 / lam)
    if loss == "square":
        assert set(theory.sweep(**at | {"lam": [lam, 2 * lam]}, backend="numpy").status) == {Status.LIMITED}
        for name, value in found.order_parameters.items():
            error = abs(value / float(of_mean[name]) - 1)
            assert error <= 2e-12 + 2.0**-50 * found.condition[name], name
