"""Paths through folds: the magnet in a field, whose folds are known in closed form."""

from unittest import mock

import numpy as np
import pytest
from sympy import Float, Symbol, sqrt, symbols, tanh

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
