"""Features of integrands that a rule can step over are met, or the point is refused."""

import random
import runpy

import mpmath
import numpy as np
import pytest
from sympy import exp, symbols

import asympkit as ak

x, a, c = symbols("x a c", real=True)
w = symbols("w", real=True)
b = symbols("b", positive=True)


def theory(integrand, observable=False):
    """x = 1 + a E[integrand] x, or the average as an observable."""
    mean = ak.E(integrand, w)
    return ak.Theory(name="narrow", unknowns=[x], observables={"o": mean} if observable else {},
                     parameters={a: ("share", "real"), b: ("sharpness", "positive"), c: ("place", "real")},
                     equations=[x - 1 - (0 if observable else a * mean) * x])


def bump(b, c):
    """E exp(-b (w - c)^2)."""
    return mpmath.exp(-mpmath.mpf(b) * c**2 / (1 + 2 * b)) / mpmath.sqrt(1 + 2 * b)


@pytest.mark.parametrize("observable", [False, True])
@pytest.mark.parametrize("sharpness", [3.0, 3e2, 3e3, 1e5, 1e6, 1e9])
def test_bumps_of_any_width(sharpness, observable):
    t, r = theory(exp(-b * (w - c) ** 2), observable), random.Random(int(sharpness))
    places = np.array([r.uniform(-3, 3) for _ in range(3)])
    right = [float(bump(sharpness, p)) if observable else float(1 / (1 - bump(sharpness, p))) for p in places]
    swept = t.sweep(a=1.0, b=sharpness, c=places)
    for place, value, found, good in zip(places, right, swept["o" if observable else "x"], swept.converged):
        if good:
            assert found == pytest.approx(value, rel=1e-9)
        try:
            solution = t.solve(a=1.0, b=sharpness, c=place)
        except ak.ConvergenceError as error:
            assert "the averages did not reach the accuracy" in str(error)
            assert sharpness > 1e3
        else:
            assert solution["o" if observable else "x"] == pytest.approx(value, rel=1e-9)
            assert good


def test_a_minimum_over_a_place_meets_the_bump():
    t = theory(exp(-b * (w - c) ** 2), observable=True)
    found = t.minimize("o", over="c", bounds=(0.7, 1.3), b=2e3, a=1.0)
    assert found.value == pytest.approx(float(bump(2000, 1.3)), rel=1e-9) and found.argmin == 1.3


def test_a_narrow_peak_in_two_variables_is_not_stepped_over(tmp_path):
    """The two finest rules agree to the rounding that a fold leaves; no finer one is there to confirm it."""
    v, d, size = symbols("v d size", positive=True)
    y = symbols("y", real=True)
    peak = (1 + b * ((y - 0.844) ** 2 + (w - 0.93) ** 2)) ** -4
    smooth = 1e-5 * (2 + y) * exp(-((y - 1) ** 2) / 0.010082)
    t = ak.Theory(name="fold", unknowns=[v], start={v: 1.1},
                  parameters=dict.fromkeys((b, d, size), ("", "positive")),
                  equations=[(v - 1) ** 2 - d - ak.E(size * peak + smooth, (y, w))])
    at = {"b": 3e6, "d": 4e-8, "size": 11.88}
    with pytest.raises(ak.ConvergenceError, match="the averages did not reach the accuracy"):
        t.solve(**at)                                               # 1.00115314449996, and 1.00127661
    assert not t.sweep(**at | {"d": [4e-8, 4.1e-8]}).converged.any()
    t.generate(tmp_path / "fold_of_a_peak.py")
    module = runpy.run_path(str(tmp_path / "fold_of_a_peak.py"))
    with pytest.raises(ValueError, match="no solution"):
        module["solve"](**at)
    wide = t.solve(b=3.0, d=4e-8, size=1e-3)
    assert module["solve"](b=3.0, d=4e-8, size=1e-3)["v"] == pytest.approx(wide["v"], rel=1e-12)
    wide = t.solve(b=3.0, d=4e-8, size=1e-3)
    assert wide["v"] == pytest.approx(t.sweep(b=[3.0], d=4e-8, size=1e-3)["v"][0], rel=1e-9)
