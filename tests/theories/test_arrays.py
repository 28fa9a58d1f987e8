"""Arrays of eigenvalues: their signs are those of their symbols, and they have one dimension."""

import numpy as np
import pytest
from sympy import Symbol, symbols

import asympkit as ak

V, lam = symbols("V lam", positive=True)


def ridge(**assumed):
    D = Symbol("D", **assumed)
    return ak.Theory(name="ridge", unknowns=[V], parameters={lam: ("ridge", "positive")},
                     equations=[V - ak.mean(D / (lam + D / (1 + V)), ak.Eigenvalues(D))])


def verbs(theory, array):
    yield lambda: theory.solve(lam=1, D=array)
    yield lambda: theory.precise(lam=1, D=array, digits=10)
    yield lambda: theory.sweep(lam=[1.0, 2.0], D=array)
    yield lambda: theory.certify(lam=1, D=array, floats="exact", digits=10)


@pytest.mark.parametrize(("assumed", "array", "said"), [
    ({"positive": True}, [1.0, -1e-17, 2.0], r"D: got -1e-17 \(1 of 3 entries are not positive\); expected positive"),
    ({"positive": True}, [1.0, 0.0], r"D: got 0.0 \(1 of 2 entries are not positive\); expected positive numbers"),
    ({"nonnegative": True}, [-2, 1, -1], r"D: got -2.0 \(2 of 3 entries are not >= 0\); expected >= 0 numbers"),
    ({"positive": True}, np.eye(2) + 1, r"D: got an array of shape \(2, 2\); expected a one-dimensional array"),
    ({"real": True}, [[1.0], [2.0]], r"D: got an array of shape \(2, 1\); expected a one-dimensional array"),
    ({"real": True}, [[1.0], [2.0, 3.0]], r"D: got \[\[1.0\], \[2.0, 3.0\]\]; expected an array of real numbers")])
def test_every_verb_refuses(assumed, array, said):
    pytest.importorskip("flint", reason="python-flint is not installed")
    for verb in verbs(ridge(**assumed), array):
        with pytest.raises(ak.DomainError, match=said):
            verb()


@pytest.mark.parametrize(("assumed", "array"), [
    ({"positive": True}, [1.0, 2.0]), ({"nonnegative": True}, [0.0, 2.0]), ({"real": True}, [-0.1, 2.0]),
    ({"positive": True}, 2.0), ({"positive": True}, (1, 2))])
def test_what_is_declared_is_taken(assumed, array):
    found = ridge(**assumed).solve(lam=1, D=array)["V"]
    D = np.array(array, float)
    assert found == pytest.approx(np.mean(D / (1 + D / (1 + found))), rel=1e-12)
