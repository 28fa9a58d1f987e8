"""Means of which only the direction counts: resolved, proved to be zero, or refused; never taken for zero."""

import runpy
import warnings

import pytest

import asympkit as ak

POINT = {"alpha0": 2, "alpha": 1.5, "lam": 0.1}
REFUSED = "the mean of an activation is below the rounding of double precision.*use precise"
#: student, target, parameters, and the error with the direction of the mean (without it 1.32105 and 43.479)
LOST = [
    ("cos(8*z)", "sin(z)+1/2", {**POINT, "eta": 1, "noise_variance": 0.1}, "0.898901064185732"),
    ("sin(12*z+1)", "log(1+exp(z))", {"eta": 1.5712, "alpha0": 3.0139, "alpha": 0.98056, "lam": 3.836e-5,
                                      "beta": 0.96486, "noise_variance": 0.1}, "15.8171347356378"),
]
pytestmark = pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")


@pytest.mark.parametrize(("student", "target", "point", "error"), LOST)
def test_what_is_below_rounding_is_refused_or_resolved(student, target, point, error, tmp_path):
    theory = ak.OneStep(student, target)
    with pytest.raises(ak.ConvergenceError, match=REFUSED):
        theory.solve(**point)
    with pytest.raises(ak.ConvergenceError, match=REFUSED):
        theory.sensitivity("test_error", "lam", **point)
    with pytest.raises(ak.ConvergenceError, match=REFUSED):
        theory.minimize("test_error", over="lam", bounds=(1e-3, 1.0), **{k: v for k, v in point.items() if k != "lam"})
    assert not theory.sweep(**{**point, "alpha": [1.5, 2.0]}, backend="numpy").converged.any()
    assert abs(theory.precise(digits=12, **point).test_error / ak.parse(error, names=()) - 1) < 1e-12
    path = theory.generate(tmp_path / "alone.py")
    with pytest.raises(ValueError, match="a mean of which only the direction counts is below the rounding"):
        runpy.run_path(str(path))["solve"](**point)


@pytest.mark.slow
@pytest.mark.parametrize(("student", "target", "point", "error"), LOST)
def test_sweeps_by_numba_refuse_too(student, target, point, error):
    sweep = ak.OneStep(student, target).sweep(**{**point, "alpha": [1.5, 2.0]}, backend="numba")
    assert not sweep.converged.any()


@pytest.mark.parametrize("student", ["z**2 - 1", "0*z", "cos(z) - exp(-1/2)",
                                     *(pytest.param(text, marks=pytest.mark.slow)
                                       for text in ("abs(z) - sqrt(2/pi)", "erf(z+1) + erf(z-1)"))])
def test_a_mean_that_is_proved_to_vanish_has_no_direction(student):
    solution = ak.OneStep(student, "sin(z)+z**2/3").solve(eta=0, **POINT)
    assert solution.m == 0.0
    assert ak.OneStep(student, "sin(z)+z**2/3").precise(eta=0, digits=12, **POINT).test_error == pytest.approx(
        solution.test_error, rel=1e-11)


@pytest.mark.slow
def test_however_small_a_constant_its_direction_is_the_same():
    # without a step the mean of the student is constant: the error depends on its being there, not on its size
    target, errors = "sin(z) + 1/2", []
    for power in (1, 8, 20, 45):
        theory = ak.OneStep(f"z**2 - 1 + z + 10**(-{power})", target)
        errors.append(float(theory.precise(eta=0, digits=15, **POINT).test_error))
        if power == 1:
            assert theory.solve(eta=0, **POINT).test_error == pytest.approx(errors[0], rel=1e-12)
        else:
            with pytest.raises(ak.ConvergenceError, match=REFUSED):
                theory.solve(eta=0, **POINT)
    assert errors == pytest.approx([errors[0]] * 4, rel=1e-14)
    assert abs(ak.OneStep("z**2 - 1 + z", target).solve(eta=0, **POINT).test_error / errors[0] - 1) > 0.1


@pytest.mark.parametrize("student", [
    "z*exp(-z**2)", *(pytest.param(text, marks=pytest.mark.slow) for text in ("tanh", "erf(z+1) + erf(z-1)"))])
def test_a_step_however_small_is_another_limit_than_none(student):
    theory = ak.OneStep(student, "sin")
    none, small = (theory.solve(eta=eta, **POINT).test_error for eta in (0, 1e-12))
    assert abs(none / small - 1) > 0.05
    for eta in ("1e-30", "1e-200")[:2 if student == "tanh" else 1]:
        assert theory.precise(eta=eta, digits=12, **POINT).test_error == pytest.approx(small, rel=1e-11)
    for eta in (1e-200, 1e-320, 5e-324):
        with pytest.raises(ak.AsympkitError, match=f"{REFUSED}|the spike that it makes is below the smallest float"):
            theory.solve(eta=eta, **POINT)


def test_a_student_without_linear_part_makes_no_spike():
    for student in ("z**3 - 3*z", "sin(2*z) - 2*exp(-2)*z"):
        for target in ("sin", "z**2 + z"):
            theory = ak.OneStep(student, target)
            assert theory.parameters_at(eta=1, alpha0=2)["r"] == 0.0
            assert theory.solve(eta=1, **POINT).m == 0.0
    assert ak.OneStep("tanh", "z**4 - z**2").parameters_at(eta=1, alpha0=float("inf"))["gamma"] == 0.0
    assert ak.OneStep("tanh", "z**3 - 3*z").parameters_at(eta=1, alpha0=float("inf"))["gamma"] == 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        precise = ak.OneStep("z**3 - 3*z", "sin").precise(eta=1, digits=12, **POINT)
    assert precise.m == 0
