"""Named expressions wherever an expression may stand: every back end gives what it gives without the names."""

import numpy as np
import pytest
from helpers.tiers import slow_but
from sympy import Abs, Heaviside, Max, Piecewise, cosh, erfc, exp, log, sign, sin, sqrt, symbols, tanh

import asympkit as ak
from asympkit.nodes import Applied, remove_names

m, h, z, y = symbols("m h z y", real=True)
a, k = symbols("a k", positive=True)
SCALE, SHIFT, WIDTH = (ak.Named("scale", sqrt(1 + a**2)), ak.Named("shift", h * a + m / 5),
                       ak.Named("width", a / (1 + a)))
FIELD = ak.Named("field", a * z + h)

PLACES = {
    "factor": SCALE * tanh(m), "logarithm": log(1 - WIDTH + WIDTH * exp(SHIFT)), "inside": ak.E(tanh(SCALE * z + h), z),
    "of the variable": ak.E(FIELD**2 / 9 + tanh(FIELD), z), "abs": ak.E(Abs(SHIFT + SCALE * z), z),
    "max": ak.E(Max(0, z - SHIFT) * tanh(z * SCALE), z), "sign": ak.E(sign(FIELD) * z, z),
    "threshold": ak.E(Piecewise((tanh(z), z > SHIFT), (0, True)), z), "step": ak.E(Heaviside(z - SHIFT) * sin(z), z),
    "case": ak.E(Piecewise((SCALE * z, FIELD > 0), (0, True)), z),
    "envelope": ak.E(ak.Moreau("hinge", 1, SCALE * z + SHIFT, WIDTH), z),
    "root": ak.E(ak.Moreau("logistic", 1, SCALE * z + SHIFT, WIDTH), z),
    "point": ak.E(ak.prox("absolute", SHIFT, SCALE * z, WIDTH), z),
    "several": ak.E(tanh(SCALE * z + sin(y) * WIDTH + SHIFT), (z, y)),
    "correlation": ak.E(tanh(z) * tanh(SCALE * y + h), (z, y), WIDTH),
    "nested": ak.E(tanh(z + h + ak.E(tanh(SCALE * y + z * SHIFT), y)), z),
    "tail": ak.E(erfc(SCALE * z + SHIFT) * log(2 * cosh(SHIFT + z)), z),
    "law": ak.mean(k * SCALE / (WIDTH + k * SCALE), ak.MarchenkoPastur(k, WIDTH)),
    "activation": ak.E(Applied("f", SCALE * z + WIDTH), z), "value": ak.E(Applied("f", SCALE * z) * sin(m + z), z),
}
QUICK = ("factor", "inside", "root", "law", "activation", "value")


def results(expr):
    """The unknown by every back end, and its derivative."""
    t = ak.Theory(name="names", parameters={a: ("", "positive"), h: ("", "real")}, unknowns=[m], start={m: 0.3},
                  equations=[m - h - expr / 9], activations={"f": "tanh"} if expr.has(Applied) else None)
    at = {"a": 0.7, "h": 0.2}
    space = {}
    exec(compile(t.source(), "module", "exec"), space)
    return [t.solve(**at)["m"], t.sweep(a=np.array([0.7, 0.8]), h=0.2, backend="numpy", rtol=1e-12)["m"][0],
            float(t.precise(digits=13, **at)["m"]), float(t.certify(digits=10, floats="decimal", **at)["m"].mid),
            space["solve"](**at)["m"]], float(t.sensitivity("m", "a", **at))


@pytest.mark.parametrize("place", slow_but(tuple(PLACES), *QUICK))
def test_names_change_nothing(place):
    (first, *others), slope = results(PLACES[place])
    assert others == pytest.approx([first] * len(others), rel=2e-12)
    plain, plain_slope = results(remove_names(PLACES[place]))
    assert plain == pytest.approx([first] * len(plain), rel=2e-12) and slope == pytest.approx(plain_slope, rel=1e-10)
