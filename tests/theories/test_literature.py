"""Theories of the literature, those of the gallery, beside programs that know nothing of the package.

Tables say where each theory is solved, swept, followed and asked for digits; what is known of one alone has a test of
its own below.  What limits the agreement is named where it is not rounding.
"""

import functools

import numpy as np
import pytest
from helpers import literature
from helpers.gallery import of, script
from helpers.modules import loaded
from helpers.tiers import BACKENDS
from sympy import asin, erf, erfc, pi, sqrt, symbols, tanh

import asympkit as ak

alpha, T, snr, q, hat = symbols("alpha T snr q hat", positive=True)
C, m, x, y, z = symbols("C m x y z", real=True)

hopfield, spiked_wigner, glass = of("hopfield"), of("spiked_wigner"), of("sk")
broken_glass, broken_glass_in_field = of("sk_one_step"), of("sk_one_step", "in_field")
committee, spherical = of("soft_committee"), of("spherical_p_spin")
binary_perceptron, binary_capacity = of("binary_perceptron"), of("binary_perceptron", "capacity")
bayes_perceptron, binary_teacher = of("bayes_perceptron"), of("bayes_perceptron", "signs")
compressed_sensing, phase_retrieval, hinge_mixture = (
    of("compressed_sensing"), of("phase_retrieval"), of("gaussian_mixture"))


@functools.cache
def committee_of_arcs():
    """The same as papers print it."""
    return script("soft_committee").committee(lambda c: 2 / pi * asin(c / 2))


# -- the programs, at parameters and beginning near a point: what was found, which they find again -----------------


def of_broken(found):
    return {{"q": "q1", "x": "X"}.get(n, n): v for n, v in found.items()}


def of_committee(at, p):
    return literature.committee(at["alpha"], (p["R"], p["S"], p["C"]))


PROGRAMS = {
    hopfield: lambda at, p: literature.hopfield(at["alpha"], at["T"], (p["m"], p["q"])),
    spiked_wigner: lambda at, p: literature.spiked_wigner(at["snr"]),
    glass: lambda at, p: literature.replica_symmetric_glass(at["beta"], at["h"]),
    broken_glass: lambda at, p: of_broken(literature.broken_glass(at["beta"], (p["q1"], p["X"]))),
    broken_glass_in_field: lambda at, p: {{"x": "X"}.get(n, n): v for n, v in literature.broken_glass_in_field(
        at["beta"], at["h"], (p["q0"], p["q1"], p["X"])).items()},
    committee: of_committee, committee_of_arcs: of_committee,
    spherical: lambda at, p: {{"x": "X"}.get(n, n): v for n, v in literature.spherical(
        at["T"], (p["q"], p["X"])).items()},
    binary_perceptron: lambda at, p: literature.binary_perceptron(at["alpha"]),
    binary_capacity: lambda at, p: {"alpha": literature.binary_capacity(at["kappa"])},
    bayes_perceptron: lambda at, p: literature.bayes_perceptron(at["alpha"]),
    binary_teacher: lambda at, p: literature.bayes_perceptron(at["alpha"], True, (1e-6, 0.9)),
    compressed_sensing: lambda at, p: {"E": literature.compressed_sensing(at["alpha"], at["rho"], at["Delta"])[-1]},
    phase_retrieval: lambda at, p: literature.phase_retrieval(at["alpha"]),
    hinge_mixture: lambda at, p: literature.hinge_mixture(at["alpha"], share=at["share"], start=(
        np.log(p["V"]), np.log(p["q"]), p["m"], p["b"])),
}
RETRIEVAL = {"m": 0.99, "q": 0.99, "r": 1.06}
SPECIAL, SYMMETRIC = {"R": 0.9, "S": 0.05, "C": 0.0}, {"R": 0.45, "S": 0.45, "C": 0.0}
BROKEN = {"q": 0.75, "X": 0.7}
CLOUDS = {"rho": 0.8, "d1": 0.5, "d2": 0.1, "lam": 0.1}
SENSED = {"alpha": 0.7, "rho": 0.4}
#: what is left of 0.4 is judged by the rounding of 0.4: 1e-16/3.6e-5
SMALL = 3e-11


def assert_agrees(solution, expected, rel=1e-11, absolute=0.0, names=None):
    """Compare the unknowns of a solution, a point of a sweep or of a branch, with those of an independent program."""
    for name, value in expected.items():
        if names is None or name in names:
            assert float(solution[name]) == pytest.approx(value, rel=rel, abs=absolute), name


