"""Every derivation holds, step by step, and none of its exact checks is empty."""

from dataclasses import replace
from functools import cache
from types import SimpleNamespace

import pytest
from asympkit.derivations import ALL, load
from asympkit.derivations.checks import Exact, Exceeds
from asympkit.derivations.sampled import Instances, Sampled
from helpers.tiers import slow_but, slow_these
from sympy import Integer, Rational

#: steps of a document: one that lost a part is noticed; the theorems of the one-step theory are long, the rules short
LEAST = {"deep_features": 8, "one_step": 30, "gaussian": 18, "nonlinear_spikes": 18, "real_network": 20,
         "one_step.bounds": 13, "one_step.classes": 23, "one_step.outliers": 20}
#: documents whose checks take seconds; while one works they are built alone
LONG = ("gaussian.price", "nonlinear_spikes.gaps", "nonlinear_spikes.test_error", "nonlinear_spikes.traces",
        "one_step.outliers", "one_step.reduction", "one_step.uniqueness")
#: of those that are run, whose exact steps are run again with twice a side
TWICE = ("deep_features.theorem", "gaussian.stein", "nonlinear_spikes.finite_step", "real_network.rows")


def least(name):
    return LEAST.get(name, LEAST.get(name.partition(".")[0], 1))


@cache
def built(name):
    return load(name)


@pytest.mark.parametrize("name", slow_these(
    ALL, *LONG, "one_step.result_3_3", "nonlinear_spikes.initial_output", "real_network.pairs"))
def test_every_step_holds(name):
    derivation = built(name)
    outcomes = derivation.run()
    assert len(outcomes) == len(derivation.steps) >= least(name)
    assert all(outcome.holds and outcome.how for outcome in outcomes)


@pytest.mark.parametrize("name", slow_but(LONG, "gaussian.price", "nonlinear_spikes.traces"))
def test_long_documents_are_built(name):
    assert len(built(name).steps) >= least(name)


@pytest.mark.parametrize("name", slow_these(ALL, *(set(ALL) - set(TWICE))))
def test_no_exact_step_holds_for_twice_a_side(name):
    for step in built(name).steps:
        check = step.check
        if not isinstance(check, Exact) or check.rhs == 0:
            continue
        assert not replace(check, rhs=2 * check.rhs).run(step.number).holds, step.sentence


@pytest.mark.parametrize("name", slow_but(
    ["deep_features.theorem", "one_step.uniqueness", "gaussian.trapezoid", "nonlinear_spikes.root",
     "real_network.forms", "real_network.kernel"], 0, 2, 5))
def test_no_proved_inequality_holds_the_other_way(name):
    strict = [step.check for step in built(name).steps if isinstance(step.check, Exceeds) and step.check.strict]
    assert strict
    for check in strict:
        turned = replace(check, lhs=check.rhs, rhs=check.lhs, excess=-check.excess)
        assert not turned.run(1).holds, check.statement


REAL = [name for name in ALL if name.startswith("real_network")]
DEEP = ["deep_features.theorem", "deep_features.recursion", "deep_features.chain"]


@pytest.mark.parametrize("name", slow_but([*DEEP, *REAL], 0, 2, 4, 6))
def test_what_is_sampled_is_told_from_its_double(name):
    checks = [step.check for step in built(name).steps if isinstance(step.check, Sampled)]
    assert len(checks) >= 3
    for check in checks:
        found = check.instances()
        pairs = {check.name: found.pairs[check.name] * (1, 2)}
        doubled = replace(check, instances=lambda f=found, p=pairs: SimpleNamespace(pairs=p, d=f.d))
        assert not doubled.run(1).holds or not found.pairs[check.name][:, 1].any()


@pytest.mark.slow
@pytest.mark.parametrize("name", [*DEEP, *REAL])
def test_what_is_sampled_holds_on_fresh_instances_of_twice_the_size(name):
    fresh = {}
    for check in (step.check for step in built(name).steps if isinstance(step.check, Sampled)):
        old = check.instances()
        new = fresh.setdefault(id(old), Instances(old.draw, old.seed + 1000, 2 * old.d, old.repeats))
        outcome = replace(check, instances=lambda n=new: n).run(1)
        assert outcome.holds, (check.lhs, outcome.how)


