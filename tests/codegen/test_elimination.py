"""Elimination written out, loops inside of averages and tables of conditional means, against numpy."""

import functools
import math
import re

import numpy as np
import pytest
from helpers.modules import plain_module
from helpers.strategies import activations
from helpers.tiers import slow_but
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Rational, Symbol, exp, symbols

import asympkit as ak
from asympkit import Activation
from asympkit.codegen.expressions import ExpressionPrinter, Values, stack_orders
from asympkit.codegen.loops import Elimination
from asympkit.codegen.tables import NameMap
from asympkit.nodes import Applied
from asympkit.numbers.functions.classes import NormalBlur
from asympkit.tolerances import LARGEST_ERROR, ROUNDING


def written(matrix, rhs):
    """What the lines make of a matrix: the solution, the largest residual, and whether it is far from singular."""
    lines = []
    made = Elimination(lines.append, "A", {(i, j): repr(float(matrix[i, j])) for i, j in zip(*np.nonzero(matrix))})
    given = {k: repr(float(b)) for k, b in enumerate(rhs) if b != 0.0}
    x = made.solve(given)
    residual = made.residual(x, given)
    sizes = {(i, j): repr(abs(float(matrix[i, j]))) for i, j in zip(*np.nonzero(matrix))}
    condition = made.near_singular(sizes, 1.0)
    # as compiled code has it, division by 0 is infinite, and of two numbers the one is the largest that compares so
    lines = [re.sub(r" = 1\.0/([\w.]+)$", r" = float(divide(1.0, \1))", line) for line in lines]
    space = {"max": lambda *x: functools.reduce(lambda a, b: b if b > a else a, x), "abs": abs, "math": math,
             "divide": np.divide}
    with np.errstate(all="ignore"):
        exec("\n".join(lines), space)
    return np.array([eval(x[k], space) for k in range(len(rhs))]), (
        eval(residual, space) if eval(made.finite(x), space) else 1.0), eval(condition, space)


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 9), st.integers(0, 3), st.integers(0, 3), st.integers(0, 2**31))
def test_solutions(n, lower, upper, seed):
    rng = np.random.default_rng(seed)
    matrix = np.triu(np.tril(rng.normal(size=(n, n)), upper), -lower) * (rng.uniform(size=(n, n)) < 0.8)
    matrix[range(n), range(n)] = np.where(rng.uniform(size=n) < 0.5, 1.0, 4.0 + rng.uniform(size=n))
    rhs = rng.normal(size=n) * (rng.uniform(size=n) < 0.7)
    x, residual, is_far = written(matrix, rhs)
    condition = np.linalg.cond(matrix)
    assert np.allclose(x, np.linalg.solve(matrix, rhs), rtol=1e-12 * condition, atol=1e-13 * condition)
    assert residual < 1e-12 * condition
    assert is_far == (growth(matrix) <= LARGEST_ERROR / ROUNDING)


def growth(matrix):
    """Bound what errors of the entries, as large as these, change, by the comparison matrices of L and U.

    Elimination does not exchange rows: where a pivot happens to be small the bound is large, whatever the condition.
    """
    left, right = np.eye(len(matrix)), np.array(matrix)
    for k in range(len(matrix)):
        left[k + 1:, k] = right[k + 1:, k] / right[k, k]
        right[k + 1:] -= np.outer(left[k + 1:, k], right[k])
    units = np.max(np.abs(matrix), axis=0)
    compared = 2 * np.diag(np.abs(np.diag(right))) - np.abs(np.triu(right))
    shares = np.linalg.solve(2 * np.eye(len(matrix)) - np.abs(left), np.max(np.abs(matrix) / units, axis=1))
    return units @ np.linalg.solve(compared, shares)


@pytest.mark.parametrize("distance", [1e-4, 1e-11, 1e-14])
def test_a_matrix_that_is_nearly_singular(distance):
    matrix = np.array([[1.0, 2.0, 0.0], [0.5, 1.0 + distance, 1.0], [0.0, 0.0, 1.0]])
    share = np.max(np.diag(np.abs(np.linalg.inv(matrix)) @ np.abs(matrix)))
    _, _, is_far = written(matrix, np.ones(3))
    assert is_far == (distance > 1e-9)
    assert not is_far or share * ROUNDING <= LARGEST_ERROR


def test_matrices_without_a_solution():
    # rows are not exchanged: what is left is NaN, which no condition lets pass
    for matrix in ([[0.0, 1.0, 0.0], [1.0, 1.0, 2.0], [0.0, 1.0, 1.0]], [[1.0, 1.0], [1.0, 1.0]]):
        _, residual, is_far = written(np.array(matrix), np.ones(len(matrix)))
        assert residual == 1.0 and not is_far


@pytest.mark.slow
@pytest.mark.parametrize("target", ["1:sign", "1.5:tanh"])
@pytest.mark.parametrize("student", ["1.5:tanh,1:erf", "1:tanh,2:sin,0.5:tanh", "0.7:tanh,1:relu,1.2:tanh",
                                     "1:relu,1:tanh,1:tanh,2:erf"])
