"""Where a warning says that it comes from: the line that the user wrote, whatever lies between."""

import pickle
import warnings
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest
from sympy import Symbol, symbols, tanh

import asympkit as ak

m, J, h = symbols("m J h", positive=True)

CALLS = {
    "solve": lambda: ak.OneStep("softplus", "sin").solve(eta=1, alpha0=2, alpha=1, lam=0.1),
    "sweep": lambda: ak.OneStep("softplus", "sin").sweep(eta=1, alpha0=2, alpha=[1, 2], lam=0.1),
    "plot": lambda: ak.OneStep("softplus", "sin").plot(over="alpha", eta=1, alpha0=2, alpha=[1, 2], lam=0.1),
    "one of several regimes": lambda: ak.NonlinearSpikes("relu", "sin").solve(phi=1, psi=1, lam=1),
    "staircase": lambda: ak.NonlinearSpikes("relu", "sin").staircase(alpha_lr=np.array([0.1]), phi=1, psi=1, lam=1),
}


@pytest.mark.usefixtures("pictures")
@pytest.mark.parametrize("name", CALLS)
def test_a_warning_names_the_line_of_the_call(name):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        CALLS[name]()
    assert found
    for w in found:
        assert issubclass(w.category, ak.AssumptionWarning) and w.filename == __file__
        shown = warnings.formatwarning(w.message, w.category, w.filename, w.lineno)
        assert len(shown) < 1000 and "ak." in shown            # the line itself, no generated code


