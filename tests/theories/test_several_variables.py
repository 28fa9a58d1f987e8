"""Averages over several normals, and averages inside functions of averages, in every back end."""

import numpy as np
import pytest
from helpers.tiers import BACKENDS, slow_but
from scipy import optimize
from sympy import Abs, Heaviside, Max, Piecewise, cos, exp, log, sin, sqrt, symbols, tanh

import asympkit as ak
from asympkit.nodes import Applied

x, y, w = symbols("x y w", real=True)
V, J = symbols("V J", positive=True)
#: an independent rule: a finer lattice with another step
LINE = np.arange(-9.3, 9.31, 0.121)
WEIGHTS = np.exp(-LINE**2 / 2) / np.exp(-LINE**2 / 2).sum()


def plane(f, rho=0.0):
    """Mean over two normals of a correlation."""
    X, Y = np.meshgrid(LINE, LINE, indexing="ij")
    return WEIGHTS @ f(X, rho * X + np.sqrt(1 - rho**2) * Y) @ WEIGHTS


def nested(g, f):
    return WEIGHTS @ g(f(LINE[:, None], LINE) @ WEIGHTS)


CASES = {
    "pair": (ak.E(tanh(x + V * y) ** 2 * cos(y), (x, y)), lambda v: plane(lambda a, b: np.tanh(a + v * b) ** 2
                                                                          * np.cos(b))),
    "correlated": (ak.E(tanh(x) * tanh(V * y), (x, y), rho="1/3"),
                   lambda v: plane(lambda a, b: np.tanh(a) * np.tanh(v * b), 1 / 3)),
    "nested": (ak.E(tanh(ak.E(log(2 + cos(x + V * y)), y)), x),
               lambda v: nested(np.tanh, lambda a, b: np.log(2 + np.cos(a + v * b)))),
    "product of nested": (ak.E(ak.E(tanh(x + V * y), y) ** 2 * exp(-(x**2)), x),
                          lambda v: WEIGHTS @ ((np.tanh(LINE[:, None] + v * LINE) @ WEIGHTS) ** 2
                                               * np.exp(-(LINE**2)))),
}


def theory(names):
    """V = 1 + J (sum of averages at V) / 5, and each average as an observable."""
    total = sum(CASES[n][0] for n in names)
    return ak.Theory(name="several variables", parameters={J: ("", "positive")}, unknowns=[V],
                     equations=[V - 1 - J * total / 5], observables={f"o{k}": CASES[n][0] for k, n in enumerate(names)})


def root(names, j):
    return optimize.brentq(lambda v: v - 1 - j * sum(CASES[n][1](v) for n in names) / 5, 0.2, 5.0, xtol=1e-15)


@pytest.fixture(scope="module")
def every():
    return theory(tuple(CASES)), root(CASES, 0.7)


def test_double_precision(every):
    t, v = every
    found = t.solve(J=0.7)
    assert found["V"] == pytest.approx(v, rel=1e-13)
    for k, (_, value) in enumerate(CASES.values()):
        assert found[f"o{k}"] == pytest.approx(value(v), rel=1e-12)


@pytest.mark.parametrize("backend", BACKENDS)
def test_sweeps(every, backend):
    t, v = every
    found = t.sweep(J=np.array([0.7, 0.8]), backend=backend)
    assert found["V"][0] == pytest.approx(v, rel=1e-12)
    assert found["o2"][0] == pytest.approx(CASES["nested"][1](v), rel=1e-12)


def test_derivative(every):
    t, _ = every
    slope = (root(CASES, 0.701) - root(CASES, 0.699)) / 0.002
    assert t.sensitivity("V", "J", J=0.7) == pytest.approx(slope, rel=1e-6)


def test_printed(every):
    t, _ = every
    assert r"\mathbb{E}_{z,z_{2}}\left[" in t.equations().latex()
    assert "E_kappa[tanh(E_z[log(cos(" in t.equations().text()


@pytest.mark.parametrize(("name", "digits"), [
    ("nested", 5), *(pytest.param(n, 8, marks=pytest.mark.slow) for n in ("nested", "pair")),
    *(pytest.param(n, 14, marks=pytest.mark.slow) for n in CASES)])
