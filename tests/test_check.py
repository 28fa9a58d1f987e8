"""``check``: right theories pass, wrong ones do not, and what is missing is said."""

import copy
import dataclasses
import json
import math
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context

import mpmath
import numpy as np
import pytest
from helpers.tiers import slow_but
from sympy import symbols

import asympkit as ak
from asympkit.comparison import LEVEL, Tolerance
from asympkit.simulate import Estimate, Simulation

STEP = {"eta": 1.0, "alpha0": 2.0, "alpha": 1.5, "lam": 0.1}
SPIKED = {"r": 2.0, "c": 1.0, "gamma": 0.9, "alpha": 2.0, "lam": 0.1}
SMALL = {"d": 200, "repeats": 6, "digits": 15}
SHARP = {"d": 150, "repeats": 14, "digits": 15}


def wrong(theory, factor, names=None):
    """Make a theory give order parameters and observables that are off by a factor."""
    right = theory.solve

    def solve(**parameters):
        s = right(**parameters)
        return dataclasses.replace(
            s, observables={k: v * (factor if names is None or k in names else 1.0)
                            for k, v in s.observables.items()})

    theory.solve = solve
    return theory


@pytest.fixture(scope="module")
def report():
    return ak.OneStep("tanh", "sin").check(**{**SMALL, "repeats": 9}, **STEP)


def test_what_is_compared(report):
    assert report.passed
    assert report.outcome == "agree"
    assert [r.name for r in report.rows] == ["test_error", "clean_error", "train_error", "objective"]
    for row in report.rows:
        assert row.agrees
        mid, _, rad = row.certified.partition(" +/- ")
        assert abs(float(mid) - row.compiled) < 1e-14 * row.compiled
        assert float(rad) < 1e-15
        assert abs(float(row.precise) - row.compiled) < 1e-14 * row.compiled
        assert abs(row.simulation.mean - row.compiled) < 10 * row.simulation.stderr
    assert 0.001 < report.p_value <= 1


def test_spiked_features_compare_order_parameters():
    found = ak.SpikedFeatures("tanh", "sin").check(**{**SMALL, "repeats": 9}, noise_variance=0.1, **SPIKED)
    assert found.passed
    names = [r.name for r in found.rows]
    assert set(names) == {"test_error", "clean_error", "train_error", "objective",
                          "q1", "q2", "theta", "psi", "m"}
    test, clean = found.rows[:2]
    assert test.compiled - clean.compiled == pytest.approx(0.1)
    assert test.z == pytest.approx(clean.z, rel=1e-9)


def test_executor_and_file_are_of_the_simulation(tmp_path):
    theory, at = copy.copy(solved("spiked")[0]), {"d": 60, "digits": 15, **SPIKED}
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        theory.check(repeats=2, executor=pool, file=tmp_path / "s.npz", **at)
    found = theory.check(repeats=4, file=tmp_path / "s.npz", **at).simulation
    whole = theory.simulate(repeats=4, d=60, **SPIKED)
    for name in whole:
        np.testing.assert_array_equal(found[name].values, whole[name].values)
    with np.load(tmp_path / "s.npz") as data:
        assert data["repeat"].tolist() == [0, 1, 2, 3]


def test_text_is_an_aligned_table_with_a_verdict(report):
    lines = str(report).splitlines()
    table, simulated = lines[2:7], lines[7:12]
    starts = [line.index(row.certified) for line, row in zip(table[1:], report.rows)]
    assert len(set(starts)) == 1
    assert table[0].index("certified") == starts[0]
    assert lines[-1].startswith("PASSED: compiled, 15-digit and certified values agree; simulation and what is "
                                "expected of it agree within the error in ")
    assert f"a difference of {100 * report.rows[0].compared.visible:.3g} % in test_error or " in lines[-1]
    assert [line.split()[0] for line in table[1:]] == [line.split()[0] for line in simulated[1:]]
    assert max(map(len, table + simulated)) <= 120
    ends = [line.split("  ")[-1] for line in simulated]
    assert ends == ["outcome", *(r.outcome for r in report.rows)]
    assert [line.split()[-2] for line in simulated[1:] if line.endswith("agree")] == ["%"] * sum(
        r.outcome == "agree" for r in report.rows)
    assert simulated[1].endswith("  1.5 %    agree")


