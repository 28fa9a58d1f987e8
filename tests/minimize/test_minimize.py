"""Optimal parameters: roots of exact derivatives, curves of them, bounds, several minima, errors."""

import numpy as np
import pytest
from sympy import Heaviside, Symbol

import asympkit as ak
from asympkit.minimize.run import search

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
