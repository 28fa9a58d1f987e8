"""Narrow features whose places and widths follow from unknowns: every route agrees, or refuses."""

import random
from functools import cache

import mpmath
import numpy as np
import pytest
from helpers.modules import loaded
from helpers.tiers import slow_but, slow_these
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import polygamma as polygamma_of_order
from scipy.stats import norm
from sympy import lambdify, tanh
from sympy.core import Rational, symbols
from sympy.functions import Abs, Heaviside, Max, Piecewise, atan, cos, cosh, erf, erfc, exp, log, polygamma, sin, sqrt

import asympkit as ak

pytest.importorskip("flint")

x = symbols("x", positive=True)
a, c, u, w = symbols("a c u w", real=True)
d, r = symbols("d r", positive=True)

#: integrands of w, by name; d is their width, c their place, x the unknown
INTEGRANDS = {
    "bump": exp(-(((w - c * x) / d) ** 2) / 2),
    "step": tanh((w * x - c) / d),
    "peak": 1 / (1 + ((w - c) / (d * x)) ** 2),
    "fermi": 1 / (1 + 3 * exp((w**2 - c**2 * x) / d)),
    "soft plus": d * log(1 + exp(-(w - c * x) / d)),
    "erf": erf((w - c * x) / d),
    "smooth kink": sqrt((w - c * x) ** 2 + d**2 * x**2),
    "atan": atan((w - c * x) / d),
    "sech": 1 / cosh((w - c * x) / (d * x)) ** 2,
    "sparse": w**2 / (1 + (1 - r) / (r * d) * exp(-(w**2) / (2 * d**2 * x))) ** 2,
    "product": exp(-(((w - c * x) / d) ** 2) / 2) * tanh((w - 1) / d),
    "nested": tanh(3 * exp(-(((w - c * x) / d) ** 2))),
    "mixture": exp(-((w - c * x) ** 2) / (2 * d)) / (exp(-((w - c * x) ** 2) / (2 * d))
                                                    + 2 * exp(-((w + c) ** 2) / (2 * d))),
    "power": 2 ** (-(((w - c * x) / d) ** 2)),
    "second function of a family": polygamma(1, 1 + ((w - c * x) / d) ** 2),
    "log of a mixture": log(exp(-((w - c * x) ** 2) / (2 * d)) + 2 * exp(-(w**2) / 2)),
    "step on a peak": tanh(w / d) / (1 + ((w - c) / (d * x)) ** 2),
}


@cache
def theory(name):
    """Return x = 1 + a E[integrand]."""
    return ak.Theory(name=name, unknowns=[x], equations=[x - 1 - a * ak.E(INTEGRANDS[name], w)],
                     parameters={a: ("size", "real"), c: ("place", "real"), d: ("width", "positive"),
                                 r: ("share", (0, 1))})


def draw(seed, count):
    """Draw names of integrands and parameters, widths from 1e-1 to 1e-6."""
    numbers = random.Random(seed)
    for _ in range(count):
        yield numbers.choice([*INTEGRANDS]), {
            "a": round(numbers.uniform(-0.5, 0.5), 3), "c": round(numbers.uniform(-2.5, 2.5), 3),
            "d": float(f"{10 ** numbers.uniform(-6, -1):.2e}"), "r": round(numbers.uniform(0.1, 0.9), 2)}


def exported(own, folder):
    path = folder / f"module_{len(list(folder.iterdir()))}.py"
    own.generate(path)
    return loaded(path)


def agree_or_refuse(name, at, backend="numpy"):
    """Compare solve and a sweep with multiprecision values; return how many of the two gave a number."""
    own, found = theory(name), 0
    try:
        right = float(own.precise(digits=15, **at)["x"])
    except ak.ConvergenceError:
        right = None
    try:
        number = own.solve(**at)["x"]
        found += 1
        assert right is None or number == pytest.approx(right, rel=1e-11), (name, at)
    except ak.ConvergenceError as refused:
        assert "precise()" in str(refused), (name, at)
    swept = own.sweep(**{**at, "a": np.array([0.9, 1.0]) * at["a"]}, backend=backend)
    if swept.converged[1]:
        found += 1
        assert right is None or swept["x"][1] == pytest.approx(right, rel=1e-9), (name, at)
    return found