def assert_edge_is_named(refused, name):
    """Check that a refusal says that an unknown tends to an end of its domain, and which unknown."""
    assert "edge of its domain" in str(refused.value) and f"{name} tends to" in str(refused.value)


def table(rows, most=9):
    """Cases for ``parametrize`` of tuples that begin with a theory; those that end with True, or follow ``most``
    of their theory, are slow."""
    return [pytest.param(*(row[:-1] if row[-1] is True else row), id=f"{row[0].__name__}{k}", marks=pytest.mark.slow
                         if row[-1] is True or sum(r[0] is row[0] for r in rows[:k]) >= most else ())
            for k, row in enumerate(rows)]


#: theory, parameters, and how: ``start``, ``near`` (where the program begins), ``rel``, ``rtol``, what else holds
POINTS = [
    *((hopfield, {"alpha": a, "T": t}, {"start": {**RETRIEVAL, "q": begin}, "holds": lambda s: s["m"] > 0.85})
      for a, t, begin in ((0.05, 0.3, 0.99), (0.1, 0.1, 0.99), (0.13, 0.01, 0.9999), (0.02, 0.6, 0.99))),
    *((spiked_wigner, {"snr": v}, {}) for v in (1.05, 1.5, 4.0, 20.0)),
    *((glass, {"beta": v, "h": field}, {}) for v, field in (
        (2, 0), (5, 0), (5, 0.3), (0.5, 0.1), (2.0, -0.4), (100, 0.1))),
    # without a start the trivial root at X = 1 is not taken for it
    *((broken_glass, {"beta": v}, {"near": {"q1": begin[0], "X": begin[1]}}) for v, begin in (
        (2, (0.6, 0.2)), (5, (0.88, 0.2)), (20, (0.97, 0.05)))),
    # next to the transition X has few digits; it is right to what was asked for
    (broken_glass, {"beta": 1.2}, {"near": {"q1": 0.2, "X": 0.1}, "rtol": 1e-8, "rel": 1e-8}),
    # without a field there is a root with q0 > 0 too
    *((broken_glass_in_field, {"beta": v, "h": field},
       {"start": dict(zip(("q0", "q1", "X"), begin)), "rel": 1e-10,
        "holds": lambda s: s["q0"] < s["q1"] and s["X"] < 0.5})
      for v, field, begin in ((2, 0.3, (0.4, 0.6, 0.4)), (5, 0.3, (0.6, 0.9, 0.2)), (2, 0, (0.21, 0.62, 0.28)),
                              (5, 0, (0.37, 0.91, 0.19)))),
    *((theory, {"alpha": a}, {"start": SYMMETRIC, "near": SYMMETRIC})
      for theory in (committee, committee_of_arcs) for a in (10.0, 30.0, 60.0)),
    *((theory, {"alpha": a}, {"start": SPECIAL, "holds": lambda s: s["R"] - s["S"] > 0.1})
      for theory in (committee, committee_of_arcs) for a in (25.0, 30.0, 60.0)),
    # nearer to the static transition the root X = 1, which is one at all temperatures, is near too
    *((spherical, {"T": t}, {"start": begin, "holds": lambda s: 0.1 < s["X"] < 0.999}) for t, begin in (
        (0.4, BROKEN), (0.5, BROKEN), (0.55, {"q": 0.69, "X": 0.87}), (0.58, {"q": 0.67, "X": 0.97}))),
    *((binary_perceptron, {"alpha": a}, {}) for a in (0.1, 0.5, 0.833, 1.2)),
    # towards the end fields of weights become steps: hat is 490 and 2300
    *((binary_perceptron, {"alpha": a}, {"rel": 1e-10}) for a in (1.25, 1.26)),
    *((bayes_perceptron, {"alpha": a}, {"rel": 1e-12}) for a in (0.1, 2.0, 20.0)),
    *((binary_teacher, {"alpha": a}, {}) for a in (0.5, 1.3, 1.49)),
    # at a rate of 0.55 there are three fixed points; from E = 0.1 it is the highest
    *((compressed_sensing, {"alpha": a, "rho": 0.4, "Delta": v}, {"rel": SMALL}) for a, v in (
        (0.7, 2.2e-5), (0.7, 4.6e-5), (0.7, 1e-3), (0.55, 1e-6), (0.3, 1e-8))),
    *((phase_retrieval, {"alpha": a}, {"rel": 1e-10}) for a in (0.51, 0.8, 1.0, 1.12)),
    *((hinge_mixture, {"alpha": a, "share": 0.3, **CLOUDS}, {}) for a in (0.3, 1.0, 1.4, 2.0, 10.0)),
]


