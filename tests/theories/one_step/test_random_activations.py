"""Random activations and students: averages and solutions, against multiple precision.

No wrong number, and no exception but a typed one; how many are refused is counted.
"""

import math
import random
import warnings
from collections import Counter
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from helpers.random_functions import KINDS
from helpers.strategies import activations, averages, decimals, mp
from helpers.tiers import slow_but
from helpers.verdicts import at_most, bad, run_cases
from hypothesis import HealthCheck, given, settings

import asympkit as ak
from asympkit.runtime.means import normal_means

COMMON = {"deadline": None, "derandomize": True, "database": None,
          "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large]}
#: wanted everywhere, relative to the root of the second moment
ACCURACY = 1e-12


COEFFICIENTS = [(1, k) for k in range(7)]
MOMENTS = [(1, 0), (1, 1), (2, 0)]


def check_coefficients(sample, count):
    """Coefficients to order 6 and the second moment; a refusal is counted and must be typed."""
    try:
        act = ak.Activation(sample.text)
        got, second = act.hermite_coefficients(6), act.second_moment()
    except ak.AsympkitError as refusal:
        count[type(refusal).__name__, "cannot bound the growth" in str(refusal)] += 1
        return None
    *exact, square = averages(sample, [*COEFFICIENTS, (2, 0)])
    size = math.sqrt(float(square))
    for k, (a, b) in enumerate(zip(got, exact)):
        assert abs(float(a * mp.sqrt(mp.factorial(k)) - b)) <= ACCURACY * size, (sample.text, k)
    assert abs(float(second - square)) <= ACCURACY * size**2, sample.text
    count["right"] += 1
    return act


def check_means(sample, act, offset, slope, count):
    """The three conditional means the tables are made of, at one row."""
    got, error = normal_means(act, np.array([float(offset[1])]), float(slope[1]), lambda z, s, at: (s, z * s, s * s))
    if not error <= ACCURACY:
        count["means not reached"] += 1
        return
    exact = averages(sample, MOMENTS, offset[1], slope[1])
    size = math.sqrt(float(exact[2]))
    for value, true, power in zip(got, exact, (1, 1, 2)):
        assert abs(float(value[0] - true)) <= ACCURACY * size**power, (sample.text, offset[0], slope[0])
    count["means right"] += 1


def random_run(examples):
    count = Counter()

    @settings(max_examples=examples, **COMMON)
    @given(activations(), decimals(-2, 2), decimals(0.3, 2))
    def run(sample, offset, slope):
        act = check_coefficients(sample, count)
        if act is not None:
            check_means(sample, act, offset, slope, count)

    run()
    return count


def test_random_activations():
    count = random_run(1)
    refused = sum(n for key, n in count.items() if isinstance(key, tuple))
    assert refused + count["right"] >= 1            # hypothesis may find fewer examples than asked for
    # the only refusals are functions whose growth has no rule: exponentials and cubics inside softplus
    assert all(key == ("DomainError", True) for key in count if isinstance(key, tuple)), count
    assert refused <= 1 and count["means not reached"] <= 1, count


@pytest.mark.slow
def test_three_thousand_random_activations():
    count = random_run(3000)
    refused = sum(n for key, n in count.items() if isinstance(key, tuple))
    assert refused <= 0.03 * (refused + count["right"]), count
    assert count["means not reached"] <= 0.01 * count["right"], count


PARAMETERS = {"eta": 1.0, "alpha0": 2.0, "alpha": 1.5, "lam": 0.01, "noise_variance": 0.1}


def compare(student, target, parameters=None, digits=15):
    """Solve by both routes: "agree", or why one of them refused; an error of 1e-10 fails."""
    parameters = parameters or PARAMETERS
    exact = {k: Fraction(v) if isinstance(v, float) and math.isfinite(v) else v for k, v in parameters.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ak.AssumptionWarning)
        theory = ak.OneStep(student, target)
        try:
            compiled = theory.solve(**parameters)
        except ak.ConvergenceError as refusal:
            assert refusal.solution is None or not refusal.solution.converged
            return str(refusal)
        except ak.DomainError as refusal:
            return str(refusal)
        precise = theory.precise(digits=digits, **exact)
    for name, value in compiled.observables.items():
        true = precise[name]
        assert abs(value - true) <= mpmath.mpf("1e-10") * abs(true), (student, target, name, value, true)
    return "agree"


#: those after the first take long in many digits, too
HARD = ["max(z-6,0)", "exp(z**2/8)", "sin(20*z)", "sin(50*z)", "exp(-50*z**2)", "exp(-10**4*(z-1/3)**2)", "tanh(30*z)",
        "exp(2*z)", "erf(100*z)", "z**5"]


@pytest.mark.parametrize("text", slow_but(HARD, 0))
@pytest.mark.parametrize("side", slow_but(["student", "target"], 1))
def test_hard_activations_to_the_saddle_point(text, side):
    pair = (text, "tanh") if side == "student" else ("tanh", text)
    outcome = compare(*pair)
    if side == "student" and text.startswith("sin"):        # its mean is exp(-200) of its size, or less
        assert "the mean of an activation is below the rounding of double precision" in outcome
    else:       # exp(2z) as a student makes weights of a size at which its second moment overflows
        assert outcome == "agree" or (text, side) == ("exp(2*z)", "student") and "ask for a larger rtol" in outcome


@pytest.mark.parametrize(("student", "target"), [("exp(2*z)", "tanh"), ("exp(3*z)", "tanh")])
def test_what_double_precision_cannot_hold_is_refused(student, target):
    outcome = compare(student, target)
    assert ("the averages did not reach the accuracy asked for at the finest rule" in outcome
            or "the mean of an activation is below the rounding of double precision, or too near to it" in outcome)
    assert "use precise()" in outcome


@pytest.mark.slow
def test_a_target_whose_squares_lie_far_out():
    assert compare("tanh", "exp(3*z)") == "agree"


@pytest.mark.parametrize("frequency", [50.0, 8 * math.pi, 20 * math.pi, 40 * math.pi])
def test_a_frequency_that_fits_a_lattice(frequency):
    # alpha0=inf makes the labels a function of kappa alone: the outer rule meets the bare sine, which nothing
    # can learn: it acts as label noise of variance 1/2
    parameters = {**PARAMETERS, "alpha0": math.inf}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ak.AssumptionWarning)
        s = ak.OneStep("tanh", f"tanh(z) + sin({frequency!r}*z)").solve(**parameters)
        plain = ak.OneStep("tanh", "tanh").solve(**{**parameters, "noise_variance": 0.6})
    assert s.test_error == pytest.approx(plain.test_error, rel=1e-12)
    assert s.train_error == pytest.approx(plain.train_error, rel=1e-12)


