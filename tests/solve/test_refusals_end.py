"""Points that are refused are refused soon, by budgets counted in evaluations and in the size of a step."""

import time

import pytest

import asympkit as ak

ONE = {"eta": 1, "alpha0": 2, "alpha": 2, "beta": 2}
SPIKED = {"r": 1.2, "c": 1.1, "gamma": 0.9, "alpha": 2, "lam": 0.1}
REFUSED = {
    "hinge, penalty 1e12": (lambda: ak.OneStep("tanh", "z", loss="hinge", labels="sign"), {**ONE, "lam": 1e12}),
    "hinge, penalty 1e60": (lambda: ak.OneStep("tanh", "z", loss="hinge", labels="sign"), {**ONE, "lam": 1e60}),
    "kinks of loss and target": (lambda: ak.SpikedFeatures("tanh", "abs(z)+0.3*z**2", loss=ak.Huber(1)),
                                 {**SPIKED, "noise_variance": 0.37}),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", REFUSED)
def test_refusals_end(name):
    theory, at = REFUSED[name]
    begin = time.process_time()
    with pytest.raises(ak.ConvergenceError, match="ask for a larger rtol|not satisfied|without a finite value"):
        theory().solve(**at)
    assert time.process_time() - begin < 30
