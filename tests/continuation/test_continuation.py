"""Paths through folds, pitchforks and crossings that are known in closed form."""

import math
from unittest import mock

import numpy as np
import pytest
from helpers.tiers import slow_but
from scipy.optimize import brentq, minimize_scalar
from sympy import Float, Matrix, Rational, Symbol, cosh, exp, eye, log, pi, sinh, sqrt, symbols, tanh

import asympkit as ak
from asympkit.continuation import equations
from asympkit.continuation.path import follow_path
from asympkit.nodes import Applied

BETA = 2.0
EDGE = np.sqrt(1.0 - 1.0 / BETA)                  # the magnetisation at the folds, where beta (1 - m^2) = 1
FIELD = np.arctanh(EDGE) / BETA - EDGE            # and the field there (the negative one)


@pytest.fixture(scope="module")
def magnet():
    m, h = symbols("m h", real=True)
    beta = Symbol("beta", positive=True)
    return ak.Theory(name="magnet", unknowns=[m], parameters={beta: ("inverse temperature", "positive"),
                                                             h: ("field", "real")},
                     equations=[m - tanh(beta * (m + h))], observables={"energy": -m**2 / 2 - h * m})


def test_hysteresis(magnet):
    path = magnet.continuation(over="h", start=-1.0, stop=1.0, begin={"m": -1.0}, beta=BETA)
    assert path.end == "stop was reached"
    assert len(path.branches) == 3
    down, up = path.folds
    assert down.parameter == pytest.approx(-FIELD, abs=1e-12) and up.parameter == pytest.approx(FIELD, abs=1e-12)
    assert down.unknowns["m"] == pytest.approx(-EDGE, abs=1e-9) and up.unknowns["m"] == pytest.approx(EDGE, abs=1e-9)
    for branch, sign in zip(path.branches, (1, -1, 1)):
        m, h = branch["m"], branch.parameter
        assert np.all(sign * np.diff(h) > 0.0)
        assert np.max(np.abs(m - np.tanh(BETA * (m + h)))) < 1e-12
        assert branch["energy"] == pytest.approx(-(m**2) / 2 - h * m, abs=1e-14)
    assert path.branches[-1].parameter[-1] == 1.0


def test_the_equations_of_a_path_are_written_once(magnet):
    at = {"over": "h", "start": 0.1, "stop": 0.3, "beta": BETA}
    once = magnet.continuation(**at)
    with mock.patch.object(equations, "build", side_effect=AssertionError):
        assert np.array_equal(magnet.continuation(**at).branches[0]["m"], once.branches[0]["m"])


def test_retrieval_ends_in_a_fold():
    """The retrieval state of an associative memory meets an unstable one: no root beyond, exact slopes infinite."""
    z = Symbol("z", real=True)
    m, q, r, alpha, beta = symbols("m q r alpha beta", positive=True)
    field = tanh(beta * (m + sqrt(alpha * r) * z))
    memory = ak.Theory(name="associative memory", unknowns=[m, q, r],
                       parameters={alpha: ("load", "positive"), beta: ("inverse temperature", "positive")},
                       equations=[m - ak.E(field, z), q - ak.E(field**2, z), r - q / (1 - beta * (1 - q)) ** 2])
    path = memory.continuation(over="alpha", start=0.05, stop=0.2, beta=5.0, limit=60)
    (fold,) = path.folds
    assert path.end == "the largest number of points was reached"
    assert fold.parameter == max(b.parameter.max() for b in path.branches)
    branch = path.branches[0]
    assert branch["m"][10] == pytest.approx(memory.solve(alpha=branch.parameter[10], beta=5.0)["m"], rel=1e-12)
    # near a fold the slope grows with the inverse root of the distance
    near = [memory.sensitivity("m", "alpha", alpha=fold.parameter - d, beta=5.0) for d in (1e-5, 1e-7)]
    assert near[1] / near[0] == pytest.approx(10.0, rel=0.02)


