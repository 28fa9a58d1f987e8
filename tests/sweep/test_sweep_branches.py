"""A sweep that passes from one branch of solutions to another says so; a steep curve is no jump."""

import warnings

import numpy as np
import pytest
from helpers.tiers import BACKENDS
from sympy import Symbol, symbols, tanh

import asympkit as ak

H = np.linspace(-0.3, 0.3, 24)


@pytest.fixture(scope="module")
def magnet():
    m, h = symbols("m h", real=True)
    beta = Symbol("beta", positive=True)
    return ak.Theory(name="magnet", unknowns=[m], parameters={beta: ("inverse temperature", "positive"),
                                                             h: ("field", "real")},
                     equations=[m - tanh(beta * (m + h))], start={m: 1.0})


@pytest.mark.parametrize("backend", BACKENDS)
def test_hysteresis_is_named(magnet, backend):
    with pytest.warns(ak.AssumptionWarning, match=r"sweep: the solutions pass from one branch to another between "
                                                  r"h = -?0\.\d+ and -?0\.?\d* \(beta = 2\).*continuation\(\) follows"):
        sweep = magnet.sweep(beta=np.array([0.5, 1.0, 2.0]), h=H, backend=backend)
    assert {j.axis for j in sweep.jumps} <= {"h", "beta"}
    along = [j for j in sweep.jumps if j.axis == "h"]
    assert along and all(j.at == {"beta": 2.0} for j in along)
    low, high = along[0].between
    m = sweep["m"][2]
    here = int(np.argmin(np.abs(H - low)))
    assert H[here + 1] == high and m[here] * m[here + 1] < 0
    for value, x in zip(m, H):
        assert value == pytest.approx(np.tanh(2.0 * (value + x)), abs=1e-12)


def test_steep_curves_are_no_jumps(magnet):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sweep = magnet.sweep(beta=0.99, h=H)
    assert sweep.jumps == ()
    assert np.max(np.abs(np.diff(sweep["m"]))) > 0.1


def test_proved_uniqueness_needs_no_look():
    sweep = ak.SpikedFeatures("tanh", "sin").sweep(r=0, c=1, gamma=0.0, lam=1e-6,
                                                   alpha=np.linspace(0.5, 2.0, 7))
    assert sweep.jumps == ()
