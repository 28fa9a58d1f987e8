"""Optima over several parameters, and largest values: against one parameter at a time, known functions, and bounds."""

import numpy as np
import pytest
from sympy import exp, symbols

import asympkit as ak
from asympkit.cli import main

pytestmark = pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")
a, b, c, u = symbols("a b c u", real=True)


def own(observable):
    """A theory whose observable is a function of its parameters."""
    return ak.Theory(name="plain", parameters={s: (s.name, "real") for s in (a, b, c)}, unknowns=[u],
                     free_energy=(u - observable) ** 2 / 2, observables={"value": u})


@pytest.fixture(scope="module")
def valley():
    return own((a - 1) ** 2 + 100 * (b - a**2) ** 2 + c * 0)


@pytest.fixture(scope="module")
def wells():
    """Two wells, the deeper one at (-1, 1)."""
    return own(-exp(-4 * ((a - 1) ** 2 + (b + 1) ** 2)) - 2 * exp(-4 * ((a + 1) ** 2 + (b - 1) ** 2)) + c * a**2)


def test_a_long_valley(valley):
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
    assert line.argmax == pytest.approx(mirrored.argmin, rel=1e-9) and line.value == pytest.approx(-mirrored.value)


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
    with pytest.raises(AttributeError, match="is the largest value, and has argmax"):
        most.argmin  # noqa: B018
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
