"""Degenerate corners and means below rounding, in both bulks and at a width, beside forty digits."""

import math
import runpy
import warnings

import numpy as np
import pytest
from asympkit.generated.spiked_features import kernel
from helpers.routes import both, core_condition, worst_difference
from helpers.tiers import slow_but

import asympkit as ak
from asympkit.theories import lowered

pytestmark = pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")


def spiked(student, target, r, c=1.0, gamma=0.8, **parameters):
    p = {"r": r, "c": c, "gamma": gamma, "alpha": 1.5, "lam": 0.01, **parameters}
    return ak.SpikedFeatures(student, target), p


def step(student, target, **parameters):
    return ak.OneStep(student, target), {"alpha0": 2.0, "alpha": 1.5, "lam": 0.01, "eta": 1.0, **parameters}


CORNERS = {
    **{f"odd student, r={r:g}": spiked("tanh", "sin", r) for r in (1e-8, 1e-6, 1e-4, 1e-3)},
    "erf, kinked target, r=1e-7": spiked("erf", "relu", 1e-7, 1.1, 0.5, beta=0.7, noise_variance=0.1),
    "sin, r=1e-5": spiked("sin", "relu", 1e-5, 1.1, 0.5, lam=1e-3),
    **{f"eta={eta:g}": step("tanh", "sin", eta=eta) for eta in (0.0, 1e-8, 1e-6, 1e-3)},
    "eta=0, even part in the target": step("tanh", "(z**2-1)/sqrt(2)+z", eta=0.0),
    "eta=0, student without mean or parity": step("(z**2-1)/sqrt(2)+z", "(z**2-1)/sqrt(2)+z", eta=0.0),
    "eta=0, kinked student with a mean": step("relu", "tanh", eta=0.0),
    "alpha0=0": step("erf", "sin", alpha0=0.0),
    "linear student": step("identity", "tanh"),
    "linear student, overparametrised": step("3*z/2", "sin", eta=2.0, alpha0=0.5, alpha=0.5, lam=1e-6, beta=2.0),
    **{f"interpolation threshold, lam={lam:g}": step("tanh", "sin", alpha=1.0, lam=lam, noise_variance=0.1)
       for lam in (1e-2, 1e-5, 1e-8)},
    "threshold at beta=2, kinked student": step("relu", "sin", alpha=2.0, beta=2.0, lam=1e-8, noise_variance=0.1),
    **{f"alpha0={a:g}": step("tanh", "sin", alpha0=a) for a in (1e-3, 1e4, 1e6, math.inf)},
    "alpha0=1e6, kinked target": step("sin", "relu", alpha0=1e6),
    "alpha0=inf, kinked target": step("sin", "relu", alpha0=math.inf),
    "gamma=1": spiked("tanh", "sin", 2.0, 1.0, 1.0),
    "gamma=1, kinked target": spiked("sin", "relu", 2.0, 1.3, 1.0, beta=0.5, noise_variance=0.25),
    "gamma=-0.5, negative spike": spiked("relu", "sin", -2.0, 1.3, -0.5, beta=0.5),
    "even target seen through a spike": spiked("tanh", "z**2-1", 2.0, 1.3, 0.5, beta=0.5, noise_variance=0.25),
    "even student": spiked("z**2-1", "z**2-1", 1.0, 1.3, 0.5, beta=0.5),
    "saturated tail dominates": spiked("tanh", "sin", 3.0, 1.3, 0.9, alpha=0.25, lam=1e-6, beta=0.5),
    "typed kinked student": step("max(z,0)-0.3*min(z,0)**2", "z*exp(-z**2/2)"),
    "typed smooth student": step("z*exp(-z**2/2)", "sin"),
}


#: one of each kind, cheap in arbitrary precision
KEPT = ("eta=0.001", "eta=0, even part in the target", "linear student, overparametrised", "alpha0=inf")


@pytest.mark.parametrize("name", slow_but(CORNERS, *KEPT))
def test_corner_agrees_with_forty_digits(name):
    theory, parameters = CORNERS[name]
    compiled, precise = both(theory, **parameters)
    order, errors = worst_difference(compiled, precise)
    bound = 1e-12 * core_condition(compiled)
    assert max(order.values()) < bound, (core_condition(compiled), order)
    assert max(errors.values()) < bound, (core_condition(compiled), errors)
    assert compiled.condition and compiled.converged


