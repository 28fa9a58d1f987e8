"""Sweeps over parameters of the tables: blocks of points against the same points by themselves."""

import math
from unittest import mock

import numpy as np
import pytest
from sympy import Symbol, symbols

import asympkit as ak
from asympkit.nodes import Applied
from asympkit.solve import blocks as together
from asympkit.solve.ladder import PointTable
from asympkit.sweep import blocks, run

pytestmark = pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")


def _one_by_one(theory, **at):
    """Sweep piece by piece."""
    with mock.patch.object(run, "blocks_of", return_value=[]):
        return theory.sweep(backend="numpy", **at)


def _together(theory, **at):
    """Sweep in blocks, with few pieces left over."""
    with mock.patch.object(blocks, "solve_piece", side_effect=blocks.solve_piece) as alone:
        found = theory.sweep(backend="numpy", **at)
    assert alone.call_count <= 0.3 * found.converged.size
    return found


def _differing(got, expected, rtol=1e-10, floor=1e-12):
    """List the quantities, and the status, in which two sweeps differ."""
    found = [] if np.array_equal(got.status, expected.status) else ["status"]
    found += [n for n in got.names if not np.allclose(got[n], expected[n], rtol=rtol, atol=floor, equal_nan=True)]
    return found + [n for n, values in got.derived.items()
                    if not np.array_equal(values, expected.derived[n], equal_nan=True)]


def _activation_parameter():
    a, alpha, lam, q = symbols("a alpha lam q", positive=True)
    k, z = symbols("k z", real=True)
    mean = ak.E(Applied("f", a * k + z), z)
    return ak.Theory(
        name="slope of an activation", unknowns=[q], activations={"f": "tanh"},
        parameters={alpha: ("samples", "positive"), a: ("slope", "positive"), lam: ("penalty", "positive")},
        equations=[q - lam - alpha * ak.E(mean**2 / (1 + q * mean**2), k)],
        observables={"second": ak.E(mean**4 / (1 + q * mean**2), k)})


