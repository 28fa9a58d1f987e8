"""Enclosures of means over Marchenko-Pastur laws: closed forms, densities, and inside averages over normals."""

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import quad

import asympkit as ak

pytest.importorskip("flint", reason="python-flint is not installed")

X = sp.Symbol("x", real=True)
D = sp.Symbol("D", positive=True)


def density(f, ratio, scale=1.0):
    """The mean by adaptive quadrature in the angle of the density, and the atom."""
    def integrand(t):
        d = scale * (1 + ratio + 2 * np.sqrt(ratio) * np.cos(t))
        return f(d) * 2 * scale * np.sin(t) ** 2 / d / np.pi

    bulk = quad(integrand, 0, np.pi, epsabs=1e-13, epsrel=1e-13)[0]
    return bulk + (max(1 - 1 / ratio, 0) * f(0.0) if ratio > 1 else 0)


def law(ratio, scale=1):
    return ak.MarchenkoPastur(D, ratio=sp.Rational(ratio), scale=scale)


@pytest.mark.parametrize("f, ratio", [
    (1 / (D + 1), "1/2"), (D**2 / ((D + 1) * (D + 2) ** 2), 2), (sp.log(D + 1), "1/2"), (sp.sqrt(D + 1), "1/2"),
    (sp.exp(-D), 2)])
def test_spectral_means(f, ratio):
    ball = ak.enclose(ak.mean(f, law(ratio, 3)), 25)
    assert ball.rad < 1e-25
    assert abs(float(ball) - density(sp.lambdify(D, f), float(sp.Rational(ratio)), 3.0)) < 1e-12


def test_spectral_means_inside_averages():
    """The resolvent at an eigenvalue shifted by a normal, with its growth from the range of its arguments."""
    ball = ak.enclose(ak.E(sp.tanh(X) ** 2 * ak.mean(1 / (D + 1 + X**2), law("1/2")), X), 20)
    rule, weights = np.polynomial.hermite_e.hermegauss(180)
    values = [np.tanh(x) ** 2 * density(lambda d, x=x: 1 / (d + 1 + x * x), 0.5) for x in rule]
    assert abs(float(ball) - weights @ values / np.sqrt(2 * np.pi)) < 1e-9


def test_other_laws_are_refused_by_name():
    E = sp.Symbol("E", positive=True)
    with pytest.raises(ak.NotAvailableError, match="is no average over normals and has no closed form; give its law"):
        ak.enclose(ak.mean(sp.sqrt(E), ak.Eigenvalues(E)))
