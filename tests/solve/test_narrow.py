"""Features of integrands that a rule can step over are met, or the point is refused."""

import random
import runpy

import mpmath
import numpy as np
import pytest
from helpers.tiers import slow_these
from sympy import Rational, cosh, erf, exp, symbols, sympify, tanh

import asympkit as ak

x, a, c = symbols("x a c", real=True)
w = symbols("w", real=True)
b = symbols("b", positive=True)


def theory(integrand, observable=False):
    """x = 1 + a E[integrand] x, or the average as an observable."""
    mean = ak.E(integrand, w)
    return ak.Theory(name="narrow", unknowns=[x], observables={"o": mean} if observable else {},
                     parameters={a: ("share", "real"), b: ("sharpness", "positive"), c: ("place", "real")},
                     equations=[x - 1 - (0 if observable else a * mean) * x])


def bump(b, c):
    """E exp(-b (w - c)^2)."""
    return mpmath.exp(-mpmath.mpf(b) * c**2 / (1 + 2 * b)) / mpmath.sqrt(1 + 2 * b)


@pytest.mark.parametrize("observable", [False, True])
@pytest.mark.parametrize("sharpness", [3.0, 3e2, 3e3, 1e5, 1e6, 1e9])
def test_bumps_of_any_width(sharpness, observable):
    t, r = theory(exp(-b * (w - c) ** 2), observable), random.Random(int(sharpness))
    places = np.array([r.uniform(-3, 3) for _ in range(3)])
    right = [float(bump(sharpness, p)) if observable else float(1 / (1 - bump(sharpness, p))) for p in places]
    swept = t.sweep(a=1.0, b=sharpness, c=places)
    for place, value, found, good in zip(places, right, swept["o" if observable else "x"], swept.converged):
        if good:
            assert found == pytest.approx(value, rel=1e-9)
        try:
            solution = t.solve(a=1.0, b=sharpness, c=place)
        except ak.ConvergenceError as error:
            assert "the averages did not reach the accuracy" in str(error)
            assert sharpness > 1e3
        else:
            assert solution["o" if observable else "x"] == pytest.approx(value, rel=1e-9)
            assert good


def test_bumps_under_spectral_laws():
    """Rules over angles step over them too; every rule agreed on 0, and so did arbitrary precision."""
    t = ak.Theory(name="law", parameters={b: ("sharpness", "positive")}, unknowns=[x],
                  equations=[x - ak.mean(exp(-b * (w - Rational(1, 2)) ** 2), ak.Semicircle(w))])

    def right(b):
        ends = [mpmath.mpf(1) / 2 + k / mpmath.sqrt(b) for k in range(-9, 10, 3)]
        return float(mpmath.quad(lambda w: mpmath.sqrt(4 - w * w) * mpmath.exp(-b * (w - 0.5) ** 2), ends)) / 2 / np.pi

    assert t.solve(b=1e3)["x"] == pytest.approx(right(1e3), rel=1e-12)
    assert t.precise(b=1e5, digits=9)["x"] == pytest.approx(right(1e5), rel=1e-9)
    for sharpness in (1e8, 1e10):
        with pytest.raises(ak.ConvergenceError, match="the averages did not reach the accuracy"):
            t.solve(b=sharpness)
        assert not t.sweep(b=[sharpness]).converged.any()


