"""Optima over one and several parameters: roots of exact derivatives, blocks of points, bounds, errors."""

from contextlib import suppress
from unittest import mock

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from sympy import Abs, Heaviside, Symbol, exp, symbols

import asympkit as ak
from asympkit.cli import main
from asympkit.minimize import evaluate, run
from asympkit.minimize.interpolant import chebyshev_nodes, find_lowest
from asympkit.minimize.run import search
from asympkit.nodes import Applied

pytestmark = pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")
POINT = {"eta": 1.0, "alpha0": 2.0, "noise_variance": 0.1}


@pytest.fixture(scope="module")
def theory():
    return ak.OneStep("tanh", "sin")


def test_curve_over_alpha(theory):
    alpha = np.geomspace(0.2, 8.0, 150)
    curve = theory.minimize("test_error", over="lam", bounds=(1e-6, 1e3), alpha=alpha, **POINT)
    assert curve.argmin.shape == (150,) and curve.converged.all() and not curve.at_bound.any()
    for i in (0, 7, 77, 149):
        one = theory.minimize("test_error", over="lam", bounds=(1e-6, 1e3), alpha=alpha[i], **POINT)
        assert curve.argmin[i] == pytest.approx(one.argmin, rel=1e-9)
        assert curve.value[i] == pytest.approx(one.value, rel=1e-12)


def test_axes_broadcast_and_tables_vary(theory):
    alpha0, alpha = np.array([[0.5], [3.0]]), np.array([0.7, 2.0])
    rest = {"eta": 1.0, "noise_variance": 0.1}
    curve = theory.minimize("test_error", over="lam", bounds=(1e-4, 1e2), alpha=alpha, alpha0=alpha0, **rest)
    assert curve.value.shape == (2, 2)
    one = theory.minimize("test_error", over="lam", bounds=(1e-4, 1e2), alpha=2.0, alpha0=0.5, **rest)
    assert curve.argmin[0, 1] == pytest.approx(one.argmin, rel=1e-9)


def test_more_data_is_better_to_the_bound(theory):
    best = theory.minimize("test_error", over="alpha", bounds=(0.5, 4.0), lam=0.5, **POINT)
    assert best.at_bound and best.argmin == 4.0
    assert str(best).endswith("at alpha = 4.0 (a bound of the interval)")
    assert best.value == pytest.approx(theory.solve(alpha=4.0, lam=0.5, **POINT).test_error, rel=1e-12)


def double_well():
    x = Symbol("x", real=True)
    p, a = Symbol("p", real=True), Symbol("a", real=True)
    return ak.Theory(name="wells", unknowns=[x], parameters={p: ("place", "real"), a: ("tilt", "real")},
                     equations=[x - (p**2 - 1) ** 2 - a * p], observables={"height": x})


def test_lowest_of_several_minima():
    theory = double_well()
    for tilt in (0.1, -0.1):
        best = theory.minimize("height", over="p", bounds=(-2.0, 2.0), a=tilt)
        real = np.roots([4, 0, -4, tilt]).real
        assert best.argmin == pytest.approx(min(real, key=lambda p: (p**2 - 1) ** 2 + tilt * p), rel=1e-10)
    tilts = np.linspace(-0.1, 0.1, 201)[::2] + 1e-4
    curve = theory.minimize("height", over="p", bounds=(-2.0, 2.0), a=tilts)
    assert np.array_equal(np.sign(curve.argmin), -np.sign(tilts))


def test_search_reports_what_cannot_be_evaluated():
    t, value, bound, good = search(lambda i, t: (np.where(i == 1, np.nan, t**2), np.where(i == 1, np.nan, 2 * t)),
                                   3, -1.0, 2.0)
    assert good.tolist() == [True, False, True]
    assert t[[0, 2]] == pytest.approx(0.0, abs=1e-11)
    assert np.isnan(value[1]) and not bound.any()


def test_what_is_lowest_beside_points_that_fail_is_no_minimum():
    def evaluate(i, t):                         # rises, falls a little, and is unknown below 0
        f, d = 1.0 - (t - 1.0) ** 2, -2.0 * (t - 1.0)
        return np.where(t < 0.0, np.nan, f), np.where(t < 0.0, np.nan, d)

    assert not search(evaluate, 1, -1.0, 1.5)[3][0]
    t, value, bound, good = search(evaluate, 1, 0.0, 1.5)
    assert good[0] and bound[0] and (t[0], value[0]) == (0.0, 0.0)
    t, value, bound, good = search(evaluate, 1, -0.5, 3.0)          # lower at the other end
    assert good[0] and bound[0] and (t[0], value[0]) == (3.0, -3.0)


