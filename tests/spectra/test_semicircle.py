"""The semicircle law beside published forms and eigenvalues of a drawn matrix."""

import mpmath as mp
import numpy as np
import pytest
from sympy import Symbol, exp, symbols

import asympkit as ak

x, D = Symbol("x", positive=True), Symbol("D", real=True)
c, v = symbols("c v", positive=True)
MEANS = ak.Theory(
    name="means", unknowns=[], equations=[], parameters={c: ("scale", "positive")},
    observables={"exp": ak.mean(exp(D), ak.Semicircle(D, c)),
                 "resolvent": ak.mean(1 / (3 * c - D), ak.Semicircle(D, c))})


@pytest.mark.parametrize("scale", [0.3, 1.0, 2.0])
def test_means_are_the_published_ones(scale):
    found = MEANS.solve(c=scale)
    assert found["exp"] == pytest.approx(float(mp.besseli(1, 2 * scale) / scale), rel=1e-14)
    assert found["resolvent"] == pytest.approx((3 - 5**0.5) / (2 * scale), rel=1e-14)
    slope = mp.diff(lambda s: mp.besseli(1, 2 * s) / s, scale)
    assert MEANS.sensitivity("exp", "c", c=scale) == pytest.approx(float(slope), rel=1e-10)


def test_digits_balls_and_sweeps():
    exact = mp.besseli(1, 4) / 2
    assert float(MEANS.precise(digits=30, c=2)["exp"]) == pytest.approx(float(exact), rel=1e-15)
    proved = MEANS.certify(digits=15, c=2)["exp"]
    assert proved.rad < 1e-15 and float(proved.mid) == pytest.approx(float(exact), rel=1e-15)
    assert MEANS.sweep(c=[1.0, 2.0])["exp"][1] == pytest.approx(float(exact), rel=1e-12)


def test_eigenvalues_of_a_matrix():
    a = np.random.default_rng(np.random.SeedSequence(41)).standard_normal((800, 800))
    drawn = np.linalg.eigvalsh((a + a.T) / np.sqrt(2 * 800))
    assert MEANS.solve(c=1)["resolvent"] == pytest.approx(np.mean(1 / (3 - drawn)), rel=2e-3)
    theory = ak.Theory(name="self-consistent", unknowns=[v], parameters={c: ("scale", "positive")},
                       equations=[v - ak.mean(1 / (1 + v - D), ak.Semicircle(D, c))])
    assert theory.solve(c=0.5)["v"] == pytest.approx(2 / 3, rel=1e-13)     # v/4 = 1 + v - 1/v


def test_powers_close():
    assert [ak.mean(D**k, ak.Semicircle(D, c)).doit() for k in (2, 3, 4, 6)] == [c**2, 0, 2 * c**4, 5 * c**6]


@pytest.mark.parametrize(("call", "text"), [
    (lambda: ak.Semicircle(3), "D: got 3; expected the symbol of an eigenvalue of any sign"),
    (lambda: ak.Semicircle(x), "D: got x; expected the symbol of an eigenvalue of any sign"),
    (lambda: ak.Semicircle(D, -1), "scale: got -1; expected a positive number")])
def test_what_is_no_law(call, text):
    with pytest.raises(ak.DomainError) as error:
        call()
    assert text in str(error.value)
