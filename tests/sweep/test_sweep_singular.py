"""Linear equations that rounding makes singular: a sweep refuses what a single solution refuses."""

import random
from fractions import Fraction

import numpy as np
import pytest
from sympy import Rational, Symbol, symbols
from sympy.matrices import Matrix

import asympkit as ak
from asympkit.solve.solution import Status

a = Symbol("a", real=True)


def nearly_singular(seed, distance):
    """A theory of linear equations whose last row is a combination of the others but for ``distance``."""
    r = random.Random(seed)
    n = r.randint(2, 4)
    unknowns = symbols(f"x1:{n + 1}", real=True)
    while True:
        rows = [[Rational(r.randint(-9, 9), 2) for _ in unknowns] for _ in range(n - 1)]
        last = Matrix([[r.choice([-2, -1, 1, 3]) for _ in rows]]) * Matrix(rows)
        last[r.randrange(n)] += distance
        matrix = Matrix([*rows, list(last)])
        if matrix.det() != 0 and all(any(row) for row in rows):
            break
    rhs = Matrix([Rational(r.randint(-9, 9)) + a * r.randint(1, 5) for _ in unknowns])
    theory = ak.Theory(name="linear", parameters={a: ("", "real")}, unknowns=unknowns,
                       equations=list(matrix * Matrix(unknowns) - rhs))
    return theory, unknowns, lambda value: matrix.solve(rhs.subs(a, Rational(Fraction(value))))


def assert_right_or_refused(theory, unknowns, exact, backend, must_refuse):
    values = np.array([0.4, 1.1])
    with np.errstate(all="raise"):
        sweep = theory.sweep(a=values, backend=backend)
    # whether a pivot is 0 or one rounding away from it differs from one processor to the next
    assert set(sweep.status) <= {Status.CONVERGED, Status.LIMITED, Status.RESIDUAL, Status.DEPENDENT}
    if must_refuse:
        assert not sweep.converged.any()
    for k in np.flatnonzero(sweep.converged):
        x = np.array(exact(values[k]), dtype=float).ravel()
        assert np.array([sweep[u.name][k] for u in unknowns]) == pytest.approx(x, abs=1e-7 * np.abs(x).max())
    for value in values:
        try:
            solution = theory.solve(a=value)
        except ak.ConvergenceError as error:
            assert not error.solution.converged
        else:
            assert sweep.converged[list(values).index(value)]
            assert all(abs(solution[u.name] - float(x)) <= 1e-7 * max(map(abs, exact(value)))
                       for u, x in zip(unknowns, exact(value)))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("distance", [Rational(1), Rational(1, 10**6), Rational(1, 10**15)])
def test_linear_equations_nearly_singular(seed, distance):
    theory, unknowns, exact = nearly_singular(seed, distance)
    assert_right_or_refused(theory, unknowns, exact, "numpy", distance < 1e-12)


@pytest.mark.slow
def test_compiled_loops_refuse_them_too():
    theory, unknowns, exact = nearly_singular(3, Rational(1, 10**15))
    assert_right_or_refused(theory, unknowns, exact, "numba", True)


def test_many_digits_resolve_what_rounding_does_not():
    theory, unknowns, exact = nearly_singular(0, Rational(1, 10**15))
    found, right = theory.precise(a="1.1", digits=20), exact(Fraction(11, 10))
    assert all(abs(found[u.name] - x) <= 1e-19 * max(map(abs, right)) for u, x in zip(unknowns, right))


@pytest.mark.parametrize("backend", ["numpy", pytest.param("numba", marks=pytest.mark.slow)])
def test_an_entry_that_cancels(backend):
    x = Symbol("x", real=True)
    theory = ak.Theory(name="pole", parameters={a: ("", "real")}, unknowns=[x], equations=[x * (a**2 - 1) - 3])
    sweep = theory.sweep(a=np.array([1.1, 1 + 1e-12]), backend=backend)
    assert sweep.converged.tolist() == [True, False]
    assert sweep["x"][0] == pytest.approx(3 / (1.1**2 - 1), rel=1e-13)
    with pytest.raises(ak.ConvergenceError, match="rounding is amplified too much here"):
        theory.solve(a=1 + 1e-12)


@pytest.mark.parametrize("lam", [1e-16, 1e-18, 1e-24, 1e-30])
def test_a_sweep_refuses_inside_what_solve_refuses(lam):
    """At the threshold rounding moves V1 by up to a percent, and both neighbours are fine."""
    theory, at = ak.OneStep("tanh", "sin"), {"eta": 1, "alpha0": 5, "lam": lam}
    sweep = theory.sweep(alpha=np.array([0.5, 1.0, 2.0]), backend="numpy", **at)
    assert sweep.converged.tolist() == [True, False, True] and np.isnan(sweep["V1"][1])
    with pytest.raises(ak.ConvergenceError, match="rounding is amplified too much here"):
        theory.solve(alpha=1.0, **at)


def test_at_the_border_a_number_is_right_or_refused():
    """Rounding is judged by rounded numbers: at lam = 1e-14 one processor has the digits that another one lacks."""
    theory, at = ak.OneStep("tanh", "sin"), {"eta": 1, "alpha0": 5, "lam": 1e-14, "alpha": 1}
    right = float(theory.precise(digits=16, **at)["V1"])
    try:
        found = theory.solve(**at)
    except ak.ConvergenceError as error:
        assert "rounding is amplified too much here" in str(error)
    else:
        assert found["V1"] == pytest.approx(right, rel=1e-9)