def test_no_step_and_a_tiny_step_are_different_limits():
    theory = ak.OneStep("tanh", "sin")
    at = {"alpha0": 2.0, "alpha": 1.5, "lam": 0.01}
    assert theory.solve(eta=0.0, **at).test_error == pytest.approx(0.33469, abs=6e-6)
    for eta in (1e-10, 1e-6, 1e-4):
        assert theory.solve(eta=eta, **at).test_error == pytest.approx(0.21161, abs=6e-6)


def test_random_feature_limit_needs_one_order_parameter_only():
    s = ak.SpikedFeatures("tanh", "sin").solve(r=0.0, c=1.0, gamma=0.0, alpha=1.5, lam=0.01)
    same = ak.OneStep("tanh", "sin").solve(eta=0.0, alpha0=3.0, alpha=1.5, lam=0.01)
    assert s.test_error == pytest.approx(same.test_error, rel=1e-14)
    assert np.isclose(s["psi"], s["psihat"] * s["V1"], rtol=1e-14)


@pytest.mark.parametrize("lam", [1e-2, 1e-4, 1e-6])
def test_exploding_error_far_from_threshold(lam):
    # section 11 of the theory: saturated samples dominate, 0.274, 1.010, 17.08
    known = {1e-2: 0.274, 1e-4: 1.010, 1e-6: 17.08}
    theory = ak.OneStep("tanh", "sin")
    with pytest.warns(ak.AssumptionWarning, match="isotropic"):
        s = theory.solve(eta=2.0, alpha0=2.0, alpha=0.25, beta=0.5, lam=lam)
    assert s.test_error == pytest.approx(known[lam], rel=2e-3)


BASE = {"eta": 1.0, "alpha0": 2.0, "alpha": 1.5, "beta": 1.0, "lam": 0.1, "noise_variance": 0.0}
#: student, target, what is another than in BASE
BULKS = [
    *(("tanh", "sin", moved) for moved in ({"eta": 0.0}, {"alpha0": 0.0}, {"alpha0": math.inf}, {"eta": 1e-9})),
    ("tanh", "z", {"alpha0": math.inf}),                  # the spike is the target: gamma = 1, rho = 0
    ("tanh", "z", {}), ("z", "sin", {}), ("z", "z", {}), ("z/2+1", "sin", {}), ("z", "sin", {"eta": 0.0}),
    *((student, "sin", {"beta": beta}) for student in ("tanh", "z") for beta in (0.1, 10.0)),
    ("z/2+1", "sin", {"eta": 0.0, "beta": 10.0}), ("relu", "z", {"alpha0": math.inf, "beta": 10.0}),
    *(("relu", "sin", moved) for moved in ({"eta": 0.0}, {"alpha0": math.inf}, {"beta": 0.1})),
]
#: the same with noise in the labels: two variables in the averages of the exact bulk, and fewer digits in the time
NOISY = [("tanh", "sin", {"noise_variance": 0.3}), ("z", "z", {"noise_variance": 0.3}),
         ("tanh", "z", {"noise_variance": 0.3, "alpha0": math.inf}), ("z", "sin", {"noise_variance": 0.3, "eta": 0.0}),
         ("tanh", "sin", {"noise_variance": 0.3, "beta": 10.0})]


def differing(student, target, changes, bulk, width, digits):
    """Names of the observables in which doubles and many digits differ."""
    theory, at = ak.OneStep(student, target, bulk=bulk), {**BASE, **changes}
    at |= {"width": width} if width else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ak.AssumptionWarning)
        precise = theory.precise(digits=digits, **{n: v if v == math.inf else str(v) for n, v in at.items()})
        compiled = theory.solve(**at)
    return [name for name in compiled.observables
            if compiled[name] != pytest.approx(float(precise[name]), rel=max(1e-12, 10.0**-digits))]


@pytest.mark.parametrize("width", [None, pytest.param(400.0, marks=pytest.mark.slow)])
@pytest.mark.parametrize("bulk", ["isotropic", pytest.param("exact", marks=pytest.mark.slow)])
@pytest.mark.parametrize("corner", slow_but(BULKS, ("z", "z", {}), single=True))
def test_both_bulks_in_forty_digits(corner, bulk, width):
    assert differing(*corner, bulk, width, 40) == []


