"""Unknowns that are 0 by symmetry, or nearly so, refuse no point; a readout of little spread is resolved."""

import math

import pytest

import asympkit as ak

POINT = {"r": 0.7, "c": 1.3, "gamma": 0.6, "alpha": 1.5, "beta": 0.8}


def test_unknowns_that_vanish_by_symmetry_refuse_no_point():
    """Only the norm of an input moves m here: theta is the rounding of a table."""
    theory = ak.SpikedFeatures("relu", "z**2-1")
    at = {**POINT, "r": 0, "gamma": 0, "c": 1, "lam": 0.05, "noise_variance": 0.1, "width": 50}
    found, right = theory.solve(**at), theory.precise(digits=15, **at)
    assert found.status == "converged" and found.condition["theta"] > 1e15
    for name in ("test_error", "m"):
        assert found[name] == pytest.approx(float(right[name]), rel=1e-12)
    assert theory.sweep(**{**at, "alpha": [1.5]})["test_error"][0] == pytest.approx(found.test_error, rel=1e-10)
    near = [theory.solve(**{**at, "c": 1 + h}).test_error for h in (1e-5, -1e-5)]
    assert theory.sensitivity("test_error", "c", **at) == pytest.approx((near[0] - near[1]) / 2e-5, rel=1e-7)
    for student, target in (("cos(12*z)", "z**2-1"), ("1", "z")):
        assert ak.SpikedFeatures(student, target).solve(**POINT, lam=0.05, width=100).converged


def test_signs_that_hardly_depend_on_the_spike_are_solved():
    """Overlaps that are linear in gamma have few digits below 1e-6, and say so; they were refused."""
    theory = ak.SpikedFeatures("tanh", "z", labels="sign")
    at = {**POINT, "lam": 0.1}
    none, some = (theory.solve(**{**at, "gamma": g}) for g in (0.0, 1e-4))
    for gamma in (1e-6, 1e-9, 1e-12):
        found = theory.solve(**{**at, "gamma": gamma})
        assert found.test_error == pytest.approx(none.test_error, rel=1e-11)
        error = abs(found["m"] / (some["m"] * gamma / 1e-4) - 1)
        assert error < max(1e-7, 100 * 2.0**-52 * found.condition["m"])
    assert theory.solve(**at, flip=0.5 - 1e-12).test_error == pytest.approx(0.5, abs=1e-11)


@pytest.mark.parametrize("lam", [pytest.param(1e4, marks=pytest.mark.slow), 1e12])
def test_the_error_of_a_readout_of_no_spread_is_resolved(lam):
    """It flips its sign in a step along the spike, that of the limit: arccos(gamma)/pi."""
    theory = ak.SpikedFeatures("tanh", "z", loss="logistic", labels="sign")
    found = theory.solve(**POINT, lam=lam)
    assert found.test_error == pytest.approx(math.acos(0.6) / math.pi, abs=0.1 / lam + 1e-11)
    assert theory.sweep(**{**POINT, "alpha": [1.5]}, lam=lam)["test_error"][0] == pytest.approx(found.test_error,
                                                                                               rel=1e-10)