@pytest.mark.parametrize("is_average", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_a_small_bump_beside_a_large_term_under_a_law(is_average):
    """Changes of unknowns that follow passed for rounding: 5.1e-7 off, "limited"; finer rules have all digits."""
    root = symbols("root", positive=True)
    square = (root if is_average else b / b) ** 2
    t = ak.Theory(name="law", parameters={b: ("sharpness", "positive")}, unknowns=[x, root], equations=[
        x - ak.mean(9 * square + exp(-b * (w - Rational(1, 2)) ** 2), ak.Semicircle(w)), root**3 + root - 2])
    right = 9 + float(mpmath.quad(lambda w: mpmath.sqrt(4 - w * w) * mpmath.exp(-1e5 * (w - 0.5) ** 2),
                                  [0.5 + k / 316.2 for k in range(-9, 10, 3)])) / 2 / np.pi
    for found in (t.solve(b=1e5), t.precise(b=100_000, digits=15)):
        assert found["x"] == pytest.approx(right, rel=2e-13)
    assert t.solve(b=1e5).status.name == "CONVERGED"
    swept = t.sweep(b=[1e5, 5e5])
    assert swept["x"][0] == pytest.approx(right, rel=1e-12)
    assert [s.name for s in swept.status] == ["CONVERGED", "QUADRATURE"]      # no rounding is amplified


def test_a_minimum_over_a_place_meets_the_bump():
    t = theory(exp(-b * (w - c) ** 2), observable=True)
    found = t.minimize("o", over="c", bounds=(0.7, 1.3), b=2e3, a=1.0)
    assert found.value == pytest.approx(float(bump(2000, 1.3)), rel=1e-9) and found.argmin == 1.3


def test_a_narrow_peak_in_two_variables_is_not_stepped_over(tmp_path):
    """The two finest rules agree to the rounding that a fold leaves; no finer one is there to confirm it."""
    v, d, size = symbols("v d size", positive=True)
    y = symbols("y", real=True)
    peak = (1 + b * ((y - 0.844) ** 2 + (w - 0.93) ** 2)) ** -4
    smooth = 1e-5 * (2 + y) * exp(-((y - 1) ** 2) / 0.010082)
    t = ak.Theory(name="fold", unknowns=[v], start={v: 1.1},
                  parameters=dict.fromkeys((b, d, size), ("", "positive")),
                  equations=[(v - 1) ** 2 - d - ak.E(size * peak + smooth, (y, w))])
    at = {"b": 3e6, "d": 4e-8, "size": 11.88}
    with pytest.raises(ak.ConvergenceError, match="the averages did not reach the accuracy"):
        t.solve(**at)                                               # 1.00115314449996, and 1.00127661
    assert not t.sweep(**at | {"d": [4e-8, 4.1e-8]}).converged.any()
    t.generate(tmp_path / "fold_of_a_peak.py")
    module = runpy.run_path(str(tmp_path / "fold_of_a_peak.py"))
    with pytest.raises(ValueError, match="no solution"):
        module["solve"](**at)
    wide = t.solve(b=3.0, d=4e-8, size=1e-3)
    assert module["solve"](b=3.0, d=4e-8, size=1e-3)["v"] == pytest.approx(wide["v"], rel=1e-12)
    wide = t.solve(b=3.0, d=4e-8, size=1e-3)
    assert wide["v"] == pytest.approx(t.sweep(b=[3.0], d=4e-8, size=1e-3)["v"][0], rel=1e-9)


#: bumps of a line, in sympy and in mpmath
BUMPS = {
    "cosh": (lambda u: 1 / cosh(u), mpmath.sech),
    "square": (lambda u: cosh(u) ** -2, lambda u: mpmath.sech(u) ** 2),
    "logistic": (lambda u: exp(-u) / (1 + exp(-u)) ** 2, lambda u: mpmath.sech(u / 2) ** 2 / 4),
    "normal": (lambda u: exp(ak.LogPhi(u)) - exp(ak.LogPhi(u - 2)), lambda u: mpmath.ncdf(u) - mpmath.ncdf(u - 2)),
    "steps": (lambda u: tanh(u) - tanh(u - 2), lambda u: mpmath.tanh(u) - mpmath.tanh(u - 2)),
    "errors": (lambda u: erf(u) - erf(u - 2), lambda u: mpmath.erf(u) - mpmath.erf(u - 2)),
    "tails": (lambda u: exp(ak.LogPhi(u) + ak.LogPhi(-u)), lambda u: mpmath.ncdf(u) * mpmath.ncdf(-u)),
    "gauss": (lambda u: exp(-(u**2)), lambda u: mpmath.exp(-u * u))}


def check_steep_bump(name, slope, place, scale, backends):
    """Compare x = 1 + .3 k E f(k s w - c), s = 1 or the unknown, and the mean itself, with mpmath."""
    own, exact = BUMPS[name]
    scale = max(scale, name == "logistic")          # sympy takes exp(10**6) out of exp(10**6 - 10**6 w)
    line = sympify(slope) * (w - place) if scale == 0 else slope * w * x ** (scale - 1) - c
    mean = ak.E(own(line), w)
    t = ak.Theory(name="steep", unknowns={x: "positive"}, parameters={c: ("place", "real")}, observables={"o": mean},
                  equations=[x - 1 - Rational(3, 10) * sympify(slope) * mean])
    c0, space = slope * place, {}

    def value(factor):
        k, at = slope * factor, -mpmath.mpf(float(line.coeff(w, 0))) if scale == 0 else mpmath.mpf(c0)
        ends = [*range(-80, -5, 15), *range(-5, 8), *range(8, 90, 15)]
        return mpmath.quad(lambda u: exact(u) * mpmath.npdf((u + at) / k), ends) / k

    def solved(factor):
        return 1 + mpmath.mpf(3) / 10 * slope * value(factor)

    with mpmath.workdps(30):
        root = mpmath.findroot(lambda v: v - solved(v), (1, 1.01), tol=1e-50) if scale == 2 else solved(1)
        right = {"x": float(root), "o": float(value(root if scale == 2 else 1))}
    found = []
    try:
        solution = t.solve(c=c0)
        found.append((solution, solution.condition, str(solution.status), 2e-12))
    except ak.ConvergenceError as refused:
        assert "rtol" in str(refused)
    for backend in backends:
        swept = t.sweep(c=[c0, 1.01 * c0], backend=backend)
        found.append(({n: swept[n][0] for n in right}, {}, swept.status[0].name.lower(), 1e-10))
    exec(compile(t.source(), "module", "exec"), space)
    many = space["solve_many"](c=np.array([c0]))
    found.append(({n: many[n][0] for n in right}, {}, many["status"][0], 1e-11))
    for values, condition, status, promised in found:
        for n, true in right.items():
            allowed = promised if status == "converged" else 1e-6
            if condition:
                allowed = min(allowed, 2e-12 + 2.0**-50 * condition[n])
            assert np.isnan(values[n]) or abs(values[n] - true) <= allowed * abs(true), (n, status)
    return found


@pytest.mark.parametrize("name", slow_these(BUMPS, "square", "logistic", "normal", "errors", "tails", "gauss"))
def test_digits_that_steep_lines_lose_are_counted(name):
    """E 1/cosh(10**6 (w - 1)) was 3e-11 off, "converged" with condition 1."""
    (solution, condition, *_), (_, _, status, _), (*_, exported, _) = check_steep_bump(name, 1e6, 1.0, 0, ["numpy"])
    assert solution.status.name == "LIMITED" and condition["o"] > 1e5 and status == exported == "limited"
    wide = check_steep_bump(name, 10.0, 0.3, 0, [])
    assert wide[0][0].status.name == "CONVERGED" and wide[-1][2] == "converged"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
def test_digits_that_steep_lines_lose_are_counted_everywhere(seed):
    numbers = random.Random(seed)
    name, slope, place = numbers.choice([*BUMPS]), 10 ** numbers.uniform(2, 7), numbers.uniform(-2.5, 2.5)
    check_steep_bump(name, slope, place, numbers.choice([0, 1, 2]), ["numpy", "numba"])
