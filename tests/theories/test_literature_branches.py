"""Branches that meet: the soft committee machine and the spherical p-spin glass, beside programs by hand."""

import functools
import time

import numpy as np
import pytest
from sympy import Rational, asin, erf, log, pi, sqrt, symbols

import asympkit as ak
from tests.helpers import literature
from tests.helpers.literature_agreement import assert_agrees, assert_agrees_along, assert_agrees_on_path
from tests.helpers.tiers import BACKENDS

x, y, R, S, C = symbols("x y R S C", real=True)
alpha, T, q, X = symbols("alpha T q X", positive=True)


@pytest.fixture(autouse=True)
def a_minute():
    """Every one of these is over within a minute of processor time, compiling included."""
    begin = time.process_time()
    yield
    assert time.process_time() - begin < 60


# -- 9. soft committee machine (Biehl, Schloesser and Ahr 1998) -----------------------------------------------


@functools.cache
def committee():
    """Two units that learn two, at high temperature: averages of products of erf, over two correlated normals."""
    def overlap(c):
        return ak.E(erf(x / sqrt(2)) * erf(y / sqrt(2)), (x, y), rho=c)

    error = (Rational(2, 3) + overlap(C) - 2 * overlap(R) - 2 * overlap(S)) / 2
    free = 2 * alpha * error - log(1 + C - (R + S) ** 2) / 2 - log(1 - C - (R - S) ** 2) / 2
    return ak.Theory(name="soft committee", parameters={alpha: ("samples times beta", "positive")}, free_energy=free,
                     unknowns={R: (-1, 1), S: (-1, 1), C: (-1, 1)}, observables={"f": free, "error": error})


@functools.cache
def committee_of_arcs():
    """The same as papers print it."""
    def overlap(c):
        return 2 / pi * asin(c / 2)

    error = (Rational(2, 3) + overlap(C) - 2 * overlap(R) - 2 * overlap(S)) / 2
    free = 2 * alpha * error - log(1 + C - (R + S) ** 2) / 2 - log(1 - C - (R - S) ** 2) / 2
    return ak.Theory(name="soft committee", parameters={alpha: ("samples times beta", "positive")}, free_energy=free,
                     unknowns={R: (-1, 1), S: (-1, 1), C: (-1, 1)}, observables={"f": free, "error": error})


SPECIAL = {"R": 0.9, "S": 0.05, "C": 0.0}


def committee_near(a, point):
    return literature.committee(a, (point["R"], point["S"], point["C"]))


@pytest.mark.parametrize("theory", [committee, committee_of_arcs])
def test_committee(theory):
    for a in (10.0, 30.0, 60.0):
        found = theory().solve(alpha=a, start={"R": 0.45, "S": 0.45, "C": 0.0})
        assert_agrees(found, literature.committee(a, (0.45, 0.45, 0)))
    for a in (25.0, 30.0, 60.0):
        found = theory().solve(alpha=a, start=SPECIAL)
        assert_agrees(found, committee_near(a, found))
        assert found["R"] - found["S"] > 0.1


def test_committee_has_three_states():
    found = committee_of_arcs().solutions(alpha=30)
    assert sorted(round(s["R"] - s["S"], 3) for s in found) == [-0.488, 0, 0.488]


@pytest.mark.parametrize("backend", BACKENDS)
def test_committee_across_its_transition(backend):
    swept = committee_of_arcs().sweep(alpha=np.linspace(10, 40, 16), backend=backend, start=SPECIAL)
    assert_agrees_along(swept, "alpha", committee_near, 1e-10)
    special = swept["R"] - swept["S"]
    assert (special[swept.axes["alpha"] > 24] > 0.05).all()
    assert (abs(special[swept.axes["alpha"] < 23.5]) < 1e-9).all()


@pytest.mark.parametrize("begin", [SPECIAL, {"R": 0.49, "S": 0.49, "C": 0.01}])
def test_committee_through_its_pitchfork(begin):
    """Published: 23.7.  From either branch the path names the point where they meet."""
    path = committee_of_arcs().continuation(over="alpha", start=40, stop=10, begin=begin)
    assert_agrees_on_path(path, committee_near)
    right = literature.committee_specialises()
    assert right == pytest.approx(23.7, abs=0.05)
    assert [point.parameter for point in path.branch_points] == pytest.approx([right], rel=1e-7)