def test_a_missing_certificate_is_neutral(monkeypatch):
    def missing(*args, **kwargs):
        raise ak.NotAvailableError("certify: python-flint is not installed; install asympkit[certify]")

    monkeypatch.setattr(ak.OneStep, "certify", missing)
    r = ak.OneStep("tanh", "sin").check(**{**SMALL, "repeats": 2, "d": 60}, **STEP)
    assert {row.certified for row in r.rows} == {"not available"}
    assert not r.apart
    assert "certified: not available: install asympkit[certify]" in r.notes


def test_a_ball_beside_the_value_fails(monkeypatch):
    honest = ak.OneStep.certify

    def shifted(self, **parameters):
        return honest(self, **{**parameters, "parameters": {**parameters["parameters"], "lam": "0.1000000000000001"}})

    monkeypatch.setattr(ak.OneStep, "certify", shifted)
    r = ak.OneStep("tanh", "sin").check(**{**SMALL, "digits": 20, "repeats": 2, "d": 60}, **STEP)
    assert "V1" in r.apart
    assert "certified values disagree for" in r.verdict


@pytest.mark.parametrize("factor", slow_but([0.7, 1.4], 0))
def test_wrong_solution_fails_both_comparisons(factor):
    r = wrong(copy.copy(solved("spiked")[0]), factor).check(**SHARP, **SPIKED)
    assert not r.passed
    assert set(r.apart) == {"test_error", "clean_error", "train_error", "objective"}
    assert r.p_value < LEVEL
    assert "(!)" in str(r)
    assert str(r).splitlines()[-1].startswith("FAILED: compiled, 15-digit and certified values disagree")


def test_an_error_in_the_eleventh_digit_fails():
    r = wrong(copy.copy(solved("one step")[0]), 1 + 1e-10, ["train_error"]).check(**SMALL, **STEP)
    assert r.apart == ("train_error",)
    assert not r.passed
    assert r.p_value > LEVEL


def test_wrong_order_parameter_that_is_not_shown_fails():
    theory = copy.copy(solved("one step")[0])
    right = theory.solve

    def solve(**parameters):
        s = right(**parameters)
        return dataclasses.replace(s, order_parameters={**s.order_parameters, "qhat2": 2 * s["qhat2"]})

    theory.solve = solve
    r = theory.check(**SMALL, **STEP)
    assert r.apart == ("qhat2",)
    assert "qhat2" in r.verdict


def test_theory_of_other_parameters_fails_by_simulation_alone():
    """Compiled and precise solutions agree with each other, and are of the wrong penalty."""
    theory = copy.copy(solved("one step")[0])
    right = theory.simulate
    theory.simulate = lambda **kw: right(**{**kw, "parameters": {**kw["parameters"], "lam": 0.01}})
    r = theory.check(**SMALL, **STEP)
    assert r.apart == ()
    assert r.p_value < LEVEL
    assert not r.passed
    assert "the simulation differs from what is expected of it" in r.verdict
    assert "width" not in r.verdict


def test_a_theory_without_simulator_is_not_tested():
    x, h = symbols("x h", real=True)
    shift = ak.Theory(name="shift", parameters={h: ("field", "real")}, unknowns=[x], free_energy=x**2 / 2 - h * x)
    r = shift.check(h=3)
    assert r.passed
    assert r.simulation is None
    assert r.outcome == "not tested"
    assert r.p_value is None
    assert all(row.z is None for row in r.rows)
    assert r.notes[0] == "simulation: not available: the theory has no simulator"
    assert "no simulation was available" in r.verdict


@pytest.mark.parametrize("weak", slow_but([{"eta": 1e-3}, {"eta": 0.1, "alpha": 3, "lam": 1e-5}], 0))
def test_a_weak_spike_is_compared_at_its_width(weak):
    """The limit, where the mean of the readout costs nothing, is far from a network; the width explains it."""
    r = ak.OneStep("tanh", "sin").check(**SMALL, **{**STEP, **weak})
    row = r.rows[0]
    assert abs(row.simulation.mean - row.compiled) > 3.5 * row.simulation.stderr
    assert abs(row.simulation.mean - row.expected) < 3.5 * row.simulation.stderr
    assert r.passed
    assert not r.is_too_narrow
    assert any(n.startswith("expected: exact bulk, width ") for n in r.notes)


@pytest.mark.slow
def test_interpolation_is_no_small_width():
    """Where the training error vanishes with the penalty, the penalty on the mean is still small."""
    s = ak.OneStep("tanh", "sin").solve(eta=1, alpha0=2, alpha=0.5, lam=1e-4)
    r = ak.OneStep("tanh", "sin").check(**{**SMALL, "d": 400}, eta=1, alpha0=2, alpha=0.5, lam=1e-4)
    assert s.lam * s["m"] ** 2 > r.simulation.n * s.train_error
    assert not r.is_too_narrow
    assert r.passed


