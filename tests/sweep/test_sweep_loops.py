"""Sweeps by compiled loops: the same numbers as by numpy, on tables that all points decide about."""

import os
from unittest import mock

import numpy as np
import pytest

import asympkit as ak
from asympkit.sweep import pieces

pytestmark = pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")

ALPHA = [0.5, 1.0, 2.5]


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


def test_students_share_what_is_known_of_a_target():
    one, other = ak.OneStep("tanh(1.3*z)", "sin(2*z)"), ak.OneStep("erf", "sin(2*z)")
    assert one.target is other.target
    at = {"alpha": ALPHA, "lam": 0.1, "eta": 1.0, "alpha0": 2.0, "backend": "numba"}
    first, second = one.sweep(**at), other.sweep(**at)
    again = ak.OneStep(ak.Activation("tanh(1.3*z)"), ak.Activation("sin(2*z)")).sweep(**at)
    np.testing.assert_array_equal(first["test_error"], again["test_error"])
    assert not np.array_equal(first["test_error"], second["test_error"])


def test_threads_change_no_number():
    theory = ak.OneStep("tanh", "sin")
    at = {"alpha": np.linspace(0.5, 3, 7), "lam": [1e-3, 0.1, 1], "eta": 1.0, "alpha0": 2.0, "backend": "numba"}
    alone = theory.sweep(**at)
    with mock.patch.object(pieces, "_SHARED", 1), mock.patch.object(os, "cpu_count", return_value=3):
        together = theory.sweep(**at)
    assert all(np.array_equal(alone[n], together[n]) for n in alone.names)