@pytest.mark.parametrize("name", slow_these(INTEGRANDS, "mixture", "power", "second function of a family"))
def test_routes_agree_at_narrow_features(name):
    at = {"a": 0.31, "c": 1.2345, "d": 2.1e-5, "r": 0.3}
    assert agree_or_refuse(name, at) == 2


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_routes_agree_at_many_narrow_features(seed):
    found = [agree_or_refuse(*drawn) for drawn in draw(seed, 50)]
    assert sum(found) >= 95


@pytest.mark.slow
def test_narrow_features_are_proved():
    proved = 0
    for name, at in draw(100, 50):
        try:
            ball = theory(name).certify(digits=12, floats="decimal", **at)["x"]
        except ak.ProofError:
            continue
        proved += 1
        assert abs(theory(name).solve(**at)["x"] - float(ball.mid)) <= 1e-11 + float(ball.rad), (name, at)
    assert proved >= 10


@pytest.mark.slow
def test_exported_modules_meet_narrow_features(tmp_path):
    points = list(draw(200, 20))
    modules = {name: exported(theory(name), tmp_path) for name, _ in points}
    found = 0
    for name, at in points:
        try:
            number = modules[name].solve(**at)["x"]
        except ValueError as refused:
            assert "no solution" in str(refused)
            continue
        found += 1
        assert number == pytest.approx(float(theory(name).precise(digits=15, **at)["x"]), rel=1e-9), (name, at)
    assert found >= 15


@pytest.mark.parametrize(("integrand", "right"), [
    (2 ** (-((w - c) / d) ** 2), 0.001 * np.sqrt(np.pi / np.log(2)) * norm.pdf(1.2)),
    (polygamma(3, 1 + ((w - c) / d) ** 2), 0.001 * quad(lambda u: polygamma_of_order(3, 1 + u**2), -np.inf, np.inf)[0]
     * norm.pdf(1.2))])
def test_powers_and_families_of_functions_are_searched(integrand, right):
    """Kernels with a variable in an exponent, or an order before an argument, were no Python."""
    own = ak.Theory(name="family", unknowns=[x], equations=[x - 1 - ak.E(integrand, w)],
                    parameters={c: ("place", "real"), d: ("width", "positive")})
    assert own.solve(c=1.2, d=1e-3)["x"] - 1 == pytest.approx(right, rel=2e-6)      # to order d**2


@pytest.mark.parametrize(("integrand", "mass", "level", "rate", "phase"), [
    (exp(-(10**8) * (cos(3 * w) - Rational(1, 2)) ** 2), np.sqrt(np.pi / 1e8), 0.5, 3, 0),
    (1 - erf(3000 * cos(4 * w + 1)) ** 2, np.sqrt(8 / np.pi) / 3000, 0, 4, 1)])
def test_many_narrow_features(integrand, mass, level, rate, phase):
    """More than 24 were taken for an oscillation that no rule misses: an average of 0, converged."""
    centres = [(sign * np.arccos(level) + 2 * np.pi * k - phase) / rate for k in range(-9, 10) for sign in (-1, 1)]
    right = mass * norm.pdf(centres).sum() / (rate * np.sqrt(1 - level**2))
    own = ak.Theory(name="many", unknowns=[x], equations=[x - c - ak.E(integrand, w)],
                    parameters={c: ("place", "positive")})
    assert own.solve(c=1.0)["x"] - 1 == pytest.approx(right, rel=1e-5)      # to the square of the width
    assert own.sweep(c=[1.0, 1.1])["x"] - [1, 1.1] == pytest.approx(right, rel=1e-5)


