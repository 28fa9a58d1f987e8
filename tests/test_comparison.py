"""Comparisons of a theory with its simulation, and with what it expects of one."""

import copy
import dataclasses
import math
from functools import cache

import numpy as np
import pytest
from sympy import symbols

import asympkit as ak
from asympkit.comparison import AGREE, DIFFER, LEVEL, NOT_TESTED, WITHIN, Tolerance, compare, overall
from asympkit.errors import StructureError
from asympkit.simulate import Estimate
from asympkit.simulate.simulation import Draws
from asympkit.theories.declaration import Expected

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


def judged(draws, theory, **options):
    e = Estimate.from_values(draws)
    return compare(e.mean, e.stderr, len(draws), theory, **options)


def test_z_and_p_are_of_students_t():
    from scipy.stats import t

    rng = np.random.default_rng(1)
    for repeats in (2, 3, 5, 10, 40):
        draws = 1.0 + 0.1 * rng.standard_normal(repeats)
        c = judged(draws, 1.02)
        assert c.z == pytest.approx((draws.mean() - 1.02) / (draws.std(ddof=1) / math.sqrt(repeats)))
        assert c.p_value == pytest.approx(2 * t.sf(abs(c.z), repeats - 1))
        assert (c.difference, c.error) == pytest.approx((draws.mean() / 1.02 - 1, draws.std(ddof=1) / 1.02
                                                         / math.sqrt(repeats)))


def test_what_is_visible_is_where_the_outcome_changes():
    """Just below it a difference passes, just above it does not, with and without a tolerance."""
    rng = np.random.default_rng(2)
    for _ in range(300):
        repeats, count = int(rng.integers(4, 40)), int(rng.integers(1, 10))
        theory, granted = float(rng.choice([-1, 1]) * 10 ** rng.uniform(-5, 5)), float(rng.choice([0.0, 0.02, 0.1]))
        stderr = abs(theory) * 10 ** rng.uniform(-4, -1.5)
        options = {"granted": granted, "count": count}
        sight = compare(theory, stderr, repeats, theory, **options).visible
        below, above = (compare(theory + sign * theory * sight, stderr, repeats, theory, **options)
                        for sign in (0.999, -1.001))
        assert below.outcome in (AGREE, WITHIN, NOT_TESTED)
        assert (below.outcome == NOT_TESTED) == (sight > 0.25)
        assert above.outcome == DIFFER


@pytest.mark.parametrize(("difference", "granted", "outcome"), [
    (0.04, 0.0, AGREE), (0.05, 0.0, DIFFER), (0.05, 0.0299, DIFFER), (0.05, 0.0301, WITHIN), (0.05, 0.1, WITHIN),
    (-0.119, 0.1, WITHIN), (-0.121, 0.1, DIFFER), (0.04, 0.1, AGREE), (0.05, 0.3, NOT_TESTED), (0.33, 0.3, DIFFER)])
def test_outcomes(difference, granted, outcome):
    assert compare(3.0 * (1 + difference), 0.03, 20, 3.0, granted=granted, count=4).outcome == outcome


def test_numbers_without_fluctuation_and_broken_draws():
    assert judged([2.0, 2.0], 2.0 * (1 + 1e-12)).outcome == AGREE
    assert judged([2.0, 2.0, 2.0], 2.0001).outcome == DIFFER
    assert judged([0.0, 0.0], 0.1).outcome == DIFFER
    assert judged([0.0, 0.0], 0.1).z == -math.inf
    assert judged([0.0, 0.0], 0.0).outcome == NOT_TESTED        # nothing says how large it could have been
    assert judged([0.0, 0.0], 0.0, scale=1.0).outcome == AGREE
    rounding = 1e-17 * np.array([1.0, 1.1, 0.9, 1.05, 1.0, 1.02])
    assert judged(rounding, 0.0, scale=1.0).outcome == AGREE
    for value in (math.nan, math.inf):
        broken = compare(value, math.nan, 2, 1.0, granted=0.5)
        assert (broken.outcome, broken.z, broken.p_value) == (DIFFER, math.inf, 0.0)
    assert judged([0.3, 0.1, 0.2], 0.0, granted=math.inf).outcome == NOT_TESTED


def test_together_the_worst_counts():
    agree, within, differ = (compare(1 + x, 0.01, 20, 1.0, granted=0.1, count=3) for x in (0.0, 0.06, 0.2))
    blind = compare(1.0, 0.2, 20, 1.0, granted=0.1, count=3)
    assert overall([]) == (NOT_TESTED, None)
    assert overall([blind, blind]) == (NOT_TESTED, None)
    assert overall([blind, agree]) == (AGREE, 1.0)
    assert overall([agree, within, blind]) == (WITHIN, 3 * within.p_value)
    assert overall([within, differ, agree])[0] == DIFFER


def failed(rng, draw, trials, repeats, count, shared):
    """How many checks of a right theory fail: rows that share a part of their draws."""
    found = 0
    for _ in range(trials):
        draws = math.sqrt(shared) * draw(rng, (1, repeats)) + math.sqrt(1 - shared) * draw(rng, (count, repeats))
        rows = [judged(10.0 + row, 10.0, count=count) for row in draws]
        found += overall(rows)[0] == DIFFER
    return found


LAWS = {"normal": lambda rng, size: rng.standard_normal(size), "t3": lambda rng, size: rng.standard_t(3, size),
        "laplace": lambda rng, size: rng.laplace(size=size),
        "lognormal": lambda rng, size: rng.lognormal(0.0, 0.3, size) - math.exp(0.045)}


@pytest.mark.parametrize("repeats", [3, 5, 10])
@pytest.mark.parametrize("law", LAWS)
def test_false_alarms_are_rare(law, repeats):
    """At the level 0.001 more than 6 of 500 have the chance 2e-6."""
    rng = np.random.default_rng([repeats, *map(ord, law)])
    assert failed(rng, LAWS[law], 500, repeats, 4, 0.5) <= 6


def test_the_level_is_met_and_not_wasted():
    """One comparison, all of its chance: t itself, in one array."""
    rng = np.random.default_rng(7)
    for repeats in (3, 5, 10):
        draws = rng.standard_normal((400_000, repeats))
        z = draws.mean(axis=1) / (draws.std(axis=1, ddof=1) / math.sqrt(repeats))
        edge = compare(1.0, 1.0, repeats, 1.0).visible
        assert np.mean(np.abs(z) > edge) == pytest.approx(LEVEL, rel=0.2)


@pytest.mark.slow
@pytest.mark.parametrize("repeats", [3, 5, 10, 20])
@pytest.mark.parametrize("law", LAWS)
def test_false_alarms_in_many_checks(law, repeats):
    """20 000 checks expect at most 20 failures; more than 40 have the chance 2e-5."""
    rng = np.random.default_rng([17, repeats, *map(ord, law)])
    limit = 100 if law == "lognormal" else 40
    for count, shared in ((4, 0.0), (9, 0.9)):
        assert failed(rng, LAWS[law], 20_000, repeats, count, shared) <= limit