def test_digits_of_a_target_that_grows():
    # squares of 1e50 on weights of 1e-100: the fixed point of the digits must hold both
    theory = ak.SpikedFeatures("tanh", "tanh(z)*exp(3*z)")
    rest = {"gamma": 0, "alpha": Fraction(3, 2), "lam": Fraction(1, 8)}
    compiled = theory.solve(r=0.25, c=1, **rest)
    precise = theory.precise(digits=15, r=Fraction(1, 4), c=1, **rest)
    assert compiled.test_error == pytest.approx(float(precise.test_error), rel=3e-15)


def random_student(case):
    """Text of the student of a case, and its kind."""
    rng = random.Random(f"student {case}")
    kind = [*KINDS, "mixed"][case % 7]
    if kind != "mixed":
        return KINDS[kind](rng), kind
    smooth = [make for name, make in KINDS.items() if name != "kinked"]
    parts = [make(rng) for make in rng.sample(smooth, 2)]
    return f"{rng.choice([0.01, 0.5, 1, 3])}*{parts[0]} {rng.choice('+-')} {parts[1]}", kind


def random_point(case):
    """Target and parameters of a case, decimal texts of few digits: floats mean the same everywhere."""
    rng = random.Random(f"point {case}")
    target = rng.choice(["sin", "tanh", "relu", "z + 1/2", "cos(z) + z", "erf(2*z)"])
    logs = {"eta": (-3, 1), "alpha0": (-0.5, 1.5), "alpha": (-0.7, 1), "lam": (-5, 0.5), "beta": (-0.5, 0.5)}
    found = {name: f"{10 ** rng.uniform(*ends):.3g}" for name, ends in logs.items()}
    return target, found | {"noise_variance": rng.choice(["0", "0.1"])}