def test_digits(name, digits):
    t = theory((name,))
    found = t.precise(digits=digits, J="0.7").V
    assert abs(float(found) - root((name,), 0.7)) < 2 * 10.0**-digits


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pair", "nested"])
def test_balls(name):
    """A certificate of a theory whose equation is a double average: it holds the solution of a finer lattice."""
    s = theory((name,)).certify(J="0.7", digits=6)
    assert abs(float(s["V"]) - root((name,), 0.7)) < 1e-13
    assert float(s["V"].rad) < 1e-8
    assert any("over boxes that hold" in h for h in s.certificate.hypotheses)


def test_kinks_on_an_axis():
    t = ak.Theory(name="kinks", parameters={J: ("", "positive")}, unknowns=[V],
                  equations=[V - 1 - J * ak.E(Abs(x - 1) * tanh(V * y + x) ** 2, (x, y)) / 5])
    v = t.solve(J=0.7).V
    a, wa = _panels()
    value = wa @ (np.abs(a[:, None] - 1) * np.tanh(v * LINE + a[:, None]) ** 2) @ WEIGHTS
    assert v == pytest.approx(1 + 0.7 * value / 5, rel=1e-12)


def _panels():
    z, u = np.polynomial.legendre.leggauss(60)
    edges = np.array([-9.5, -4, 1, 5, 9.5])
    half, middle = np.diff(edges) / 2, (edges[1:] + edges[:-1]) / 2
    a = (middle[:, None] + half[:, None] * z).ravel()
    return a, (half[:, None] * u).ravel() * np.exp(-a * a / 2) / np.sqrt(2 * np.pi)


def test_four_variables_and_three_levels_are_refused():
    names = symbols("a b c d", real=True)
    with pytest.raises(ak.StructureError, match="are 4 normal variables of one average; a solver takes at most 3"):
        ak.Theory(name="four", parameters={J: ("", "positive")}, unknowns=[V],
                  equations=[V - 1 - J * ak.E(tanh(V + names[0] * names[1] + names[2] * names[3]), names)]).solve(J=1)
    deep = ak.E(tanh(x + ak.E(tanh(y + ak.E(tanh(V * w * y + x), w) ** 2), y) ** 2), x)
    with pytest.raises(ak.StructureError, match="a solver takes one inside one"):
        ak.Theory(name="deep", parameters={J: ("", "positive")}, unknowns=[V], equations=[V - 1 - J * deep]).solve(J=1)


@pytest.mark.slow
def test_three_variables():
    t = ak.Theory(name="three", parameters={J: ("", "positive")}, unknowns=[V],
                  equations=[V - 1 - J * ak.E(tanh(x + V * y) ** 2 * cos(w * y) * sqrt(1 + w**2), (x, y, w)) / 5])
    v = t.solve(J=0.7).V
    a, b, c = np.meshgrid(*[np.arange(-9.0, 9.01, 0.25)] * 3, indexing="ij")
    p = np.exp(-(a**2 + b**2 + c**2) / 2)
    value = (p * np.tanh(a + v * b) ** 2 * np.cos(c * b) * np.sqrt(1 + c**2)).sum() / p.sum()
    assert v == pytest.approx(1 + 0.7 * value / 5, rel=1e-9)


def across(f, edge):
    """Mean over two normals of a function with a corner or a jump at ``b = edge(a)``."""
    z, u = np.polynomial.legendre.leggauss(80)
    total = 0.0
    for a, weight in zip(LINE, WEIGHTS):
        middle = min(max(edge(a), -9.5), 9.5)
        for low, high in ((-9.5, middle), (middle, 9.5)):
            b = (high + low) / 2 + (high - low) / 2 * z
            density = np.exp(-b * b / 2) / np.sqrt(2 * np.pi)
            total += weight * (high - low) / 2 * np.sum(u * f(a, b, b > middle - 1e-12 if low == middle else b < -99)
                                                        * density)
    return total


