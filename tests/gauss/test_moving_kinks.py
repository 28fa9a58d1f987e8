"""Averages whose kinks move: equal to those whose kinks stand still, and usable in theories."""

import math

import mpmath
import numpy as np
import pytest
import sympy as sp
from helpers.tiers import slow_but
from scipy.integrate import quad
from scipy.stats import norm
from sympy import Abs, Heaviside, Max, Min, Piecewise, Rational, cos, erf, exp, lambdify, log, sign, sin, sqrt, tanh

import asympkit as ak
from asympkit.gauss.moving_kinks import with_fixed_kinks
from asympkit.nodes import Average
from asympkit.numbers.functions import entry

x, y, z = sp.symbols("x y z", real=True)
a = sp.Symbol("a", positive=True)

CASES = [
    (sign(z - x) * cos(z), lambda c, d: [c]), (Heaviside(x - z / 2) * tanh(z), lambda c, d: [2 * c]),
    (Max(0, x + z) * tanh(z), lambda c, d: [-c]), (Abs(a * z - x) * cos(z * x), lambda c, d: [c / 0.7]),
    (Max(-1, Min(1, x + z)) * sin(z), lambda c, d: [-1 - c, 1 - c]),
    (sign(z - x) * sign(z + y) * exp(z / 3), lambda c, d: [c, -d]),
    (Piecewise((z, z < x), (z**2, z < x + 1), (tanh(z), True)), lambda c, d: [c, c + 1]),
    (Piecewise((z, (z > x) & (z < 2)), (sin(z), True)), lambda c, d: [c, 2]),
    (tanh(Max(z - x, 2 * z + y, Rational(1, 3))), lambda c, d: [-c - d, c + 1 / 3, 1 / 6 - d / 2]),
]


def mean(f, edges):
    """By mpmath, with the kinks known."""
    g = sp.lambdify(z, f, ["mpmath", {"Heaviside": lambda v, at=0.5: mpmath.mpf(1) if v > 0 else mpmath.mpf(0)}])
    cuts = sorted({-14.0, *np.arange(-9.0, 9.1, 3.0), *edges, 14.0})
    return float(mpmath.quad(lambda v: g(v) * mpmath.npdf(v), cuts))


@pytest.mark.parametrize(("f", "edges"), CASES, ids=[str(f) for f, _ in CASES])
@pytest.mark.parametrize("at", slow_but([(0.4, 1.1), (-3.2, 0.2)], 0, single=True), ids=str)
def test_values(f, edges, at):
    c, d = at
    point = {x: sp.Float(c), y: sp.Float(d), a: sp.Float(0.7)}
    still = with_fixed_kinks(ak.E(f, z))
    total = 0.0
    for term in sp.Add.make_args(still):
        if not term.has(Average):
            total += float(term)
            continue
        (average,) = term.atoms(Average)
        (w,) = average.bound_symbols
        fixed = [-float(h.args[0].subs(w, 0)) for h in average.integrand.atoms(Heaviside)]
        value = mean(average.integrand.xreplace(point).xreplace({w: z}), fixed)
        total += float((term / average).xreplace(point)) * value
    assert total == pytest.approx(mean(f.xreplace(point), edges(c, d)), rel=1e-11, abs=1e-12)


def test_real_slopes_have_digits():
    """What cancels where the equation holds had no size: "no solution with 20 digits"."""
    t = ak.Theory(name="slope", parameters={y: ("place", "real")}, unknowns=[x],
                  equations=[x - 1 - ak.E(z * Max(x * z - y, 0), z) / 3])
    for place in (0.0, -1.7, 30.0):
        assert float(t.precise(y=place, digits=20)["x"]) == pytest.approx(t.solve(y=place)["x"], rel=1e-13)


