"""Phase retrieval as a theory of a few lines: double averages over label and field, denoisers that are averages."""

import numpy as np
import pytest
from sympy import Rational, exp, pi, sqrt, symbols

import asympkit as ak

xi, z, t = symbols("xi z t", real=True)
alpha, Delta, q = symbols("alpha Delta q", positive=True)
field, V = sqrt(q) * xi, 1 - q


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
@pytest.mark.parametrize(("load", "noise", "rtol", "rel"), [(1.5, 0.5, 1e-6, 1e-7), (3, 2.0, 1e-5, 1e-5)])
def test_intensity(intensity, load, noise, rtol, rel):
    """With more noise coarser rules do: the same theory in a second."""
    found = intensity.solve(alpha=load, Delta=noise, rtol=rtol)
    assert found["q"] / (1 - found["q"]) == pytest.approx(load * information(found["q"], noise), rel=rel)
