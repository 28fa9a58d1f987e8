"""Minima from values on boxes: against functions whose minima are known, and against the search by derivatives."""

from contextlib import suppress
from unittest import mock

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from sympy import Abs, Symbol, symbols

import asympkit as ak
from asympkit.minimize import evaluate, run
from asympkit.minimize.interpolant import chebyshev_nodes, find_lowest
from asympkit.nodes import Applied

pytestmark = pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")


def _search(function, parameters, lattice):
    """Return what is found for a function of arrays, and the lowest value met."""
    def evaluate(boxes):
        lines = [low + 0.5 * (1 + nodes)[:, None] * (high - low) for low, high, nodes in boxes]
        return [function(*np.meshgrid(*line.T, indexing="ij")) for line in lines]

    unit = np.zeros(parameters), np.ones(parameters), chebyshev_nodes(lattice)
    return find_lowest(*evaluate([unit]), evaluate)[:2]


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


def test_what_polynomials_do_not_follow_is_left_to_others():
    assert _search(lambda t: np.abs(t - 0.4321), 1, 33)[0] is None
    assert _search(lambda t: np.where(t > 0.9, np.nan, t**2), 1, 33)[0] is None
    assert _search(lambda t: 0.0 * t + 1.0, 1, 33)[0] is None


def own(observable):
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
    (lambda: own(lambda q: (q - 0.2) ** 2), "seen", "a", (0.1, 3), {"alpha": 0.5}),
    (lambda: own(lambda q: Abs(q - 0.2)), "seen", "a", (0.1, 3), {"alpha": 0.5}),
    (lambda: own(lambda q: q), "seen", "a", (0.1, 3), {"alpha": 0.5}),
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