@pytest.mark.slow
def test_sensitivity_of_averages_over_two_kinks():
    """The nodes of products of rules are placed at kinks alone; it was a raw TypeError."""
    t = ak.Theory(name="two", parameters={y: ("place", "real")}, unknowns=[x],
                  equations=[x - 1 - ak.E(Max(x * z - y, 1 - z) / (1 + z**2), z) / 3])
    at, step = 0.3, 1e-4
    there, here = (t.solve(y=at + s)["x"] for s in (step, -step))
    assert t.sensitivity("x", "y", y=at) == pytest.approx((there - here) / (2 * step), rel=1e-6)


@pytest.mark.slow
def test_solutions_and_their_slopes():
    jump, corner = sign(z - x) * cos(z), Max(0, x + z) * tanh(z)
    t = ak.Theory(name="moving", parameters={a: ("", "positive")}, unknowns=[x],
                  equations=[x - a - ak.E(jump, z) / 4 - ak.E(corner, z) / 8])
    s = t.solve(a=0.3)
    root = s["x"]
    residual = root - 0.3 - mean(jump.subs(x, root), [root]) / 4 - mean(corner.subs(x, root), [-root]) / 8
    assert abs(residual) < 1e-13
    exact = t.precise(digits=15, a="0.3")["x"]
    assert float(exact) == pytest.approx(root, rel=1e-13)
    slope = t.sensitivity("x", "a", a=0.3)
    assert slope == pytest.approx((t.solve(a=0.3 + 1e-5)["x"] - t.solve(a=0.3 - 1e-5)["x"]) / 2e-5, rel=1e-7)
    pytest.importorskip("flint")
    assert abs(t.certify(digits=15, floats="decimal", a=0.3)["x"].mid - exact) < 1e-14


def test_far_away():
    t = ak.Theory(name="far", parameters={a: ("", "positive")}, unknowns=[x],
                  equations=[x - a - ak.E(Max(0, z - x) * tanh(z), z)])
    for at in (3, 6, 10):
        root = t.solve(a=at)["x"]
        tail = mpmath.quad(lambda v, r=root: (v - r) * mpmath.tanh(v) * mpmath.npdf(v), [root, root + 1, root + 6])
        assert root - at == pytest.approx(float(tail), abs=1e-14 * at)


def test_places_that_are_not_affine_are_left():
    assert with_fixed_kinks(ak.E(sign(x + z**3) * z, z)) is None
    assert with_fixed_kinks(ak.E(sign(x * z + 1) * sign(y * z + 1) * tanh(z), z)) is None       # two unknown slopes


#: kinks on h + s*z with a slope of unknown sign, and their place
LOOSE = {"abs": Abs(y + x * z) * tanh(z / 2 + 1), "max": Max(0, y + x * z) ** 2, "sign": sign(y + x * z) * tanh(z + 1),
         "step": Heaviside(y + x * z) * cos(z + y), "cases": Piecewise((tanh(z + 1), x * z < -y), (z, True)),
         "two": Abs(y + x * z) + Abs(1 + x * y * z), "loss": ak.Moreau("absolute", y, x * z, Rational(1, 4))}


@pytest.mark.parametrize("name", slow_but(tuple(LOOSE), "two"))
def test_slopes_of_unknown_sign(name):
    """Parameters and unknowns as slopes keep their digits, whichever sign they have."""
    m, h, s = sp.symbols("m h s", real=True)
    for slope, places in ((s, {s: 0.7}), (m, {}), (s - m, {s: 0.9})):
        t = ak.Theory(name="loose", parameters={h: ("", "real"), s: ("", "real")}, unknowns=[m], start={m: 0.3},
                      equations=[m - h - ak.E(LOOSE[name].xreplace({x: slope, y: h}), z) / 9])
        for side in (1, -1):
            at = {"h": 0.4 * side, "s": side * places.get(s, 0.5)}
            root = t.solve(**at)["m"]
            number = float(slope.xreplace({s: at["s"], m: root}))
            f = sp.lambdify(z, LOOSE[name].xreplace({x: number, y: sp.Float(at["h"])}), "mpmath")
            kinks = [-at["h"] / number, -1 / (number * at["h"]), -(at["h"] + 0.25) / number, -(at["h"] - 0.25) / number,
                     (at["h"] + 0.25) / number, (at["h"] - 0.25) / number]
            edges = sorted({-12, -3, 0, 3, 12, *(k for k in kinks if abs(k) < 12)})
            exact = mpmath.quad(lambda v, f=f: f(v) * mpmath.npdf(v), edges)
            assert root - at["h"] == pytest.approx(float(exact) / 9, abs=2e-14)
    assert not ak.E(Abs(y + x * z), z).doit().has(Average)