def test_two_kinks_between_neighbours_of_the_scan():
    own = ak.Theory(name="two", unknowns=[x], equations=[x - c - ak.E(Heaviside(sin(w) - 1 + d), w)],
                    parameters={c: ("place", "positive"), d: ("depth", "positive")})
    right = 2 * np.arccos(1 - 1e-6) * (norm.pdf(np.pi / 2) + norm.pdf(-1.5 * np.pi) + norm.pdf(2.5 * np.pi))
    assert own.solve(c=1.0, d=1e-6)["x"] - 1 == pytest.approx(right, rel=1e-6)
    assert own.sweep(c=[1.0, 1.1], d=1e-6)["x"][0] - 1 == pytest.approx(right, rel=1e-6)


@pytest.mark.parametrize("power", [12, 100, 10**7])
def test_high_powers_are_as_narrow_as_exponentials(power):
    """x - 1 was 0 for 1.2e-4 at the power 10**7, after gigabytes of expanded terms."""
    own = ak.Theory(name="student", unknowns=[x], equations=[x - 1 - ak.E((1 + (w - c) ** 2) ** -power, w)],
                    parameters={c: ("place", "real")})
    width = power**-0.5
    right = quad(lambda u: width * np.exp(-power * np.log1p((u * width) ** 2)) * norm.pdf(1.1 + u * width), -30, 30,
                 epsabs=1e-15)[0]
    assert own.solve(c=1.1)["x"] - 1 == pytest.approx(right, rel=1e-12 + 2e-16 * power, abs=1e-15)


def test_numbers_beyond_double_precision_are_named():
    own = ak.Theory(name="big", unknowns=[x], equations=[x - c - ak.E((1 + 10**4 * (w - 1) ** 2) ** -(10**5), w)],
                    parameters={c: ("place", "real")})
    huge = ak.Theory(name="huge", unknowns=[x], equations=[x - c - 10**400 * ak.E(tanh(w + c), w)],
                     parameters={c: ("place", "real")})
    with pytest.raises(ak.StructureError, match="the number 1.00000E.400 is beyond double precision; choose units"):
        huge.solve(c=1.0)
    assert own.solve(c=1.0)["x"] - 1 == pytest.approx(0.01 * np.sqrt(np.pi / 1e5) * norm.pdf(1.0), rel=1e-4)


def test_sizes_of_terms_do_not_decide_the_rule():
    """Panels for the kink of a size, Abs(w), took a smooth integrand at 374 nodes to what 161 give."""
    own = ak.Theory(name="smooth", unknowns=[x], parameters={c: ("field", "positive")},
                    equations=[x - ak.E(tanh(c + x * w) ** 2, w)])
    assert own.solve(c=1.0).nodes < 200
    assert own.solve(c=1.0)["x"] == pytest.approx(float(own.precise(c="1", digits=20)["x"]), rel=1e-14)


FLAT = {"fourth power": exp(-u**4), "cube": exp(-abs(u) ** 3), "rational": 1 / (1 + u**4), "kinked": (1 + abs(u)) ** -4}


@pytest.mark.parametrize("name", FLAT)
def test_arguments_that_are_flat_where_they_turn(name):
    """Curvature does not tell the width of exp(-u**4): x was 1 where E[exp(-((w - 1)/d)**4)]/d is .4386."""
    own = ak.Theory(name=name, unknowns=[x], parameters={d: ("width", "positive")},
                    equations=[x - 1 - ak.E(FLAT[name].xreplace({u: (w - 1) / d}), w) / d])
    shape = lambdify(u, FLAT[name], "numpy")
    for width in (0.01, 1e-4):
        ends = np.array([-12 / width, -1e3, -30, -5, 0, 5, 30, 1e3, 12 / width])
        ends.sort()
        integrals = [quad(lambda s, width=width: shape(s) * norm.pdf(1 + width * s), *two, epsabs=1e-14, limit=200)[0]
                     for two in zip(ends, ends[1:])]
        right = 1 + sum(integrals)
        assert own.solve(d=width)["x"] == pytest.approx(right, rel=2e-12)
        assert own.sweep(d=[width, 1.01 * width])["x"][0] == pytest.approx(right, rel=2e-10)
    assert float(own.precise(d="0.0001", digits=15)["x"]) == pytest.approx(right, rel=1e-12)


