"""Averages, roots and formulas that cancel: routes that once disagreed; right values by closed forms."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from helpers.tiers import BACKENDS
from sympy import acos, atan, cos, cosh, exp, log, loggamma, sin, sqrt, symbols, tanh

import asympkit as ak
from asympkit.solve.kernel import Kernel

x, a, w, z = symbols("x a w z", real=True)


def theory(equation, observable=None, unknowns=(x,)):
    return ak.Theory(name="one", unknowns=unknowns, parameters={a: ("shift", "real")}, equations=[equation],
                     observables={} if observable is None else {"o": observable})


@pytest.mark.parametrize(("width", "centre"), [(3, 2), (30, "1/3"), (100, -2),
                                              *(pytest.param(w, c, marks=pytest.mark.slow)
                                                for w in (3, 30, 100, 300) for c in (2, -2, 1, "1/3"))])
def test_a_bump_anywhere_is_not_taken_for_even(width, centre):
    c = ak.parse(str(centre), names=())
    t = theory(x - tanh(x / 2) - a, ak.E(exp(-width * (w - c) ** 2) * (1 + tanh(w) / 2) / (1 + w**2), w))
    step = mpmath.mpf(1) / 400
    right = step * mpmath.fsum(
        mpmath.npdf(s) * mpmath.exp(-width * (s - float(c)) ** 2) * (1 + mpmath.tanh(s) / 2) / (1 + s**2)
        for s in (step * k for k in range(-2400, 2401)))
    assert t.solve(a=0.3)["o"] == pytest.approx(float(right), rel=1e-12)
    assert float(t.precise(digits=15, a="0.3")["o"]) == pytest.approx(float(right), rel=1e-12)


def test_steps_and_roots_with_a_bump():
    t = theory(x - ak.E(tanh(a * x + exp(-50 * (w - 2) ** 2)), w))
    assert t.solve(a=0.5)["x"] == pytest.approx(0.0232909344216764, rel=1e-12)


@pytest.mark.slow
def test_fast_waves_in_many_digits():
    for k in (20, 50):
        t = theory(x - ak.E(sin(k * w + x) ** 2, w) + a)
        assert t.solve(a=0)["x"] == pytest.approx(0.5, rel=1e-12)
        try:
            found = t.precise(digits=20, a=0)["x"]
        except ak.ConvergenceError as error:        # what is not reached is said
            assert "averages" in str(error)
        else:
            assert abs(found - 0.5) < 1e-15


@pytest.mark.slow
def test_precise_stays_at_the_root_that_solve_found():
    m, r = symbols("m r", real=True)
    b, load = symbols("b load", positive=True)
    field = tanh(b * (m + sqrt(load * r) / (1 - b * (1 - r)) * z))
    t = ak.Theory(name="memory", unknowns={m: (0, 1), r: (0, 1)}, equations=[m - ak.E(field, z), r - ak.E(field**2, z)],
                  parameters={load: ("patterns", "positive"), b: ("inverse temperature", "positive")})
    s, p = t.solve(load=0.1, b=10), t.precise(digits=15, load="0.1", b=10)
    assert float(p["m"]) == pytest.approx(s["m"], rel=1e-9)


def test_a_proof_keeps_to_the_domain():
    pytest.importorskip("flint", reason="python-flint is not installed")
    t = theory(x - 2 + a, unknowns={x: (0, 1)})
    with pytest.raises(ak.ProofError, match=r"x is declared in \(0, 1\)"):
        t.certify(digits=10, a=0)
    assert t.certify(digits=10, a="3/2")["x"].contains(mpmath.mpf("0.5"))


def test_what_balls_cannot_enclose_is_a_sentence():
    pytest.importorskip("flint", reason="python-flint is not installed")
    with pytest.raises(ak.ProofError, match="cannot be enclosed"):
        theory(log(1 - x) + 50 + a, unknowns={x: (0, 1)}).certify(digits=10, a=0)
    with pytest.raises(ak.AsympkitError, match="precise: "):
        theory(x / 2 - ak.E(1 / w**2, w) + a).precise(digits=10, a=0)


def test_a_whole_solution_may_be_a_start():
    y = symbols("y", real=True)
    t = ak.Theory(name="two", unknowns=[x, y], parameters={a: ("shift", "real")},
                  equations=[x - tanh(y) - a, y - 2 * x])
    s = t.solve(a=0.1)
    again = t.solve(a=0.1, start=s.order_parameters)
    assert again["x"] == pytest.approx(s["x"], rel=1e-14)
    assert np.all(t.sweep(a=[0.1, 0.2], start=s.order_parameters).converged)
    assert math.isclose(again["y"], 2 * again["x"])


@pytest.mark.parametrize("seed", range(12))
def test_precise_starts_from_what_double_precision_reached(seed, monkeypatch):
    """Known roots; solve is made to fail, with a point near or far, or none that is finite."""

    draw = np.random.default_rng(seed)
    root, rate = Fraction(int(draw.integers(3, 40)), 7), Fraction(int(draw.integers(1, 30)), 10)
    t = ak.Theory(name="known", parameters={a: ("", "real")}, unknowns=[x], start={x: 1.3 * float(root)},
                  equations=[(x - a) * (1 + rate.numerator * x**2 / rate.denominator) + tanh(x - a) / 2])
    there, solve = t.solve(a=float(root)), Kernel.solve
    assert there["x"] == pytest.approx(float(root), rel=1e-12)

    def failing(self, *arguments, **named):
        point = solve(self, *arguments, **named)
        point.order_parameters["x"] *= (1.01, 0.7, float("nan"), 1e200)[seed % 4]
        raise ak.ConvergenceError("solve: the averages did not reach the accuracy: use precise()", point)

    monkeypatch.setattr(Kernel, "solve", failing)
    with pytest.raises(ak.ConvergenceError, match="use precise"):
        t.solve(a=float(root))
    found = t.precise(digits=25, a=root)["x"]
    assert abs(found * root.denominator - root.numerator) < mpmath.mpf(10) ** -23


@pytest.mark.parametrize(("equation", "start"), [
    (x - a - x**2, 1.0), (x**2 + 1 + a**2, 0.3), (log(x**2 + 3) - a, 1.0), (1 / (x - 1) - 1 / (x - 1 + a**2 + 1), 3.0),
])
def test_precise_says_where_there_is_nothing(equation, start):
    t = ak.Theory(name="none", parameters={a: ("", "real")}, unknowns=[x], equations=[equation], start={x: start})
    with pytest.raises(ak.ConvergenceError) as caught:
        t.precise(digits=20, a=1)
    assert "give a start closer" in str(caught.value) and str(caught.value).startswith("precise: ")


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


@pytest.mark.parametrize("name", FORMULAS)
def test_formulas_have_their_digits_or_are_refused(name):
    formula = FORMULAS[name]
    right = 0
    observed = ak.Theory(name="own", parameters={g: ("g", "positive")}, unknowns={m: "real"},
                         equations=[m - atan(g)], observables={"o": formula.subs(g, m)})
    for theory, wanted in ((explicit(formula), "m"), (observed, "o")):
        for at in (0.5, 1e-3, 1e-5, 1e-7, 1e-9, 1e-12):
            exact = theory.precise(g=at, digits=30)[wanted]
            try:
                found = theory.solve(g=at)
            except ak.ConvergenceError as error:
                assert "nearly equal numbers subtracted" in str(error) and " times, " in str(error)
                continue
            error = abs(float((found[wanted] - exact) / exact))
            assert error <= 4 * 2.0**-53 * found.condition[wanted]
            assert error * abs(found[wanted]) <= 1e-9 * max(1, abs(found[wanted]))
            assert error <= 1e-11 or "fewer digits" in found.status and "precise()" in found.status
            right += 1
    assert right >= 4


@pytest.mark.parametrize("backend", BACKENDS)
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
    with pytest.raises(ak.ConvergenceError, match="equal numbers are subtracted: .*, or not in double precision"):
        theory.sensitivity("m", "g", g=1e-4)
    with pytest.raises(ak.ConvergenceError, match="amplified too much here .*nearly equal numbers subtracted"):
        theory.sensitivity("m", "g", g=1e-8)


def test_conditions_cover_observables():
    found = ak.SpikedFeatures("tanh", "sin").solve(r=1, c=1, gamma=0.6, alpha=1.5, lam=0.1)
    assert {"test_error", "objective", "q1", "V1"} <= set(found.condition)
    assert 1 <= found.condition["test_error"] < 100