#: functions of h + a*z that switch more than once, their kinks, and where they are steep
TWICE = {"clip": (lambda u: sp.Max(-1, sp.Min(1, u)), (-1, 1)), "relu6": (lambda u: sp.Min(6, Max(0, u)), (0, 6)),
         "hat": (lambda u: Abs(Abs(u) - 1), (-1, 0, 1)), "tanh": (lambda u: tanh(sp.Min(1, Max(-1, u))), (-1, 1)),
         "laplace": (lambda u: sp.exp(-Abs(u)), (0,))}


@pytest.mark.parametrize("name", slow_but(tuple(TWICE), "clip"))
def test_functions_that_switch_twice_keep_their_digits(name):
    """Clip with a slope of unknown sign was refused, exp(-abs(w - h)/A)/A for A < .03 too."""
    h, s = sp.symbols("h s", real=True)
    function, kinks = TWICE[name]
    t = ak.Theory(name="twice", parameters={h: ("", "real"), s: ("", "real")}, unknowns=[x],
                  equations=[x - ak.E(function(h + s * z), z)])
    number = sp.lambdify(z, function(z), "mpmath")
    for slope in (1, -0.7, 0, 1e-20, -1e-9, 1e-3, 50, -1e5):
        for place in (0.3, 1.0, -1.2):
            at = [(k - place) / slope for k in kinks] if slope else []
            edges = sorted({-12, 0, 12, *(k + d for k in at for d in (-9 / slope, 0, 9 / slope) if abs(k + d) < 12)})
            with mpmath.workdps(30):
                right = mpmath.quad(lambda v, a=slope, h=place: number(h + a * v) * mpmath.npdf(v), edges)
            right = float(right) if slope else float(number(place))
            assert t.solve(s=slope, h=place)["x"] == pytest.approx(right, rel=1e-12, abs=1e-16 + 4e-16 * abs(slope))
            assert float(t.precise(s=slope, h=place, digits=15)["x"]) == pytest.approx(right, rel=1e-13, abs=1e-16)


@pytest.mark.parametrize(("function", "value"), [
    (lambda u: Abs(u), abs), (lambda u: Abs(u) ** 3 * sp.exp(-Abs(u)), lambda h: abs(h) ** 3 * math.exp(-abs(h))),
    (lambda u: Heaviside(u) * sp.exp(z / 2), lambda h: (h > 0) * math.exp(0.125)),
    (lambda u: sp.Piecewise((u**2, u > 0), (u, True)), lambda h: h * h if h > 0 else h)])
def test_slopes_that_vanish(function, value):
    """Zero is a slope like others: the sweep said -1/2 for E[abs(1/2 + 0*z)]."""
    h, s = sp.symbols("h s", real=True)
    t = ak.Theory(name="flat", parameters={h: ("", "real"), s: ("", "real")}, unknowns=[x],
                  equations=[x - ak.E(function(h + s * z), z)])
    for at in (0.5, -0.3):
        assert t.solve(s=0.0, h=at)["x"] == pytest.approx(value(at), rel=1e-14)
        assert t.sweep(s=[-1e-9, 0.0, 1e-9], h=at)["x"] == pytest.approx([value(at)] * 3, rel=1e-8)
        assert float(t.precise(s=0, h=at, digits=20)["x"]) == pytest.approx(value(at), rel=1e-15)


@pytest.mark.parametrize("function", slow_but([
    lambda u: sp.log(1 + Abs(u)), lambda u: sp.sqrt(1 + Abs(u)), lambda u: 1 / (1 + Abs(u)),
    lambda u: tanh(Abs(u)) * cos(u)], 1))