@pytest.mark.parametrize(("theory", "at", "how"), table(POINTS, 2))
def test_points(theory, at, how):
    asked = {n: how[n] for n in ("start", "rtol") if n in how}
    found = theory().solve(**at, **asked)
    assert_agrees(found, PROGRAMS[theory](at, how.get("near", found)), how.get("rel", 1e-11))
    assert "holds" not in how or how["holds"](found)


TEMPERATURES = np.linspace(0.4, 0.6, 11)
#: theory, parameters, and how: ``start``, ``rel``, the points that converge, the names that are compared, what holds
SWEEPS = [
    (spiked_wigner, {"snr": np.linspace(0.7, 2, 14)}, {"rel": 1e-10, "where": lambda at: at["snr"] > 1.001}),
    (glass, {"beta": np.linspace(0.5, 3, 11), "h": np.array([-0.2, 0.1, 0.5])}, {}),
    (broken_glass, {"beta": np.linspace(2, 5, 16)}, {"rel": 1e-9, "holds": lambda s: (s["X"] < 0.3).all()}),
    (committee_of_arcs, {"alpha": np.linspace(10, 40, 16)}, {
        "start": SPECIAL, "rel": 1e-10, "holds": lambda s: (
            ((s["R"] - s["S"])[s.axes["alpha"] > 24] > 0.05).all()
            and (abs(s["R"] - s["S"])[s.axes["alpha"] < 23.5] < 1e-9).all())}),
    (spherical, {"T": TEMPERATURES}, {"start": {"q": np.interp(TEMPERATURES, [0.4, 0.6], [0.78, 0.66]),
                                                "X": np.interp(TEMPERATURES, [0.4, 0.6], [0.51, 1.04])},
                                      "holds": lambda s: (np.diff(s["X"]) > 0).all()}),
    (binary_perceptron, {"alpha": np.linspace(0.5, 1.1, 31)}, {"rel": 1e-10, "holds": lambda s: abs(
        np.interp(0, -s["entropy"], s.axes["alpha"]) - literature.binary_capacity()) < 1e-4}),
    # every capacity is one at which the theory of a given load has no entropy
    (binary_capacity, {"kappa": np.linspace(-0.5, 1, 7)}, {"rel": 1e-10, "holds": lambda s: (
        np.diff(s["alpha"]) < 0).all()}),
    # the line on which two coarse rules once agreed on wrong numbers
    (compressed_sensing, {**SENSED, "Delta": np.array([1e-5, 2.2e-5, 3e-5, 4e-5, 4.6e-5, 6e-5, 1e-4, 2e-4])},
     {"rel": 1e-9}),
    (hinge_mixture, {"alpha": np.linspace(0.3, 3, 10), "share": np.array([0.1, 0.3, 0.5]), **CLOUDS},
     {"rel": 1e-10, "names": ("test_error",)}),
    # weak recovery begins at 1/2; from 1.128 on it is perfect, which is no root but an end of the domain
    (phase_retrieval, {"alpha": np.array([0.45, 0.55, 0.7, 0.9, 1.1, 1.15])},
     {"rel": 1e-9, "where": lambda at: 0.5 < at["alpha"] < 1.128}, True),
    (bayes_perceptron, {"alpha": np.geomspace(0.1, 100, 16)}, {}, True),
    # beyond the spinodal 1.49 only perfect recovery is left
    (binary_teacher, {"alpha": np.linspace(0.5, 1.6, 12)},
     {"rel": 1e-10, "where": lambda at: at["alpha"] < 1.49}, True),
    (broken_glass_in_field, {"beta": 2.0, "h": np.linspace(0.05, 0.4, 8)}, {"rel": 1e-9}, True),
]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("theory", "given", "how"), table(SWEEPS))
def test_sweeps(theory, given, how, backend):
    swept = theory().sweep(**given, backend=backend, **({"start": how["start"]} if "start" in how else {}))
    for place in np.ndindex(swept.shape):
        at = {**given, **{n: axis[k] for (n, axis), k in zip(swept.axes.items(), place)}}
        assert swept.converged[place] == how.get("where", lambda _: True)(at), (at, swept.status[place])
        if swept.converged[place]:
            point = {name: swept[name][place] for name in swept.names}
            assert_agrees(point, PROGRAMS[theory](at, point), how.get("rel", 1e-11), names=how.get("names"))
    assert "holds" not in how or how["holds"](swept)


def ends_at(parameter, abs_tol=1e-4):
    """Whether the path goes down to a transition, where it ends and says why."""
    return lambda path: abs(path.branches[-1].parameter[-1] - parameter) < abs_tol and "q" in path.end


