"""The public face of OneStep and SpikedFeatures: parameters, warnings, errors, back ends, modules."""

import math
import warnings

import numpy as np
import pytest

import asympkit as ak

POINT = {"eta": 0.5, "alpha0": 6.0, "alpha": 1.5, "lam": 0.02}


def test_result_3_1_with_odd_functions():
    p = ak.OneStep("tanh", "sin").parameters_at(eta=1.3, alpha0=2.0, beta=0.7, noise_variance=0.2)
    z, w = np.polynomial.hermite_e.hermegauss(150)
    w = w / w.sum()
    h1 = (w * z * np.tanh(z)).sum()
    spread = (w * (1 / np.cosh(z) ** 2 - h1) ** 2).sum()
    t1, t2 = (w * z * np.sin(z)).sum(), (w * np.sin(z) ** 2).sum() + 0.2
    length = math.sqrt(t1**2 + t2 / 2.0)
    assert p["r"] == pytest.approx(1.3 / 0.7 * h1 * length, rel=1e-9)
    assert p["gamma"] == pytest.approx(t1 / length, rel=1e-9)
    assert p["c"] == pytest.approx(1 + (1.3 / 0.7) ** 2 * t2 * spread / 2.0, rel=1e-9)


def test_result_3_1_without_oddness():
    p = ak.OneStep("relu", "tanh").parameters_at(eta=1.0, alpha0=3.0)
    h0, h1, h2 = 1 / math.sqrt(2 * math.pi), 0.5, 1 / math.sqrt(2 * math.pi)
    z, w = np.polynomial.hermite_e.hermegauss(150)
    w = w / w.sum()
    t1, t2 = (w * z * np.tanh(z)).sum(), (w * (np.tanh(z) - h0) ** 2).sum()
    assert p["r"] == pytest.approx(h1 * math.sqrt(t1**2 + t2 / 3.0), rel=1e-9)
    assert p["c"] == pytest.approx((1 - h0 * h2) ** 2 + t2 * 0.25 / 3.0, rel=1e-9)


def test_an_even_target_gives_a_spike_of_noise():
    p = ak.OneStep("tanh", "z**2-1").parameters_at(eta=1.0, alpha0=2.0)
    assert p["gamma"] == 0.0
    assert p["r"] > 0.1
    nothing = ak.OneStep("tanh", "z**2-1").parameters_at(eta=1.0, alpha0=math.inf)
    assert nothing == {"r": 0.0, "gamma": 0.0, "c": 1.0}


def test_assumptions_are_warned_of_and_recorded():
    with pytest.warns(ak.AssumptionWarning, match=r"not odd, as arXiv 2402\.04980 assumes"):
        s = ak.OneStep("relu", "tanh").solve(**{**POINT, "eta": 0.1})
    assert any("not odd" in a for a in s.assumptions)
    with pytest.warns(ak.AssumptionWarning, match="c - 1 = .* is not small"):
        s = ak.OneStep("tanh", "tanh").solve(**{**POINT, "eta": 3.0, "alpha0": 0.5})
    assert any("isotropic" in a for a in s.assumptions)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ak.OneStep("tanh", "tanh").solve(**POINT).assumptions == ()


@pytest.mark.parametrize(("change", "text"), [
    ({"alpha": -1.0}, r"alpha: got -1\.0; expected a positive finite number"),
    ({"lam": -1.0}, r"lam: got -1\.0; expected a positive finite number"),
    ({"lam": float("nan")}, "lam: got nan; expected a positive finite number"),
    ({"eta": -0.1}, r"eta: got -0\.1; expected a finite number >= 0"),
    ({"alpha0": -2}, r"alpha0: got -2; expected a number >= 0 or math\.inf"),
    ({"beta": "many"}, "beta: got 'many'; expected a positive finite number"),
    ({"noise_variance": -1}, "noise_variance: got -1; expected a finite number >= 0"),
    ({"alpha": 1 + 1j}, r"alpha: got \(1\+1j\); expected a positive finite number"),
    ({"alpha": np.ones(3)}, "alpha: got array"), ({"rtol": 2.0}, r"rtol: got 2\.0; expected a number from 1e-14 to 1"),
    ({"rtol": 1e-17}, r"for more digits use precise\(\)"),
])
def test_values_outside_their_domain_are_named(change, text):
    with pytest.raises(ak.DomainError, match=text):
        ak.OneStep("tanh", "sin").solve(**{**POINT, **change})


def test_unknown_and_missing_parameters():
    with pytest.raises(ak.UnknownNameError, match=r"unknown parameter 'lamb'; did you mean 'lam'\?"):
        ak.OneStep("tanh", "sin").solve(**POINT, lamb=1.0)
    with pytest.raises(ak.DomainError, match="missing parameters alpha, lam"):
        ak.OneStep("tanh", "sin").solve(eta=1.0, alpha0=2.0)
    with pytest.raises(ak.UnknownNameError, match=r"did you mean 'tanh'\?"):
        ak.OneStep("tahn", "sin")
    with pytest.raises(ak.DomainError, match="loss: got 'squared'; did you mean 'square'"):
        ak.OneStep("tanh", "sin", loss="squared")


def test_students_the_step_cannot_use():
    with pytest.raises(ak.DomainError, match=r"student: 'sign' jumps at z = 0; a gradient step needs"):
        ak.OneStep("sign", "sin").solve(**POINT)
    assert ak.OneStep("sign", "sin").solve(**{**POINT, "eta": 0.0}).converged
    with pytest.raises(ak.DomainError, match="second moment"):
        ak.OneStep("exp(z**2/8)", "sin").solve(**{**POINT, "eta": 3.0, "alpha0": 0.2})


def test_averages_that_cannot_be_resolved_raise_with_the_solution():
    theory = ak.SpikedFeatures("sin(100000*z)", "sin")
    with pytest.raises(ak.ConvergenceError, match="the mean of an activation is below the rounding") as caught:
        theory.solve(r=1.0, c=1.0, gamma=0.5, alpha=1.0, lam=0.1)
    assert not caught.value.solution.converged
    assert "use precise()" in str(caught.value.solution.status)


def test_equations_are_shown_for_this_student():
    text = ak.OneStep("tanh", "sin").equations().text()
    assert "mu0 = E_z[tanh(kappa*r + z*sqrt(c))]" in text
    assert "block 1: nonlinear, solved for V1, V2" in text
    assert "Vhat1 = alpha*E_kappa[mu1**2/(V + 1)]/beta" in text
    assert r"\mathbb{E}_{\kappa}" in ak.OneStep("tanh", "sin").equations().latex()