@pytest.mark.parametrize(("equation", "over", "text"), [
    (lambda x, p, a: x**2 + 1 + p**2 + a**2, "p", "in .-1, 1.: the equations were solved at none of 25 points"),
    (lambda x, p, a: x**2 - p, "p", "its smallest value at 25 points is 0 at p = 0, beside points at which the equa"),
    pytest.param(lambda x, p, a: x**2 - p - a, ("p", "a"), "value at 81 points is .*, a = .*, beside points",
                 marks=pytest.mark.slow),
    (lambda x, p, a: x + p - Heaviside(p - 0.31), "p", "at p = 0.25, but no place was found where its derivative va"),
])
def test_a_search_that_fails_tells_what_is_seen(equation, over, text):
    x, p, a = Symbol("x", real=True), Symbol("p", real=True), Symbol("a", real=True)
    theory = ak.Theory(name="seen", unknowns=[x], parameters={p: ("place", "real"), a: ("tilt", "real")},
                       equations=[equation(x, p, a)], start={x: 1})
    bounds = (-1, 1) if over == "p" else ((-1, 1), (-1, 1))
    with pytest.raises(ak.ConvergenceError, match=text):
        theory.minimize("x", over=over, bounds=bounds, **({"a": 0.0} if over == "p" else {}))


@pytest.mark.parametrize("bounds, text", [
    ((1.0, 1.0), "expected low < high"), (3.0, r"bounds: got 3.0; expected a pair"),
    ((0.1, np.inf), "expected two finite numbers"), ((-1.0, 1.0), "lam: got -1.0; expected a positive finite number"),
])
def test_wrong_bounds(theory, bounds, text):
    with pytest.raises(ak.DomainError, match=text):
        theory.minimize("test_error", over="lam", bounds=bounds, alpha=1.5, **POINT)


def test_wrong_names(theory):
    arguments = {"bounds": (0.1, 1.0), "alpha": 1.5, **POINT}
    with pytest.raises(ak.UnknownNameError, match="no quantity 'test_eror'; did you mean 'test_error'"):
        theory.minimize("test_eror", over="lam", **arguments)
    with pytest.raises(ak.UnknownNameError, match="unknown parameter 'lamb'; did you mean 'lam'"):
        theory.minimize("test_error", over="lamb", lam=0.1, **arguments)
    with pytest.raises(ak.DomainError, match="over: lam is given as 0.1 too; leave it out"):
        theory.minimize("test_error", over="lam", lam=0.1, **arguments)
    with pytest.raises(ak.DomainError, match="backend: got 'gpu'"):
        theory.minimize("test_error", over="lam", backend="gpu", **arguments)
    with pytest.raises(ak.DomainError, match="alpha has .3,., alpha0 has .2,."):
        theory.minimize("test_error", over="lam", bounds=(0.1, 1.0), eta=1.0, alpha=np.ones(3), alpha0=np.ones(2))


@pytest.mark.parametrize("bounds", [(1.0, 5.0), (0.3, 7.1), (1e-3, 3.3), (-2.0, 0.7)])
def test_an_optimum_at_a_bound_is_the_bound(bounds):
    """The logarithm of 5 is that of 4.999999999999999."""
    x, h = Symbol("x", real=True), Symbol("h", real=True)
    line = ak.Theory(name="line", parameters={h: ("field", "real")}, unknowns=[x], equations=[x + h])
    lowest, highest = (find("x", over="h", bounds=bounds) for find in (line.minimize, line.maximize))
    assert (lowest.argmin, highest.argmax) == bounds[::-1] and lowest.at_bound and highest.at_bound


a, b, c, u = symbols("a b c u", real=True)


def own(observable):
    """A theory whose observable is a function of its parameters."""
    return ak.Theory(name="plain", parameters={s: (s.name, "real") for s in (a, b, c)}, unknowns=[u],
                     free_energy=(u - observable) ** 2 / 2, observables={"value": u})


@pytest.fixture(scope="module")
def wells():
    """Two wells, the deeper one at (-1, 1)."""
    return own(-exp(-4 * ((a - 1) ** 2 + (b + 1) ** 2)) - 2 * exp(-4 * ((a + 1) ** 2 + (b - 1) ** 2)) + c * a**2)


