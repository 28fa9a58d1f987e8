"""Regression on affine targets: residuals are normal, so that one average less is taken than for any other target."""

import pytest
from helpers.tiers import slow_but
from sympy import sqrt, symbols

import asympkit as ak

AT = {"r": 1.2, "c": 1.1, "gamma": 0.9, "alpha": 2, "lam": 0.1, "noise_variance": 0.1}
y, z = symbols("y z", real=True)
LOSSES = {"huber": ak.Huber(1), "absolute": "absolute", "smooth": ak.Loss(sqrt(1 + (y - z) ** 2), y, z)}


@pytest.mark.slow
@pytest.mark.parametrize("name", LOSSES)
def test_targets_that_are_nearly_affine_lead_there(name):
    """Those are averaged over the target's own normal too: other equations, and other sums."""
    loss = LOSSES[name]
    plain = ak.SpikedFeatures("tanh", "0.5 + 2*z", loss=loss).solve(**AT)
    near = ak.SpikedFeatures("tanh", "0.5 + 2*z + 1e-9*sin(z)", loss=loss).solve(**AT)
    for name in ("test_error", "objective", "train_loss", "q1", "q2", "theta", "psi", "m"):
        assert near[name] == pytest.approx(plain[name], rel=3e-9)


@pytest.mark.parametrize("loss", slow_but(["absolute", ak.Huber(1)], 1))
@pytest.mark.parametrize("moved", slow_but([{}, {"lam": 7.0}, {"lam": 1e-3}, {"alpha": 0.5}], 0))
def test_without_noise(loss, moved):
    s = ak.SpikedFeatures("tanh", "z", loss=loss).solve(**{**AT, "noise_variance": 0.0, **moved})
    assert s.converged and s.error_estimate <= 1e-12
    noisy = ak.SpikedFeatures("tanh", "z", loss=loss).solve(**{**AT, "noise_variance": 1e-9, **moved})
    assert s.test_error == pytest.approx(noisy.test_error, rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("name", LOSSES)
def test_trained_readouts(name):
    at = {**AT, "gamma": 0.7, "lam": 0.3}
    t = ak.SpikedFeatures("tanh", "0.5 + 2*z", loss=LOSSES[name])
    seen, known = t.simulate(d=400, repeats=10, seed=3, **at), t.solve(**at)
    for name in ("test_error", "train_error"):
        assert abs(known[name] - seen[name].mean) < 3 * seen[name].stderr + 3 / 400 * seen[name].mean
