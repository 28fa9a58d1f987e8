"""Proofs of the square loss with a fixed bias, whose equations divide inside their formulas."""

import pytest
from mpmath import mp
from sympy import Pow

import asympkit as ak
from asympkit.certify.parts import denominators, reciprocals_of, with_reciprocals
from asympkit.program.statements import Sums

AT = {"r": "1.2", "c": "1.1", "gamma": "0.9", "alpha": 2, "lam": "0.1", "noise_variance": "0.1"}


def test_a_fixed_bias_is_proved():
    theory = ak.SpikedFeatures("tanh", "sin", bias=0.3)
    proved, many = theory.certify(digits=12, **AT), theory.precise(digits=20, **AT)
    assert "exactly one solution with V1, V2 > 0" in proved.certificate.claim
    with mp.workdps(40):
        for name, ball in {**proved.observables, **proved.order_parameters}.items():
            assert abs(ball.mid - many[name]) <= ball.rad + 1e-19 * abs(many[name]), name
            assert ball.rad <= 1e-12 * max(1, abs(many[name])), name


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")
def test_a_bias_after_a_gradient_step_is_proved():
    theory = ak.OneStep("tanh", "sin", bias=0.2)
    at = {"eta": 1, "alpha0": 2, "alpha": "1.5", "lam": "0.1"}
    proved, many = theory.certify(digits=12, **at), theory.precise(digits=20, **at)
    with mp.workdps(40):
        assert abs(proved.test_error.mid - many.test_error) <= proved.test_error.rad + 1e-19


def test_quotients_become_reciprocals_whose_denominators_are_known():
    theory = ak.SpikedFeatures("tanh", "sin", bias=0.3)
    program, _ = theory.program
    passes = [s for s in with_reciprocals(program.statements) if isinstance(s, Sums)]
    assert passes
    for s in passes:
        made = reciprocals_of(s.locals)
        assert set(made.values()) <= set(denominators(passes, s.grid))
        rest = [e for symbol, e in s.locals if symbol not in made] + [e for _, e, _ in s.sums]
        assert all(not p.exp.is_negative for e in rest for p in e.atoms(Pow))
