"""Derived averages of activations whose argument is scaled by a parameter, or by another average: every reading."""

import math
from fractions import Fraction

import numpy as np
import pytest
from helpers.modules import plain_module
from sympy import Symbol, sqrt, symbols

import asympkit as ak
from asympkit.nodes import Applied


def tower():
    """Variances of two layers: v1 = E[f(sqrt(v) z)^2], v2 = E[g(sqrt(v1) z)^2], and slopes."""
    v, m = symbols("v m", positive=True)
    z = Symbol("z", real=True)
    v1, v2, slope = symbols("v1 v2 slope", nonnegative=True)
    f, g = Applied("f", sqrt(v) * z), Applied("g", sqrt(v1) * z + v / 10)
    derived = {v1: ak.E(f**2, z), v2: ak.E((g - ak.E(g, z))**2, z), slope: ak.E(z * g, z) / sqrt(v1)}
    return ak.Theory(name="tower", parameters={v: ("variance", "positive")}, unknowns=[m], equations=[m - v2 - slope],
                     observables={"first": v1 * m / m, "slope": slope * m / m}, derived=derived,
                     activations={"f": "erf(z)", "g": "tanh(z) + exp(-z**2)"})


def test_scaled_arguments_have_every_reading(tmp_path):
    t = tower()
    s = t.solve(v=0.7)
    # the second moment of erf is known in closed form
    assert s.first == pytest.approx(2 / math.pi * math.asin(1.4 / 2.4), rel=1e-14)
    x = np.arange(-12, 12, 1 / 64)
    w = np.exp(-x**2 / 2) / math.sqrt(2 * math.pi) / 64
    y = math.sqrt(s.first) * x + 0.07
    g = np.tanh(y) + np.exp(-y**2)
    assert s.m == pytest.approx(w @ g**2 - (w @ g)**2 + w @ (x * g) / math.sqrt(s.first), rel=1e-13)
    precise, proved = t.precise(digits=30, v="0.7"), t.certify(digits=20, v="0.7")
    assert float(precise.m) == pytest.approx(s.m, rel=1e-14)
    assert abs(float(proved.m.mid) - float(precise.m)) < 1e-15
    assert float(proved.m.rad) < 1e-19
    h = Fraction(1, 10**6)
    up, down = (t.precise(digits=30, v=Fraction(7, 10) + k * h).m for k in (1, -1))
    assert t.sensitivity("m", "v", v=0.7) == pytest.approx(float((up - down) / (2 * float(h))), rel=1e-9)
    np.testing.assert_allclose(t.sweep(v=[0.7, 0.9])["m"], [s.m, t.solve(v=0.9).m], rtol=1e-14)
    module = plain_module(t.generate(tmp_path / "tower_solver.py").read_text())
    assert module.solve(v=0.7)["m"] == pytest.approx(s.m, rel=1e-13)
