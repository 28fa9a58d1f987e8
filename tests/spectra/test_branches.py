"""Marchenko-Pastur means where the resolvent has another branch, and where an atom at zero makes them infinite."""

import numpy as np
import pytest
from helpers.tiers import slow_but
from scipy.integrate import quad
from sympy import Rational, log, sqrt, symbols

import asympkit as ak

D, E2, lam, u, V, J = symbols("D E2 lam u V J", positive=True)
x = symbols("x", real=True)


def by_density(f, ratio):
    """The mean by the density of the eigenvalues and the atom at 0."""
    low, high = (1 - np.sqrt(ratio)) ** 2, (1 + np.sqrt(ratio)) ** 2
    middle, half = (low + high) / 2, (high - low) / 2

    def along(t):
        d = middle + half * np.cos(t)
        return f(d) * (half * np.sin(t)) ** 2 / (2 * np.pi * ratio * d)

    return quad(along, 0, np.pi, epsabs=0, epsrel=1e-12)[0] + (max(0.0, 1 - 1 / ratio) * f(0.0) if ratio > 1 else 0.0)


def theory(integrand, ratio, unknown=x):
    return ak.Theory(name="mean", parameters={lam: ("shift", "positive")}, unknowns=[unknown],
                     equations=[unknown - ak.mean(integrand, ak.MarchenkoPastur(D, ratio))])


@pytest.mark.parametrize(("integrand", "ratio", "at"), slow_but([
    (1 / (D - lam) ** 2, Rational(1, 2), 5), (1 / (D - lam), Rational(1, 2), 5), (1 / (D - lam), 4, 10),
    (1 / ((D - lam) * (D + 1)), Rational(1, 2), 5), (-1 / (lam - D), Rational(1, 2), 5),
    (D / (lam - 2 * D) ** 2, Rational(1, 3), 9)], 1, 2, 5))
def test_a_pole_above_the_spectrum(integrand, ratio, at):
    # closed on the branch for poles below it, these were proved with the wrong sign
    t = theory(integrand, ratio)
    value = by_density(lambda d: float(integrand.subs({D: d, lam: at})), float(ratio))
    assert t.solve(lam=at)["x"] == pytest.approx(value, rel=1e-9)
    ball = t.certify(digits=12, lam=at)["x"]
    assert abs(float(ball.mid) - value) < 1e-9 * abs(value)


def test_a_mean_that_the_atom_makes_infinite():
    for integrand in (1 / sqrt(D), log(D), 1 / D):
        with pytest.raises(ak.AsympkitError, match="is infinite at D = 0, where a share 1 - 1/ratio of"):
            theory(integrand, 2).solve(lam=0.5)
    value = by_density(lambda d: 1 / np.sqrt(d), 0.5)
    assert theory(1 / sqrt(D), Rational(1, 2)).solve(lam=0.5)["x"] == pytest.approx(value, rel=1e-10)


def test_no_value_at_zero_is_subtracted_where_no_eigenvalue_is_zero():
    t = theory(1 / (lam + D**2), Rational(1, 2), u)
    assert t.solve(lam=1e-12)["u"] == pytest.approx(7.999999999648, rel=1e-12)
    steep = theory(1 / ((D + lam) * (D + 2 * lam) * (D + 3 * lam) * (D + 4 * lam)), Rational(1, 10), u)
    value = by_density(lambda d: 1 / ((d + 1e-6) * (d + 2e-6) * (d + 3e-6) * (d + 4e-6)), 0.1)
    assert steep.solve(lam=1e-6)["u"] == pytest.approx(value, rel=1e-10)


def test_a_mean_inside_a_mean_is_not_asked_at_zero():
    inner = ak.mean(1 / (E2 + D * V), ak.MarchenkoPastur(E2, 2))
    t = ak.Theory(name="nested", parameters={J: ("coupling", "positive")}, unknowns=[V],
                  equations=[V - 1 - J * ak.mean(log(1 + inner), ak.MarchenkoPastur(D, Rational(1, 2))) / 5])
    assert t.solve(J=0.7)["V"] == pytest.approx(1.09551035555958, rel=1e-12)