def test_a_long_valley():
    valley = own((a - 1) ** 2 + 100 * (b - a**2) ** 2 + c * 0)
    best = valley.minimize("value", over=("a", "b"), bounds=((-2, 2), (-1, 3)), c=0.0)
    assert best.converged and best.over == ("a", "b") and best.argmin == pytest.approx({"a": 1.0, "b": 1.0}, rel=1e-9)
    assert best.value == best.solution["value"] == pytest.approx(0.0, abs=1e-15)


def test_the_deeper_of_two_wells(wells):
    best = wells.minimize("value", over=["b", "a"], bounds={"a": (-3, 3), "b": (-3, 3)}, c=0.0)
    assert best.argmin == pytest.approx({"b": 1.0, "a": -1.0}, abs=1e-9) and not any(best.at_bound.values())
    assert best.value == pytest.approx(-2.0, rel=1e-12)


def test_the_largest_is_the_smallest_of_the_opposite(wells):
    best = wells.maximize("value", over=("a", "b"), bounds=((-3, 3), (-3, 3)), c=1.0)
    corner = max(float(wells.solve(a=s, b=t, c=1.0)["value"]) for s in (-3.0, 3.0) for t in (-3.0, 3.0))
    assert best.is_largest and best.at_bound["a"] and abs(best.argmax["a"]) == 3.0 and best.value >= corner
    line = wells.maximize("value", over="a", bounds=(-0.5, 3), b=0.0, c=-0.1)
    mirrored = own(-(-exp(-4 * ((a - 1) ** 2 + (b + 1) ** 2)) - 2 * exp(-4 * ((a + 1) ** 2 + (b - 1) ** 2))
                     + c * a**2)).minimize("value", over="a", bounds=(-0.5, 3), b=0.0, c=-0.1)
    assert line.argmin == line.argmax == pytest.approx(mirrored.argmin, rel=1e-9)
    assert line.value == pytest.approx(-mirrored.value)


def test_other_parameters_give_arrays(wells):
    shift = np.array([[0.0], [0.2]])
    curve = wells.minimize("value", over=("a", "b"), bounds=((-3, 3), (-3, 3)), c=shift)
    assert curve.value.shape == curve.argmin["a"].shape == curve.at_bound["b"].shape == (2, 1) and curve.converged.all()
    assert curve.solution is None
    one = wells.minimize("value", over=("a", "b"), bounds=((-3, 3), (-3, 3)), c=0.2)
    assert curve.argmin["a"][1, 0] == pytest.approx(one.argmin["a"], abs=1e-9)


def test_one_shape_over_one_parameter_and_over_several(wells):
    least, most = (getattr(wells, verb)("value", over=("a", "b"), bounds=((-3, 3), (-3, 3)), c=0.0)
                   for verb in ("minimize", "maximize"))
    with pytest.warns(DeprecationWarning, match="Optimum.place is now argmin"):
        assert least.place == least.argmin
    with pytest.warns(DeprecationWarning, match="Optimum.place is now argmax"):
        assert most.place == most.argmax
    assert most.argmin == most.argmax
    with pytest.raises(AttributeError, match="is the smallest value, and has argmin"):
        least.argmax  # noqa: B018


def test_results_print_themselves(wells):
    best = wells.maximize("value", over=("a", "b"), bounds=((0, 3), (0, 3)), c=0.3)
    assert str(best).startswith("largest value ") and "a = 3.0 (a bound of the interval)" in str(best)


@pytest.mark.parametrize("over, bounds, error, text", [
    ([], [], ak.DomainError, r"over: got \[\]; expected different names of parameters, one at least"),
    (("a", "a"), ((0, 1), (0, 1)), ak.DomainError, "expected different names"),
    (("a", "c"), ((0, 1), (0, 1)), ak.DomainError, "over: c is given as 0.0 too; leave it out"),
    (("a", "b"), ((0, 1),), ak.DomainError, r"bounds: got \(\(0, 1\),\); expected a pair \(low, high\) for each of"),
    (("a", "b"), {"a": (0, 1)}, ak.DomainError, "bounds: got intervals of a; expected one of each of a, b"),
    (("a", "b"), ((0, 1), (2, 1)), ak.DomainError, r"bounds\[1\]: got \(2, 1\); expected low < high"),
    (("a", "d"), ((0, 1), (0, 1)), ak.UnknownNameError, "plain: unknown parameter 'd'"),
    (("a", 3), ((0, 1), (0, 1)), ak.DomainError, "over: got 3; expected the name of a parameter, or a list of names"),
    (tuple("abdef"), ((0, 1),) * 5, ak.DomainError, "over: got 5 parameters; expected 4 at most"),
])
def test_wrong_calls(wells, over, bounds, error, text):
    with pytest.raises(error, match=text):
        wells.minimize("value", over=over, bounds=bounds, c=0.0)


