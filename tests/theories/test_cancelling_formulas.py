"""Outputs that subtract nearly equal numbers: every route has the digits it promises, or says that it has not."""

import numpy as np
import pytest
from sympy import acos, atan, cos, cosh, exp, log, loggamma, sin, sqrt, symbols, tanh

import asympkit as ak

g = symbols("g", positive=True)
m = symbols("m", real=True)

#: formulas that cancel at small g
FORMULAS = {
    "exps": (exp(2 * g) - exp(g)) / g, "exp": (exp(g) - 1) / g,
    "log": log(1 - exp(-g)), "acos": acos(1 - g), "loggamma": loggamma(1 + g),
    "cos": (1 - cos(g)) / g**2, "tanh": (tanh(g) - g) / g**3, "sqrt": (sqrt(1 + g) - 1) / g,
    "product": sin(g) * (1 / g - 1 / tanh(g)) / g**2,
}


def explicit(formula):
    """The formula as an explicit unknown, and its square as an observable of another theory."""
    return ak.Theory(name="own", parameters={g: ("g", "positive")}, unknowns={m: "real"}, equations=[m - formula],
                     observables={"square": m**2})


def observed(formula):
    return ak.Theory(name="own", parameters={g: ("g", "positive")}, unknowns={m: "real"},
                     equations=[m - atan(g)], observables={"o": formula.subs(g, m)})


@pytest.mark.parametrize("name", FORMULAS)
def test_formulas_have_their_digits_or_are_refused(name):
    formula = FORMULAS[name]
    right = 0
    for theory, wanted in ((explicit(formula), "m"), (observed(formula), "o")):
        for at in (0.5, 1e-3, 1e-5, 1e-7, 1e-9, 1e-12):
            exact = theory.precise(g=at, digits=30)[wanted]
            try:
                found = theory.solve(g=at)
            except ak.ConvergenceError as error:
                assert "nearly equal numbers subtracted" in str(error) and ", residual" in str(error)
                continue
            error = abs(float((found[wanted] - exact) / exact))
            assert error <= 4 * 2.0**-53 * found.condition[wanted]
            assert error * abs(found[wanted]) <= 1e-9 * max(1, abs(found[wanted]))
            assert error <= 1e-11 or "fewer digits" in found.status and "precise()" in found.status
            right += 1
    assert right >= 4


@pytest.mark.parametrize("backend", ["numpy", pytest.param("numba", marks=pytest.mark.slow)])
def test_sweeps_refuse_what_solve_refuses(backend):
    theory, points = explicit(FORMULAS["exps"]), np.array([1.0, 1e-4, 1e-7, 1e-9, 1e-13])
    sweep = theory.sweep(g=points, backend=backend)
    assert sweep.converged.tolist() == [True, True, False, False, False]
    assert all("nearly equal numbers" in s for s in sweep.status[2:])
    assert np.isnan(sweep["m"][2:]).all()


def test_digits_are_those_of_the_number_however_small_it_is():
    for at in ("1e-25", "1e-60"):
        theory = explicit(loggamma(1 + g))
        few, many = theory.precise(g=at, digits=12).m, theory.precise(g=at, digits=40).m
        assert many < 0 and abs(few / many - 1) < 1e-12


def test_what_working_digits_do_not_reach_is_refused():
    with pytest.raises(ak.ConvergenceError, match="subtracts numbers so nearly equal that 240 working digits"):
        explicit(FORMULAS["exps"]).precise(g="1e-250", digits=20)


def test_a_zero_is_a_zero():
    zero = ak.Theory(name="own", parameters={g: ("g", "positive")}, unknowns={m: "real"}, equations=[m - cosh(g)],
                     observables={"o": sin(m) ** 2 + cos(m) ** 2 - 1, "n": m - cosh(g)})
    found = zero.solve(g=1.3)
    assert abs(found.o) < 1e-15 and found.n == 0.0 and found.condition["n"] == np.inf
    assert abs(zero.precise(g=1.3, digits=20).o) < 1e-100


def test_derivatives_that_cancel_are_refused():
    theory = explicit(FORMULAS["exps"])
    assert theory.sensitivity("m", "g", g=0.1) == pytest.approx(1.7531619739947, rel=1e-9)
    with pytest.raises(ak.ConvergenceError, match="nearly equal numbers are subtracted .* not in double precision"):
        theory.sensitivity("m", "g", g=1e-4)
    with pytest.raises(ak.ConvergenceError, match="nearly equal numbers are subtracted"):
        theory.sensitivity("m", "g", g=1e-8)


def test_conditions_cover_observables():
    found = ak.SpikedFeatures("tanh", "sin").solve(r=1, c=1, gamma=0.6, alpha=1.5, lam=0.1)
    assert {"test_error", "objective", "q1", "V1"} <= set(found.condition)
    assert 1 <= found.condition["test_error"] < 100