@pytest.mark.parametrize("step", [0.05, 0.2, 1.0])
@pytest.mark.parametrize("width", [1e-3, 1e-6])
def test_folds_within_a_step(width, step):
    """Folds at u = -+sqrt(width/3): points on either side have the same tangent, and steps went over both."""
    u, h = symbols("u h", real=True)
    bend = ak.Theory(name="small bend", unknowns=[u], parameters={h: ("field", "real")},
                     equations=[u**3 - Float(width) * u - h])
    path = bend.continuation(over="h", start=-1, stop=1, step=step)
    edge = np.sqrt(width / 3.0)
    assert [f.parameter for f in path.folds] == pytest.approx([2 * edge**3, -2 * edge**3], rel=1e-7)
    assert [f.unknowns["u"] for f in path.folds] == pytest.approx([-edge, edge], rel=1e-5)
    assert len(path.branches) == 3 and path.end == "stop was reached"
    for branch in path.branches:
        assert np.max(np.abs(branch["u"] ** 3 - width * branch["u"] - branch.parameter)) < 1e-14


def test_an_unknown_that_grows_without_bound():
    """p = x/(1 + x^2) turns at 1/2 and goes to 0 as x grows: 2000 points led to x = 100, and rounding made folds."""
    x, p = Symbol("x", real=True), Symbol("p", positive=True)
    t = ak.Theory(name="open", unknowns=[x], parameters={p: ("", "positive")}, equations=[p**2 * (1 + x**2) - p * x])
    path = t.continuation(over="p", start=0.1, stop=1.0, begin={"x": 0.1}, step=0.3)
    (fold,) = path.folds
    assert fold.parameter == pytest.approx(0.5, abs=1e-12) and path.branch_points == ()
    x, p = path.branches[-1]["x"], path.branches[-1].parameter
    assert path.end == "p reaches 0, the edge of its domain, to rounding" and x[-1] > 1e12
    assert p == pytest.approx(x / (1 + x**2), rel=1e-12)


def test_an_unknown_that_has_a_pole():
    """There were 172 branch points, and 4e43 after 2000 points."""
    a, x, y = symbols("a x y", positive=True)
    t = ak.Theory(name="pole", unknowns=[x, y], parameters={a: ("", "positive")}, start={x: 0.9, y: 1},
                  equations=[x + x**3 / 10 - a, y * (x - Rational(1, 2)) - x])
    path = t.continuation(over="a", start=1, stop=0.1)
    assert path.end == "unknown y tends to infinity" and not (path.folds or path.branch_points)
    assert path.branches[0].parameter[-1] == pytest.approx(0.5125, abs=1e-8)


def test_an_equation_that_the_parameter_makes_small():
    """At the end p = 1e-18 one of two equations is a multiple 1e-18 of one; the last point left it out."""
    x, y, p = symbols("x y p", positive=True)
    t = ak.Theory(name="small", unknowns=[x, y], parameters={p: ("", "positive")},
                  equations=[x - 1 - p - y / 2, p * (y - x**2 / 4)])
    path = t.continuation(over="p", start=0.1, stop=1e-18, begin={"x": 1.3, "y": 0.4})
    assert path.end == "stop was reached" and path.branches[0]["x"][-1] == pytest.approx(4 - 2 * np.sqrt(2), rel=1e-12)


def test_folds_of_a_derived_field():
    """The field K - s = c*s + s^3 of s follows from a mean, and s stands in the equation beside it."""
    m, s, K, z = symbols("m s K z", real=True)
    t = ak.Theory(name="derived magnet", unknowns=[m], parameters={s: ("", (-2, 2))}, activations={"f": "z**3/3"},
                  derived={K: s**3 + s * (1 + ak.E(z * Applied("f", z), z))}, equations=[m - tanh(BETA * (m + K - s))])
    path = t.continuation(over="s", start=-1.0, stop=1.0, begin={"m": -1.0})
    assert path.end == "stop was reached" and len(path.folds) == 2
    (exact,) = (r.real for r in np.roots([1.0, 0.0, 1.0, FIELD]) if abs(r.imag) < 1e-12)      # E[z^4]/3 = 1
    down, up = (f.parameter for f in path.folds)
    assert down == pytest.approx(exact, abs=1e-12) and up == pytest.approx(-exact, abs=1e-12)
    for branch in path.branches:
        m, s = branch["m"], branch.parameter
        assert np.max(np.abs(m - np.tanh(BETA * (m + s + s**3)))) < 1e-12