def test_assumptions_are_notes_and_one_warning():
    with pytest.warns(ak.AssumptionWarning) as caught:
        r = ak.OneStep("tanh", "sin").check(**SMALL, **{**STEP, "eta": 2.0, "alpha0": 0.5})
    assert len(caught) == 1
    assert "c - 1" in r.notes[0]


def test_simulation_that_is_not_finite_fails():
    theory = copy.copy(solved("one step")[0])
    values = Estimate.from_values(np.array([np.nan, 1.0]))
    theory.simulate = lambda **kw: Simulation({"test_error": values}, d=2, p=2, n=3, n0=4, test_size=1,
                                              repeats=2, seed=0, lam=0.1)
    r = theory.check(**{**SMALL, "digits": 15}, **STEP)
    assert not r.passed
    json.dumps(r.to_dict(), allow_nan=False)
    assert "FAILED" in str(r)


def exact(theory, at, shares, stderr=0.01, repeats=20):
    """Let a theory be simulated by draws of exactly this share of its values and exactly this relative error."""
    theory.simulator = dataclasses.replace(theory.simulator, expected=None)
    draws = np.random.default_rng(0).standard_normal(repeats)
    draws = (draws - draws.mean()) / draws.std(ddof=1) * math.sqrt(repeats) * stderr
    values = {name: Estimate.from_values(value * (shares.get(name, 1.0) + draws))
              for name, value in theory.solve(**at).observables.items()}
    theory.simulate = lambda **_: Simulation(values, d=2, p=2, n=10**9, n0=4, test_size=1, repeats=repeats, seed=0,
                                             lam=0.1)
    return theory


def granting(share, *names):
    return tuple(Tolerance(n, share, "an idealisation") for n in names)


STAIRS = {"phi": 0.5, "psi": 1, "lam": 0.01}
THEORIES = {"one step": (ak.OneStep("tanh", "sin"), STEP), "spiked": (ak.SpikedFeatures("tanh", "sin"), SPIKED),
            "spikes": (ak.NonlinearSpikes("z+(z**2-1)/sqrt(2)", "tanh"), STAIRS)}


@cache
def solved(which):
    """A theory whose slower routes are computed once."""
    theory, at = THEORIES[which]
    known = theory.precise(digits=15, **at), theory.certify(digits=15, floats="decimal", **at)
    theory.precise, theory.certify = lambda **_: known[0], lambda **_: known[1]
    return theory, at


@pytest.mark.parametrize(("share", "outcome", "start"), [
    (0.0, "differ", "FAILED: the simulation differs"), (0.02, "differ", "FAILED: the simulation differs"),
    (0.1, "within the idealisation", "PASSED WITH A DIFFERENCE: compiled"), (0.5, "not tested", None)])
@pytest.mark.parametrize("which", THEORIES)
def test_a_granted_difference_is_no_agreement(which, share, outcome, start):
    theory, at = solved(which)
    theory = copy.copy(theory)
    exact(theory, at, dict.fromkeys(theory.solve(**at).observables, 1.05))
    granted = granting(share, *theory.solve(**at).observables) if share else ()
    theory.tolerances = granted
    theory.simulator = dataclasses.replace(theory.simulator, tolerances=None)
    r = theory.check(digits=15, **at)
    assert (r.outcome, r.passed) == (outcome, outcome != "differ")
    assert {row.outcome for row in r.rows if row.simulation} == {outcome}
    if start:
        assert r.verdict.startswith(start)
        assert "+5(1) %" in r.verdict
        assert r.p_value == pytest.approx(len(r.rows) * 7.95e-5, rel=1e-3)
    if share == 0.1:
        assert "10 % allowed" in r.verdict and "(an idealisation)" in r.verdict
    assert json.loads(json.dumps(r.to_dict(), allow_nan=False))["outcome"] == outcome


def test_one_difference_beyond_its_grant_fails_beside_others_within():
    theory = exact(copy.copy(solved("one step")[0]), STEP, {"test_error": 1.08, "train_error": 1.115})
    theory.tolerances = granting(0.1, "test_error", "train_error")
    r = theory.check(digits=15, **STEP)
    assert [row.outcome for row in r.rows] == ["within the idealisation", "agree", "within the idealisation", "agree"]
    theory.tolerances = granting(0.1, "test_error")
    r = theory.check(digits=15, **STEP)
    assert [row.outcome for row in r.rows] == ["within the idealisation", "agree", "differ", "agree"]
    assert r.outcome == "differ"
    assert "worst train_error by +11.5(1) %, z = 11.5)" in r.verdict