def test_intervals_on_the_command_line(capsys):
    point = ["--eta", "1", "--alpha0", "2", "--alpha", "1.5", "--student", "tanh", "--target", "sin"]
    assert main(["minimize", "one-step", *point, "--over", "lam,beta", "--bounds", "1e-3,10"]) == 2
    assert "got --bounds 1 times for 2 parameters (lam, beta)" in capsys.readouterr().err


def _search(function, parameters, lattice):
    """Return what is found for a function of arrays, and the lowest value met."""
    def evaluate(boxes):
        lines = [[x + 0.5 * (1 + z) * (y - x) for x, y, z in zip(low, high, nodes)] for low, high, nodes in boxes]
        return [function(*np.meshgrid(*line, indexing="ij")) for line in lines]

    unit = np.zeros(parameters), np.ones(parameters), [chebyshev_nodes(lattice)] * parameters
    search = find_lowest(*evaluate([unit]))
    try:
        boxes = next(search)
        while True:
            boxes = search.send(evaluate(boxes))
    except StopIteration as end:
        return end.value[:2]


@pytest.mark.parametrize(("function", "lattice", "expected"), [
    (lambda t: np.cosh(3 * (t - 0.7123)), 33, [0.7123]),
    (lambda t: (t - 0.3) ** 2 - 0.4 * np.exp(-4000 * (t - 0.81) ** 2), 33, None),       # a narrow well
    (lambda t: np.exp(t), 33, [0.0]),
    (lambda s, t: (s - 0.3) ** 2 + s * t + np.cosh(2 * (t - 0.2)), 9, None),
    (lambda s, t: np.exp(s) * (t - 0.6) ** 2 + 3 * s, 9, [0.0, 0.6]),
    (lambda s, t: (3 * s - 1) ** 2 + 100 * (3 * t - 1 - (3 * s - 1.5) ** 2) ** 2, 9, [1 / 3, 1.25 / 3]),
    (lambda r, s, t: np.cosh(r - 0.4) + np.cosh(s + r - 0.9) + (t - 0.25) ** 2, 6, [0.4, 0.5, 0.25]),
])
def test_the_lowest_place_of_a_function(function, lattice, expected):
    parameters = function.__code__.co_argcount
    found, lowest = _search(function, parameters, lattice)
    value = function(*found.place)
    if expected is not None:
        assert found.place == pytest.approx(expected, abs=1e-6)
    assert value <= lowest + 1e-9 and found.value == pytest.approx(value, abs=1e-9)
    for axis in np.eye(parameters):             # lower than along each axis, to the bounds
        line = minimize_scalar(lambda x, axis=axis: function(*np.where(axis == 1, x, found.place)), bounds=(0, 1),
                               method="bounded", options={"xatol": 1e-10})
        assert value <= line.fun + 1e-9


@pytest.mark.parametrize("tilt", [1e-9, -1e-9])
def test_the_lower_of_two_minima_that_an_interpolant_does_not_tell_apart(tilt):
    found, _ = _search(lambda t: ((4 * t - 2) ** 2 - 1) ** 2 / (0.3 + (t - 0.5) ** 2) + tilt * t, 1, 25)
    assert found.place[0] == pytest.approx(0.25 if tilt > 0 else 0.75, abs=1e-6)


@pytest.mark.parametrize("place", [(0.42, 0.79), (0.4, 0.45), (0.6, 0.9)])
def test_a_narrow_dip_between_nodes_of_two_parameters(place):
    found, _ = _search(lambda s, t: (s - 0.75) ** 2 + (t - 0.2) ** 2 - 0.8 * np.exp(
        -200 * ((s - place[0]) ** 2 + (t - place[1]) ** 2)), 2, 9)
    assert found.place == pytest.approx(place, abs=0.01)


