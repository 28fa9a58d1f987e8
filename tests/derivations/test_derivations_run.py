"""Every derivation holds, step by step, and none of its exact checks is empty."""

from dataclasses import replace
from functools import cache

import pytest
from asympkit.derivations import ALL, load
from asympkit.derivations.checks import Exact, Numerical, Simulated
from sympy import Integer


@cache
def built(name):
    return load(name)


@pytest.mark.parametrize("name", ALL)
def test_every_step_holds(name):
    derivation = built(name)
    outcomes = derivation.run()
    assert len(outcomes) == len(derivation.steps) >= 30
    assert all(outcome.holds and outcome.how for outcome in outcomes)


@pytest.mark.parametrize("name", ALL)
def test_no_exact_step_holds_for_twice_a_side(name):
    for step in built(name).steps:
        check = step.check
        if not isinstance(check, Exact) or check.rhs == 0:
            continue
        assert not replace(check, rhs=2 * check.rhs).run(step.number).holds, step.sentence


@pytest.mark.parametrize("name", ALL)
def test_sentences_and_equations_are_complete(name):
    for step in built(name).steps:
        assert step.sentence.endswith((".", "...", ","))
        assert step.text and step.latex
        assert "Dummy" not in step.text


def test_most_steps_are_exact():
    checks = [step.check for name in ALL for step in built(name).steps]
    assert sum(isinstance(c, Exact) for c in checks) > 0.75 * len(checks)
    assert any(isinstance(c, Numerical) for c in checks)
    assert any(isinstance(c, Simulated) for c in checks)


def test_all_thirteen_conditions_are_derived():
    from asympkit.derivations.one_step.result_3_3 import conditions

    from asympkit.theories import spiked_equations

    assert {conjugate for _, _, conjugate, _ in conditions()} == set(spiked_equations.unknowns())


def test_result_3_1_reads_as_published_for_an_odd_student():
    from asympkit.derivations.one_step import result_3_1 as derived
    from sympy import exp, sin

    from asympkit.nodes import unname

    c = unname(derived.chosen(derived.result().c, sin(derived.z), sin(derived.z))).doit()
    at = {derived.eta: 2, derived.beta: 1, derived.alpha0: 2, derived.noise: 0}
    expected = 1 + 4 * (1 - exp(-2)) / 2 * (1 - exp(-1)) ** 2 / 2 / 2
    assert abs(float(c.subs(at)) - float(expected)) < 1e-14
    assert derived.result().r.subs(derived.eta, Integer(0)) == 0


def test_predicted_error_of_the_reduction_solves_all_thirteen_equations():
    """The residual of every equation, not only of those that were iterated."""
    from asympkit.derivations.one_step import reduction

    point, values = reduction.solution()
    for unknown, derivative in zip(reduction.system().unknowns, reduction.system().equations):
        assert abs(values.value(derivative.doit(), point)) < 1e-9, unknown


def test_structure_analysis_finds_the_blocks_the_reduction_speaks_of():
    from asympkit.derivations.one_step.reduction import system

    found = [(block.kind, {str(u) for u in block.torn}) for block in system().blocks]
    assert [f for f in found if f[1]] == [("nonlinear", {"V1", "V2"}), ("linear", {"theta", "m"}),
                                          ("linear", {"q1", "q2"})]
    pair = system().blocks[0]
    outside = set(system().unknowns) - set(pair.unknowns)
    assert not any(e.free_symbols & outside for _, e, _ in pair.equations)
    assert not any(e.free_symbols & outside for _, e in pair.assignments)
