"""Sweeps by compiled loops: the same numbers as by numpy, on tables that all points decide about."""

from unittest import mock

import numpy as np
import pytest
from helpers.tiers import slow_but

import asympkit as ak
from asympkit.sweep import pieces

pytestmark = pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")

ALPHA = [0.5, 1.0, 2.5]
QUANTITIES = ("test_error", "train_error", "q1", "theta", "m")


@pytest.mark.parametrize(("student", "target"), slow_but([
    ("tanh(1.07*z)", "sin"), ("softplus", "tanh"), ("relu", "z**3 - 3*z"), ("erf(2*z)", "sign"), ("z + z**2/5", "erf"),
], 0, 2))
def test_numba_gives_the_numbers_of_numpy(student, target):
    theory = ak.OneStep(student, target)
    at = {"alpha": ALPHA, "lam": [0.01, 0.3], "eta": [0.0, 1.2], "alpha0": 3.0, "beta": 0.8, "noise_variance": 0.1}
    if student == "relu":
        at["eta"] = [0.4, 1.2]
    fast = theory.sweep(backend="numba", **at)
    slow = ak.OneStep(student, target).sweep(backend="numpy", **at)
    assert fast.converged.all() and slow.converged.all()
    for name in QUANTITIES:
        np.testing.assert_allclose(fast[name], slow[name], rtol=2e-12, atol=1e-13)


def test_of_few_points_all_decide_about_the_tables():
    """A point that is no corner needs finer tables than the corners."""
    theory, at = ak.SpikedFeatures("tanh(2*z)", "sin(3*z)"), {"r": 2.0, "c": 1.0, "gamma": 0.9, "alpha": 3.0}
    lam = [1.0, 1e-8, 3.0, 2.0]                    # the corners are the places 0, 2 and 3
    errors = [theory.solve(lam=x, **at).test_error for x in lam]
    with mock.patch.object(pieces, "FEW", 0):
        assert abs(theory.sweep(lam=lam, backend="numpy", **at)["test_error"][1] / errors[1] - 1) > 1e-10
    for backend in ("numpy", "numba"):
        sweep = theory.sweep(lam=lam, backend=backend, **at)
        assert sweep.converged.all()
        np.testing.assert_allclose(sweep["test_error"], errors, rtol=1e-10)


def test_a_point_without_solution_does_not_spoil_the_others():
    kernel = ak.SpikedFeatures("tanh", "sin").kernel
    outputs = len(kernel.module.OUTPUTS)
    good, bad = np.ones((5, outputs)), np.ones((5, outputs))
    good[:, -2] = bad[:, -2] = 1e-15
    bad[1, -2] = good[1, -2] = np.nan
    bad[1, 0] = 7.0
    assert pieces._is_settled(kernel, good, bad, 1e-10)
    good[1] = 1.0                           # the finer rule finds it
    good[1, -2] = 1e-15
    assert not pieces._is_settled(kernel, good, bad, 1e-10)
    bad[1, -2] = 1e-15                      # both find it, and other numbers
    assert not pieces._is_settled(kernel, good, bad, 1e-10)
    good[:, -2] = np.nan
    assert pieces._is_settled(kernel, good, bad, 1e-10) is None


def test_students_share_what_is_known_of_a_target():
    one, other = ak.OneStep("tanh(1.3*z)", "sin(2*z)"), ak.OneStep("erf", "sin(2*z)")
    assert one.target is other.target
    at = {"alpha": ALPHA, "lam": 0.1, "eta": 1.0, "alpha0": 2.0, "backend": "numba"}
    first, second = one.sweep(**at), other.sweep(**at)
    again = ak.OneStep(ak.Activation("tanh(1.3*z)"), ak.Activation("sin(2*z)")).sweep(**at)
    np.testing.assert_array_equal(first["test_error"], again["test_error"])
    assert not np.array_equal(first["test_error"], second["test_error"])