def passes_one(path):
    """X passes 1 at T = 0.586, beyond which the glass is no state of equilibrium."""
    temperatures, weights = (np.concatenate(rows) for rows in (
        [p.parameter for p in path.branches], [p.unknowns["X"] for p in path.branches]))
    static = literature.spherical_static_transition()
    return abs(np.interp(1, weights, temperatures) - static) < 1e-4 and abs(static - 0.586) < 1e-3


def meets_at_the_pitchfork(path):
    """Published: 23.7.  From either branch the path names the point where they meet."""
    right = literature.committee_specialises()
    return abs(right - 23.7) < 0.05 and [p.parameter for p in path.branch_points] == pytest.approx([right], rel=1e-7)


#: theory, the call, and how: every which point is compared, the names, where, what else holds
PATHS = [
    (spiked_wigner, {"over": "snr", "start": 2.0, "stop": 0.5}, {"holds": ends_at(1)}),
    (glass, {"over": "beta", "start": 2.0, "stop": 0.5, "h": 0}, {"names": ("q",), "holds": ends_at(1)}),
    (glass, {"over": "h", "start": -1, "stop": 1, "beta": 2}, {"names": ("q",)}),
    (broken_glass, {"over": "beta", "start": 5.0, "stop": 0.5, "begin": {"q1": 0.9, "X": 0.15}},
     {"names": ("q1", "X"), "where": lambda at: at["beta"] > 1.5, "holds": lambda path: (
         1 < path.branches[-1].parameter[-1] < 1.3 and path.end != "stop was reached")}),
    *((committee_of_arcs, {"over": "alpha", "start": 40, "stop": 10, "begin": begin},
       {"holds": meets_at_the_pitchfork}) for begin in (SPECIAL, {"R": 0.49, "S": 0.49, "C": 0.01})),
    # the averages over two normals are closed, and differentiated then
    (committee, {"over": "alpha", "start": 40, "stop": 10, "begin": SPECIAL}, {"holds": meets_at_the_pitchfork}),
    (committee, {"over": "alpha", "start": 40, "stop": 10, "begin": SYMMETRIC}, {"holds": meets_at_the_pitchfork},
     True),
    (spherical, {"over": "T", "start": 0.4, "stop": 0.6, "begin": BROKEN}, {"holds": passes_one}),
    (binary_perceptron, {"over": "alpha", "start": 0.3, "stop": 1.1, "step": 0.5},
     {"holds": lambda path: not path.folds}),
    (bayes_perceptron, {"over": "alpha", "start": 0.5, "stop": 8, "step": 1}, {"every": 1}),
    # equal shares need no bias; the path passes them
    (hinge_mixture, {"over": "share", "start": 0.2, "stop": 0.8, "alpha": 1.0, "step": 0.2, **CLOUDS},
     {"every": 2, "holds": lambda path: np.concatenate(
         [branch.unknowns["b"] for branch in path.branches])[[0, -1]].prod() < 0}, True),
    # the rules refused to begin at Delta = 1e-6; features 1/300 wide move by ten times that
    (compressed_sensing, {"over": "alpha", "start": 0.6, "stop": 0.5, "rho": 0.4, "Delta": 1e-6, "begin": {"E": 1e-5}},
     {"program": lambda at, p: {"E": literature.compressed_sensing(at["alpha"], 0.4, 1e-6)[0]}, "rel": 1e-6,
      "absolute": 0.0, "holds": lambda path: path.end == "stop was reached" and path.folds == ()}, True),
    # at Delta = 2.2e-5 the path gave 3.5797e-5, where a certificate proves 3.56864538521939e-5
    (compressed_sensing, {"over": "Delta", "start": 2e-4, "stop": 2.2e-5, **SENSED},
     {"holds": lambda path: path.branches[-1]["E"][-1] == pytest.approx(3.56864538521939e-5, rel=1e-7, abs=0)}),
    (hopfield, {"over": "alpha", "start": 0.05, "stop": 0.2, "T": 0.1, "begin": RETRIEVAL},
     {"every": 10, "where": lambda at: at["alpha"] > 1e-6, "holds": lambda path: (        # the program loses digits
         [f.parameter for f in path.folds] == pytest.approx([0.13504918977356], rel=1e-9)
         and path.end.startswith("alpha reaches 0, the edge of its domain"))}, True),
    # the start of the theory leads to the edge X = 1, which is a root too
    (broken_glass_in_field, {"over": "h", "start": 0.3, "stop": 0.1, "beta": 2.0, "step": 0.2,
                             "begin": {"q0": 0.4, "q1": 0.6, "X": 0.4}}, {"every": 1}, True),
]


