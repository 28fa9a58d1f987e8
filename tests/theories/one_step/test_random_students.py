"""Random students: double precision against arbitrary precision, arbitrary precision against twice the digits."""

import random
import warnings
from collections import Counter

import pytest
from helpers.resumable import at_most, bad, run_cases
from helpers.tiers import slow_but

import asympkit as ak


def _number(rng, low, high):
    return f"{rng.uniform(low, high):.3g}"


def _scaled(rng, low=0.3, high=2.5):
    return f"{_number(rng, low, high)}*z"


def _moved(rng):
    return f"({_scaled(rng)}{rng.uniform(-1.5, 1.5):+.3g})"


def _decaying(rng):
    inner = rng.choice([f"tanh({_scaled(rng)})", "z", f"sin({_scaled(rng)})", "erf(z)", _moved(rng)])
    decay = rng.choice([f"exp(-{_number(rng, 0.05, 3)}*z**2)", f"1/(1 + {_number(rng, 0.2, 2)}*z**2)",
                        f"1/cosh({_scaled(rng)})", f"exp(-{_number(rng, 0.1, 1.5)}*(z{rng.uniform(-2, 2):+.3g})**2)"])
    return f"{inner}*{decay}"


def _growing(rng):
    return rng.choice([f"exp({_number(rng, -0.6, 0.6)}*z)", "z**3/3 - z", f"z**2 - {_number(rng, 0, 2)}",
                       f"log(1 + exp({_scaled(rng)}))", f"z*tanh({_scaled(rng)})", f"sinh({_scaled(rng, 0.1, 0.5)})",
                       f"z*exp({_number(rng, 0.01, 0.04)}*z**2)"])


def _oscillating(rng):
    wave = rng.choice(["sin", "cos"])
    return rng.choice([f"{wave}({_scaled(rng, 0.5, 7)})", f"{wave}({_scaled(rng, 0.5, 7)}{rng.uniform(-2, 2):+.3g})",
                       f"z*{wave}({_scaled(rng)})", f"tanh({wave}({_scaled(rng)}))",
                       f"{wave}({_scaled(rng, 0.5, 4)})*exp(-{_number(rng, 0.1, 1)}*z**2)"])


def _bump(rng):
    return f"exp(-{_number(rng, 0.3, 12)}*(z{rng.uniform(-3, 3):+.3g})**2)"


def _kinked(rng):
    edge = f"z{rng.uniform(-1.5, 1.5):+.3g}"
    return rng.choice([f"max({edge}, 0)", f"abs({edge})", f"max(min({_scaled(rng)}, 1), -1)", f"max({edge}, 0.1*z)",
                       f"abs({edge})*exp(-{_number(rng, 0.1, 1)}*z**2)", "relu", "hardtanh", "elu"])


def _smooth(rng):
    return rng.choice([f"tanh{_moved(rng)}", f"erf({_scaled(rng)})", f"1/(1 + exp(-{_moved(rng)}))",
                       f"atan({_scaled(rng)})", f"tanh({_scaled(rng)})"])


KINDS = {"decaying": _decaying, "growing": _growing, "oscillating": _oscillating, "bump": _bump, "kinked": _kinked,
         "smooth": _smooth}


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
    verdicts = run_cases("random-students", range(1000), judge, seconds=20.0)
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
