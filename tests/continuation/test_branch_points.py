"""Branch points: located, named, and followed on every side; ends of paths say why."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar
from sympy import Matrix, Rational, Symbol, cosh, exp, eye, log, pi, sinh, sqrt, symbols, tanh

import asympkit as ak

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


@pytest.mark.parametrize("seed", range(6))
def test_random_pitchforks(seed):
    assert_random_pitchfork(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6, 60))
def test_many_random_pitchforks(seed):
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