def test_derivations_of_the_real_network_share_nothing_with_the_theories():
    """Neither the documents nor what they import have asympkit.theories."""
    import subprocess
    import sys

    names = ", ".join(f"asympkit.derivations.{name}" for name in REAL)
    code = f"import sys, {names}; print([m for m in sys.modules if m.startswith('asympkit.theories')])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize("name", slow_but(ALL, *TWICE))
def test_sentences_and_equations_are_complete(name):
    for step in built(name).steps:
        assert step.sentence.endswith((".", "...", ",", ":"))
        assert step.text and step.latex
        assert "Dummy" not in step.text


def test_result_3_1_reads_as_published_for_an_odd_student():
    from asympkit.derivations.one_step import result_3_1 as derived
    from sympy import exp, sin

    from asympkit.nodes import remove_names

    c = remove_names(derived.chosen(derived.result().c, sin(derived.z), sin(derived.z))).doit()
    at = {derived.eta: 2, derived.beta: 1, derived.alpha0: 2, derived.noise: 0}
    expected = 1 + 4 * (1 - exp(-2)) / 2 * (1 - exp(-1)) ** 2 / 2 / 2
    assert abs(float(c.subs(at)) - float(expected)) < 1e-14
    assert derived.result().r.subs(derived.eta, Integer(0)) == 0


def test_predicted_error_of_the_reduction_solves_all_thirteen_equations():
    """The residual of every equation, not only of those that were iterated."""
    from asympkit.derivations.one_step.saddle import system
    from asympkit.derivations.one_step.solved_point import solution

    point, values = solution()
    for unknown, derivative in zip(system().unknowns, system().equations):
        assert abs(values.value(derivative.doit(), point)) < 1e-9, unknown


@pytest.mark.slow
def test_the_map_of_the_uniqueness_theorem_has_one_attractor():
    """Iteration from far above, far below and two corners ends at the same pair."""
    from asympkit.derivations.one_step.saddle import eqs_of
    from asympkit.derivations.one_step.solved_point import solution

    from asympkit.theories.spiked_features import equations as spiked_equations

    s = spiked_equations.symbols()
    solved, values = solution()
    pair = eqs_of(s.V1)
    for start in ((1e4, 1e4), (1e-6, 1e-6), (1e3, 1e-5), (1e-5, 1e3)):
        point = dict(solved) | dict(zip((s.V1, s.V2), start))
        for _ in range(400):
            point |= {x: values.value(pair[x], point) for x in (s.Vhat1, s.Vhat2)}
            point |= {x: values.value(pair[x].doit(), point) for x in (s.V1, s.V2)}
        assert point[s.V1] == pytest.approx(solved[s.V1], rel=1e-11), start
        assert point[s.V2] == pytest.approx(solved[s.V2], rel=1e-11), start


def test_arc_cosine_kernels_are_integrals_over_the_plane():
    """By a rule that shares nothing with the derivation: polar coordinates, where the radius integrates exactly."""
    import math

    from asympkit.derivations.gaussian.arc_cosine import KERNELS
    from asympkit.derivations.gaussian.notation import rho

    nodes = 20000
    for n, kernel in enumerate(KERNELS):
        for value in (-0.7, 0.1, 0.85):
            turn = math.acos(value)
            # X = r cos(a), Y = r cos(a - turn); E r^(2n) = 2^n n!; both are positive between turn - pi/2 and pi/2
            width = math.pi - turn
            angles = (turn - math.pi / 2 + width * (i + 0.5) / nodes for i in range(nodes))
            mean = sum((math.cos(a) * math.cos(a - turn)) ** n for a in angles) * width / nodes / (2 * math.pi)
            expected = 2**n * math.factorial(n) * mean
            assert float(kernel.subs(rho, value)) == pytest.approx(expected, rel=1e-7), (n, value)


def test_contour_bound_needs_its_parts():
    """A contour above the pole is no bound: the theorem asks for a region free of poles."""
    from asympkit.derivations.gaussian import trapezoid as doc
    from sympy import exp, pi

    at = {doc.d: 1, doc.h: Rational(1, 2)}
    flat = 2 * exp(doc.s**2 / 2) * doc.d**2 / abs(doc.d**2 - doc.s**2) / (exp(2 * pi * doc.s / doc.h) - 1)
    error = float(doc.error().subs(at))
    assert error < float(flat.subs(at).subs(doc.s, Rational(4, 5)))
    assert error > float(flat.subs(at).subs(doc.s, 2))