def solved(theory, point, digits=None):
    """A solution, or None where a route refuses with a reason."""
    try:
        if digits is None:
            return theory.solve(**{k: float(v) for k, v in point.items()})
        return theory.precise(digits=digits, **point)
    except (ak.ConvergenceError, ak.DomainError):
        return None


def allowed(compiled):
    """Relative error of observables: rounding amplified by what is solved, and the quadrature's own error."""
    worst = max(compiled.condition[n] for n in ("V1", "V2"))
    return 1e-12 + 1e-13 * worst + 10 * compiled.error_estimate


def differences(compiled, precise, every=True):
    """What differs by more than it may: observables, and order parameters with ``every``."""
    wrong = []
    for name, value in compiled.observables.items():
        size = abs(float(precise["test_error"])) if name == "clean_error" else abs(float(precise[name]))
        if not abs(value - float(precise[name])) <= allowed(compiled) * size:
            wrong.append(f"{name}: solve {value!r}, precise {precise[name]}")
    for name, value in compiled.order_parameters.items() if every else ():
        size = max(abs(float(precise[name])), compiled.scale[name])
        if not abs(value - float(precise[name])) <= 10 * allowed(compiled) * size:
            wrong.append(f"{name}: solve {value!r}, precise {precise[name]}")
    return wrong


def judge(case):
    """What is wrong with the student of a case."""
    (student, _), (target, point) = random_student(case), random_point(case)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ak.AssumptionWarning)
        theory = ak.OneStep(student, target)
        precise, compiled = solved(theory, point, 15), solved(theory, point)
    if compiled is None or precise is None:
        return "" if compiled is None else f"{student} on {target} {point}: solve answers, precise refuses"
    # order parameters proportional to a mean of 1e-7 (z**3/3 - z at c = 1 + 1e-7) have the digits of c - 1
    wrong = differences(compiled, precise, every=False)
    return f"{student} on {target} {point}: {'; '.join(wrong)}" if wrong else ""


@pytest.mark.slow
def test_a_thousand_random_students():
    verdicts = run_cases(range(1000), judge, seconds=20.0)
    assert bad(verdicts, but=("out of time",)) == {}
    assert Counter(verdicts.values())["out of time"] <= 10


#: students for which cut-off and bits went wrong, or that the fixed point did not hold
STUDENTS = [
    ("tanh(z)*exp(-z**2)", "1", "5"), ("sin(2*z + 1)*exp(-z**2/2)", "5", "2"), ("tanh(z)*exp(-z**2)/10**30", "1", "5"),
]
MORE = [
    ("tanh(z)*exp(-z**2)", "20", "0.5"), ("z*exp(-3*z**2)", "0.01", "2"), ("1/(1 + z**2)", "1", "2"),
    ("z*exp(z/2)", "0.1", "2"), ("exp(-4*(z - 1)**2) - z/9", "0.3", "2"), ("max(z, 0)*exp(-abs(z))", "3", "2"),
    ("1/(1+exp(-z))-1/2+exp(-(z-3)**2)", "1", "5"), ("cos(3*z)*exp(-z**2/9) + z", "2", "5"),
]


@pytest.mark.parametrize(("student", "eta", "alpha0"),
                         slow_but([*STUDENTS, *MORE], 0))
def test_many_digits_of_decaying_and_growing_students(student, eta, alpha0):
    point = {"eta": eta, "alpha0": alpha0, "alpha": "1.5", "lam": "0.1"}
    with warnings.catch_warnings(), at_most(60.0):
        warnings.simplefilter("ignore", ak.AssumptionWarning)
        theory = ak.OneStep(student, "sin")
        compiled, few = solved(theory, point), theory.precise(digits=10, **point)
        more = theory.precise(digits=20, **point)
    assert compiled is not None and differences(compiled, more) == []
    for name, value in (*more.observables.items(), *more.order_parameters.items()):
        assert abs(few[name] - value) <= 2e-10 * max(abs(value), compiled.scale.get(name, 0)), name
