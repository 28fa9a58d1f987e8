"""Gaussian averages in double precision: honest error estimates, refusals, steep and narrow features."""

import math

import mpmath
import numpy as np
import pytest

from asympkit import Activation, DomainError
from asympkit.gauss.quadrature.averages import gaussian_quadrature

mp = mpmath.mp.clone()
mp.dps = 35


@pytest.mark.parametrize("k", [30, 1000, 10**5, 10**8])
def test_any_steepness(k):
    # E[Z tanh(kZ)] = sqrt(2/pi) (1 - c/k^2 + ...), E tanh^2 = 1 - 2/(k sqrt(2 pi)) + ...
    values, estimates = gaussian_quadrature(Activation(f"tanh({k}*z)"), [(1, 1), (2, 0)])

    def tail(z):
        # 1 - tanh, and 1 - tanh^2, live on the scale 1/k
        return 2 / (1 + mp.exp(2 * z))

    def mean(g):
        return 2 * mp.quad(lambda t: g(t) * mp.npdf(t / k), [0, 1, 3, 8, 20, 50]) / k

    linear = mp.sqrt(2 / mp.pi) - mean(lambda t: t / k * tail(t))
    square = 1 - mean(lambda t: mp.sech(t) ** 2)
    assert abs(values[0] - linear) < 1e-15
    assert abs(values[1] - square) < 1e-15
    assert np.all(estimates < 1e-14)


def test_a_frequency_that_fits_every_halving_of_a_lattice_is_not_taken_for_zero():
    for doubling in range(8):
        frequency = 2 * math.pi * 16 / 19 * 2**doubling
        values, _ = gaussian_quadrature(Activation(f"sin({frequency!r}*z)"), [(1, 1), (2, 0)])
        assert values[0] == pytest.approx(frequency * math.exp(-frequency**2 / 2), abs=1e-14)
        assert values[1] == pytest.approx((1 - math.exp(-2 * frequency**2)) / 2, abs=1e-14)


@pytest.mark.parametrize(("text", "mean", "square"), [
    ("exp(-10**8*(z-1/3)**2)", 1 / math.sqrt(1 + 2e8) * math.exp(-1e8 / 9 / (1 + 2e8)),
     1 / math.sqrt(1 + 4e8) * math.exp(-2e8 / 9 / (1 + 4e8))),
    ("step(z-8)", 6.220960574271785e-16, 6.220960574271785e-16),
])
def test_features_between_all_nodes_are_met(text, mean, square):
    values, _ = gaussian_quadrature(Activation(text), [(1, 0), (2, 0)])
    assert values[0] == pytest.approx(mean, rel=1e-11)
    assert values[1] == pytest.approx(square, rel=1e-12)


def test_infinite_second_moment_at_the_scale_used():
    act = Activation("exp(z**2/8)")
    (second,), _ = gaussian_quadrature(act, [(2, 0)])
    assert second == pytest.approx(math.sqrt(2), rel=1e-14)
    with pytest.raises(DomainError, match="its second moment under a Gaussian of variance 4 is infinite"):
        gaussian_quadrature(act, [(2, 0)], 0.0, 2.0)
