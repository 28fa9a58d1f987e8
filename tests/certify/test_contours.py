"""Proved means over spectral laws: contours around deep covariances, and Marchenko-Pastur laws."""

import numpy as np
import pytest
import sympy as sp
from helpers.densities import over_density
from scipy.integrate import quad
from sympy import Rational, Symbol, exp, lambdify, log, sqrt, symbols, tanh

import asympkit as ak
from asympkit.balls.backend import acb, workprec
from asympkit.certify.contour import LawMeans, PenaltyChain

D, lam, u = symbols("D lam u", positive=True)
F = Symbol("F", real=True)
#: layers and inputs: one or two intervals, with and without a point mass, at 0 and elsewhere; edges at 0
LAWS = {
    "a point mass at 0": ([("3/2", 1, 0)], 1), "two intervals": ([(3, 1, "1/5")], {1: "1/2", 10: "1/2"}),
    "a narrow second layer": ([(3, 1, "1/10"), ("1/2", "4/5", "3/10")], 1),
    "two intervals, an atom": ([(3, "1/2", "1/4"), (4, 1, "1/10")], {1: "1/2", 9: "1/2"}),
    "a first layer without rest": ([(2, 1, 0), ("3/4", "1/2", "1/4")], {1: "1/2", 2: "1/2"}),
    "inputs of low rank": ([("1/2", 1, "1/4")], {0: "1/4", 1: "1/2", 3: "1/4"}), "an edge at 0": ([(1, 1, 0)], 1),
}


def law(name):
    return ak.DeepCovariance(D, *LAWS[name])


def ball(f, own, digits=20):
    means = LawMeans(own, digits)
    with workprec(4 * digits + 40):
        return ak.Ball.from_arb(means.mean(f, str(f), {}))


@pytest.mark.parametrize("name", LAWS)
def test_moments_by_contours_are_the_exact_ones(name):
    own = law(name)
    for k, exact in enumerate(own.moments(3), 1):
        found = ball(D**k, own)
        assert found.contains(exact) and found.rad < 1e-18
    assert ball(D / D, own).contains(1)