def test_what_polynomials_do_not_follow_is_left_to_others():
    assert _search(lambda t: np.abs(t - 0.4321), 1, 33)[0] is None
    assert _search(lambda t: np.where(t > 0.9, np.nan, t**2), 1, 33)[0] is None
    assert _search(lambda t: 0.0 * t + 1.0, 1, 33)[0] is None


def own_theory(observable):
    """A theory with the slope of its activation for a parameter, and a function of its solution."""
    a, alpha, q = symbols("a alpha q", positive=True)
    k, z = symbols("k z", real=True)
    mean = ak.E(Applied("f", a * k + z), z)
    return ak.Theory(name="slope of an activation", unknowns=[q], activations={"f": "tanh"},
                     parameters={a: ("slope", "positive"), alpha: ("samples", "positive")},
                     equations=[q - alpha * ak.E(mean**2 / (1 + q * mean**2), k)], observables={"seen": observable(q)})


CASES = [
    (lambda: ak.OneStep("tanh", "sin"), "test_error", "eta", (0.05, 4), {"alpha0": 1, "alpha": 1.5, "lam": 0.1}),
    (lambda: ak.OneStep("tanh", "sin"), "test_error", ("eta", "lam"), ((0.05, 4), (1e-3, 10)), {"alpha0": 1,
                                                                                                "alpha": 1.5}),
    (lambda: own_theory(lambda q: (q - 0.2) ** 2), "seen", "a", (0.1, 3), {"alpha": 0.5}),
    (lambda: own_theory(lambda q: Abs(q - 0.2)), "seen", "a", (0.1, 3), {"alpha": 0.5}),
    (lambda: own_theory(lambda q: q), "seen", "a", (0.1, 3), {"alpha": 0.5}),
]


@pytest.mark.parametrize("method", ["minimize", "maximize"])
@pytest.mark.parametrize(("theory", "quantity", "over", "bounds", "at"), [
    CASES[0], *(pytest.param(*case, marks=pytest.mark.slow) for case in CASES[1:4]), CASES[4]],
    ids=["eta", "two", "square", "kink", "bound"])
def test_values_lead_to_the_optimum_that_derivatives_find(theory, quantity, over, bounds, at, method):
    find, nothing = getattr(theory(), method), (np.nan, np.nan, False, False, 0)
    expected = None
    with mock.patch.object(run, "search_boxes", side_effect=lambda *a: [nothing] * len(a[4])), \
            suppress(ak.ConvergenceError):
        expected = find(quantity, over=over, bounds=bounds, **at)
    if expected is None:
        with pytest.raises(ak.ConvergenceError, match=f"{method}: no"):
            find(quantity, over=over, bounds=bounds, **at)
        return
    found = find(quantity, over=over, bounds=bounds, **at)
    assert found.converged and found.at_bound == expected.at_bound
    assert found.value == pytest.approx(expected.value, rel=1e-12, abs=1e-15)
    assert found.where == pytest.approx(expected.where, rel=1e-9)


def test_one_exact_gradient_ends_the_search_of_several_points():
    theory, at = ak.OneStep("tanh", "sin"), {"alpha0": [0.5, 2], "alpha": 1.5, "lam": 0.1}
    with mock.patch.object(evaluate, "tangent_solution", side_effect=AssertionError):
        curve = theory.minimize("test_error", over="eta", bounds=(0.05, 4), **at)
    for k, batch in enumerate(at["alpha0"]):
        one = theory.minimize("test_error", over="eta", bounds=(0.05, 4), **{**at, "alpha0": batch})
        assert curve.argmin[k] == pytest.approx(one.argmin, rel=1e-10)
        slope = theory.sensitivity("test_error", "eta", **{**at, "alpha0": batch, "eta": one.argmin})
        beside = theory.sensitivity("test_error", "eta", **{**at, "alpha0": batch, "eta": one.argmin * 1.001})
        assert abs(slope) <= 1e-7 * abs(beside)


def test_a_derived_quantity_over_two_parameters():
    v, h = Symbol("v", real=True), Symbol("h", real=True)
    a, x = symbols("a x", real=True)
    theory = ak.Theory(name="derived", unknowns=[x], parameters={a: ("place", "real"), h: ("field", "real")},
                       derived={v: (a - 1) ** 2 + (h + 0.5) ** 2}, equations=[x - v])
    best = theory.minimize("v", over=("a", "h"), bounds=((-2, 3), (-2, 2)))
    assert best.argmin == pytest.approx({"a": 1.0, "h": -0.5}, abs=1e-8)
