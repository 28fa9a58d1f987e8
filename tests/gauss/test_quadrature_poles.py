"""Poles found from the expression, Laurent series at them, and the places of narrow features."""

import math

import numpy as np
import pytest

from asympkit import Activation
from asympkit.gauss.quadrature.residues import meromorphic
from asympkit.properties.sharp import sharp_points


def form_of(text):
    act = Activation(text)
    return meromorphic(act.expr, act.symbol)


def poles(text, height):
    return sorted(((p, m) for m, _, points in form_of(text).poles(height) for p in points), key=lambda t: t[0].imag)


@pytest.mark.parametrize(("text", "lowest", "multiplicity"), [
    ("tanh(z)", 0.5j * math.pi, 1),
    ("tanh(z + 1)", -1 + 0.5j * math.pi, 1),
    ("tanh(30*z)", 0.5j * math.pi / 30, 1),
    ("tanh(-3*z/7)", 3.5j * math.pi / 3, 1),
    ("sigmoid(z)", 1j * math.pi, 1),
    ("z/(1 + exp(-z))", 1j * math.pi, 1),
    ("mish(z)", math.log(2) / 2 + 0.75j * math.pi, 1),
    ("1/cosh(2*z)**2", 0.25j * math.pi, 2),
    ("tanh(pi*z)**3", 0.5j, 3),
    ("z**2*exp(z)/(exp(z) + 3)", math.log(3) + 1j * math.pi, 1),
    ("tanh(397*(z + 0.0031))", -0.0031 + 0.5j * math.pi / 397, 1),
])
def test_lowest_pole(text, lowest, multiplicity):
    place, order = poles(text, 1.01 * lowest.imag)[0]
    assert place == pytest.approx(lowest, rel=1e-13)
    assert order == multiplicity


@pytest.mark.parametrize("text", ["relu", "softplus", "erf", "gelu", "sin", "z**3", "exp(z**2/9)", "tanh(z**2)",
                                  "tanh(z) + tanh(pi*z)", "abs(tanh(z))", "sqrt(1 + exp(z))", "1/(1 + z**2)",
                                  "tanh(z)/(2 + z**2*exp(z))", "tanh(97*z/10) + tanh(z/7)"])
def test_outside_the_class(text):
    assert form_of(text) is None


# -- narrow features ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "centre", "width"), [
    ("tanh(1000*z)", 0.0, 1e-3),
    ("exp(-10**6*(z - 1/3)**2)", 1 / 3, 1e-3),
    ("softplus(200*(z - 1))", 1.0, 1e-2),
    ("1/(1 + 10**8*(z - 0.3)**2)", 0.3, 1e-4),
    ("sqrt(10**(-8) + z**2)", 0.0, 1e-4),
    ("exp(-10**6*(exp(z) - 2)**2)", math.log(2), 0.5e-3),
    ("where(z > 1, exp(-10**4*(z - 2)**2), 0)", 2.0, 1e-2),
])
def test_narrow_features(text, centre, width):
    act = Activation(text)
    points = np.array(sharp_points(act.expr, act.symbol))
    nearest = points[np.argsort(np.abs(points - centre))]
    assert nearest[0] == pytest.approx(centre, abs=1e-12)
    assert abs(nearest[1] - centre) == pytest.approx(width, rel=0.5)
    assert np.max(np.abs(points - centre)) < 0.5
    assert set(points) <= set(act.kinks_float)


@pytest.mark.parametrize("text", ["tanh", "mish", "gelu", "relu", "tanh(30*z)", "sin(500*z)", "tanh(sin(500*z))",
                                  "exp(-50*z**2)", "10**6*z", "z**9", "1/(1 + z**2)", "exp(5*z)"])
def test_no_narrow_feature(text):
    act = Activation(text)
    assert sharp_points(act.expr, act.symbol) == ()
    assert act.kinks_float == tuple(map(float, act.kinks))
