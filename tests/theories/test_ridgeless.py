"""Ridge regression without a penalty: ``lam=0`` is the limit from above, on both sides of interpolation."""

import math
import pickle
import re
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from helpers.tiers import BACKENDS

import asympkit as ak

STEP = {"eta": 1, "alpha0": 2, "noise_variance": 0.1}
SPIKED = {"r": 0.7, "c": 1.1, "gamma": 0.9, "noise_variance": 0.1}
QUADRATIC = "z+(z**2-1)/sqrt(2)"

#: a theory, its parameters with fewer samples than features, and with more
BOTH = [
    (ak.Ridge(([3, 2, 1, 0], [1, 1, 1, 2]), [1, "1/2", "1/2", 0], 2), {"n": 2}, {"n": 4}),
    (ak.DeepFeatures("1.5:tanh", "1:sign"), {"alpha": 1.2, "noise_variance": 0.1}, {"alpha": 2, "noise_variance": 0.1}),
    (ak.SpikedFeatures("tanh", "sin"), {**SPIKED, "alpha": 0.5}, {**SPIKED, "alpha": 1.5}),
    (ak.SpikedFeatures("z", "sin"), {**SPIKED, "alpha": 0.6, "beta": 2}, {**SPIKED, "alpha": 1.5, "beta": 0.8}),
    (ak.OneStep("tanh", "sin"), {**STEP, "alpha": 0.5}, {**STEP, "alpha": 1.5}),
    (ak.OneStep("tanh", "sin"), {**STEP, "alpha": 0.5, "width": 200}, {**STEP, "alpha": 1.5, "width": 200}),
    (ak.OneStep("tanh", "sin", bulk="exact"), {**STEP, "alpha": 0.5}, {**STEP, "alpha": 1.5}),
    (ak.OneStep("relu", "sin", bulk="exact"), {**STEP, "alpha": 0.5, "width": 200, "noise_variance": 0},
     {**STEP, "alpha": 1.5, "width": 200, "noise_variance": 0}),
    (ak.NonlinearSpikes(QUADRATIC, QUADRATIC), {"phi": 2, "psi": 1, "noise_variance": 0.1},
     {"phi": 0.5, "psi": 1, "noise_variance": 0.1}),
    (ak.NonlinearSpikes(QUADRATIC, QUADRATIC), {"phi": 2, "psi": 1, "eta": 2, "n": 1000},
     {"phi": 0.5, "psi": 1, "eta": 2, "n": 1000}),
]
NAMES = ["ridge", "deep", "spiked", "linear", "one step", "one step, width", "exact bulk", "exact bulk, width",
         "nonlinear spikes", "finite step"]
POINTS = [pytest.param(t, at, id=f"{name}, {side}") for name, (t, *sides) in zip(NAMES, BOTH)
          for side, at in zip(("fewer", "more"), sides)]
#: not those whose two solutions take a second
QUICK = [p for p in POINTS if "exact" not in p.id]
pytestmark = pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")


def hastie(ratio, noise):
    """Test error of least squares of least norm on isotropic inputs, for a signal of norm 1; features over samples.

    Hastie, Montanari, Rosset, Tibshirani, arXiv 1903.08560, Theorem 1.
    """
    return noise + (noise * ratio / (1 - ratio) if ratio < 1 else 1 - 1 / ratio + noise / (ratio - 1))


@pytest.mark.parametrize("n", [50, 199, 201, 300, 1000])
def test_least_squares_of_least_norm_in_closed_form(n):
    model = ak.Ridge(([1], [200]), [1], 1)
    exact = hastie(Fraction(200, n), Fraction(1, 10))
    known = float(exact)
    assert model.solve(n=n, lam=0, noise_variance=0.1).test_error == pytest.approx(known, rel=2e-12)
    precise = model.precise(n=n, lam=0, noise_variance="1/10")
    with mpmath.workdps(45):
        assert abs(precise.test_error / (mpmath.mpf(exact.numerator) / exact.denominator) - 1) < 1e-39


