"""Errors are judged against the size of each quantity; refusals say why, and come soon."""

import time

import numpy as np
import pytest
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
@pytest.mark.parametrize("backend", ["numpy", pytest.param("numba", marks=pytest.mark.slow)])
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
    began = time.process_time()
    for integrand in (sqrt(z - b * m), z**m):                      # the second has a value at m = 1
        theory = ak.Theory(name="no value", parameters=BETA, unknowns=[m], equations=[m - b - ak.E(integrand, z)])
        with pytest.raises(ak.ConvergenceError, match=r"the integrand .* is nan at z = -8, .*m = (1|0\.99)"):
            theory.solve(b=2.0)
    assert time.process_time() - began < 5.0


def test_ends_of_domains_are_named():
    q = symbols("q", positive=True)
    spike = ak.Theory(name="spike", parameters={b: ("signal", "positive")}, unknowns={q: (0, 1)},
                      free_energy=b * q**2 / 4 + b * q / 2 - ak.E(log(cosh(b * q + sqrt(b * q) * z)), z))
    with pytest.raises(ak.ConvergenceError, match="edge of its domain.*q tends to 0"):
        spike.solve(b=0.5)
    assert "edge of its domain" in spike.sweep(b=[0.5, 2.0]).status[0]
    assert spike.solve(b=2.0)["q"] == pytest.approx(float(spike.precise(digits=15, b=2)["q"]), rel=1e-12)