def test_sides_that_have_no_value_beyond_the_kink(function):
    """Each side has its own formula; slopes may be small, where all mass lies far from the kink."""
    h, s = sp.symbols("h s", real=True)
    t = ak.Theory(name="sides", parameters={h: ("", "real"), s: ("", "real")}, unknowns=[x],
                  equations=[x - ak.E(function(h + s * z), z)])
    number = sp.lambdify(z, function(z), "mpmath")
    for at in (1.0, -0.7, 1e-6, 1e-20, 0.0):
        edges = sorted({-12, 12, *([-0.3 / at] if abs(at) > 0.1 else [0])})
        right = float(mpmath.quad(lambda v, at=at: number(0.3 + at * v) * mpmath.npdf(v), edges))
        assert t.solve(s=at, h=0.3)["x"] == pytest.approx(right, rel=1e-12)
        assert float(t.precise(s=at, h=0.3, digits=15)["x"]) == pytest.approx(right, rel=1e-13)


def test_closed_forms_with_pairs_of_normals_in_a_theory():
    """What doit() returns may hold Owen's T and the bivariate normal distribution function."""
    average = ak.E(Heaviside(z - x) * sp.erf(z / 2 + x), z)
    assert average.doit().atoms(*(entry(name).sympy_class for name in ("OwenT", "BivariateNormalCDF")))
    t = ak.Theory(name="pairs", parameters={a: ("", "positive")}, unknowns=[x], equations=[x - a - average / 4])
    root = t.solve(a=0.3)["x"]
    right = mpmath.quad(lambda v: mpmath.erf(v / 2 + root) * mpmath.npdf(v), [root, 3, 7, 14])
    assert abs(root - 0.3 - float(right) / 4) < 1e-13
    exact = t.precise(digits=15, a="0.3")["x"]
    assert float(exact) == pytest.approx(root, rel=1e-14)
    pytest.importorskip("flint")
    assert abs(t.certify(digits=12, floats="decimal", a=0.3)["x"].mid - exact) < 1e-14


@pytest.mark.parametrize("integrand", [
    sqrt(Abs(z + x) + 1) - Max(0, z / 12 + x), Abs(z + x) ** Rational(5, 2) * Max(0, z - 1),
    sqrt(Abs(z - x) + 1) * erf(Abs(z - 1)), log(1 + Abs(z - x)) * Min(1, Max(-1, z + 2 * x))])
def test_formulas_without_values_on_other_sides(integrand):
    """Where the order of two kinks depends on an unknown, formulas were evaluated where they are no numbers."""
    h = sp.Symbol("h", real=True)
    own = ak.Theory(name="sides", unknowns=[x], parameters={h: ("field", "real")},
                    equations=[x - h - ak.E(integrand, z) / 4])
    found = own.solve(h=0.7)["x"]
    ends = sorted({-12.0, 12.0, -found, found, 1.0, -12 * found, -1 - 2 * found, 1 - 2 * found})
    value = lambdify(z, integrand.xreplace({x: found}), ["scipy", "numpy"])
    right = sum(quad(lambda t: value(t) * norm.pdf(t), *two, epsabs=1e-13)[0] for two in zip(ends, ends[1:]))
    assert found == pytest.approx(0.7 + right / 4, rel=1e-12)


def test_locals_of_several_loops():
    h = sp.Symbol("h", real=True)
    own = ak.Theory(name="loops", unknowns=[x], parameters={h: ("field", "real")}, equations=[
        x - h - ak.E(tanh(h - x - 2 * z) / (1 + log(1 + Max(0, z - h)) ** 2), z)])
    found = own.solve(h=0.7)["x"]
    right = sum(quad(lambda t: np.tanh(0.7 - found - 2 * t) / (1 + np.log1p(max(0, t - 0.7)) ** 2) * norm.pdf(t), *two,
                     epsabs=1e-13)[0] for two in ((-12, 0.7), (0.7, 12)))
    assert found == pytest.approx(0.7 + right, rel=1e-12)