@pytest.mark.parametrize(("theory", "call", "how"), table(PATHS))
def test_paths(theory, call, how):
    """A continuation follows unknowns in units of 1."""
    path, compared = theory().continuation(**call), 0
    for branch in path.branches:
        for k in range(1, len(branch.parameter) - 1, how.get("every", 3)):
            point = {name: values[k] for name, values in {**branch.unknowns, **branch.observables}.items()}
            at = {**call, call["over"]: branch.parameter[k]}
            if how.get("where", lambda _: True)(at):
                expected = how.get("program", PROGRAMS[theory])(at, point)
                assert_agrees(point, expected, how.get("rel", 1e-8), how.get("absolute", 1e-8), how.get("names"))
                compared += 1
    assert compared > 2
    assert "holds" not in how or how["holds"](path)


#: theory, parameters, digits, start, and the digits of the program
DIGITS = [
    (hopfield, {"alpha": "0.1", "T": "0.1"}, 20, RETRIEVAL, 1e-12), (spiked_wigner, {"snr": "1.5"}, 20, None, 1e-13),
    (glass, {"beta": 2, "h": "0.1"}, 20, None, 1e-12), (committee_of_arcs, {"alpha": 30}, 20, SPECIAL, 1e-12),
    (spherical, {"T": "0.5"}, 20, BROKEN, 1e-12), (binary_capacity, {"kappa": 0}, 15, None, 1e-13),
    (hinge_mixture, {"alpha": 2, "share": "0.3", **{n: str(v) for n, v in CLOUDS.items()}}, 17, None, 1e-13),
    (broken_glass, {"beta": 5}, 15, None, 1e-12, True), (bayes_perceptron, {"alpha": 2}, 20, None, 1e-14, True),
    (phase_retrieval, {"alpha": "0.8"}, 10, None, 1e-10, True)]


@pytest.mark.parametrize(("theory", "at", "digits", "start", "rel"), table(DIGITS))
def test_digits(theory, at, digits, start, rel):
    found = theory().precise(digits=digits, **at, start=start)
    floats = {s: float(v) for s, v in found.order_parameters.items()}
    assert_agrees(found, PROGRAMS[theory]({n: float(v) for n, v in at.items()}, floats), rel)


#: theory, parameters, and the unknown that goes to an end of its domain there, which is said, and soon
EDGES = [
    (hopfield, {"alpha": 0.1, "T": 2.0}, "q"), (spiked_wigner, {"snr": 0.5}, "q"),
    (phase_retrieval, {"alpha": 0.4}, "q"),
    (phase_retrieval, {"alpha": 1.2}, "q", True), (binary_perceptron, {"alpha": 1.35}, "q", True),
    (binary_perceptron, {"alpha": 2.0}, "q", True), (binary_teacher, {"alpha": 2.0}, "q", True)]


@pytest.mark.parametrize(("theory", "at", "name"), table(EDGES))
def test_edges(theory, at, name):
    with pytest.raises(ak.ConvergenceError) as refused:
        theory().solve(**at)
    assert_edge_is_named(refused, name)


# -- what is known of one theory alone -----------------------------------------------------------------------------


def test_states():
    """Of Hopfield two retrieval states of either sign, an unstable one with each, and the glass."""
    found = hopfield().solutions(alpha=0.1, T=0.3)
    assert len(found) == 5
    for state in found:
        assert_agrees(state, PROGRAMS[hopfield]({"alpha": 0.1, "T": 0.3}, state), absolute=1e-14)
    found = committee_of_arcs().solutions(alpha=30)
    assert sorted(round(s["R"] - s["S"], 3) for s in found) == [-0.488, 0, 0.488]
    found = sorted(s["E"] for s in compressed_sensing().solutions(alpha=0.55, rho=0.4, Delta=1e-6))
    assert found == pytest.approx(literature.compressed_sensing(0.55, 0.4, 1e-6), rel=1e-9, abs=0)