def test_the_border_of_a_domain_is_no_end_of_the_world():
    m, K = symbols("m K", real=True)
    s = Symbol("s", nonnegative=True)
    t = ak.Theory(name="border", unknowns=[m], parameters={s: ("", "nonnegative")}, derived={K: s**2},
                  equations=[m**3 + m - 2 - K])
    path = t.continuation(over="s", start=1.0, stop=0.0)
    assert path.end == "stop was reached" and path.branches[0].parameter[-1] == 0.0
    assert path.branches[0]["m"][-1] == pytest.approx(1.0, abs=1e-14)
    turning = ak.Theory(name="turning", unknowns=[m], parameters={s: ("", "nonnegative")}, derived={K: s},
                        equations=[(m - 1) ** 2 + K - 1])
    lost = turning.continuation(over="s", start=0.5, stop=2.0, begin={"m": 1.5}, limit=300)
    (fold,) = lost.folds
    assert fold.parameter == pytest.approx(1.0, abs=1e-12)
    assert lost.end == "s reaches 0, the edge of its domain"
    assert lost.branches[1]["m"][-1] == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize(("over", "stop"), [
    *(pytest.param(*case, marks=pytest.mark.slow) for case in (
        ("eta", 1.05), ("eta", 1.2), ("alpha0", 1.5), ("noise_variance", 0.0), ("beta", 1.3)))])
