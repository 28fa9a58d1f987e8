"""Spiked random features: the weights drawn, exact cases, and known errors."""

import math

import numpy as np
import pytest
from helpers.tiers import slow_but

from asympkit.simulate import simulate_spiked
from asympkit.simulate.spiked_features import draw_weights


def identity(x):
    return x


@pytest.mark.parametrize("gamma", [-1.0, -0.3, 0.0, 0.95, 1.0])
def test_overlaps_are_exact(gamma):
    d, rng = 60, np.random.default_rng(2)
    _, spike, rest, direction = draw_weights(rng, d=d, p=3, gamma=gamma, c=1, rows="sphere")
    got = [spike @ spike, rest @ rest, direction @ direction, spike @ rest, spike @ direction]
    np.testing.assert_allclose(np.array(got) / d, [1, 1, 1, 0, gamma], rtol=0, atol=1e-14)


def test_rows():
    def square_norms(rows):
        bulk = draw_weights(np.random.default_rng(0), d=50, p=2000, gamma=0.1, c=1.7, rows=rows)[0]
        return np.square(bulk).sum(axis=1)

    np.testing.assert_allclose(square_norms("sphere"), 1.7, rtol=1e-14)
    assert square_norms("gaussian").mean() == pytest.approx(1.7, rel=0.02)
    assert square_norms("gaussian").var() * 50 == pytest.approx(2 * 1.7**2, rel=0.15)


@pytest.mark.parametrize("gamma", [0.6, 1.0, -1.0])
def test_linear_network_learns_a_linear_target_exactly(gamma):
    # W^T w / sqrt(p) = (theta_* - r m v) / sqrt(d), hence theta = gamma - r m, psi = rho, q1 = rho^2.
    r, rho = 1.4, math.sqrt(1 - gamma**2)
    s = simulate_spiked(identity, identity, d=30, r=r, gamma=gamma, c=1.3, alpha=2, beta=1.5, lam=0.0,
                        repeats=3, test_size=100)
    assert s["clean_error"].values.max() < 1e-20
    np.testing.assert_allclose(s["theta"].values, gamma - r * s["m"].values, atol=1e-10)
    np.testing.assert_allclose(s["psi"].values, rho, atol=1e-10)
    np.testing.assert_allclose(s["q1"].values, rho**2, atol=1e-10)


@pytest.mark.parametrize("rows, expected", slow_but([("sphere", 0.06427), ("gaussian", 0.06275)], 0))
def test_known_errors(rows, expected):
    s = simulate_spiked(np.tanh, np.sin, d=250, r=3, gamma=0.95, c=1, alpha=3, lam=0.01, rows=rows,
                        repeats=10, seed=1)
    error = s["test_error"]
    assert abs(error.mean - expected) < 4 * error.stderr + 0.02 * expected