@pytest.mark.parametrize("backend", BACKENDS)
def test_hopfield_along_the_load(backend):
    """Retrieval ends at 0.1350 (T = 0.1); beyond it the glass is left, with m = 0, which is said once."""
    loads = np.linspace(0.06, 0.16, 11)
    with pytest.warns(ak.AssumptionWarning, match="between alpha = 0.13 and 0.14") as said:
        swept = hopfield().sweep(alpha=loads, T=0.1, backend=backend, start=RETRIEVAL)
    assert len(said) == 1 and swept.converged.all(), swept.status
    below = loads < 0.135
    for k in np.flatnonzero(below):
        point = {name: swept[name][k] for name in swept.names}
        assert_agrees(point, PROGRAMS[hopfield]({"alpha": loads[k], "T": 0.1}, point))
    assert (swept["m"][below] > 0.96).all() and (abs(swept["m"][~below]) < 1e-9).all()
    glasses = [literature.hopfield(load, 0.1, (0, 0.95))["q"] for load in loads[~below]]
    assert swept["q"][~below] == pytest.approx(glasses, rel=1e-11)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_diagram_of_hopfield(backend):
    """Points that lose retrieval take as many steps as they are given, all of them together."""
    at = {"alpha": np.linspace(0.01, 0.13, 30), "T": np.linspace(0.05, 0.6, 30), "start": RETRIEVAL}
    with pytest.warns(ak.AssumptionWarning, match="the solutions pass from one branch to another"):
        swept = hopfield().sweep(**at, backend=backend)
    assert swept.converged.all() and 600 < (swept["m"] > 0.5).sum() < 640
    for place in ((0, 0), (10, 20), (29, 2), (0, 29)):
        values = {n: a[k] for (n, a), k in zip(swept.axes.items(), place)}
        point = {name: swept[name][place] for name in swept.names}
        assert_agrees(point, PROGRAMS[hopfield](values, point))


@pytest.mark.slow
def test_hopfield_near_zero_temperature():
    """The capacity goes to that of T = 0, alpha_c = 0.137905566... (the curve of y = m/sqrt(2*alpha*r))."""
    begin = {**RETRIEVAL, "q": 0.9999}
    folds = [hopfield().continuation(over="alpha", start=0.1, stop=0.15, T=cold, begin=begin).folds[0].parameter
             for cold in (0.02, 0.01)]
    limit = literature.hopfield_capacity_at_zero_temperature()
    assert limit == pytest.approx(0.137905566, abs=1e-9)
    assert abs(folds[1] - limit) < abs(folds[0] - limit) < 1e-3


def test_spiked_wigner_next_to_its_transition():
    """What is lost there is refused, or said: no answer is off by more than was asked for."""
    for value in ("1.01", "1.001", "1.0001"):
        right = float(spiked_wigner().precise(digits=15, snr=value)["q"])
        try:
            assert spiked_wigner().solve(snr=float(value))["q"] == pytest.approx(right, rel=2e-12)
        except ak.ConvergenceError as refused:
            assert "precise" in str(refused)
    with pytest.raises(ak.ConvergenceError, match="critical point|q tends to 0"):
        spiked_wigner().solve(snr=1.0)


def test_digits_where_only_a_root_at_the_edge_is_left():
    """The search for digits ends soon and says why; a root that is 0 by symmetry is 0."""
    with pytest.raises(ak.ConvergenceError) as refused:
        spiked_wigner().precise(digits=10, snr="0.5")
    assert_edge_is_named(refused, "q")
    # with q = m**2 the transition is a pitchfork
    magnetisation = ak.Theory(name="spiked Wigner", parameters={snr: ("signal to noise", "positive")}, unknowns={
        m: (-1, 1)}, equations=[m**3 - m * ak.E(tanh(snr * m**2 + sqrt(snr) * m * z), z)])
    assert magnetisation.precise(snr="0.5")["m"] == 0
    found = hopfield().precise(digits=10, alpha="0.3", T="0.3")
    assert found["m"] == 0 and found["q"] > 0.5


@pytest.mark.slow
def test_broken_glass_near_zero_temperature():
    """Published at T = 0 (Parisi 1980): energy -0.7652, entropy -0.01; and -0.7979 with replica symmetry.

    From beta = 30 on inner averages are too narrow for products of rules, and are refused.
    """
    at = {"beta": 20, "h": 0}
    found = broken_glass_in_field().solve(**at, start={"q0": 0.46, "q1": 0.9875, "X": 0.065})
    assert_agrees(found, PROGRAMS[broken_glass_in_field](at, found), 1e-9)
    with pytest.raises(ak.ConvergenceError, match="did not reach the accuracy asked for at the finest rule"):
        broken_glass_in_field().solve(beta=50, h=0, start={"q0": 0.466, "q1": 0.995, "X": 0.026})
    assert found["f"] - 0.01 / 20 == pytest.approx(-0.7652, abs=5e-5)
    assert glass().solve(beta=1000, h=0)["f"] == pytest.approx(-np.sqrt(2 / np.pi), abs=1e-3)