@pytest.mark.slow
@pytest.mark.parametrize("width", [None, 400.0])
@pytest.mark.parametrize("bulk", ["isotropic", "exact"])
@pytest.mark.parametrize("corner", NOISY)
def test_with_noise(corner, bulk, width):
    assert differing(*corner, bulk, width, 40 if bulk == "isotropic" else 8) == []


@pytest.mark.parametrize("width", [None, 400.0])
@pytest.mark.parametrize("student", ["z", "z/2+1"])
@pytest.mark.parametrize("noise", [0.0, 0.3])
@pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")
def test_the_bulk_of_a_linear_student_is_isotropic(student, noise, width):
    """Its rows all make the same step: there is nothing that one bulk has and the other has not."""
    at = {**BASE, "noise_variance": noise, "width": width}
    a, b = (ak.OneStep(student, "sin", bulk=bulk).solve(**at) for bulk in ("isotropic", "exact"))
    for name in a.observables:
        assert a[name] == pytest.approx(b[name], rel=1e-12)


STEPS = [("tanh", 1.5, 1.1), ("tanh", 0.0, 1.0), ("erf", 3.0, 1.5), ("sin", 2.0, 1.0), ("relu", 1.0, 1.2),
          ("z/2+tanh(z)/2", 2.0, 1.3), ("gelu", 0.5, 1.0), ("identity", 1.0, 1.0),
          ("z*exp(-z**2/2)", 2.5, 1.2), ("tanh", 8.0, 2.0)]
GAMMA = 0.7


def sample(size, seed):
    rng = np.random.default_rng(seed)
    return (10 ** rng.uniform(-3, 3, size), 0.05 * 400 ** rng.uniform(0, 1, size), 10 ** rng.uniform(-8, 3, size),
            rng.choice([0.0, 0.25], size))


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "table"), list(enumerate(STEPS)))
def test_no_point_of_the_box_fails(seed, table):
    """A hundred thousand random points: no failure, every residual below 1e-12."""
    student, r, c = table
    size = 10_000
    rho = np.sqrt(1 - GAMMA**2)
    (rule,), _ = kernel.kappa_rule((4,), r, c, GAMMA, rho, ak.Activation(student), ak.Activation("sin"))
    columns = [x[:, None].copy() for x in sample(size, seed)]
    columns += [np.full((size, 1), v) for v in (r, c, GAMMA, rho)]
    ones = np.ones((size, 1))
    out = np.empty((size, 1, len(kernel.OUTPUTS)))
    kernel.solve_rows(*columns, *rule, ones, ones, out, 1e-9, 100, 1e-9)
    residual = out[:, 0, kernel.OUTPUTS.index("residual")]
    assert np.all(residual < 1e-12), columns
    assert np.all(out[:, 0, kernel.OUTPUTS.index("test_error")] > 0)
    assert out[:, 0, -1].max() <= 20


POINT = {"alpha0": 2, "alpha": 1.5, "lam": 0.1}
REFUSED = "the mean of an activation is below the rounding of double precision.*use precise"
#: student, target, parameters, and the error with the direction of the mean (without it 1.32105 and 43.479)
LOST = [
    ("cos(8*z)", "sin(z)+1/2", {**POINT, "eta": 1, "noise_variance": 0.1}, "0.898901064185732"),
    ("sin(12*z+1)", "log(1+exp(z))", {"eta": 1.5712, "alpha0": 3.0139, "alpha": 0.98056, "lam": 3.836e-5,
                                      "beta": 0.96486, "noise_variance": 0.1}, "15.8171347356378"),
]


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


def test_derivatives_across_the_spike_need_no_digits(monkeypatch):
    """The overlap of a target without a linear part is 0 at any step: its derivative took up to a minute of digits."""
    monkeypatch.setattr(lowered, "with_digits", None)
    theory, at = step("tanh", "z**3 - 3*z", noise_variance=0.1)
    up, down = (theory.solve(**{**at, "alpha0": at["alpha0"] * (1 + h)}).test_error for h in (1e-4, -1e-4))
    assert theory.sensitivity("test_error", "alpha0", **at) == pytest.approx((up - down) / 4e-4, rel=1e-6)
