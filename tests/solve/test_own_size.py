"""Errors are judged against the size of each quantity; refusals say why; unknowns that are small."""

import math

import numpy as np
import pytest
from helpers.tiers import BACKENDS
from sympy import cosh, log, sqrt, symbols, tanh

import asympkit as ak

x, z = symbols("x z", real=True)
m = symbols("m", positive=True)
b = symbols("b", positive=True)
BETA = {b: ("inverse temperature", "positive")}


def curie_weiss(observables=None):
    return ak.Theory(name="Curie-Weiss", parameters=BETA, unknowns=[x], equations=[x - tanh(b * x)],
                     observables=observables or {})


@pytest.mark.parametrize("distance", [1e-8, 1e-10, 1e-12, 1e-13])
@pytest.mark.parametrize("backend", BACKENDS)
def test_roots_near_a_critical_point_are_refused(distance, backend):
    """At 1e-12 it gave 1.73213222e-6 (right: 1.7321278e-6) as converged, at 1e-13 the root 0 (5.475e-7)."""
    theory = curie_weiss()
    with pytest.raises(ak.ConvergenceError, match="precise()"):
        theory.solve(b=1 + distance)
    assert not theory.sweep(b=[1 + distance, 1.5], backend=backend).converged[0]
    right = float(theory.precise(digits=20, b=str(1 + distance), start={"x": (3 * distance) ** 0.5})["x"])
    assert right == pytest.approx((3 * distance) ** 0.5, rel=1e-3)


def test_a_root_that_is_zero_by_symmetry_stays():
    for at in (0.5, 0.9, 1.0):
        assert abs(curie_weiss().solve(b=at)["x"]) < 1e-16
    sweep = curie_weiss().sweep(b=np.linspace(0.5, 1.5, 11))
    assert sweep.converged.all() and sweep["x"][5] == 0.0


def test_observables_near_a_fold_say_what_they_have():
    """chi was printed with a condition of 1e12, and not judged."""
    theory = curie_weiss({"chi": (1 - x**2) / (1 - b * (1 - x**2))})
    found = theory.solve(b=1 + 1e-5)
    assert found.converged and "fewer digits" in found.status and "precise()" in found.status
    assert found.condition["chi"] * 2.0**-52 > 1e-10
    for backend in ("numpy", "numba"):
        sweep = theory.sweep(b=[1 + 1e-5, 1.5], backend=backend)
        assert sweep.converged.all() and "fewer digits" in sweep.status[0] and sweep.status[1] == "converged"
    assert theory.solve(b=1.5).status == "converged"


def test_integrands_without_a_value_are_named_at_once():
    for integrand in (sqrt(z - b * m), z**m):                      # the second has a value at m = 1
        theory = ak.Theory(name="no value", parameters=BETA, unknowns=[m], equations=[m - b - ak.E(integrand, z)])
        with pytest.raises(ak.ConvergenceError, match=r"the integrand .* is nan at z = -8, .*m = (1|0\.99)"):
            theory.solve(b=2.0)


def test_ends_of_domains_are_named():
    q = symbols("q", positive=True)
    spike = ak.Theory(name="spike", parameters={b: ("signal", "positive")}, unknowns={q: (0, 1)},
                      free_energy=b * q**2 / 4 + b * q / 2 - ak.E(log(cosh(b * q + sqrt(b * q) * z)), z))
    with pytest.raises(ak.ConvergenceError, match="edge of its domain.*q tends to 0"):
        spike.solve(b=0.5)
    assert "edge of its domain" in spike.sweep(b=[0.5, 2.0]).status[0]
    assert spike.solve(b=2.0)["q"] == pytest.approx(float(spike.precise(digits=15, b=2)["q"]), rel=1e-12)


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