def test_few_repeats_say_what_they_could_have_seen():
    r = exact(copy.copy(solved("one step")[0]), STEP, {}, repeats=3).check(digits=15, **STEP)
    assert (r.outcome, r.passed, r.p_value) == ("not tested", True, None)
    assert r.verdict == ("PASSED: compiled, 15-digit and certified values agree; not tested by the simulation, which "
                         "could not have seen a difference of 25 % (only of 63.2 % in test_error); take more repeats "
                         "or a larger size")
    far = exact(copy.copy(solved("one step")[0]), STEP, {"test_error": 1.2}, repeats=3).check(digits=15, **STEP)
    assert far.outcome == "not tested"
    assert far.verdict.startswith("UNDECIDED: ")
    assert ", but is off by +20(1) % in test_error, z = 20.0, which 3 repeats do not tell from chance" in far.verdict
    off = exact(copy.copy(solved("one step")[0]), STEP, {"test_error": 2.0}, repeats=3).check(digits=15, **STEP)
    assert off.outcome == "differ"          # what is seen is seen


SPIKES = {"phi": 0.5, "psi": 1, "lam": 0.01, "noise_variance": 0.1}
QUADRATIC = "z+(z**2-1)/sqrt(2)"


@pytest.mark.parametrize("n", [40, 120])
def test_a_simulation_too_small_to_test_anything_says_so(n):
    r = ak.NonlinearSpikes(QUADRATIC, QUADRATIC).check(n=n, repeats=3, **SPIKES)
    assert r.passed
    assert r.p_value is None
    assert r.outcome == "not tested"
    assert r.verdict.startswith("PASSED: compiled, 40-digit and certified values agree; not tested by the simulation, "
                                "because the tolerances allow every difference that is tested: "
                                f"train_error ({4000 / n:.3g} % allowed), ")
    assert r.verdict.endswith("; allow less than 25 %, or take a larger size if the tolerance falls with it")
    assert all(row.p_value is None and math.isfinite(row.z) and row.granted == 40 / n for row in r.rows)
    data = json.loads(json.dumps(r.to_dict(), allow_nan=False))
    assert [(row["granted"], row["is_tested"]) for row in data["rows"]] == 6 * [(40 / n, False)]


def test_grants_of_rows_are_shown_and_limited():
    r = ak.NonlinearSpikes(QUADRATIC, "z**2-1").check(n=300, repeats=12, **SPIKES)
    tested = {row.name: row.is_tested for row in r.rows}
    assert tested == {"train_error": True, "test_error": True, "baseline_train": True, "baseline_test": True,
                      "train_gap": False, "test_gap": False}
    assert r.passed
    assert r.notes[-1] == ("not tested are quantities in which 12 repeats with n = 300 could not have seen a "
                           "difference of 25 %: train_gap (0 in the theory), test_gap (0 in the theory); take more "
                           "repeats or a larger size")
    lines = str(r).splitlines()
    assert lines[9].endswith("  allowed  outcome")
    assert lines[10].endswith("  13.3 %   agree")
    assert lines[15].endswith("  not tested")
    json.dumps(r.to_dict(), allow_nan=False)


def test_bad_parameters_raise():
    with pytest.raises(ak.DomainError, match="alpha"):
        ak.OneStep("tanh", "sin").check(**SMALL, **{**STEP, "alpha": -1})
    with pytest.raises(ak.DomainError, match="digits"):
        ak.OneStep("tanh", "sin").check(**{**SMALL, "digits": 2}, **STEP)
    with pytest.raises(ak.DomainError, match="repeats"):
        ak.OneStep("tanh", "sin").check(**{**SMALL, "repeats": 1}, **STEP)


def test_few_digits_are_compared_as_such():
    """Eight digits of a number agree with its sixteen, and a ball still sees what they cannot."""
    from asympkit.balls import Ball
    from asympkit.check import _agree

    compiled, few = 0.123456789012345, mpmath.mpf("0.12345679")
    ball = Ball(mpmath.mpf("0.123456789012345"), mpmath.mpf("1e-20"))
    assert _agree(compiled, few, 1e-13, None, 8)
    assert _agree(compiled, few, 1e-13, ball, 8)
    assert not _agree(compiled + 1e-7, few, 1e-13, None, 8)
    assert not _agree(compiled + 1e-10, few, 1e-13, ball, 8)