@pytest.mark.parametrize("f", [exp(-D), log(1 + sqrt(D)), tanh(D) / (1 + D**2)])
@pytest.mark.parametrize("name", ["a point mass at 0", "two intervals, an atom", "a first layer without rest"])
def test_means_of_any_function_are_those_over_the_density(name, f):
    own = law(name)
    found = ball(f, own)
    assert found.rad < 1e-18
    assert float(found) == pytest.approx(over_density(lambdify(D, f), own), rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("name", LAWS)
def test_means_have_the_digits_of_the_density(name):
    found = ball(exp(-D), law(name), 25)
    assert abs(found.mid - ak.mean(exp(-D), law(name)).evalf(25)) < found.rad + 1e-23


def test_a_theory_with_a_function_that_does_not_close_is_certified():
    energy = u**2 / 2 + ak.mean(lam * exp(-u * D), law("a point mass at 0"))
    model = ak.Theory(name="deep", parameters={lam: ("", "positive")}, unknowns=[u], free_energy=energy,
                      observables={"energy": energy})
    proved = model.certify(lam="0.3", digits=15)
    found = model.solve(lam=0.3)
    assert found["u"] == pytest.approx(float(proved["u"]), rel=1e-13)
    assert found["energy"] == pytest.approx(float(proved["energy"]), rel=1e-13)
    assert proved["energy"].rad < 1e-15
    assert "by contours around its spectrum" in str(proved.certificate)


def test_enclosures_of_expressions():
    own = ak.DeepCovariance(D, [("1/2", 1, "1/4")], conditional={F: 3 * D})
    whole = ak.enclose(2 * ak.mean(exp(-D), own) + ak.mean(F * exp(-D), own), 20)
    apart = ak.enclose(ak.mean((2 + 3 * D) * exp(-D), own), 20)
    assert whole.overlaps(apart) and whole.rad < 1e-20
    # one layer has a law of its own, which is enclosed by angles
    plain = ak.enclose(ak.mean(exp(-D), ak.MarchenkoPastur(D, 2)), 25)
    assert plain.overlaps(ak.enclose(ak.mean(exp(-D), ak.DeepCovariance(D, [(2, 1, 0)])), 25))


@pytest.mark.parametrize(("name", "right", "left"), [
    ("two intervals", -2, -30), ("two intervals", 1, -9), ("a narrow second layer", "-1/10", -30),
    ("a narrow second layer", 1, "-9/10")])
def test_contours_that_leave_a_pole_out_are_no_proof(name, right, left):
    with workprec(60):
        chain = PenaltyChain(law(name))
        assert chain.goes_around(1.0, -50.0)
        assert not chain.goes_around(float(Rational(right)), float(Rational(left)))


def test_a_side_inside_the_spectrum_is_no_proof():
    with workprec(60):
        chain = PenaltyChain(law("two intervals"))
        (zeta, _), = chain.levels(acb(-1, 0.2))[1:]
        assert zeta.imag < 0
        assert not chain.is_above(complex(-1.1, 0.2), complex(-0.9, 0.2), False, 4)
        assert chain.is_above(complex(-1, 5), complex(1, 5), False, 4)


@pytest.mark.parametrize(("name", "f", "text"), [
    ("an edge at 0", sqrt(D), "no contour is proved to go around the spectrum, from .* to 4, where the integrand is a"),
    ("two intervals", 1 / (D - 3), "no contour is proved to go around the spectrum"),
    ("a point mass at 0", log(D), "its integrand is not finite at the point mass"),
])
def test_what_has_no_contour(name, f, text):
    with pytest.raises(ak.ProofError, match=text):
        ball(f, law(name), 10)


pytest.importorskip("flint", reason="python-flint is not installed")

X = sp.Symbol("x", real=True)


def density(f, ratio, scale=1.0):
    """The mean by adaptive quadrature in the angle of the density, and the atom."""
    def integrand(t):
        d = scale * (1 + ratio + 2 * np.sqrt(ratio) * np.cos(t))
        return f(d) * 2 * scale * np.sin(t) ** 2 / d / np.pi

    bulk = quad(integrand, 0, np.pi, epsabs=1e-13, epsrel=1e-13)[0]
    return bulk + (max(1 - 1 / ratio, 0) * f(0.0) if ratio > 1 else 0)


def bulk(ratio, scale=1):
    return ak.MarchenkoPastur(D, ratio=sp.Rational(ratio), scale=scale)


@pytest.mark.parametrize("f, ratio", [
    (1 / (D + 1), "1/2"), (D**2 / ((D + 1) * (D + 2) ** 2), 2), (sp.log(D + 1), "1/2"), (sp.sqrt(D + 1), "1/2"),
    (sp.exp(-D), 2)])
def test_spectral_means(f, ratio):
    ball = ak.enclose(ak.mean(f, bulk(ratio, 3)), 25)
    assert ball.rad < 1e-25
    assert abs(float(ball) - density(sp.lambdify(D, f), float(sp.Rational(ratio)), 3.0)) < 1e-12


def test_spectral_means_inside_averages():
    """The resolvent at an eigenvalue shifted by a normal, with its growth from the range of its arguments."""
    ball = ak.enclose(ak.E(sp.tanh(X) ** 2 * ak.mean(1 / (D + 1 + X**2), bulk("1/2")), X), 20)
    rule, weights = np.polynomial.hermite_e.hermegauss(180)
    values = [np.tanh(x) ** 2 * density(lambda d, x=x: 1 / (d + 1 + x * x), 0.5) for x in rule]
    assert abs(float(ball) - weights @ values / np.sqrt(2 * np.pi)) < 1e-9


def test_other_laws_are_refused_by_name():
    E = sp.Symbol("E", positive=True)
    with pytest.raises(ak.NotAvailableError, match="is no average over normals and has no closed form; give its law"):
        ak.enclose(ak.mean(sp.sqrt(E), ak.Eigenvalues(E)))
