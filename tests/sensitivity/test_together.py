"""Derivatives at many points, whose tangent systems are solved together: against those at each point by itself."""

from unittest import mock

import numpy as np
import pytest
from sympy import symbols

import asympkit as ak
from asympkit.nodes import Applied
from asympkit.sensitivity import run

pytestmark = pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")
INF = float("inf")


def _own():
    a, alpha, q = symbols("a alpha q", positive=True)
    k, z = symbols("k z", real=True)
    mean = ak.E(Applied("f", a * k + z), z)
    return ak.Theory(name="slope of an activation", unknowns=[q], activations={"f": "tanh"},
                     parameters={a: ("slope", "positive"), alpha: ("samples", "positive")},
                     equations=[q - alpha * ak.E(mean**2 / (1 + q * mean**2), k)])


@pytest.mark.parametrize(("theory", "quantity", "parameter", "at", "most"), [
    # an optimum of the step lies between, where the derivative vanishes
    (lambda: ak.OneStep("tanh", "sin"), "test_error", "eta",
     {"eta": [0.3, 1.2, 1.4157019158338242, 1.7], "alpha0": 1, "alpha": 1.5, "lam": 0.1}, 1),
    (lambda: ak.OneStep("tanh", "sin"), "V1", "lam", {"eta": [[0.3], [1]], "lam": [0.1, 2], "alpha0": 1, "alpha": 1},
     0),
    (_own, "q", "a", {"a": [0.5, 1, 2], "alpha": 0.7}, 0),
    pytest.param(lambda: ak.OneStep("relu", "z + z**2"), "train_error", "eta",
                 {"eta": [0.5, 1, 2], "alpha0": [[1], [2], [INF]], "alpha": 1.5, "lam": 0.1}, 3,
                 marks=pytest.mark.slow),
    pytest.param(lambda: ak.SpikedFeatures("tanh(6*z)", "sin"), "m", "gamma",
                 {"gamma": [-0.9, -0.5, 0.2, 0.5], "r": 1, "c": 1, "alpha": 1.5, "lam": 0.1}, 4,
                 marks=pytest.mark.slow),
    pytest.param(lambda: ak.SpikedFeatures("tanh", "sin"), "test_error", "c",
                 {"c": [0.5, 1, 2], "r": [[0.5], [2]], "gamma": 0.3, "alpha": 1.5, "lam": 0.1, "width": 80}, 2,
                 marks=pytest.mark.slow),
    pytest.param(lambda: ak.OneStep("tanh", "z", loss="logistic", labels="sign"), "test_error", "eta",
                 {"eta": [0.5, 1, 2], "alpha0": 1, "alpha": 1.5, "lam": 0.1}, 2, marks=pytest.mark.slow),
])
def test_points_together_are_points_alone(theory, quantity, parameter, at, most):
    theory = theory()
    with mock.patch.object(run, "_at_point", side_effect=run._at_point) as alone:
        found = theory.sensitivity(quantity, parameter, **at)
    assert alone.call_count <= most
    arrays = {n: v for n, v in at.items() if np.ndim(v)}
    for index in np.ndindex(found.shape):
        here = {n: float(np.broadcast_to(v, found.shape)[index]) for n, v in arrays.items()}
        one = theory.sensitivity(quantity, parameter, **{**at, **here})
        size = abs(theory.solve(**{**at, **here})[quantity])
        assert found[index] == pytest.approx(one, rel=1e-10, abs=1e-11 * size), here


def test_a_point_that_cannot_be_differentiated_says_so():
    theory = ak.OneStep("tanh", "sin")
    with pytest.raises(ak.DomainError, match="no derivative here"):
        theory.sensitivity("test_error", "eta", eta=[0.5, 0.0, 1.0], alpha0=1, alpha=1.5, lam=0.1)