def texts(*calls):
    """Texts of all warnings of some calls."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        for call in calls:
            call()
    assert all(w.category is ak.AssumptionWarning and w.filename == __file__ for w in found)
    return [str(w.message) for w in found]


def magnet(**claims):
    claims = claims or {"assumptions": [ak.Assumption(J < 2, "J is large")]}
    return ak.Theory(name="magnet", unknowns=[m], parameters={J: ("", "positive"), h: ("", "positive")},
                     equations=[m - tanh(J * m + h)], **claims)


SMALL = {"d": 20, "repeats": 3, "digits": 10}
AT = {"eta": 2.0, "alpha0": 0.5, "alpha": 1.0, "lam": 0.1}


def test_methods_of_one_object_do_not_repeat_a_warning():
    theory = ak.OneStep("tanh", "sin")
    (text,) = texts(lambda: theory.solve(**AT), lambda: theory.precise(digits=10, **AT), lambda: theory.solve(**AT),
                    lambda: theory.solve(**{**AT, "alpha": 2.0}), lambda: theory.check(**SMALL, **AT),
                    lambda: theory.sensitivity("test_error", "lam", **AT),
                    lambda: theory.sweep(**{**AT, "lam": [0.1, 0.2]}))
    assert text.startswith("c - 1 = 0.337 is not small: ") and "errors of the real network differ by up to 10 %" in text
    assert theory.solve(**AT).assumptions == (text,)                     # data all the same
    assert texts(lambda: ak.OneStep("tanh", "sin").solve(**AT)) == [text]             # another object
    (large,) = texts(lambda: theory.solve(**{**AT, "eta": 30.0}))                     # another value
    assert large.startswith("c - 1 = 75.9 is not small") and "differ by up to 50 % and more" in large


@pytest.mark.slow
def test_a_certificate_does_not_repeat_a_warning():
    theory = ak.OneStep("erf", "sin")
    assert len(texts(lambda: theory.solve(**AT), lambda: theory.certify(digits=10, floats="decimal", **AT))) == 1


def test_one_warning_per_assumption_and_sweep():
    theory = ak.OneStep("tanh", "sin")
    grid = {"eta": np.linspace(0.0, 30.0, 16), "alpha0": 0.5, "alpha": [0.5, 1.0, 2.0], "lam": [0.1, 1.0]}
    (text,) = texts(lambda: theory.sweep(**grid), lambda: theory.sweep(**grid))
    c = [theory.parameters_at(eta=eta, alpha0=0.5)["c"] - 1 for eta in grid["eta"]]
    large = [v for v in c if v > 0.1]
    assert text.endswith(f"(c - 1 from {min(large):.3g} to {max(large):.3g} at {6 * len(large)} of 96 points)")
    assert text.startswith(f"c - 1 = {max(c):.3g} is not small") and 0 < len(large) < 16
    both = texts(lambda: ak.OneStep("tanh(z + 1/10)", "sin").sweep(**grid))
    assert len(both) == 2 and any("is not odd" in t and t.endswith("is neglected (at 90 of 96 points)") for t in both)


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_axes_that_the_tables_do_not_hold_are_looked_at(backend):
    """An assumption on J alone was asked at the first J of a sweep only."""
    theory = magnet()
    swept = {"J": np.linspace(1.0, 3.0, 21), "h": [0.1, 0.2, 0.3], "backend": backend}
    assert texts(lambda: theory.sweep(**swept), lambda: theory.sweep(**swept)) == \
        ["J is large (J from 2 to 3 at 33 of 63 points)"]
    assert texts(lambda: theory.sweep(J=4.0, h=[0.1, 0.2], backend=backend), lambda: theory.solve(J=5, h=0.1)) == \
        ["J is large"]


@pytest.mark.parametrize(("assumption", "text"), [
    (ak.Assumption(J + h < 3, "large"), "large (J + h from 3.2 to 3.6 at 3 of 9 points)"),
    (ak.Assumption((J < 2) & (h < 0.5), "no corner"), "no corner (at 7 of 9 points)"),
    (ak.Assumption(lambda v: v["J"] < 2.5, lambda v: f"J = {v['J']:g}"), "J = 3 (at 3 of 9 points)"),
    (ak.Assumption(lambda v: v.get("h") < 0.5, "h is large", J * h),
     "h is large (J*h from 0.6 to 1.8 at 3 of 9 points)"),
    (ak.Assumption(lambda v: v["J"] < 2 or v["h"] < 0.4, "both", J * h),
     "both (J*h from 0.8 to 1.8 at 4 of 9 points)"),
])
def test_what_own_assumptions_say_of_a_sweep(assumption, text):
    theory = magnet(assumptions=[assumption])
    assert texts(lambda: theory.sweep(J=[1.0, 2.0, 3.0], h=[0.2, 0.4, 0.6])) == [text]


def test_sensitivities_and_optima_say_it_once():
    theory = magnet()
    assert texts(lambda: theory.sensitivity("m", "J", J=[1.0, 2.5, 3.0], h=0.2)) == \
        ["J is large (J from 2.5 to 3 at 2 of 3 points)"]
    assert texts(lambda: magnet().minimize("m", over="h", bounds=(0.1, 1.0), J=[1.0, 3.0, 4.0])) == ["J is large"]


@pytest.mark.parametrize("action", ["default", "once", "always"])
def test_usual_filters(action):
    theory = magnet()
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter(action)
        for _ in range(3):
            theory.solve(J=3.0, h=0.2)
    assert len(found) == 1


def test_a_warning_that_was_ignored_or_raised_is_not_spent():
    theory = magnet()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theory.solve(J=3.0, h=0.2)
    for _ in range(2):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(ak.AssumptionWarning, match="J is large"):
                theory.solve(J=3.0, h=0.2)
    assert texts(lambda: theory.solve(J=3.0, h=0.2)) == ["J is large"]
    assert texts(lambda: theory.solve(J=3.0, h=0.2)) == []
    assert texts(lambda: pickle.loads(pickle.dumps(theory)).solve(J=3.0, h=0.2)) == ["J is large"]


@pytest.mark.slow
def test_other_processes_count_too():
    grid = {"eta": [1.0, 2.0, 3.0], "alpha0": 0.5, "alpha": [0.5, 1.0], "lam": 0.1}
    here = texts(lambda: ak.OneStep("tanh", "sin").sweep(**grid))
    with ProcessPoolExecutor(2) as pool:
        assert texts(lambda: ak.OneStep("tanh", "sin").sweep(**grid, executor=pool)) == here
    assert len(here) == 1 and here[0].endswith("at 4 of 6 points)")


def test_what_is_no_quantity():
    with pytest.raises(ak.StructureError, match="K in K is neither|K in .* is neither"):
        magnet(assumptions=[ak.Assumption(J < 2, "large", Symbol("K"))])