def test_features_that_averages_place(tmp_path):
    own = ak.Theory(name="placed", unknowns=[x], parameters={d: ("width", "positive")}, equations=[
        x - 1 - ak.E(exp(-(w - ak.E(tanh(x * c + 1), c)) ** 2 / d**2), w) / d])
    assert own.solve(d=1e-3)["x"] == pytest.approx(1.65094261147, rel=1e-10)
    assert own.sweep(d=[1e-3, 2e-3])["x"][0] == pytest.approx(1.65094261147, rel=1e-10)
    assert float(own.precise(d="0.001", digits=12)["x"]) == pytest.approx(1.65094261147, rel=1e-10)
    assert exported(own, tmp_path).solve(1e-3)["x"] == pytest.approx(1.65094261147, rel=1e-10)


@pytest.mark.parametrize("is_whole", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_features_that_averages_of_the_variable_place(is_whole, tmp_path):
    """x was 1 for E_w[exp(-((E_c tanh(c + w x) - .3)/d)**2)]/d at d = .001."""
    own = ak.Theory(name="moving", unknowns=[x], parameters={d: ("width", "positive")}, equations=[
        x - 1 - ak.E(exp(-(ak.E(tanh(c + w * x), c) - 0.3) ** 2 / d**2), w) / d])
    nodes, weights = np.polynomial.hermite_e.hermegauss(100)

    def centre(at):
        return weights @ np.tanh(nodes + at) / weights.sum() - 0.3

    place = brentq(centre, 0, 4)        # of w x; of a narrow feature its mass counts, to order d**2
    rate = weights @ np.cosh(nodes + place) ** -2 / weights.sum()
    right = brentq(lambda at: at - 1 - np.sqrt(np.pi) * norm.pdf(place / at) / (rate * at), 1.2, 3)
    found = own.solve(d=1e-3)["x"]
    assert found == pytest.approx(right, rel=2e-7)
    if is_whole:
        assert own.sweep(d=[1e-3, 2e-3])["x"][0] == pytest.approx(found, rel=2e-10)
        assert float(own.precise(d="0.001", digits=12)["x"]) == pytest.approx(found, rel=1e-11)
        assert exported(own, tmp_path).solve(1e-3)["x"] == pytest.approx(found, rel=1e-11)


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_features_between_the_ends_and_the_middle_of_an_axis(backend):
    """x was 1.606529 for 1.60652888 at c = 1.06, and 1 near c = 1.3, where the width is .001."""
    width = (c - 1.3) ** 2 + 0.001
    own = ak.Theory(name="axis", unknowns=[x], parameters={c: ("place", "real")}, equations=[
        x - 1 - ak.E(exp(-((w - 1) / width) ** 2 / 2) / width, w)])
    places = np.linspace(0, 2, 101)
    spread = 1 + ((places - 1.3) ** 2 + 0.001) ** 2
    swept = own.sweep(c=places, backend=backend)
    assert swept.converged.all()
    assert swept["x"] == pytest.approx(1 + np.exp(-0.5 / spread) / np.sqrt(spread), rel=1e-10)


def test_products_of_rules_that_would_step_over_a_feature():
    square = ((w - 1) ** 2 + (c + 1) ** 2) / d**2
    closed, own = (ak.Theory(name="product", unknowns=[x], parameters={d: ("width", "positive")}, equations=[
        x - 1 - x * ak.E(bump, (w, c)) / d]) for bump in (exp(-square), 1 / (1 + square) ** 3))
    mean = 1e-6 / (1e-6 + 2) * np.exp(-2 / (1e-6 + 2))
    assert closed.solve(d=1e-3)["x"] == pytest.approx(1 / (1 - mean / 1e-3), rel=1e-13)
    for solve in (own.solve, own.precise):
        with pytest.raises(ak.ConvergenceError, match="the averages? "):
            solve(d=1e-3)


h, e = symbols("h e", real=True)
_t = (w - h) / e
#: switches at a place that parameters move, beside features: 0, or a part of it, was missed by every rule
SWITCHED = {
    "jump on a bump": (Heaviside(w - h) * exp(-(_t**2)) * sqrt(1 + w**2), 1e-4, 1.0),
    "log of a jump": (log(1 + Heaviside(w - h) * exp(-(_t**2))), 1e-4, 1.0),
    "tent": (Max(0, 1 - Abs(_t)) / (1 + Abs(w - h)), 0.05, 0.05),
    "window": (Abs(log(1 + exp(w - h)) - Piecewise((1, Abs(w - h) < e), (0, True))), 0.01, 0.3),
    "jump in a step": (sqrt(1 + erf(_t) ** 2) * Heaviside(w - h), 2e-5, 2.53),
    "far bump": (log(erfc(w / 0.93) ** 2 + 1 + exp(-2 * _t**2)), 0.05, -3.59),
    "bump between nodes": (log(erfc(w / 0.93) ** 2 + 1 + exp(-2 * _t**2)), 0.05, -3.55),
}


@pytest.mark.parametrize("name", SWITCHED)
def test_switches_beside_features(name):
    integrand, width, place = SWITCHED[name]
    at = {"e": width, "h": place}
    own = ak.Theory(name=name, unknowns={u: "real"}, equations=[u - ak.E(integrand, w)],
                    parameters={e: ("width", "real"), h: ("place", "real")})
    value = lambdify(w, integrand.subs({e: width, h: place}), ["scipy", "numpy"])
    # where |log(1 + exp(w - h)) - 1| vanishes, too
    ends = sorted({-12.0, 12.0, place + np.log(np.e - 1), place, *(place + side * width * 2.0**k for side in (-1, 1)
                                                                  for k in range(-3, 8))})
    right = sum(quad(lambda v: value(v) * norm.pdf(v), low, high, epsabs=1e-16, epsrel=1e-12)[0]
                for low, high in zip(ends, ends[1:]))
    assert own.solve(**at)["u"] == pytest.approx(right, rel=1e-11)
    for backend in ("numpy", "numba")[:1 + (name == "tent")]:
        swept = own.sweep(backend=backend, e=[width, 1.1 * width], h=place)
        assert swept.converged[0]
        assert swept["u"][0] == pytest.approx(right, rel=1e-9)


@pytest.mark.parametrize("place", slow_but([0, Rational(3, 10), symbols("moved", real=True)], 1, single=True), ids=str)
def test_integrands_that_are_singular_and_have_a_mean(place):
    """E log|z| was 7e-4 off at rtol=1e-4, sqrt|z| 3e-5 at 1e-4; E log|z - a| was refused as nan."""
    z, q = symbols("z q", real=True)
    values = [(log(Abs(z - place)), mpmath.log), (sqrt(Abs(z - place)), mpmath.sqrt)]
    at = mpmath.mpf(0) if place == 0 else mpmath.mpf(3) / 10
    for integrand, function in values:
        right = float(sum(mpmath.quad(lambda t, s=s, f=function: f(t) * mpmath.npdf(at + s * t), [0, 1e-9, 1e-3, 1, 12])
                          for s in (-1, 1)))
        t = ak.Theory(name="singular", parameters={symbols("moved", real=True): ("place", "real")}, unknowns=[q],
                      equations=[q - ak.E(integrand, z)])
        for rtol in (1e-3, 1e-12):
            assert t.solve(moved=0.3, rtol=rtol)["q"] == pytest.approx(right, rel=1e-13)
        assert t.sweep(moved=[0.3])["q"][0] == pytest.approx(right, rel=1e-12)
