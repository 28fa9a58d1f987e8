"""``check`` against what a theory expects of its own simulation, beside its limit."""

import copy
import dataclasses
import math
from functools import cache

import numpy as np
import pytest
from sympy import symbols

import asympkit as ak
from asympkit.comparison import Tolerance
from asympkit.errors import StructureError
from asympkit.simulate import Estimate
from asympkit.simulate.simulation import Draws
from asympkit.theories.simulator import Expected

(m, h, x), n = symbols("m h x", real=True), symbols("n", positive=True)
AT, OTHER = {"h": 0.3}, {"h": 0.35}
WHAT = "a stronger field"
QUANTITIES = ("square", "cube")


def mean_field(rng, size, *, h):
    mean = h + rng.standard_normal(size).mean()
    return {"square": mean**2}


@cache
def solved():
    """A theory with an idealisation."""
    return ak.Theory(name="powers", unknowns=[m], parameters={h: ("field", "real")}, equations=[m - h], size_name="n",
                     observables={"square": m**2, "cube": m**3}, simulate=mean_field,
                     tolerances=[Tolerance(q, 0.02, "an idealisation") for q in QUANTITIES])


def checked(hook, share=1.0, names=QUANTITIES):
    """The report of a theory that is simulated by draws around this share of its values at OTHER, with 1 % error."""
    theory = copy.copy(solved())
    draws = np.random.default_rng(0).standard_normal(20)
    draws = share + (draws - draws.mean()) / draws.std(ddof=1) * math.sqrt(20) * 0.01
    right = solved().solve(**OTHER)
    values = {q: Estimate.from_values(right[q] * draws) for q in names}
    theory.simulate = lambda **_: Draws(values, sizes={"n": 7}, repeats=20, seed=0)
    theory.simulator = dataclasses.replace(theory.simulator, expected=hook, compares_all=False)
    return theory.check(digits=15, n=7, **AT)


def expecting(*tolerances):
    def hook(theory, parameters, settings, simulation):
        assert (parameters, settings, simulation.sizes) == (AT, {"n": 7}, {"n": 7})
        return Expected(solved(), OTHER, WHAT, tolerances)

    return hook


@pytest.fixture(scope="module")
def report():
    return checked(expecting())


def test_the_simulation_is_compared_with_what_is_expected(report):
    limit, expected = solved().solve(**AT), solved().solve(**OTHER)
    assert report.outcome == "agree"
    assert report.expected.observables == expected.observables
    for row in report.rows:
        assert (row.compiled, row.expected, row.reference) == (limit[row.name], expected[row.name], expected[row.name])
        assert abs(row.z) < 1e-9
        assert row.granted == 0.0
        assert row.compared.error == pytest.approx(0.01)
    assert report.tolerances == ()
    assert f"expected: {WHAT}" in report.notes
    assert checked(None).outcome == "differ"


def test_the_expected_numbers_are_a_column(report):
    lines = str(report).splitlines()
    place = 3 + len(report.rows)
    columns = [[c.strip() for c in lines[k].split("  ") if c.strip()] for k in (2, place)]
    assert columns == [["compiled", "mpmath (15 digits)", "certified"],
                       ["expected", "simulation", "z", "visible", "outcome"]]
    assert f"  {report.rows[0].expected:.6g}  " in lines[place + 1]
    assert lines[-1].startswith("PASSED: compiled, 15-digit and certified values agree; simulation and what is "
                                "expected of it agree within the error in 2 values")


def test_a_difference_from_what_is_expected_fails():
    r = checked(expecting(), share=1.06)
    assert r.outcome == "differ"
    assert "FAILED: the simulation differs from what is expected of it (p = " in r.verdict
    assert "by +6(1) %, z = 6.0)" in r.verdict