@pytest.mark.slow
def test_committee_without_closed_averages():
    """With tanh in place of erf the path begins on a rule that it can afford; R, S, C are those of independent sums."""
    theory = script("soft_committee").committee(lambda c: ak.E(tanh(x) * tanh(y), (x, y), rho=c))
    path = theory.continuation(over="alpha", start=30, stop=10, begin=SYMMETRIC)
    assert [p.kind for p in path.branch_points] == ["pitchfork"] and path.end == "stop was reached"
    nodes, weights = literature.normal_nodes(1 / 8)
    one, two = nodes[:, None], nodes[None, :]

    def slope(c):                   # of E[tanh(x)*tanh(y)] by the correlation: E[tanh'(x)*tanh'(y)]
        return weights @ (np.cosh(one) ** -2 * np.cosh(c * one + np.sqrt(1 - c * c) * two) ** -2) @ weights

    (branch,) = path.branches
    for k in (0, len(branch.parameter) // 2, -1):
        load, a, b, c = branch.parameter[k], *(branch.unknowns[n][k] for n in "RSC")
        even, odd = 1 + c - (a + b) ** 2, 1 - c - (a - b) ** 2
        assert -2 * load * slope(a) + (a + b) / even + (a - b) / odd == pytest.approx(0, abs=1e-8)
        assert load * slope(c) - 1 / (2 * even) + 1 / (2 * odd) == pytest.approx(0, abs=1e-8)


def test_spherical_at_its_dynamic_transition():
    """The plateau of the correlation above the static transition, X = 1: q = 1/2 at T = sqrt(3/8) = 0.612, a fold."""
    marginal = ak.Theory(name="dynamic transition", parameters={T: ("temperature", "positive")}, unknowns={q: (0, 1)},
                         equations=[q / (1 - q) - 3 * q**2 / (2 * T**2)])
    path = marginal.continuation(over="T", start=0.4, stop=0.7, begin={"q": 0.9})
    assert path.folds[0].parameter == pytest.approx(np.sqrt(3 / 8), rel=1e-10)
    assert path.folds[0].unknowns["q"] == pytest.approx(0.5, abs=1e-5)
    # steps below 1e-13 once ended the corrector, which left nothing of an unknown of 1e-16
    lower = path.branches[-1]["q"]
    assert path.end == "unknown q reaches 0, the edge of its domain" and lower[lower > 0.0].min() < 1e-16
    for branch in path.branches:
        inside = branch["q"] > 0.0                                              # both branches end at T = 0
        assert branch["q"][inside] * (1 - branch["q"][inside]) == pytest.approx(
            branch.parameter[inside] ** 2 / 1.5, rel=1e-12 if branch is path.branches[-1] else 1e-9, abs=0.0)


def test_binary_capacity():
    """Published: 0.833078599."""
    found = binary_capacity().solve(kappa=0)
    assert found["alpha"] == pytest.approx(literature.binary_capacity(), rel=1e-13)
    assert found["alpha"] == pytest.approx(0.833078599, abs=1e-9)


@pytest.mark.parametrize("tail", [lambda t: erfc(t / sqrt(2)) / 2, lambda t: (1 - erf(t / sqrt(2))) / 2,
                                  lambda t: erfc(-t / sqrt(2)) / 2], ids=["erfc", "erf", "the other tail"])
def test_forms_of_the_perceptron(tail):
    """The densities underflow and their quotients by the tails do not."""
    theory = script("bayes_perceptron").perceptron(hat / (1 + hat), tail)
    assert float(theory.precise(alpha=2, digits=12)["bayes"]) == pytest.approx(0.17453418557984769875, rel=1e-11)
    sweep = theory.sweep(alpha=np.array([2.0, 8.0]), backend="numpy")
    assert sweep["bayes"] == pytest.approx([0.17453418557984769875, 0.054065223728495702], rel=1e-11)


@pytest.mark.slow
def test_bayes_perceptron_with_many_samples():
    """Published: the errors go like 0.442/alpha (Bayes) and 0.625/alpha (Gibbs)."""
    found = bayes_perceptron().solve(alpha=1000)
    assert 1000 * found["bayes"] == pytest.approx(0.442, abs=1e-3)
    assert 1000 * found["gibbs"] == pytest.approx(0.625, abs=1e-3)
    assert found["q"] == pytest.approx(literature.bayes_perceptron(1000, bracket=(0.9, 1 - 1e-7))["q"], rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(("theory", "at"), [(binary_perceptron, "1.7"), (binary_teacher, "2")])
def test_digits_beyond_the_capacity_are_refused_soon(theory, at):
    """Nodes are not placed again and again around features of what is no root."""
    with pytest.raises(ak.ConvergenceError) as refused:
        theory().precise(digits=15, alpha=at)
    assert_edge_is_named(refused, "q")


@pytest.mark.slow
def test_binary_teacher_through_its_spinodal():
    """Published: 1.49 (Sompolinsky, Tishby and Seung 1990)."""
    path = binary_teacher().continuation(over="alpha", start=0.5, stop=1.6, step=0.5)
    assert path.folds[0].parameter == pytest.approx(1.49, abs=5e-3)
    for branch in path.branches:
        for load, overlap in list(zip(branch.parameter, branch.unknowns["q"]))[1::3]:
            if overlap < 0.999:                                                  # 1 - q has fewer digits than q
                assert load == pytest.approx(literature.binary_teacher_load(overlap), rel=1e-8)
    assert path.end == "unknown q reaches 1, the edge of its domain, to rounding"


@pytest.mark.slow
def test_compressed_sensing_is_proved_and_exported(tmp_path):
    at, right = {"alpha": "0.7", "rho": "0.4", "Delta": "0.000022"}, 3.56864538521939e-5
    assert abs(float(compressed_sensing().certify(digits=12, **at)["E"].mid) - right) < 1e-18
    assert float(compressed_sensing().precise(digits=12, **at)["E"]) == pytest.approx(right, rel=1e-11, abs=0)
    module = loaded(compressed_sensing().generate(tmp_path / "sensing.py"))
    noise = np.array([1e-5, 2.2e-5, 6e-5])
    assert module.solve_rows(0.7, 0.4, noise)["E"] == pytest.approx(
        compressed_sensing().sweep(**SENSED, Delta=noise)["E"], rel=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_compressed_sensing_across_its_transition(backend):
    """The error falls from 6e-2 to 3e-6 at a rate of 0.589."""
    with pytest.warns(ak.AssumptionWarning, match="between alpha = 0.58 and 0.6") as said:
        swept = compressed_sensing().sweep(alpha=np.linspace(0.5, 0.7, 11), rho=0.4, Delta=1e-6, backend=backend)
    assert len(said) == 1
    right = [literature.compressed_sensing(a, 0.4, 1e-6)[-1] for a in swept.axes["alpha"]]
    assert swept["E"] == pytest.approx(right, rel=1e-9, abs=0)


@pytest.mark.slow
@pytest.mark.parametrize("noise", [1e-4, 1e-6])
def test_compressed_sensing_through_its_folds(noise):
    """Three fixed points at one rate lie on one path, through two folds."""
    path = compressed_sensing().continuation(over="alpha", start=0.65, stop=0.4, rho=0.4, Delta=noise, step=0.02)
    assert len(path.folds) == 2
    for fold in path.folds:
        inside = [fold.parameter + s * 1e-4 for s in (-1, 1)]
        assert sorted(len(literature.compressed_sensing(a, 0.4, noise)) for a in inside) == [1, 3]


@pytest.mark.parametrize("overlap", [0.9, 0.99, 0.999])
def test_phase_retrieval_near_perfect_recovery(overlap):
    """The lower of two errors, from a start next to it, or a refusal: it was taken for the other one, q = 0.58."""
    load = literature.phase_retrieval_load(overlap)
    try:
        found = phase_retrieval().solve(alpha=load, start={"q": overlap})
    except ak.ConvergenceError as refused:      # no nodes are placed in two variables
        assert "averages did not reach the accuracy" in str(refused) and "precise()" in str(refused)
    else:
        assert found["q"] == pytest.approx(overlap, rel=1e-10)


@pytest.mark.slow
def test_phase_retrieval_through_its_fold():
    """Published: the algorithmic threshold 1.128."""
    path = phase_retrieval().continuation(over="alpha", start=0.8, stop=1.2, step=0.1)
    assert [fold.parameter for fold in path.folds] == pytest.approx([1.1284714], abs=1e-6)
    for branch in path.branches:
        for load, overlap in list(zip(branch.parameter, branch.unknowns["q"]))[1::3]:
            assert load == pytest.approx(literature.phase_retrieval_load(overlap), rel=1e-8)


@pytest.mark.slow
def test_phase_retrieval_with_balls():
    """The proof knows the equation alone; digits come from other rules."""
    proved = phase_retrieval().certify(alpha="0.8", digits=8)
    assert abs(float(proved["error"]) - 0.78377250970435) < 1e-13
    assert float(proved["error"].rad) < 1e-8