MOVING = {
    "corner": (Max(x + V * y - V / 2, 0) * tanh(x - y) ** 2,
               lambda v: across(lambda a, b, on: on * (a + v * b - v / 2) * np.tanh(a - b) ** 2,
                                lambda a: 0.5 - a / v)),
    "jump": (Heaviside(x + V * y - 1) * tanh(x - y) ** 2,
             lambda v: across(lambda a, b, on: on * np.tanh(a - b) ** 2, lambda a: (1 - a) / v)),
    "one normal": (Abs(V * y - 1) * tanh(y + 1) ** 2,
                   lambda v: across(lambda a, b, on: (2 * on - 1) * (v * b - 1) * np.tanh(b + 1) ** 2,
                                    lambda a: 1 / v)),
    "cases": (Piecewise((tanh(y + 1), y > V), (cos(y) / (1 + y**2), True)),
              lambda v: across(lambda a, b, on: np.where(on, np.tanh(b + 1), np.cos(b) / (1 + b**2)), lambda a: v)),
}


@pytest.mark.parametrize("name", slow_but(MOVING, "cases"))
def test_kinks_that_move(name):
    """The rule follows them; derivatives, which have point masses otherwise, come along."""
    integrand, value = MOVING[name]
    over = (x, y) if integrand.has(x) else y
    t = ak.Theory(name=name, parameters={J: ("", "positive")}, unknowns=[V],
                  equations=[V - 1 - J * ak.E(integrand, over) / 5])
    v = t.solve(J=0.7)["V"]
    assert v == pytest.approx(1 + 0.7 * value(v) / 5, rel=1e-11)
    slope = (t.solve(J=0.701)["V"] - t.solve(J=0.699)["V"]) / 0.002
    assert t.sensitivity("V", "J", J=0.7) == pytest.approx(slope, rel=1e-6)


def test_what_a_rule_cannot_meet_is_refused():
    """Two corners in different directions lie on no axis together."""
    t = ak.Theory(name="two corners", parameters={J: ("", "positive")}, unknowns=[V],
                  equations=[V - 1 - J * ak.E(Max(x + V * y, 0) * Abs(x - y - V) * tanh(x) ** 2, (x, y)) / 5])
    with pytest.raises(ak.ConvergenceError, match="the averages did not reach the accuracy asked for at the finest"):
        t.solve(J=0.7)


def far_kink():
    return ak.Theory(name="far", parameters={J: ("", "positive")}, unknowns=[V],
                     equations=[V - 1 - J * ak.E(Abs(V * y - J) * tanh(y + 1) ** 2, y) / 2000])


def test_far_kinks():
    found = far_kink().solve(J=30)["V"]
    smooth = WEIGHTS @ ((30 - found * LINE) * np.tanh(LINE + 1) ** 2)
    assert found == pytest.approx(1 + 30 * smooth / 2000, rel=1e-12)


@pytest.mark.slow
def test_digits_of_far_kinks():
    t = far_kink()
    found = t.solve(J=30)["V"]
    assert abs(float(t.precise(J=30, digits=12)["V"]) - found) < 1e-11
    assert abs(t.precise(J=30, digits=70)["V"] - found) < 1e-11
    pair = ak.Theory(name="far", parameters={J: ("", "positive")}, unknowns=[V],
                     equations=[V - 1 - J * ak.E(Abs(V * y + x - J) * tanh(y + 1) ** 2, (x, y)) / 2000])
    with pytest.raises(ak.ConvergenceError, match="followed to 18 standard deviations; that is good for 65 digits"):
        pair.precise(J=30, digits=80)


