"""Ridge regression against direct solutions, and the printing of estimates."""

import math

import numpy as np
import pytest

from asympkit.errors import DomainError
from asympkit.simulate import Estimate, RidgePath


def problem(n, p, seed=1):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, p)) + 0.5, rng.standard_normal(n)


@pytest.mark.parametrize("shape", [(40, 15), (15, 40), (20, 20), (1, 1), (5, 1), (1, 5), (7, 2), (2, 7), (3, 3)])
def test_path_is_the_normal_equations(shape):
    Phi, y = problem(*shape)
    p = shape[1]
    lams = np.logspace(-3, 3, 20)
    path = RidgePath(Phi, y).solve(lams)
    assert path.shape == (p, 20)
    for column, lam in zip(path.T, lams):
        direct = np.linalg.solve(Phi.T @ Phi / p + lam * np.eye(p), Phi.T @ y / np.sqrt(p))
        np.testing.assert_allclose(column, direct, rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(RidgePath(Phi, y).solve(lam), direct, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("shape", [(40, 15), (15, 40)])
def test_no_penalty_is_the_least_norm_solution(shape):
    Phi, y = problem(*shape)
    expected = np.linalg.lstsq(Phi / np.sqrt(shape[1]), y, rcond=None)[0]
    np.testing.assert_allclose(RidgePath(Phi, y).solve(0.0), expected, rtol=1e-10, atol=1e-12)


def test_other_features():
    Phi, y = problem(30, 12)
    gram = Phi.T @ Phi / 12
    before = gram.copy()
    for lams in (0.1, np.logspace(-3, 3, 20)):
        expected = RidgePath(Phi, y).solve(lams)
        np.testing.assert_array_equal(RidgePath(Phi, y, gram).solve(lams), expected)
    np.testing.assert_array_equal(gram, before)
    Phi, y = problem(30, 6)
    Phi = np.hstack([Phi, Phi])
    expected = np.linalg.lstsq(Phi / np.sqrt(12), y, rcond=None)[0]
    for lam in (0.0, 1e-30, np.array([0.0]), np.zeros(20)):
        w = RidgePath(Phi, y).solve(lam)
        assert np.abs(w - (expected if np.ndim(lam) == 0 else expected[:, None])).max() < 1e-11
    Phi, y = problem(6, 3)
    with pytest.raises(DomainError, match=r"lam: got -1\.0; expected a finite number >= 0"):
        RidgePath(Phi, y).solve(-1.0)
    with pytest.raises(DomainError, match=r"Phi of shape \(6, 3\) and y of shape \(5,\)"):
        RidgePath(Phi, y[:5])
    with pytest.raises(DomainError, match="Phi has values that are not finite"):
        RidgePath(np.where(Phi > 1, np.inf, Phi), y)


@pytest.mark.parametrize("several", [1, 30])
def test_small_penalty_on_ill_conditioned_features_keeps_its_digits(several):
    # Known singular values down to 1e-7: the Gram matrix alone would have lost them.
    rng = np.random.default_rng(3)
    left = np.linalg.qr(rng.standard_normal((60, 12)))[0]
    right = np.linalg.qr(rng.standard_normal((12, 12)))[0]
    s = np.logspace(0, -7, 12)
    y = rng.standard_normal(60)
    lam = 1e-13
    exact = right @ (s / (s**2 + lam) * (left.T @ y))
    Phi = left * s @ right.T * np.sqrt(12)
    got = RidgePath(Phi, y).solve(np.full(several, lam))[:, -1]
    assert np.linalg.norm(got - exact) < 1e-7 * np.linalg.norm(exact)


def test_estimate_of_values():
    one = Estimate.from_values([1.0, 2.0, 4.0])
    assert one.mean == pytest.approx(7 / 3)
    assert one.stderr == pytest.approx(np.std([1, 2, 4], ddof=1) / math.sqrt(3))
    many = Estimate.from_values([[1.0, 5.0], [3.0, 5.0]])
    np.testing.assert_allclose(many.mean, [2.0, 5.0])
    np.testing.assert_allclose(many.stderr, [1.0, 0.0])
    assert math.isnan(Estimate.from_values([1.0]).stderr)
    assert str(many) == "[2.0(10), 5(0)]"


@pytest.mark.parametrize("mean, stderr, text", [
    (0.12341, 0.0056, "0.1234(56)"), (0.12345, 0.00996, "0.123(10)"), (-2.0, 0.5, "-2.00(50)"),
    (123.4, 15.0, "123(15)"), (1234.0, 151.0, "1234(151)"), (1.234e-7, 5.6e-9, "1.234(56)e-07"),
    (0.0, 0.25, "0.00(25)"), (3.0, 0.0, "3(0)"), (3.0, math.nan, "3(nan)"),
])
def test_estimate_text(mean, stderr, text):
    assert str(Estimate(mean, stderr, np.empty(0))) == text
