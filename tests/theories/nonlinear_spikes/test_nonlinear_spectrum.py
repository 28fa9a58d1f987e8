"""Singular values of the features after a step: the bulk, and the spikes that leave it."""

import math

import numpy as np
import pytest

import asympkit as ak
from asympkit.simulate import nonlinear_singular_values

BOTH = "z+(z**2-1)/sqrt(2)"


def traces(x, act, phi, psi):
    """tau, mu and mtilde at lam = -x above the bulk, from the polynomial of the untrained features."""
    B = float(act.hermite_coefficients(1)[1]) ** 2
    A, alpha, beta, kappa = float(act.second_moment()) - B, 1 / phi, 1 / psi, psi / phi
    place = kappa * x                                   # eigenvalue of F'F/N
    V2, h = np.polynomial.Polynomial([0, 1]), np.polynomial.Polynomial([alpha / beta - 1, -place])
    roots = (((A * h - place) * V2 - 1) * (1 + beta * B * h * V2) + B * h * V2).roots()
    V2 = min((v for v in roots if abs(v.imag) < 1e-9 and -2 < place * v.real < -0.5),
             key=lambda v: abs(place * v.real + 1)).real
    V1 = V2 / (1 + beta * B * (alpha / beta - 1 - place * V2) * V2)
    tau = -1 / x / (1 + B * V1 + A * V2)
    return tau, tau * V1 / V2, -place * V2


@pytest.mark.parametrize("phi, psi, eta", [(0.5, 0.5, 3.0), (0.5, 1.0, 2.0), (0.8, 0.3, 6.0)])
def test_one_linear_spike(phi, psi, eta):
    """With a spike of degree 1 alone the determinant is 1 + theta^2 D mtilde mu."""
    act = ak.Activation(BOTH)
    s = ak.NonlinearSpikes(act, BOTH).spectrum(phi=phi, psi=psi, eta=eta, n=500, noise_variance=0.1, degree=1)
    (spike,) = s.outliers
    tau, mu, mtilde = traces(spike.location**2, act, phi, psi)
    length = 1 + phi * (1 + 1 + 0.1)                    # c_1 = 1 and E[target^2] = 2
    assert abs(1 + eta**2 * length * mtilde * mu) < 1e-9
    assert spike.kind == "spike" and math.isnan(spike.overlap) and spike.location > s.edges[-1, 1]


def test_weak_spikes_stay_inside_and_diverging_ones_are_at_infinity():
    t = ak.NonlinearSpikes(BOTH, BOTH)
    assert t.spectrum(phi=0.5, psi=0.5, eta=0.1, n=500).outliers == ()
    limit = t.spectrum(phi=0.5, psi=1, degree=2)
    assert [o.location for o in limit.outliers] == [math.inf, math.inf]
    assert np.array_equal(limit.edges, t.spectrum(phi=0.5, psi=1, eta=0.1, n=500).edges)
    assert str(limit) == "<Spectrum on [0.361034, 2.79093], 0 at 0, outliers: spike inf, spike inf>"


@pytest.mark.parametrize("phi, psi", [(0.5, 0.25), (0.5, 1.0)])
def test_density_of_singular_values(phi, psi):
    """Its mass is 1 whether there are more samples or more units; its second moment is E student^2 times N/min."""
    s = ak.NonlinearSpikes(BOTH, BOTH).spectrum(phi=phi, psi=psi)
    t, w = np.polynomial.legendre.leggauss(200)
    mass = square = 0.0
    for low, high in s.edges:
        angle = np.pi / 2 * (1 + t)
        x = (low + high) / 2 - (high - low) / 2 * np.cos(angle)
        weight = w * np.pi / 2 * np.sin(angle) * (high - low) / 2 * s.density(x)
        mass, square = mass + weight.sum(), square + weight @ x**2
    assert s.atom == 0.0 and abs(mass - 1) < 1e-10
    assert abs(square - 2.0 * (phi / psi) / min(1.0, phi / psi)) < 1e-9


@pytest.mark.parametrize("at, words", [
    ({"phi": 0.5, "psi": 0.5, "eta": 2}, "one of eta and n"), ({"phi": 0.5}, "missing parameter psi")])
def test_refusals(at, words):
    with pytest.raises(ak.DomainError, match=words):
        ak.NonlinearSpikes(BOTH, BOTH).spectrum(**at)
    with pytest.raises(ak.DomainError, match="diverging spikes"):
        ak.NonlinearSpikes(BOTH, BOTH).spectrum(phi=0.5, psi=0.5).simulate()


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"rows": "gaussian"}, {"initial_output": "kept"}])
def test_places_are_simulated(options):
    """Against the truncated model at n = 400; three standard errors and 2 %, the size of terms of order 1/n."""
    at = {"phi": 0.5, "psi": 0.5, "eta": 4.0, "n": 400, "noise_variance": 0.1}
    act, target = ak.Activation("z+(z**2-1)/3"), ak.Activation(BOTH)
    s = ak.NonlinearSpikes(act, target, **options).spectrum(**at)
    drawn = np.array([nonlinear_singular_values(act, target, model="truncated", seed=k, degree=2, **at, **options)
                      .values[:3] for k in range(16)]) / 20.0
    for k, spike in enumerate(s.outliers):
        error = drawn[:, k].std(ddof=1) / 4
        assert abs(drawn[:, k].mean() - spike.location) < 3 * error + 0.02 * spike.location
    assert abs(drawn[:, len(s.outliers)].mean() / s.edges[-1, 1] - 1) < 0.03 and s.outliers