@pytest.mark.parametrize(("theory", "at"), POINTS)
def test_the_limit_is_the_limit(theory, at):
    s, near, nearer = (theory.solve(lam=lam, **at) for lam in (0, 1e-8, 1e-9))
    assert s.parameters["lam"] == 0.0
    # linear in lam beside it
    far, beside = near.test_error - s.test_error, nearer.test_error - s.test_error
    assert beside == pytest.approx(far / 10, rel=0.1, abs=1e-12)
    assert abs(far) < 1e-4 * s.test_error
    for name, value in s.order_parameters.items():
        if math.isfinite(value) and value and abs(value) > 1e-9:
            assert nearer[name] == pytest.approx(value, rel=1e-4), name


@pytest.mark.parametrize(("theory", "at"), [p for p in QUICK if "ridge" in p.id or "linear" in p.id])
def test_many_digits_agree(theory, at):
    s, precise = theory.solve(lam=0, **at), theory.precise(lam=0, digits=25, **at)
    for name, value in {**s.order_parameters, **s.observables}.items():
        near = pytest.approx(float(precise[name]), rel=1e-11, abs=1e-12 * s.scale.get(name, 1.0))
        assert value == precise[name] or value == near, name


@pytest.mark.slow
@pytest.mark.parametrize(("theory", "at"), POINTS)
def test_forty_digits_agree(theory, at):
    s, precise = theory.solve(lam=0, **at), theory.precise(lam=0, digits=20 if "relu" in str(theory) else 40, **at)
    assert s.test_error == pytest.approx(float(precise.test_error), rel=1e-11)


def test_digits_do_not_depend_on_how_many_are_asked_for():
    model, at = BOTH[3][:2]
    few, many = (model.precise(lam=0, digits=digits, **at).test_error for digits in (20, 80))
    assert abs(few / many - 1) < 1e-19
    with pytest.raises(ak.DomainError, match=r"digits: got 81 with lam = 0; expected at most 80, or lam > 0"):
        model.precise(lam=0, digits=81, **at)


def test_many_digits_of_what_diverges_like_a_square():
    model = BOTH[8][0]
    assert model.precise(lam=0, digits=80, phi=0.5, psi=1)["dm1"] == -math.inf


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_sweep_passes_through_interpolation(backend):
    theory, alpha = BOTH[2][0], np.array([0.4, 0.8, 1.0, 1.5])
    sweep = theory.sweep(alpha=alpha, lam=[0, 1e-6, 0.1], **SPIKED, backend=backend)
    assert np.array_equal(sweep.converged, [[True] * 3, [True] * 3, [False, True, True], [True] * 3])
    assert "refuses" in str(sweep.status[2, 0])
    assert list(sweep["V1"][:2, 0]) == [math.inf, math.inf]
    assert list(sweep["train_error"][:2, 0]) == [0.0, 0.0]
    for k in (0, 1, 3):
        single = theory.solve(alpha=alpha[k], lam=0, **SPIKED)
        for name in ("test_error", "V1", "q2", "Vhat1", "objective"):
            assert sweep[name][k, 0] == pytest.approx(single[name], rel=1e-9), name


def test_a_sweep_without_a_penalty_goes_into_files_and_out_of_them(tmp_path):
    theory = BOTH[0][0]
    for ending in ("npz", "csv", "npy"):
        file = tmp_path / f"ridgeless.{ending}"
        first = theory.sweep(n=[1, 2, 3, 5], lam=[0, 0.1], file=file)
        again, loaded = theory.sweep(n=[1, 2, 3, 5], lam=[0, 0.1], file=file), ak.Sweep.load(file)
        for name in ("V", "test_error", "Vhat"):
            assert np.array_equal(first[name], loaded[name], equal_nan=True)
            assert np.array_equal(first[name], again[name], equal_nan=True)
        assert list(first["V"][:, 0]) == [math.inf, math.inf, pytest.approx(np.nan, nan_ok=True), pytest.approx(1.5)]


@pytest.mark.parametrize(("theory", "at", "by"), [
    (BOTH[0][0], {"n": 2}, "n"), (BOTH[4][0], {**STEP, "alpha": 0.5}, "eta"),
    (BOTH[4][0], {**STEP, "alpha": 1.5}, "alpha"), (BOTH[8][0], {"phi": 2, "psi": 1}, "psi")])
