"""``gradient`` of exported modules: the derivatives of ``sensitivity``, for points and arrays."""

import ast
import math
import warnings

import numpy as np
import pytest
from helpers.tiers import slow_but
from sympy import Symbol, symbols, tanh
from test_modules import PAIRS, STEPS, theory

import asympkit as ak

POINTS = {("magnet",): [{"J": 1.5, "h": 0.2}, {"J": 0.5, "h": -1.0}],
          ("random field",): [{"J": 1.5, "h": 0.2}, {"J": 0.4, "h": -1.0}],
          ("ridge",): [{"alpha": 1.3, "lam": 0.05, "D": [0.1, 1.0, 2.5]}],
          ("perceptron",): [{"alpha": 0.3}, {"alpha": 20.0}],
          ("NonlinearSpikes", "tanh", "cos"): [{"phi": 1.2, "psi": 1.1, "lam": 0.1, "noise_variance": 0.1}],
          ("SpikedFeatures", "relu", "abs"): [{"r": 1.3, "c": 0.8, "gamma": 0.4, "alpha": 1.5, "lam": 0.1, "beta": 0.7,
                                               "noise_variance": 0.2}],
          **{("OneStep", *pair): [STEPS[0]] for pair in PAIRS}}


def made_of(model):
    """Run the module of a theory, with derivatives."""
    made = type(ast)("made")
    exec(model.source(derivatives=True), made.__dict__)
    return made


@pytest.mark.parametrize("what", slow_but(list(POINTS), ("magnet",), ("ridge",), single=True), ids=" ".join)
def test_derivatives_are_those_of_sensitivity(what):
    made, points = made_of(theory(*what)), POINTS[what]
    assert made.__all__[0] == "gradient"
    arrays = {n: [p[n] for p in points] if n != "D" else points[0][n] for n in points[0]}
    found = made.gradient(**arrays)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ak.AssumptionWarning)
        for k, point in enumerate(points):
            solution = theory(*what).solve(**point)
            for name in {**solution.order_parameters, **solution.observables}.keys() & theory(*what).quantities:
                for by in made.DECLARED:
                    rate = theory(*what).sensitivity(name, by, **point)
                    size = max(abs(found[name][b][k]) for b in made.DECLARED)
                    assert found[name][by][k] == pytest.approx(rate, rel=1e-9, abs=1e-12 * size), (name, by)


@pytest.mark.slow
def test_points_of_every_shape_and_points_without_derivatives():
    made = made_of(theory("OneStep", "tanh", "sin"))
    at = {"eta": [[1.0], [0.0]], "alpha0": 2.0, "alpha": [1.0, 2.0, 3.0], "lam": 0.1}
    found = made.gradient(**at)
    assert found["test_error"]["lam"].shape == (2, 3)
    one = made.gradient(eta=1.0, alpha0=2.0, alpha=2.0, lam=0.1)
    assert isinstance(one["q1"]["eta"], float)
    for by in made.DECLARED:
        assert one["q1"][by] == pytest.approx(found["q1"][by][0, 1], rel=1e-9, abs=1e-13)
    # derivatives of quantities that are rounding alone are not numbers, those of others are
    small = made.gradient(eta=1e-6, alpha0=5.0, alpha=1.2, lam=0.1, noise_variance=0.1)
    for by in ("alpha", "lam", "noise_variance"):
        assert small["test_error"][by] == pytest.approx(theory("OneStep", "tanh", "sin").sensitivity(
            "test_error", by, eta=1e-6, alpha0=5.0, alpha=1.2, lam=0.1, noise_variance=0.1), rel=1e-9)
    # no step is another limit than a small one
    assert np.isnan(found["q1"]["eta"][1]).all() and np.isfinite(found["q1"]["alpha"][1]).all()
    assert found["q1"]["alpha"][1, 0] == pytest.approx(theory("OneStep", "tanh", "sin").sensitivity(
        "q1", "alpha", eta=0.0, alpha0=2.0, alpha=1.0, lam=0.1), rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(("what", "at", "missing"), [
    (("OneStep", "tanh", "sin"), {"eta": 1.3, "alpha0": math.inf, "alpha": 1.7, "lam": 0.02, "beta": 0.7}, "alpha0"),
    (("SpikedFeatures", "relu", "abs"), {"r": 1.3, "c": 0.8, "gamma": -1.0, "alpha": 1.5, "lam": 0.1, "width": 50.0},
     "gamma")], ids=["population", "overlap -1"])
def test_targets_along_the_spike(what, at, missing):
    model = theory(*what)
    found = made_of(model.at_width() if "width" in at else model).gradient(**at)
    for name in ("test_error", "q1", "m"):
        for by in at.keys() - {missing}:
            assert found[name][by] == pytest.approx(model.sensitivity(name, by, **at), rel=1e-9, abs=1e-13), (name, by)
        with pytest.raises(ak.DomainError, match=missing):
            model.sensitivity(name, missing, **at)


@pytest.mark.slow
def test_quantities_that_follow_from_parameters_and_parameters_out_of_reach():
    m, J, z, h = symbols("m", real=True), symbols("J", positive=True), symbols("z", real=True), symbols("h", real=True)
    K = Symbol("K", positive=True)
    model = ak.Theory(name="derived", unknowns=[m], parameters={J: ("coupling", "positive"), h: ("field", "real")},
                      derived={K: J**2 + J}, equations=[m - ak.E(tanh(K * z + h), z)], observables={"o": K * m})
    made, at = made_of(model), {"J": 0.6, "h": 0.3}
    found = made.gradient(**at)
    for name in ("m", "o"):
        for by in at:
            assert found[name][by] == pytest.approx(model.sensitivity(name, by, **at), rel=1e-9)
    root = made_of(ak.Theory(name="root", unknowns=[m], parameters={h: ("square", "real")}, equations=[m**2 - h],
                             start={m: 1}))
    found = root.gradient([4.0, -1.0])["m"]["h"]
    assert abs(found[0]) == pytest.approx(0.25, rel=1e-12) and np.isnan(found[1])
    with pytest.raises(ak.NotAvailableError, match="derivatives=True is there for square losses"):
        ak.SpikedFeatures("tanh", "z", loss="hinge", labels="sign").source(derivatives=True)