def test_chains_by_links_and_by_matrices(student, target):
    theory = ak.DeepFeatures(student, target)
    assert all(s.links for s in (*theory.program[0].newtons, *theory.program[0].linears[:2]))
    at = {"alpha": np.geomspace(1e-2, 1e2, 7), "lam": np.geomspace(1e-8, 1e2, 6), "noise_variance": [0.0, 0.3]}
    spectrum = np.array([0.1, 0.7, 1.0, 3.0])
    compiled, plain = (theory.sweep(**at, input_spectrum=spectrum, backend=b) for b in ("numba", "numpy"))
    for name in ("test_error", "train_error", "objective", "V0", "Vhat0", "q0", "qhat0", "Q"):
        assert np.allclose(compiled[name], plain[name], rtol=1e-9, atol=1e-14, equal_nan=True), name
    assert np.isfinite(plain["test_error"]).all()


AWKWARD = (("J_a_0_0", "A0_x_0", "near_0_", "delta0", "missed"), ("A0_z_0", "g0", "J_p_0", "A0_y_1", "x"))


@pytest.mark.parametrize("names", slow_but([(tuple("abcde"), tuple("vwxyz")), AWKWARD], single=True),
                         ids=["plain", "awkward"])
def test_a_chain_of_ones_own(names):
    """Whatever its unknowns are called: those of the second have the names of numbers in between."""
    below, above = (symbols(" ".join(row), positive=True) for row in names)
    alpha, lam = symbols("alpha lam", positive=True)
    ridge, seen = [1, 1, 1, lam], [Rational(1, 5) + v / 2 for v in below[:-1]]
    equations = [below[0] - 1 / (1 + above[0]), above[-1] - alpha / (1 + below[-1])]
    for k in range(4):
        left = ridge[k] + above[k + 1] * seen[k]
        equations += [below[k + 1] - seen[k] / left, above[k] - above[k + 1] / (2 * left)]
    theory = ak.Theory(name="a chain", unknowns=[*below, *above], equations=equations,
                       observables={"freedom": below[-1] * above[-1]},
                       parameters=[ak.Parameter(alpha, "samples", "positive"), ak.Parameter(lam, "ridge", "positive")])
    assert all(s.links for s in (*theory.program[0].newtons, *theory.program[0].linears))
    grid = {"alpha": np.geomspace(0.05, 20, 6), "lam": np.geomspace(1e-5, 10, 6)}
    compiled, plain = (theory.sweep(**grid, backend=b)["freedom"] for b in ("numba", "numpy"))
    assert np.allclose(compiled, plain, rtol=1e-12, atol=0.0)
    digits = theory.precise(digits=25, alpha="1.3", lam="0.1").freedom
    assert theory.solve(alpha=1.3, lam=0.1).freedom == pytest.approx(float(digits), rel=1e-14)


a, b, r = symbols("a b r", real=True)
AT = {"r": 1.2, "c": 1.1, "alpha": 1.7, "beta": 0.8}


@pytest.mark.slow
def test_the_loops_of_signed_labels():
    theory = ak.SpikedFeatures("tanh", "z", loss="logistic", labels="sign")
    with open(theory.kernel.module.__file__, encoding="utf-8") as stream:
        text = stream.read()
    loops = text[text.index("def solve_point("):text.index("def solve_rows(")]
    assert all(f"{name}(" in loops for name in ("lane_erfc", "lane_exp", "lane_logistic_slope", "bivariate_opposite"))
    assert not any(f" {name}(" in loops for name in ("math.erfc", "bivariate_cdf", "logistic_slope"))


@pytest.mark.slow
@pytest.mark.parametrize("more", [{"gamma": 0.9}, {"gamma": 0.3, "flip": 0.1, "noise_variance": 0.25}])
def test_they_give_the_numbers_of_numpy(more):
    theory = ak.SpikedFeatures("tanh", "z", loss="logistic", labels="sign")
    lam = np.geomspace(1e-3, 10, 24)
    loops, arrays = (theory.sweep(**AT, **more, lam=lam, backend=backend) for backend in ("numba", "numpy"))
    for name in ("test_error", "clean_error", "train_loss", "objective", "V1", "q1", "psi", "m"):
        assert np.max(np.abs(loops[name] / arrays[name] - 1)) <= 1e-12, name


c, h, d, x = (Symbol(n, real=True) for n in ("c", "h", "d", "x"))


def blur(j, n, at=c):
    return NormalBlur(j, n, at, h, -1, 1)


