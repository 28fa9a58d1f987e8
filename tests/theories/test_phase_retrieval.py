"""Phase retrieval as a theory of a few lines: double averages over label and field, denoisers that are averages."""

import numpy as np
import pytest
from scipy.integrate import dblquad
from sympy import Rational, exp, pi, sqrt, symbols, tanh

import asympkit as ak

xi, z, t = symbols("xi z t", real=True)
alpha, Delta, q = symbols("alpha Delta q", positive=True)
field, V = sqrt(q) * xi, 1 - q


@pytest.fixture(scope="module")
def modulus():
    """State evolution of Bayes-optimal estimation from y = |z|: the sign of z has the mean tanh(field*y/V)."""
    y = field + sqrt(V) * z
    score = (y * tanh(field * y / V) - field) / V
    return ak.Theory(
        name="phase retrieval", parameters={alpha: ("samples over dimension", "positive")}, unknowns={q: (0, 1)},
        equations=[q / V - alpha * ak.E(score**2, (xi, z))], start={q: 0.5}, observables={"error": 1 - q})


def overlap(v):
    """The mean square of the score by scipy."""
    def integrand(b, a):
        om, y = np.sqrt(v) * a, np.sqrt(v) * a + np.sqrt(1 - v) * b
        score = (y * np.tanh(om * y / (1 - v)) - om) / (1 - v)
        return score**2 * np.exp(-(a * a + b * b) / 2) / (2 * np.pi)

    return 2 * dblquad(integrand, 0, 9, -9, 9, epsabs=1e-11, epsrel=1e-11)[0]


def test_modulus(modulus):
    found = modulus.solve(alpha=0.8)
    assert found["q"] / (1 - found["q"]) == pytest.approx(0.8 * overlap(found["q"]), rel=1e-8)
    assert found["error"] == pytest.approx(0.78377250970435, rel=1e-12)


def test_recovery_starts_at_one_half(modulus):
    """The overlap grows linearly from the weak recovery threshold of real signals, alpha = 1/2."""
    swept = modulus.sweep(alpha=np.array([0.52, 0.54, 0.56]))
    assert np.isfinite(swept["q"]).all()
    line = np.polyfit(np.array([0.52, 0.54, 0.56]), swept["q"], 2)
    assert np.abs(np.roots(line) - 0.5).min() < 2e-3


@pytest.mark.slow
def test_modulus_with_digits(modulus):
    assert abs(float(modulus.precise(alpha="0.6", digits=8)["q"]) - modulus.solve(alpha=0.6)["q"]) < 1e-8


@pytest.mark.slow
def test_modulus_with_balls(modulus):
    """The proof knows the equation alone; digits come from other rules."""
    proved = modulus.certify(alpha="0.8", digits=8)
    assert abs(float(proved["error"]) - 0.78377250970435) < 1e-13
    assert float(proved["error"].rad) < 1e-8


@pytest.fixture(scope="module")
def intensity():
    """y = z**2 + noise: evidence and denoiser have no closed form and stay averages inside the average over y.

    The label is y = t*sqrt(1 + t**2) of a normal t, whose density is divided out.
    """
    y = t * sqrt(1 + t**2)
    likelihood = exp(-(y - (field + sqrt(V) * z) ** 2) ** 2 / (2 * Delta)) / sqrt(2 * pi * Delta)
    evidence, moment = ak.E(likelihood, z), ak.E(z * likelihood, z)
    information = moment**2 / (V * (evidence + Rational(1, 10**140)))          # nothing over nothing is nothing
    return ak.Theory(
        name="intensities", parameters={alpha: ("samples over dimension", "positive"), Delta: ("noise", "positive")},
        unknowns={q: (0, 1)}, start={q: 0.5}, observables={"error": 1 - q},
        equations=[q / V - alpha * ak.E(sqrt(2 * pi) * exp(t**2 / 2) * y.diff(t) * information, (xi, t))])


def information(v, noise):
    """The same mean on fine grids in the field and in y, the denoiser by Gauss-Legendre quadrature."""
    nodes, weights = np.polynomial.legendre.leggauss(300)
    nodes, weights = 9 * nodes, 9 * weights * np.exp(-40.5 * nodes**2) / np.sqrt(2 * np.pi)
    y, total = np.arange(-9.0, 90.0, 0.025), 0.0
    for x in np.arange(0.0, 8.0, 0.1):
        squares = (np.sqrt(v) * x + np.sqrt(1 - v) * nodes) ** 2
        likelihood = np.exp(-(y[:, None] - squares) ** 2 / (2 * noise)) / np.sqrt(2 * np.pi * noise)
        evidence, moment = likelihood @ weights, likelihood @ (weights * nodes)
        weight = 0.1 * (1 + (x > 0)) * np.exp(-x * x / 2) / np.sqrt(2 * np.pi)
        total += weight * 0.025 * np.sum(moment**2 / (evidence + 1e-140))
    return total / (1 - v)


@pytest.mark.slow
def test_intensity(intensity):
    found = intensity.solve(alpha=1.5, Delta=0.5, rtol=1e-6)
    assert found["q"] / (1 - found["q"]) == pytest.approx(1.5 * information(found["q"], 0.5), rel=1e-7)


@pytest.mark.slow
def test_intensity_of_noisy_labels(intensity):
    """With more noise coarser rules do: the same theory in a second."""
    found = intensity.solve(alpha=3, Delta=2, rtol=1e-5)
    assert found["q"] / (1 - found["q"]) == pytest.approx(3 * information(found["q"], 2.0), rel=1e-5)
