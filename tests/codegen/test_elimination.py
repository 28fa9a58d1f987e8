"""Elimination written out line by line, against numpy; and chains by their links, against the full matrices."""

import functools
import math
import re

import numpy as np
import pytest
from helpers.tiers import one_in, slow_but
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Rational, symbols

import asympkit as ak
from asympkit.codegen.loops import Elimination
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


@pytest.mark.parametrize(("student", "target"), one_in(
    8, ["1.5:tanh,1:erf", "1:tanh,2:sin,0.5:tanh", "0.7:tanh,1:relu,1.2:tanh", "1:relu,1:tanh,1:tanh,2:erf"],
    ["1:sign", "1.5:tanh"]))
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