def test_one_step_over_what_moves_its_tables(over, stop):
    """Learning rate, first batch, noise and width enter by Result 3.1, noise and width beside it too."""
    theory = ak.OneStep("tanh", "sin")
    point = {"alpha": 1.5, "lam": 0.01, "eta": 1.0, "alpha0": 1.0, "noise_variance": 0.1, "beta": 1.0}
    start = point.pop(over)
    path = theory.continuation(over=over, start=start, stop=stop, step=0.5, **point)
    assert path.end == "stop was reached" and path.folds == ()
    (branch,) = path.branches
    for k in (len(branch.parameter) // 2, -1):
        end = theory.solve(**point, **{over: branch.parameter[k]})
        for name in ("m", "theta", "q1", "test_error"):
            assert branch[name][k] == pytest.approx(end[name], rel=1e-11)


def test_ends_that_are_limits_of_their_own():
    theory, point = ak.OneStep("tanh", "sin"), {"alpha": 1.5, "lam": 0.1}
    for ends in ((1.0, 0.0), (0.0, 1.0)):
        with pytest.raises(ak.DomainError, match="eta: got 0, which means no step; the limit eta -> 0 is another"):
            theory.continuation(over="eta", start=ends[0], stop=ends[1], alpha0=1.0, **point)
    with pytest.raises(ak.DomainError, match="alpha0: got inf; a derivative by alpha0 needs a finite number"):
        theory.continuation(over="alpha0", start=1.0, stop=np.inf, eta=1.0, **point)
    with pytest.raises(ak.UnknownNameError, match="no parameter 'letters' to continue in; known are r, c, gamma"):
        ak.SpikedFeatures("tanh", "sin").continuation(over="letters", start=1.0, stop=2.0)


def test_a_start_that_leaves_an_unknown_free():
    path = follow_path(lambda y: (np.array([y[1] ** 2]), np.array([[0.0, 2.0 * y[1]]])), [np.zeros(2)],
                       np.array([0.0, 1.0]), [(-1, 1.0, "stop")], 0.1, 0.1, 9)
    assert path.end.startswith("the path could not be followed further: the equations are singular here: an unknown")
    assert len(path.points) == 1


def test_errors(magnet):
    with pytest.raises(ak.UnknownNameError, match="no parameter 'bet'; did you mean 'beta'"):
        magnet.continuation(over="bet", start=0.1, stop=1.0, h=0.0)
    with pytest.raises(ak.DomainError, match="over: h is given as 0.0 too"):
        magnet.continuation(over="h", start=0.1, stop=1.0, h=0.0, beta=1.0)
    with pytest.raises(ak.DomainError, match="start and stop are both 1.0"):
        magnet.continuation(over="h", start=1.0, stop=1.0, beta=1.0)
    with pytest.raises(ak.DomainError, match="step: got 0.0; expected a positive number"):
        magnet.continuation(over="h", start=0.0, stop=1.0, beta=1.0, step=0.0)


x, p = symbols("x p", real=True)


def toy(*equations, unknowns=(x,), domain="real"):
    return ak.Theory(name="toy", unknowns=unknowns, parameters={p: ("", domain)}, equations=list(equations))


def curie_weiss(m):
    b = Symbol("b", positive=True)
    return ak.Theory(name="Curie-Weiss", unknowns=[m], parameters={b: ("inverse temperature", "positive")},
                     equations=[m - tanh(b * m)], start={m: 0.5})


def assert_magnet(branch, sign):
    b, m = branch.parameter[1:], branch["m"][1:]
    assert np.max(np.abs(m - np.tanh(b * m))) < 1e-14 and np.all(sign * m > 0.0)
    assert m[-1] == pytest.approx(sign * brentq(lambda t: t - np.tanh(b[-1] * t), 0.1, 1.0, xtol=1e-15), abs=1e-13)


def test_the_pitchfork_of_the_magnet_from_below():
    path = curie_weiss(Symbol("m", real=True)).continuation(over="b", start=0.5, stop=2.0, begin={"m": 0.0})
    (point,) = path.branch_points
    assert point.kind == "pitchfork" and path.folds == () and path.end == "stop was reached"
    assert point.parameter == pytest.approx(1.0, abs=1e-12) and abs(point.unknowns["m"]) < 1e-12
    assert len(path.branches) == 1 and np.all(path.branches[0]["m"] == 0.0)
    assert sorted(np.sign(q.branches[0]["m"][-1]) for q in path.emanating) == [-1.0, 1.0]
    for q in path.emanating:
        (branch,) = q.branches
        assert q.end == "the end of the interval was reached" and branch.parameter[-1] == 2.0
        assert branch.parameter[0] == point.parameter and q.folds == () and q.branch_points == ()
        assert_magnet(branch, np.sign(branch["m"][-1]))
    assert "pitchfork at 1 (2 emanating branches)" in repr(path) and repr(point).startswith("BranchPoint(")
    assert path._repr_html_().count("<tr>") == 4


def test_the_pitchfork_of_the_magnet_from_above():
    """The path turns at the pitchfork and goes back with the other sign; what emanates is the paramagnet."""
    path = curie_weiss(Symbol("m", real=True)).continuation(over="b", start=2.0, stop=0.5, begin={"m": 0.9})
    (point,) = path.branch_points
    assert point.kind == "pitchfork" and point.parameter == pytest.approx(1.0, abs=1e-12)
    down, up = path.branches
    assert_magnet(up, -1.0)
    assert np.all(down["m"][:-1] > 0.0) and down.parameter[-1] == up.parameter[0] == point.parameter
    assert sorted(q.branches[0].parameter[-1] for q in path.emanating) == [0.5, 2.0]
    assert all(np.max(np.abs(q.branches[0]["m"])) < 1e-12 for q in path.emanating)


@pytest.mark.parametrize(("start", "stop", "arms"), [(1.0, 1.5, 2), (2.0, 1.0, 2)])
def test_an_end_that_is_the_branch_point(start, stop, arms):
    path = curie_weiss(Symbol("m", real=True)).continuation(over="b", start=start, stop=stop, begin={"m": 0.9})
    assert [q.kind for q in path.branch_points] == ["pitchfork"] and path.end == "stop was reached"
    assert path.branch_points[0].parameter == pytest.approx(1.0, abs=1e-9)
    assert path.branches[0].parameter[-1] == pytest.approx(stop, abs=1e-12) and len(path.emanating) == arms
    for q in path.emanating:                             # each leads to the other end of the interval
        assert q.branches[0].parameter[-1] == max(start, stop)


@pytest.mark.parametrize("step", [pytest.param(0.05, marks=pytest.mark.slow), 0.5])
def test_a_pitchfork_that_a_small_field_takes_apart(step):
    """Branches that miss each other by 1e-4, in equations by 1e-12, were joined: m = 1e-12 went on to -2e-12."""
    m, h, field = Symbol("m", real=True), Symbol("h", real=True), 1e-12
    b = Symbol("b", positive=True)
    theory = ak.Theory(name="magnet in a field", unknowns=[m], parameters={b: ("", "positive"), h: ("", "real")},
                       equations=[m - tanh(b * (m + h))])
    for start, stop in ((0.5, 2.0), (2.0, 0.5)):
        path = theory.continuation(over="b", start=start, stop=stop, h=field, begin={"m": start - 0.9}, step=step)
        (branch,) = path.branches
        assert path.end == "stop was reached" and path.folds == path.branch_points == ()
        assert np.all(branch["m"] > 0.0) and np.max(np.abs(np.diff(branch["m"]))) < 0.5
        assert branch["m"][branch.parameter == 2.0] == pytest.approx(0.957504024078, abs=1e-11)
    other = theory.continuation(over="b", start=2.0, stop=0.5, h=field, begin={"m": 0.0}, step=step, limit=200)
    # m - tanh(m b) = h at m = -(3 h/2)^(1/3), to leading order
    assert other.folds[0].parameter - 1.0 == pytest.approx(1.5 ** (2 / 3) * field ** (2 / 3), rel=1e-3)
    assert other.branch_points == () and other.branches[1]["m"][-1] < -0.9


def lost_digits(scale):
    """0, but for rounding of terms of some size."""
    return scale * (cosh(x) ** 2 - sinh(x) ** 2 - 1)


def test_a_pitchfork_among_rounding():
    """Steps of the corrector shrank no further than 1e-12 near x = 0; no step was small enough for it."""
    path = toy(p * x - x**3 - lost_digits(1000)).continuation(over="p", start=2.0, stop=-1.0, begin={"x": -1.4})
    (point,) = path.branch_points
    assert point.kind == "pitchfork" and point.parameter == pytest.approx(0.0, abs=1e-9)
    assert [np.sign(b["x"][1]) for b in path.branches] == [-1.0, 1.0]
    assert sorted(q.branches[0].parameter[-1] for q in path.emanating) == [-1.0, 2.0]


def test_a_path_into_rounding():
    path = toy(x - 1 - lost_digits(p)).continuation(over="p", start=1e5, stop=1e10, begin={"x": 1.0})
    assert path.end == "the path could not be followed further: rounding leaves fewer digits than a path needs"
    assert 1e7 < path.branches[0].parameter[-1] < 1e10 and path.branches[0]["x"] == pytest.approx(1.0, abs=1e-5)


def test_where_the_distance_to_an_edge_has_no_digits():
    """A path ends where equations are steep in that distance, and goes on where they are not."""
    q, h, t = symbols("q h t", positive=True)
    steep = ak.Theory(name="steep", unknowns={q: (0, 1), h: "positive"}, parameters={t: ("load", "positive")},
                      equations=[q - tanh(h), h - t / (1 - q)])
    path = steep.continuation(over="t", start=0.1, stop=1.0, step=0.5)
    branch = path.branches[-1]
    assert path.end == "unknown q reaches 1, the edge of its domain, to rounding" and branch["q"][-1] > 1 - 1e-6
    assert branch["h"] * 2 / (1 + np.exp(2 * branch["h"])) == pytest.approx(branch.parameter, rel=1e-8, abs=0.0)
    m = Symbol("m", real=True)
    flat = ak.Theory(name="flat", unknowns={m: (-1, 1)}, parameters={t: ("temperature", "positive")},
                     equations=[m - tanh(m / t)])
    path = flat.continuation(over="t", start=0.6, stop=0.03, begin={"m": 0.9})
    assert path.end == "stop was reached" and path.branches[-1]["m"][-1] == 1.0


def test_an_unknown_at_the_edge_of_its_domain():
    path = curie_weiss(Symbol("m", positive=True)).continuation(over="b", start=2.0, stop=0.5)
    assert path.end == "unknown m reaches 0, the edge of its domain"
    assert path.branches[-1].parameter[-1] == pytest.approx(1.0, abs=1e-12)
    assert [q.kind for q in path.branch_points] == ["pitchfork"] and len(path.emanating) == 2
    q, T, z = Symbol("q", positive=True), Symbol("T", positive=True), Symbol("z", real=True)
    glass = ak.Theory(name="spin glass", unknowns=[q], parameters={T: ("temperature", "positive")},
                      equations=[q - ak.E(tanh(sqrt(q) * z / T) ** 2, z)], start={q: 0.5})
    path = glass.continuation(over="T", start=0.5, stop=1.5)       # the root of q has no derivative at 0
    assert path.end == "unknown q reaches 0, the edge of its domain"
    assert path.branches[-1].parameter[-1] == pytest.approx(1.0, abs=1e-6)
    upper = toy(x - 3 * p, unknowns={x: (0, 6)}).continuation(over="p", start=1.0, stop=5.0, begin={"x": 3.0})
    assert upper.end == "unknown x reaches 6, the edge of its domain"
    assert upper.branches[-1].parameter[-1] == pytest.approx(2.0, abs=1e-12)


def test_where_the_equations_end():
    path = toy(x * log(x) + x - p).continuation(over="p", start=1.0, stop=-3.0)
    assert [f.kind for f in path.folds] == ["fold"] and path.folds[0].parameter == pytest.approx(-np.exp(-2), abs=1e-14)
    assert path.end.startswith("the path could not be followed further: the ")
    assert path.branches[-1].parameter[-1] == pytest.approx(0.0, abs=1e-6)


def test_a_transcritical_point():
    path = toy((x - 1) * (p - x / 2)).continuation(over="p", start=-1.0, stop=2.0, begin={"x": 1.0})
    (point,) = path.branch_points
    assert point.kind == "transcritical" and point.parameter == pytest.approx(0.5, abs=1e-12)
    assert sorted(q.branches[0].parameter[-1] for q in path.emanating) == [-1.0, 2.0]
    for q in path.emanating:
        (branch,) = q.branches
        assert branch["x"] == pytest.approx(2.0 * branch.parameter, abs=1e-12)


def test_a_loop_is_followed_once():
    """x = 0 and the circle x^2 + p^2 = 1 meet at two pitchforks."""
    path = toy(x * (x**2 + p**2 - 1)).continuation(over="p", start=-2.0, stop=2.0, begin={"x": 0.0})
    assert [q.parameter for q in path.branch_points] == pytest.approx([-1.0, 1.0], abs=1e-12)
    assert {q.kind for q in path.branch_points} == {"pitchfork"}
    (circle,) = path.emanating
    assert circle.end == "it joins a branch that is followed already" and len(circle.branches) == 2
    points = np.array([(b.parameter, b["x"]) for b in circle.branches], dtype=object)
    assert all(np.max(np.abs(np.square(a) + np.square(b) - 1.0)) < 1e-12 for a, b in points)


def test_a_closed_path_ends_where_it_began():
    path = toy(x**2 + p**2 - 1).continuation(over="p", start=0.0, stop=3.0, begin={"x": 1.0})
    assert path.end == "the path is closed" and len(path.folds) == 2 and path.branch_points == ()
    assert [f.parameter for f in path.folds] == pytest.approx([1.0, -1.0], abs=1e-12)


def assert_random_pitchfork(seed):
    """u = M v with (v1, others) in a pitchfork at p0: v1 ((p - p0) s - v1^2) = 0, the others a function of v1, p."""
    rng = np.random.default_rng(seed)
    n, s, p0 = 1 + seed % 3, rng.choice([-1, 1]), Rational(int(rng.integers(-50, 50)), 100)
    unknowns = symbols(f"u1:{n + 1}", real=True)
    mix = Matrix(n, n, [Rational(int(k), 10) for k in rng.integers(-4, 5, n * n)]) + 2 * eye(n)
    first, *others = mix * Matrix(unknowns)
    bends = [Rational(int(k), 10) for k in rng.integers(-9, 10, 2 * n)]
    rest = [v - bends[2 * k] * first**2 - bends[2 * k + 1] * p for k, v in enumerate(others)]
    equations = mix.T * Matrix([first * ((p - p0) * int(s) - first**2), *rest])
    theory = toy(*equations, unknowns=unknowns)
    at = {str(u): float(v) for u, v in zip(unknowns, mix.LUsolve(Matrix([0, *[-bends[2 * k + 1]
                                                                             for k in range(n - 1)]])))}
    path = theory.continuation(over="p", start=-1.0, stop=1.0, begin=at)
    (point,) = path.branch_points
    assert point.kind == "pitchfork" and point.parameter == pytest.approx(float(p0), abs=1e-9), seed
    assert len(path.emanating) == 2 and path.end == "stop was reached"
    signs = []
    for q in path.emanating:
        (branch,) = q.branches
        v = np.array(mix, float) @ [branch[str(u)] for u in unknowns]
        assert branch.parameter[-1] == s
        assert v[0] ** 2 == pytest.approx((branch.parameter - float(p0)) * s, abs=1e-11), seed
        signs.append(np.sign(v[0, -1]))
    assert sorted(signs) == [-1.0, 1.0]


@pytest.mark.parametrize("seed", slow_but(range(60), *range(6)))
def test_random_pitchforks(seed):
    assert_random_pitchfork(seed)


@pytest.mark.parametrize(("bends", "count"), [
    (lambda u, v: (u**2 - v**2, -2 * u * v), 6),               # three lines cross another one
    (lambda u, v: (-(u**3), -(v**3)), 8)])                      # two pitchforks at once
def test_derivatives_that_all_vanish(bends, count):
    """Of the first, no branch was found, because the derivatives at the point are rounding and nothing else."""
    u, v = symbols("u v", real=True)
    equations = [(p - 1) * e + bend for e, bend in zip((u, v), bends(u, v))]
    path = toy(*equations, unknowns=[u, v]).continuation(over="p", start=0.5, stop=2.0, begin={"u": 0.0, "v": 0.0})
    (point,) = path.branch_points
    assert point.parameter == pytest.approx(1.0, abs=1e-12) and len(path.emanating) == count
    for branch in (q.branches[-1] for q in path.emanating):
        at = {u: branch["u"][-1], v: branch["v"][-1], p: branch.parameter[-1]}
        assert max(abs(e.subs(at)) for e in equations) < 1e-10


@pytest.mark.slow
def test_branches_of_a_triple_symmetry():
    """The mean-field Potts model of three states: two factors of the determinant vanish at once, at J = 3."""
    xs, J = symbols("x1:4", real=True), Symbol("J", positive=True)
    total = sum(exp(J * u) for u in xs)
    potts = ak.Theory(name="Potts", unknowns=xs, parameters={J: ("coupling", "positive")},
                      equations=[u - exp(J * u) / total for u in xs])
    path = potts.continuation(over="J", start=1.0, stop=4.0, begin=dict.fromkeys(("x1", "x2", "x3"), 1 / 3))
    (point,) = path.branch_points
    assert point.kind == "branch point" and point.parameter == pytest.approx(3.0, abs=1e-12)
    assert len(path.emanating) == 6
    folded = [q for q in path.emanating if q.folds]     # one state ahead: the fold of the first-order transition

    def coupling(a):                                             # of a state a and two of (1 - a)/2
        return np.log(2 * a / (1 - a)) / (a - (1 - a) / 2)

    exact = minimize_scalar(coupling, bounds=(0.4, 0.9), method="bounded", options={"xatol": 1e-9}).fun
    assert [q.folds[0].parameter for q in folded] == pytest.approx([exact] * 3, abs=1e-10)


def hopfield():
    z, (m, q, r, alpha, T) = Symbol("z", real=True), symbols("m q r alpha T", positive=True)
    field = tanh((m + sqrt(alpha * r) * z) / T)
    return ak.Theory(name="Hopfield", unknowns=[m, q, r],
                     parameters={alpha: ("load", "positive"), T: ("temperature", "positive")},
                     equations=[m - ak.E(field, z), q - ak.E(field**2, z), r - q / (1 - (1 - q) / T) ** 2])


@pytest.mark.slow
def test_memory_over_temperature():
    """The path turns at the end of retrieval and goes back to T -> 0, where steep slopes become jumps."""
    path = hopfield().continuation(over="T", start=0.01, stop=2.0, alpha=0.05)
    (fold,), branch = path.folds, path.branches[-1]
    assert path.end == "T reaches 0, the edge of its domain" and 0.0 < branch.parameter[-1] < 2e-5
    assert fold.parameter == max(b.parameter.max() for b in path.branches) and path.branch_points == ()
    m, field = branch["m"][-1], np.sqrt(0.05 * branch["r"][-1])
    assert m == pytest.approx(math.erf(m / (sqrt(2) * field)), abs=1e-6)
    slope = sqrt(2 / pi) / field * exp(-(m / field) ** 2 / 2)
    # at the last T, 1e-5 (where precise() gives the same r), r is still 5.9 T away
    assert branch["r"][-1] == pytest.approx(float((1 - slope) ** -2), abs=1e-4)