def test_grants_are_about_what_is_expected():
    tolerances = [Tolerance(q, 0.05, "remainder: 3/d") for q in QUANTITIES]
    r = checked(expecting(*tolerances), share=1.06)
    assert r.outcome == "within the idealisation"
    assert r.tolerances == tuple(tolerances)
    assert "differs from what is expected of it" in r.verdict
    assert "by no more than is allowed (remainder: 3/d): square by +6(1) %, 5 % allowed" in r.verdict
    assert str(r).splitlines()[4 + len(r.rows)].endswith("5 %      within the idealisation")


def test_an_order_parameter_takes_part_if_it_is_granted():
    assert [r.name for r in checked(expecting(), names=("square", "m")).rows if r.simulation] == ["square"]
    r = checked(expecting(Tolerance("m", 0.05, "remainder")), names=("square", "m"))
    assert [r.name for r in r.rows if r.simulation] == ["square", "m"]
    assert r.rows[-1].expected == OTHER["h"]


def test_what_cannot_be_solved_is_said_and_the_limit_taken():
    def hook(*_):
        return Expected(solved(), {"h": math.nan}, WHAT)

    r = checked(hook)
    assert r.expected is None
    assert [row.compared for row in r.rows] == [row.compared for row in checked(None).rows]
    assert r.notes[0] == ("expected: not available, so that the simulation is compared with the limit: h: got nan; "
                          "expected a finite real number")


def test_a_small_width_is_no_excuse_where_it_is_expected(monkeypatch):
    def missing(*_, **__):
        raise ak.NotAvailableError("certify: not installed")

    monkeypatch.setattr(ak.OneStep, "certify", missing)
    theory, at = ak.OneStep("tanh", "sin"), {"eta": 1e-3, "alpha0": 2.0, "alpha": 1.5, "lam": 0.1}
    theory.simulator = dataclasses.replace(theory.simulator, expected=lambda *_: Expected(theory, at, WHAT))
    r = theory.check(d=60, repeats=2, digits=15, **at)
    assert not r.is_too_narrow
    assert not any("too small for the limit" in note for note in r.notes)


def sized(**changes):
    about = {"name": "mean of n", "unknowns": [m], "parameters": {h: ("field", "real"), n: ("draws", "positive")},
             "equations": [m - h], "observables": {"square": m**2 + 1 / n}, **changes}
    return ak.Theory(**about)


def limit(**changes):
    return ak.Theory(**{"name": "mean", "unknowns": [m], "parameters": {h: ("field", "real")},
                        "equations": [m - h], "observables": {"square": m**2}, "simulate": mean_field,
                        "size_name": "n", **changes})


def test_a_theory_of_ones_own_is_checked_at_its_size():
    tolerances = [ak.Tolerance("square", 0.01, "rounding")]
    model = limit(expected=sized(tolerances=tolerances))
    r = model.check(h=0.3, n=20, repeats=400, seed=1)
    row, = (row for row in r.rows if row.name == "square")
    assert (row.compiled, row.expected) == (pytest.approx(0.09), pytest.approx(0.14))
    assert r.outcome == "agree"
    assert row.granted == 0.01
    assert "expected: from mean of n, n = 20" in r.notes
    assert limit().check(h=0.3, n=20, repeats=400, seed=1).outcome == "differ"


@pytest.mark.parametrize(("changes", "text"), [
    ({"expected": 3}, r"expected: got 3; expected an asympkit\.Theory with the parameters of this one "
     "and 'n', the size"),
    ({"expected": sized(), "simulate": None}, "expected: got a theory of the finite model and no "
     "simulation of it; give simulate=draw too"),
    ({"expected": sized(), "size_name": "number"}, "expected: the theory 'mean of n' has the parameter "
     "'n'.*; expected only h, number"),
    ({"expected": sized(observables={"cube": x**3}, unknowns=[x], equations=[x - h])},
     "expected: the theory 'mean of n' has no quantity in common with this one; expected some of square, m"),
])
def test_what_is_refused(changes, text):
    with pytest.raises(StructureError, match=text):
        limit(**changes)