def test_committee_with_digits():
    found = committee_of_arcs().precise(digits=20, alpha=30, start=SPECIAL)
    assert_agrees(found, literature.committee(30.0), 1e-12)


# -- 10. spherical p-spin glass, p = 3 (Crisanti and Sommers 1992) --------------------------------------------


@functools.cache
def spherical():
    free = -(1 - (1 - X) * q**3) / (4 * T) - T / 2 * ((X - 1) / X * log(1 - q) + log(1 - (1 - X) * q) / X)
    return ak.Theory(name="spherical 3-spin", parameters={T: ("temperature", "positive")},
                     unknowns={q: (0, 1), X: "positive"}, free_energy=free, observables={"f": free})


@functools.cache
def marginal():
    """The plateau of the correlation above the static transition, X = 1."""
    return ak.Theory(name="dynamic transition", parameters={T: ("temperature", "positive")}, unknowns={q: (0, 1)},
                     equations=[q / (1 - q) - 3 * q**2 / (2 * T**2)])


BROKEN = {"q": 0.75, "X": 0.7}
#: nearer to the static transition the root X = 1, which is one at all temperatures, is near too
NEAR = {0.4: BROKEN, 0.5: BROKEN, 0.55: {"q": 0.69, "X": 0.87}, 0.58: {"q": 0.67, "X": 0.97}}


def spherical_near(temperature, point):
    found = literature.spherical(temperature, (point["q"], point["X"]))
    return {"q": found["q"], "X": found["x"]}


@pytest.mark.parametrize("temperature", NEAR)
def test_spherical(temperature):
    found = spherical().solve(T=temperature, start=NEAR[temperature])
    assert_agrees(found, spherical_near(temperature, found))
    assert 0.1 < found["X"] < 0.999


@pytest.mark.parametrize("backend", BACKENDS)
def test_spherical_across_its_transition(backend):
    temperatures = np.linspace(0.4, 0.6, 11)
    guess = {"q": np.interp(temperatures, [0.4, 0.6], [0.78, 0.66]),
             "X": np.interp(temperatures, [0.4, 0.6], [0.51, 1.04])}
    swept = spherical().sweep(T=temperatures, backend=backend, start=guess)
    assert_agrees_along(swept, "T", spherical_near)
    assert (np.diff(swept["X"]) > 0).all()


def test_spherical_through_its_static_transition():
    """X passes 1 at T = 0.586, beyond which the glass is no state of equilibrium."""
    path = spherical().continuation(over="T", start=0.4, stop=0.6, begin=BROKEN)
    assert_agrees_on_path(path, spherical_near)
    temperatures = np.concatenate([b.parameter for b in path.branches])
    weights = np.concatenate([b.unknowns["X"] for b in path.branches])
    static = literature.spherical_static_transition()
    assert np.interp(1, weights, temperatures) == pytest.approx(static, abs=1e-4)
    assert static == pytest.approx(0.586, abs=1e-3)


def test_spherical_at_its_dynamic_transition():
    """q = 1/2 at T = sqrt(3/8) = 0.612, a fold."""
    path = marginal().continuation(over="T", start=0.4, stop=0.7, begin={"q": 0.9})
    assert path.folds[0].parameter == pytest.approx(np.sqrt(3 / 8), rel=1e-10)
    assert path.folds[0].unknowns["q"] == pytest.approx(0.5, abs=1e-5)
    for branch in path.branches:
        inside = branch.parameter > 0.01                                        # both branches end at T = 0
        overlaps = branch.unknowns["q"][inside]
        assert branch.parameter[inside] == pytest.approx(np.sqrt(1.5 * overlaps * (1 - overlaps)), rel=1e-9)


def test_spherical_with_digits():
    found = spherical().precise(digits=20, T="0.5", start=BROKEN)
    assert_agrees(found, spherical_near(0.5, {"q": 0.71, "X": 0.73}), 1e-12)