def test_derivatives_by_other_parameters(theory, at, by):
    with_penalty = theory.sensitivity("test_error", by, lam=1e-9, **at)
    assert theory.sensitivity("test_error", by, lam=0, **at) == pytest.approx(with_penalty, rel=1e-6)


def test_minima_over_other_parameters():
    model = ak.Ridge(([1], [300]), [1], 1)
    found = model.minimize("test_error", over="n", bounds=(20, 280), lam=0, noise_variance=0.1)
    # of 1 - x + noise*x/(1 - x) + noise over x = n/p
    assert found.argmin == pytest.approx(300 * (1 - math.sqrt(0.1)), rel=1e-7)
    assert found.value == pytest.approx(2 * math.sqrt(0.1), rel=1e-12)
    curve = model.minimize("test_error", over="n", bounds=(20, 280), lam=np.array([0, 1e-3]), noise_variance=0.1)
    assert curve.converged.all()
    assert curve.argmin[0] == pytest.approx(found.argmin, rel=1e-6)


def test_more_samples_than_features_are_needed_by_nobody_where_features_vanish():
    s = BOTH[0][0].solve(n=4, lam=0)
    assert s["effective_ridge"] == 0.0
    assert s["df1"] == pytest.approx(3, rel=1e-13)


@pytest.mark.parametrize(("call", "text"), [
    (lambda: BOTH[0][0].solve(n=3, lam=0), "lam: got 0 with as many samples as independent features, where the test "
     "error is infinite; expected a positive number, or more samples, or fewer"),
    (lambda: BOTH[2][0].precise(alpha=1, lam=0, **SPIKED), "as many samples as independent features"),
    (lambda: BOTH[3][0].solve(alpha=1.5, beta=2, lam=0, **SPIKED), "lam: got 0 with the linear student 'z', more "
     "samples than d and at least d features, which leave its readout undetermined; expected a positive number"),
    (lambda: ak.NonlinearSpikes("z", "z").solve(phi=0.5, psi=1, lam=0, noise_variance=0.1), "the linear student 'z'"),
    (lambda: ak.DeepFeatures("2:z", "1:sign").solve(alpha=3, lam=0), "lam: got 0 with the linear last layer 'z'"),
    (lambda: ak.OneStep("tanh", "sin", loss="absolute").solve(lam=0, alpha=0.5, **STEP),
     "lam: got 0; expected a positive finite number"),
    (lambda: BOTH[0][0].solve(n=2, lam=-1), "lam: got -1; expected a positive finite number, or 0 for the limit"),
    (lambda: BOTH[0][0].certify(n=2, lam=0), "certify: got lam = 0; a proof is about one point, and no limit: "
     "expected lam > 0"),
    (lambda: BOTH[0][0].solutions(n=2, lam=0), "solutions: got lam = 0"),
    (lambda: BOTH[0][0].continuation(over="lam", start=1, stop=0, n=2), "continuation: got lam = 0"),
    (lambda: BOTH[0][0].sensitivity("q", "lam", n=2, lam=0), "lam: got 0, the end of its domain; a derivative by lam "
     "needs lam > 0"),
    (lambda: BOTH[0][0].minimize("test_error", over="lam", bounds=(0, 1), n=2), "a derivative by lam needs lam > 0"),
    (lambda: BOTH[0][0].sensitivity("V", "n", n=2, lam=0), "V: vanishes or is infinite at lam = 0, whatever n is: "
     "expected another quantity, or lam > 0")])
def test_what_has_no_limit_is_refused_in_one_sentence(call, text):
    with pytest.raises(ak.DomainError, match=re.escape(text)):
        call()


@pytest.mark.slow
def test_a_student_that_saturates_before_a_strong_spike_has_no_limit_in_double_precision():
    with pytest.raises(ak.ConvergenceError):
        ak.SpikedFeatures("hardtanh", "sin").solve(r=1.2, c=1, gamma=0.9, alpha=0.5, lam=0)


def test_the_unit_of_features_does_not_matter():
    tiny = ak.SpikedFeatures("tanh(z)/10**9", "sin").solve(alpha=0.5, lam=0, **SPIKED)
    plain = BOTH[2][0].solve(alpha=0.5, lam=0, **SPIKED)
    assert tiny.test_error == pytest.approx(plain.test_error, rel=1e-11)


