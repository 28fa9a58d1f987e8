"""Gaussian averages in double precision: honest error estimates, refusals, steep and narrow features."""

import math

import mpmath
import numpy as np
import pytest
from helpers.tiers import slow_but

from asympkit import Activation, DomainError
from asympkit.gauss.quadrature import gaussian_quadrature

mp = mpmath.mp.clone()
mp.dps = 35


def softplus(x):
    return mp.log1p(mp.exp(x)) if x < 0 else x + mp.log1p(mp.exp(-x))


def sigmoid(x):
    return 1 / (1 + mp.exp(-x))


#: the twenty-two functions of the measured table, each with its value in arbitrary precision and its kinks
FUNCTIONS = {
    "tanh(z)": (mp.tanh, ()),
    "tanh(2*z)": (lambda x: mp.tanh(2 * x), ()),
    "tanh(5*z)": (lambda x: mp.tanh(5 * x), ()),
    "tanh(10*z)": (lambda x: mp.tanh(10 * x), ()),
    "tanh(z+1)": (lambda x: mp.tanh(x + 1), ()),
    "erf(z/sqrt(2))": (lambda x: mp.erf(x / mp.sqrt(2)), ()),
    "erf(5*z)": (lambda x: mp.erf(5 * x), ()),
    "sigmoid(z)": (sigmoid, ()),
    "gelu(z)": (lambda x: x * mp.erfc(-x / mp.sqrt(2)) / 2, ()),
    "silu(z)": (lambda x: x * sigmoid(x), ()),
    "mish(z)": (lambda x: x * mp.tanh(softplus(x)), ()),
    "softplus(z)": (softplus, ()),
    "softplus(5*z)": (lambda x: softplus(5 * x), ()),
    "sin(z)": (mp.sin, ()),
    "sin(5*z)": (lambda x: mp.sin(5 * x), ()),
    "exp(z/2)": (lambda x: mp.exp(x / 2), ()),
    "exp(-2*z**2)": (lambda x: mp.exp(-2 * x * x), ()),
    "relu(z)": (lambda x: max(x, mp.zero), (0,)),
    "abs(z)": (abs, (0,)),
    "elu(z)": (lambda x: x if x > 0 else mp.expm1(x), (0,)),
    "sign(z)": (mp.sign, (0,)),
    "hardtanh(z)": (lambda x: max(-1, min(1, x)), (-1, 1)),
}
FUNCTIONALS = ((1, 0), (1, 1), (2, 0), (1, 3), (1, 4))


def hermite(k, z):
    """Orthonormal Hermite polynomial."""
    before, now = mp.zero, mp.one
    for j in range(k):
        before, now = now, z * now - j * before
    return now / mp.sqrt(mp.factorial(k))


def reference(f, kinks, a=0, b=1, functionals=FUNCTIONALS, cut=12):
    """Averages to 30 digits: a trapezoid of its own where the function is analytic, mpmath panels elsewhere."""
    a, b = mp.mpf(a), mp.mpf(b)
    if kinks:
        edges = sorted({mp.mpf(t) for t in range(-cut, cut + 1)} | {(mp.mpf(k) - a) / b for k in kinks})
        return [mp.quad(lambda z, p=p, k=k: f(a + b * z) ** p * hermite(k, z) * mp.npdf(z), edges, maxdegree=5)
                for p, k in functionals]
    step = mp.mpf(1) / 64
    nodes = [step * i for i in range(-cut * 64, cut * 64 + 1)]
    terms = [(z, f(a + b * z), step * mp.npdf(z)) for z in nodes]
    return [mp.fsum(s**p * hermite(k, z) * w for z, s, w in terms) for p, k in functionals]


class References(dict):
    """References of functions, each computed when it is asked for, once."""

    def __missing__(self, text):
        self[text] = reference(*FUNCTIONS[text])
        return self[text]


@pytest.fixture(scope="module")
def exact():
    return References()


@pytest.mark.parametrize("text", slow_but(
    FUNCTIONS, "tanh(z)", "tanh(z+1)", "sin(5*z)", "relu(z)"))
def test_estimate_is_honest(text, exact):
    values, estimates = gaussian_quadrature(Activation(text), FUNCTIONALS)
    for functional, value, estimate, true in zip(FUNCTIONALS, values, estimates, exact[text]):
        error = abs(float(value - true))
        size = float(exact[text][2]) ** (functional[0] / 2)
        assert error <= 10 * estimate, functional
        assert estimate <= 1e-12 * size, functional
        assert error <= 1e-13 * size, functional


SHIFTS = [("tanh(z)", 0.3, 3.0), ("mish(z)", -1.2, 2.5), ("relu(z)", 1.7, 0.4), ("hardtanh(z)", -0.4, 1.5),
          ("softplus(z)", -2.0, 0.6), ("gelu(z)", 2.0, 1.3)]


@pytest.mark.parametrize(("text", "a", "b"), slow_but(SHIFTS, 0, 2, 4))
def test_shift_and_scale(text, a, b):
    values, estimates = gaussian_quadrature(Activation(text), FUNCTIONALS, a, b)
    true = reference(*FUNCTIONS[text], a, b)
    size = math.sqrt(float(true[2]))
    for value, estimate, t in zip(values, estimates, true):
        error = abs(float(value - t))
        assert error <= 10 * estimate
        assert error <= 1e-13 * max(size, size**2)


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


# -- refusals --------------------------------------------------------------------------------------------


def test_infinite_second_moment_at_the_scale_used():
    act = Activation("exp(z**2/8)")
    (second,), _ = gaussian_quadrature(act, [(2, 0)])
    assert second == pytest.approx(math.sqrt(2), rel=1e-14)
    with pytest.raises(DomainError, match="its second moment under a Gaussian of variance 4 is infinite"):
        gaussian_quadrature(act, [(2, 0)], 0.0, 2.0)