@pytest.mark.slow
def test_proofs_with_kinks_that_move():
    """Kinks and jumps of one normal, and those on a line through the origin; others across several are refused."""
    integrand = Max(y - V, 0) * tanh(y + 1) ** 2
    t = ak.Theory(name="kink", parameters={J: ("", "positive")}, unknowns=[V],
                  equations=[V - 1 - J * ak.E(integrand, y) / 5])
    ball = t.certify(J="0.7", digits=15)["V"]
    assert ball.rad < 1e-15
    assert float(ball.mid) == pytest.approx(t.solve(J=0.7)["V"], rel=1e-13)
    jump = ak.Theory(name="jump", parameters={J: ("", "positive")}, unknowns=[V], equations=[
        V - 1 - J * ak.E(Piecewise((tanh(y + 1), y > V), (cos(y) / (1 + y**2), True)), y) / 5])
    ball = jump.certify(J="0.7", digits=15)["V"]
    assert ball.rad < 1e-15
    assert float(ball.mid) == pytest.approx(jump.solve(J=0.7)["V"], rel=1e-13)
    across = ak.Theory(name="jump", parameters={J: ("", "positive")}, unknowns=[V], equations=[
        V - 1 - J * ak.E(Piecewise((tanh(y + 1), y + V * x > 1), (cos(y) / (1 + y**2), True)), (x, y)) / 5])
    with pytest.raises(ak.ProofError, match="certify: an average with a jump that moves is not enclosed"):
        across.certify(J="0.7", digits=15)


@pytest.mark.slow
def test_a_jump_on_a_turning_line_is_enclosed():
    t = ak.Theory(name="jump", parameters={J: ("", "positive")}, unknowns=[V], equations=[
        V - 1 - J * ak.E(Piecewise((tanh(y + 1), y + V * x > 0), (cos(y) / (1 + y**2), True)), (x, y)) / 5])
    ball = t.certify(J="0.7", digits=6)["V"]
    assert ball.rad < 1e-6 and abs(float(ball) - t.solve(J=0.7)["V"]) < 1e-12


@pytest.mark.parametrize("inside, known", [(Abs(y + V * x), True), pytest.param(Max(tanh(y) + x * V, 0) * cos(y), False,
                                                                                marks=pytest.mark.slow),
                                           (Piecewise((cos(y), y > x), (sin(y), True)), False)],
                         ids=["line", "curved", "a case"])
def test_kinks_inside_inner_averages(inside, known):
    """What stands still after a closed form works; what moves is refused in the person's terms, at once."""
    t = ak.Theory(name="inner", parameters={J: ("", "positive")}, unknowns=[V],
                  equations=[V - 1 - J * ak.E(tanh(x + ak.E(inside, y)), x) / 5])
    if known:
        assert float(t.precise(J="0.7", digits=12)["V"]) == pytest.approx(t.solve(J=0.7)["V"], rel=1e-11)
        return
    with pytest.raises(ak.ConvergenceError, match="the averages did not reach the accuracy"):
        t.solve(J=0.7)
    with pytest.raises(ak.ConvergenceError, match="precise: an average has a kink or a jump at .* = 0, .* close the"):
        t.precise(J="0.7", digits=12)
    with pytest.raises(ak.ProofError, match="is not enclosed: .* has a kink or a jump at .* = 0"):
        t.certify(J="0.7", digits=12)


@pytest.mark.parametrize("inside, bound, advice", [
    (Max(x**2 - V, 0) * tanh(x + 1) ** 2, x, r"certify\(\) encloses it with as many digits"),
    (Abs(x - V) * Abs(y + x) * tanh(x * y), (x, y), "turn the normals so that the kink depends on one alone")],
    ids=["a square", "two lines"])
def test_digits_across_kinks_are_refused_at_once(inside, bound, advice):
    t = ak.Theory(name="kinks", parameters={J: ("", "positive")}, unknowns=[V],
                  equations=[V - 1 - J * ak.E(inside, bound) / 5])
    with pytest.raises(ak.ConvergenceError, match=f"precise: an average has a kink .* {advice}"):
        t.precise(J="0.7", digits=15)
    if bound == x:
        ball = t.certify(J="0.7", digits=12)["V"]
        assert ball.rad < 1e-12 and abs(float(ball) - t.solve(J=0.7, rtol=1e-6)["V"]) < 1e-5


def test_functions_of_a_theory_under_several_normals_are_refused_when_it_is_made():
    with pytest.raises(ak.StructureError, match="equations: the function 'student' of the theory stands under"):
        ak.Theory(name="t", parameters={J: ("", "positive")}, unknowns=[V], activations={"student": "tanh"},
                  equations=[V - 1 - J * ak.E(Applied("student", x + V * y) ** 2 * cos(y), (x, y)) / 5])