@pytest.mark.parametrize(("theory", "axes"), [
    (lambda: ak.OneStep("tanh", "sin"),
     {"alpha0": [0.5, 1, math.inf], "lam": [0, 0.1], "eta": np.linspace(0.2, 2, 4), "alpha": 1.5}),
    (lambda: ak.SpikedFeatures("relu", "z + z**2/2"),
     {"c": np.linspace(0.5, 2, 3), "r": np.linspace(0, 2, 4), "alpha": 1.5, "gamma": 0.6, "lam": 0.1}),
    (_activation_parameter, {"alpha": [0.5, 1.5], "a": np.linspace(0.3, 2, 9), "lam": 0.2}),
], ids=["step", "kinks", "own"])
def test_a_block_finds_what_solve_finds(theory, axes):
    theory = theory()
    with mock.patch.multiple(together, _MANY=9, _SHARE=3):
        got = _together(theory, **axes)
    assert got.converged.all()
    fixed = {n: v for n, v in axes.items() if np.ndim(v) == 0}
    for index in (0, got.converged.size // 2 + 1, got.converged.size - 1):
        place = np.unravel_index(index, got.shape)
        found = theory.solve(**fixed, **{n: a[i] for (n, a), i in zip(got.axes.items(), place)})
        for name in theory.kernel.module.OBSERVABLES:
            assert got[name][place] == pytest.approx(found[name], rel=1e-12, abs=1e-14)


@pytest.mark.parametrize(("theory", "axes"), [
    # some points need nodes of their own, some finer rules, some other equations, one has no step
    pytest.param(ak.SpikedFeatures("relu", "sin"), {"c": [0.05, 1, 3], "r": [0.5, 5, 10], "gamma": 0.6},
                 marks=pytest.mark.slow),
    (ak.SpikedFeatures("tanh(6*z)", "sign"), {"c": [0.1, 2], "gamma": np.linspace(-1, 1, 6), "r": 0.7}),
    (ak.OneStep("sin", "z + z**2"), {"alpha0": [0, 1, 2], "eta": [0, 0.5, 1, 2]}),
])
def test_blocks_leave_what_is_special_to_pieces(theory, axes):
    at = {**axes, "alpha": 1.5, "lam": 0.1}
    expected = _one_by_one(theory, **at)
    for many in (8, 64):
        with mock.patch.multiple(together, _MANY=many, _SHARE=3):   # on the rule of those beside them, or two
            assert _differing(theory.sweep(backend="numpy", **at), expected) == []


@pytest.mark.slow
@pytest.mark.parametrize(("theory", "axes"), [
    (ak.SpikedFeatures("erf", "sin"), {"c": np.linspace(0.5, 2, 6), "r": np.linspace(0, 4, 6), "gamma": 0.6}),
    (ak.SpikedFeatures("z**3 - 3*z", "z**2"), {"c": [0.01, 1, 10], "r": np.linspace(0, 3, 4), "gamma": 0.3}),
    (ak.SpikedFeatures("tanh(20*z)", "sin(6*z)"), {"c": [0.1, 1, 4], "r": np.linspace(0, 3, 4), "gamma": 0.3}),
    (ak.OneStep("tanh", "sin", bulk="exact"), {"alpha0": np.linspace(0.5, 3, 4), "eta": np.linspace(0.2, 2, 4)}),
    (ak.OneStep("tanh", "z", loss="logistic", labels="sign"), {"alpha0": [0.5, 1, 3], "eta": np.linspace(0.3, 2, 4)}),
    (ak.OneStep("tanh", "z", labels="sign"), {"alpha0": np.linspace(0.5, 3, 4), "eta": np.linspace(0.2, 2, 4)}),
    (ak.OneStep("relu", "sin"), {"alpha0": np.linspace(0.5, 3, 4), "eta": np.linspace(0.2, 2, 4), "width": [50, 99]}),
])
def test_more_blocks_find_what_pieces_find(theory, axes):
    at = {**axes, "alpha": 1.5, "lam": 0.1}
    expected = _one_by_one(theory, **at)
    assert _differing(theory.sweep(backend="numpy", **at), expected, 1e-9, 1e-11) == []
    with mock.patch.multiple(together, _MANY=8, _SHARE=3):          # most on the rule of those beside them
        assert _differing(theory.sweep(backend="numpy", **at), expected, 1e-9, 1e-11) == []


def test_points_of_which_the_theory_refuses_some():
    """A derived quantity that leaves its domain is refused piece by piece."""
    a, q = symbols("a q", positive=True)
    v, z = Symbol("v", positive=True), Symbol("z", real=True)
    theory = ak.Theory(name="refused", unknowns=[q], parameters={a: ("slope", "positive")}, activations={"f": "tanh"},
                       derived={v: ak.E(Applied("f", a * z) ** 2, z) * ((a - 1) ** 2 - 0.01)},
                       equations=[q * (1 + q) - v])
    with pytest.warns(ak.AssumptionWarning, match="sweep at a = 0.95"):
        got = theory.sweep(a=[*np.linspace(0.2, 0.8, 7), 0.95, 1, 1.05, *np.linspace(1.2, 2, 5)])
    assert got.converged.tolist() == [True] * 7 + [False] * 3 + [True] * 5
    assert got["q"][12] == pytest.approx(theory.solve(a=got.axes["a"][12])["q"], rel=1e-12)


@pytest.mark.parametrize("ending", ["npz", "npy"])
def test_an_interrupted_sweep_goes_on_with_the_blocks_that_are_missing(tmp_path, monkeypatch, ending):
    theory, solve, done = ak.SpikedFeatures("tanh", "sin"), run.solve_block, []
    at = {"c": np.linspace(0.5, 2, 4), "r": np.linspace(0.1, 2, 5), "gamma": 0.6, "alpha": 1.5, "lam": 0.1}
    monkeypatch.setattr(blocks, "_LARGEST", 10)

    def once(*arguments):
        if done:
            raise KeyboardInterrupt
        done.append(1)
        return solve(*arguments)

    file = tmp_path / f"sweep.{ending}"
    with mock.patch.object(run, "solve_block", once), pytest.raises(KeyboardInterrupt, match="10 of 20"):
        theory.sweep(file=file, **at)
    with mock.patch.object(run, "solve_block", side_effect=solve) as again:
        resumed = theory.sweep(file=file, **at)
    assert again.call_count == 1
    whole = theory.sweep(**at)
    assert all(np.array_equal(resumed[n], whole[n]) for n in whole.names)


def test_starting_values_lead_to_the_other_root():
    a, x = Symbol("a", positive=True), Symbol("x", real=True)
    k = Symbol("k", real=True)
    mean = ak.E(Applied("f", a * k) ** 2, k)
    theory = ak.Theory(name="two roots", unknowns=[x], parameters={a: ("slope", "positive")}, activations={"f": "tanh"},
                       derived={Symbol("v", positive=True): mean},
                       equations=[x**2 - Symbol("v", positive=True)], start={x: 1})
    axis = np.linspace(0.5, 2, 10)
    upper, lower = (_together(theory, a=axis, start={"x": s})["x"] for s in (1.0, np.linspace(-1, -0.5, 10)))
    np.testing.assert_allclose(upper, -lower, rtol=1e-12)
    assert np.all(upper > 0)


@pytest.mark.slow
def test_a_block_none_of_whose_points_has_a_solution():
    a, x = Symbol("a", positive=True), Symbol("x", real=True)
    k, z = symbols("k z", real=True)
    mean = ak.E(ak.E(Applied("f", a * k + z), z) ** 2, k)
    theory = ak.Theory(name="unsolved", unknowns=[x], parameters={a: ("slope", "positive")}, activations={"f": "tanh"},
                       equations=[x**2 + 1 + mean])
    assert not theory.sweep(a=np.linspace(0.5, 2, 9)).converged.any()


@pytest.mark.slow
def test_points_that_fail_leave_the_others_their_tables():
    """Without a solution at some points of a block, the others go on to the finer rule with tables of their own."""
    a, x = Symbol("a", positive=True), Symbol("x", positive=True)
    k, z = symbols("k z", real=True)
    mean = ak.E(ak.E(Applied("f", a * k + z), z) ** 2, k)
    theory = ak.Theory(name="solved for steep activations", unknowns=[x], parameters={a: ("slope", "positive")},
                       activations={"f": "tanh"}, equations=[x**2 - 3 * x * mean + 0.05])
    axis = np.array([1.5, 0.2, 0.9, 1, 2.0, 1.2, 1.1, 1.7, 1.3])
    got = _together(theory, a=axis)
    assert got.converged.tolist() == (axis > 0.5).tolist()
    for i in np.flatnonzero(axis > 0.5):
        assert got["x"][i] == pytest.approx(theory.solve(a=axis[i])["x"], rel=1e-11)


def test_products_of_tables_of_points_are_those_of_each_point():
    rng = np.random.default_rng(0)
    tables, numbers = rng.standard_normal((2, 4, 5)), rng.standard_normal((4, 2))
    inside, weights = rng.standard_normal(6), rng.standard_normal(5)
    several = tables.view(PointTable)
    nested = (several[0][..., None] * inside) @ inside              # a sum inside the sum over nodes
    for k in range(4):
        np.testing.assert_allclose((numbers @ several)[k], numbers[k] @ tables[:, k], rtol=1e-14)
        np.testing.assert_allclose((several @ nested.T)[:, k], tables[:, k] @ nested[k], rtol=1e-14)
        np.testing.assert_allclose(nested[k], tables[0, k] * (inside @ inside), rtol=1e-14)
        np.testing.assert_allclose((several @ weights)[:, k], tables[:, k] @ weights, rtol=1e-14)


@pytest.mark.parametrize("axes", [{"alpha0": [1, 2.0], "eta": 1}, {"alpha0": [1, 2.0], "eta": [1, 1.5]}])
def test_a_limit_along_table_parameters_alone(axes):
    """Pieces of one point each without a penalty: a TypeError of numpy."""
    model, at = ak.OneStep("tanh", "sin"), {"lam": 0, "alpha": 1.5, "noise_variance": 0.1}
    found = model.sweep(**at, **axes)
    one = model.solve(**at, **{n: np.ravel(v)[-1] for n, v in axes.items()})
    assert np.ravel(found["test_error"])[-1] == pytest.approx(one.test_error, rel=1e-10)


@pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")
def test_points_that_share_no_rule_are_refused_one_by_one():
    """Nine students that oscillate too fast for a common rule ended in an UnboundLocalError."""
    theory = ak.OneStep("sin(6*z)", "sin(6*z)")
    at = {"alpha0": 5, "alpha": 5, "lam": 1e-4, "noise_variance": 0.001}
    swept = theory.sweep(eta=np.linspace(0.5, 5, 9), **at)
    assert np.isnan(swept["test_error"]).all() and not any(s.name == "CONVERGED" for s in swept.status)
    with pytest.raises(ak.ConvergenceError):
        theory.solve(eta=0.5, **at)
