"""Random students: double precision against many digits, many digits against twice as many."""

import warnings
from collections import Counter

import pytest
from helpers.resumable import at_most, bad, run_cases
from helpers.students import random_point, random_student
from helpers.tiers import slow_but

import asympkit as ak


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
    ("tanh(z)*exp(-z**2)", "1", "5"), ("sin(2*z + 1)*exp(-z**2/2)", "5", "2"),
    ("tanh(z)*exp(-z**2)/10**30", "1", "5"),
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
