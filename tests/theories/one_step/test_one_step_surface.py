"""The public face of OneStep and SpikedFeatures: parameters, warnings, errors, readings, modules."""

import importlib.util
import math
import warnings

import numpy as np
import pytest

import asympkit as ak

REST = {"eta": 0.2, "alpha0": 9}
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


def test_population_gradient_is_the_limit_of_many_samples():
    t = ak.OneStep("erf", "tanh")
    limit = t.parameters_at(eta=1.0, alpha0=math.inf)
    assert limit["gamma"] == 1.0
    assert limit["c"] == 1.0
    near = t.parameters_at(eta=1.0, alpha0=1e9)
    assert near["r"] == pytest.approx(limit["r"], rel=1e-8)


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
    ({"alpha": np.ones(3)}, "alpha: got array"),
    ({"rtol": 2.0}, r"rtol: got 2\.0; expected a number from 1e-14 to 1"),
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


def test_solution_reads_like_a_record():
    s = ak.OneStep("tanh", "sin").solve(**POINT)
    assert set(s.order_parameters) == {"V1", "V2", "q1", "q2", "theta", "psi", "m", "Vhat1", "Vhat2", "qhat1",
                                       "qhat2", "thetahat", "psihat"}
    assert s["q1"] == s.order_parameters["q1"]
    assert s.clean_error == pytest.approx(s.test_error - s.noise_variance)
    assert s.objective == pytest.approx(s.train_error + s.lam * s.beta / s.alpha * s["q2"], rel=1e-14)
    assert "converged" in str(s)
    assert f"condition V1 {s.condition['V1']:.1e}, V2 {s.condition['V2']:.1e}" in str(s)
    with pytest.raises(ak.UnknownNameError, match=r"no quantity 'q_1'; did you mean 'q1'\?"):
        s["q_1"]
    with pytest.raises(AttributeError, match="observables are test_error"):
        _ = s.generalisation


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


def test_free_energy_at_the_solution_is_the_training_objective():
    from asympkit.theories.spiked_features.equations import free_energy, spiked_system, unknowns

    assert spiked_system().equations == tuple(free_energy().diff(u) for u in unknowns())
    assert ak.OneStep("tanh", "sin").free_energy.has(*unknowns())


def test_sweep_has_named_axes_and_agrees_with_solve():
    t = ak.OneStep("tanh", "sin")
    s = t.sweep(eta=np.array([0.0, 0.3]), alpha=np.array([0.5, 1.0, 2.0]), lam=[0.01, 0.1], alpha0=8.0)
    assert list(s.axes) == ["eta", "alpha", "lam"]
    assert s["test_error"].shape == (2, 3, 2)
    assert s.converged.all()
    for i, eta in enumerate(s.axes["eta"]):
        for j, alpha in enumerate(s.axes["alpha"]):
            one = t.solve(eta=eta, alpha=alpha, lam=0.1, alpha0=8.0)
            assert s["test_error"][i, j, 1] == pytest.approx(one.test_error, rel=1e-10)
            assert s["q1"][i, j, 1] == pytest.approx(one["q1"], rel=1e-9)


def test_both_back_ends_agree():
    t = ak.OneStep("erf", "relu")
    grid = {"alpha": np.linspace(0.2, 3, 12), "lam": np.logspace(-5, 1, 11), "eta": 0.4, "alpha0": 7.0,
            "noise_variance": 0.1, "beta": 1.3}
    one, two = t.sweep(backend="numpy", **grid), t.sweep(backend="numba", **grid)
    assert np.max(np.abs(one["test_error"] / two["test_error"] - 1)) < 1e-11
    assert one.converged.all() and two.converged.all()


@pytest.mark.usefixtures("pictures")
def test_sweeps_are_written_and_read_back(tmp_path):
    s = ak.OneStep("tanh", "sin").sweep(alpha=np.array([0.5, 1.0]), lam=np.array([0.1, 1.0, 2.0]), eta=0.2, alpha0=9)
    with open(s.to_csv(tmp_path / "a.csv"), encoding="utf-8") as stream:
        rows = stream.read().splitlines()
    assert rows[0].startswith("alpha,lam,V1,V2")
    assert len(rows) == 7
    back = np.load(s.to_npz(tmp_path / "a.npz"))
    assert np.array_equal(back["test_error"], s["test_error"])
    assert np.array_equal(back["axis_lam"], s.axes["lam"])
    ax = s.plot("test_error")
    assert (ax.get_xlabel(), ax.get_ylabel()) == (r"$\alpha$", r"$\lambda$")
    assert len(s.plot("test_error", over="lam").lines) == 2


@pytest.mark.parametrize(("change", "text"), [
    ({"alpha": np.array([])}, "alpha: got an array of shape .* non-empty"),
    ({"alpha": np.array([1.0, np.nan])}, "alpha: got .*; expected real numbers without NaN"),
    ({"alpha": np.array([1.0, -1.0])}, r"alpha: got -1\.0; expected a positive"),
    ({"alpha": np.array([1.0, 1j])}, "alpha: got .*; expected real numbers"),
    ({"backend": "cuda"}, "backend: got 'cuda'"),
])
def test_nonsense_axes(change, text):
    with pytest.raises(ak.DomainError, match=text):
        ak.OneStep("tanh", "sin").sweep(**{"alpha": np.array([1.0, 2.0]), "lam": 0.1, **REST, **change})
    with pytest.raises(ak.DomainError, match="no axis given"):
        ak.OneStep("tanh", "sin").sweep(**POINT)


def test_generated_module_stands_alone(tmp_path):
    t = ak.OneStep("z*exp(-z**2/2)", "gelu")
    path = t.generate(tmp_path / "mine.py")
    assert "asympkit." not in path.read_text().replace("asympkit from", "")
    spec = importlib.util.spec_from_file_location("mine", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    got = module.solve(0.5, 6.0, 1.5, 0.02, beta=1.2, noise_variance=0.3)
    want = t.solve(eta=0.5, alpha0=6.0, alpha=1.5, lam=0.02, beta=1.2, noise_variance=0.3)
    assert got["test_error"] == pytest.approx(want.test_error, rel=1e-12)
    with pytest.raises(ak.DomainError, match=r"expected the name of a Python file"):
        t.generate(tmp_path / "mine.txt")


def test_precise_takes_digits_and_exact_numbers():
    from fractions import Fraction

    t = ak.SpikedFeatures("erf", "sin")
    a = t.precise(digits=35, r="1.5", c="1.1", gamma="0.4", alpha=Fraction(3, 2), lam="1/50")
    b = t.precise(digits=20, r=1.5, c=1.1, gamma=0.4, alpha=1.5, lam=0.02)
    assert abs(a.test_error / b.test_error - 1) < 1e-19
    with pytest.raises(ak.DomainError, match="digits: got 3; expected an integer from 5 to 1000"):
        t.precise(digits=3, r=1, c=1, gamma=0, alpha=1, lam=1)


def test_a_sweep_as_a_dataset():
    s = ak.OneStep("tanh", "sin").sweep(alpha=np.array([0.5, 1.0]), lam=0.1, **REST)
    try:
        import xarray  # noqa: F401
    except ImportError:
        with pytest.raises(ak.NotAvailableError, match=r"install asympkit\[tables\]"):
            s.to_xarray()
        return
    data = s.to_xarray()
    assert float(data["test_error"].sel(alpha=1.0)) == s["test_error"][1]