def test_zero_is_read_from_texts_too():
    model = BOTH[0][0]
    assert model.solve(n=2, lam="0").test_error == model.solve(n=2, lam=0).test_error
    assert "(0: the limit without a penalty)" in (type(BOTH[4][0]).solve.__doc__ or "")


@pytest.mark.parametrize("n", [20, 120])
def test_networks_agree(n):
    model = ak.Ridge(([1], [60]), [1], 1)
    known, seen = model.solve(n=n, lam=0, noise_variance=0.1), model.simulate(n=n, lam=0, noise_variance=0.1, copies=2,
                                                                              repeats=40)
    estimate = seen["test_error"]
    assert abs(estimate.mean - known.test_error) < 3 * estimate.stderr + 0.02 * known.test_error
    report = model.check(n=n, lam=0, noise_variance=0.1, copies=3, repeats=30)
    assert report.outcome == "agree"


@pytest.mark.slow
@pytest.mark.parametrize(("theory", "at", "size"), [
    (ak.OneStep("tanh", "sin", bulk="exact"), {**STEP, "alpha": 0.5}, {"d": 400}),
    (ak.OneStep("tanh", "sin", bulk="exact"), {**STEP, "alpha": 2}, {"d": 400}),
    (ak.DeepFeatures("1.5:tanh", "1:sign"), {"alpha": 0.8, "noise_variance": 0.1}, {"d": 300}),
    (ak.DeepFeatures("1.5:tanh", "1:sign"), {"alpha": 3, "noise_variance": 0.1}, {"d": 300}),
    (ak.NonlinearSpikes(QUADRATIC, QUADRATIC), {"phi": 2, "psi": 0.6, "noise_variance": 0.1}, {"n": 200}),
    (ak.NonlinearSpikes(QUADRATIC, QUADRATIC), {"phi": 0.5, "psi": 1.2, "noise_variance": 0.1}, {"n": 400})])
def test_trained_networks_agree(theory, at, size):
    report = theory.check(lam=0, repeats=16, **at, **size)
    assert report.passed, str(report)
    assert report.outcome in ("agree", "within the idealisation"), str(report)     # tolerances are those with a penalty


@pytest.mark.parametrize(("theory", "at"), [
    (BOTH[4][0], {**STEP, "alpha": [0.5, 2.0], "d": 30}), (BOTH[8][0], {"phi": 2, "psi": 0.6, "n": 40}),
    (BOTH[8][0], {"phi": 0.5, "psi": 1, "n": 60}), (BOTH[8][0], {"phi": 0.5, "psi": 1, "n": 60, "eta": 1}),
    (BOTH[1][0], {"alpha": 0.5, "d": 30}), (BOTH[1][0], {"alpha": 4, "d": 30})])
def test_simulations_without_a_penalty_are_those_with_a_small_one(theory, at):
    without, small = (theory.simulate(lam=lam, repeats=2, **at)["test_error"].mean for lam in (0, 1e-9))
    assert without == pytest.approx(small, rel=1e-5)


def test_a_theory_of_ones_own_has_zero_in_a_domain_where_its_equations_hold():
    from sympy import symbols

    m, h = symbols("m", real=True), symbols("h", nonnegative=True)
    theory = ak.Theory(name="cubic", parameters={h: ("field", "nonnegative")}, unknowns=[m],
                       free_energy=m**2 / 2 + m**4 / 4 - (1 + h) * m)
    at_zero, near = theory.solve(h=0)["m"], theory.solve(h=1e-9)["m"]
    assert at_zero == pytest.approx(near, rel=1e-8)
    assert at_zero + at_zero**3 == pytest.approx(1, rel=1e-14)


@pytest.mark.parametrize("theory", [BOTH[k][0] for k in (0, 1, 2, 8)], ids=["ridge", "deep", "spiked", "nonlinear"])
def test_points_go_to_other_processes(theory):
    at = next(few for known, few, _ in BOTH if known is theory)
    point = theory.point(theory.given({**at, "lam": 0}))
    again = pickle.loads(pickle.dumps(point))
    assert again.limit.powers(again) == point.limit.powers(point)