def test_orders_in_one_call():
    rows = [(x, exp(c)), (d, blur(0, -1) * x)]
    made, results = stack_orders(rows, [blur(1, -1) + blur(0, 0), blur(0, 0, at=d)])
    assert made[0] == rows[0] and isinstance(made[1], Values) and made[2][0] is d
    first, second, third = (made[1].symbols[o] for o in ((0, -1), (0, 0), (1, -1)))
    assert made[2][1] == first * x and results[0] == second + third
    assert results[1] == blur(0, 0, at=d)                               # alone at its place
    (values,), _ = stack_orders([], [blur(1, -1) + blur(0, 0)])
    printer = ExpressionPrinter(NameMap({c: "c", h: "h"}))
    assert values.source(printer) == ("_, _, at_once_1_2, at_once_1_1, _, _, _, _, _ = "
                                      "lane_normal_window(c, h, -1, 1)")
    assert values.source(printer, is_batch=True) == ("at_once_1_1, at_once_1_2, = normal_window_batch("
                                                     "((0, 0), (1, -1)), c, h, -1, 1)")
    other = blur(0, 3) + blur(0, 4)
    assert stack_orders([], [other]) == ([], [other])


@settings(max_examples=100, deadline=None, derandomize=True)
@given(activations())
def test_parity_at_sight_is_right(sample):
    act = Activation(sample.text)
    parity = act.form_parity
    if parity:
        x = np.linspace(0.01, 7, 90)
        right = act(x)                       # powers round differently on the two sides
        np.testing.assert_allclose(act(-x), parity * right, rtol=1e-12, atol=1e-13 * np.max(np.abs(right)))


Z = Symbol("z", real=True)


def real(*names):
    return [Symbol(name, real=True) for name in names]


def chained(*names):
    """The module of a theory whose means hold other means."""
    every, signs, error, first, unknown, node = real(*names[:6])
    student, target = Applied("student", every * node + signs * Z), Applied("target", error * node + first * Z)
    mean = ak.Named(names[6], ak.E(student, Z))
    spread = ak.Named(names[7], ak.E((target - mean) ** 2, Z))
    again = ak.Named(names[8], ak.E((student - spread) ** 2, Z))
    positive = dict.fromkeys((signs, first), ("", "positive"))
    return plain_module(ak.Theory(
        name="chained", parameters={every: ("", "real"), error: ("", "real"), **positive}, unknowns=[unknown],
        activations={"student": "tanh", "target": "softplus"},
        equations=[unknown - 1 - ak.E(spread * again / (1 + unknown**2), node)]).kernel_source())


@pytest.mark.parametrize(("student", "target"), slow_but([
    ("tanh(1.2*z)", "log(1 + exp(z))"), ("sin(z) + 1", "z**2 - 1"), ("cos(2*z)", "tanh")], 1))
def test_means_of_means_under_names_that_the_code_uses_too(student, target):
    plain = "p1", "p2", "p3", "p4", "u", "x", "mean", "spread", "again"
    taken = "every", "signs", "error", "first", "tables", "means", "change", "rows", "rules"
    made = []
    for names in (plain, taken):
        module, parameters = chained(*names), dict(zip(names, (0.7, 0.9, -0.4, 0.3)))
        at = [parameters[n] for n in module.TABLE_PARAMETERS] + [
            ak.Activation({"student": student, "target": target}[n]) for n in module.ACTIVATIONS]
        (grid,) = module.GRIDS
        tables, error = getattr(module, f"{grid}_rule")((0, 1), *at)
        assert error <= 1e-12
        made.append(tables)
    for (a, wa), (b, wb) in zip(*made, strict=True):
        np.testing.assert_array_equal(wa, wb)
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-14 * np.max(np.abs(a)))


@pytest.mark.parametrize("label", ["change", "list", "rules", "lambda", "two words", "f.derivative", "x", "z"])
def test_labels_of_activations_may_be_any_text(label):
    u, x, node, p = real("u", "x", "y", "p")
    theory = ak.Theory(name="labels", parameters={p: ("", "real")}, unknowns=[u],
                       activations={label: "tanh", "f": "sin"},
                       equations=[u - ak.E(ak.E(Applied(label, p * x + node), node) ** 2, x)
                                  - ak.E(ak.E(Applied("f", p * x + node, 1), node) ** 2, x)])
    module = plain_module(theory.kernel_source())
    (grid,) = module.GRIDS
    assert set(module.ACTIVATIONS) == {label, "f"}
    (((table, weights),), error) = getattr(module, f"{grid}_rule")((3,), 0.7, *(
        {label: ak.Activation("tanh"), "f": ak.Activation("sin")}[n] for n in module.ACTIVATIONS))
    values = dict(zip(module.OUTPUTS, module.solve_point(0.7, table, weights, 0, 1e-9, 100)))
    # E_y cos(p x + y) = exp(-1/2) cos(p x)
    t = np.arange(-9.0, 9.1, 0.25)
    weight = np.exp(-0.5 * t**2) / np.exp(-0.5 * t**2).sum()
    mean = weight @ (np.tanh(0.7 * t + t[:, None]) * weight[:, None]).sum(axis=0) ** 2
    assert values["u"] == pytest.approx(mean + 0.5 * math.exp(-1) * (1 + math.exp(-2 * 0.49)), rel=1e-10)
