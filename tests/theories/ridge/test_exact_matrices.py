"""Proofs and digits for matrices: the spectrum enclosed from exact entries."""

from fractions import Fraction
from random import Random

import numpy as np
import pytest
from sympy import Rational

import asympkit as ak
from asympkit.balls.backend import ratio, workprec

flint = pytest.importorskip("flint")

DIAGONAL = [3, 2, 1, Fraction(1, 2), Fraction(1, 4), Fraction(1, 8)]
PSI = [1, Fraction(1, 2), Fraction(1, 2), Fraction(1, 4), Fraction(1, 10), Fraction(1, 20)]
AT = {"n": 3, "lam": "0.1"}


def _rotated(eigenvalues, psi, seed=1):
    """The matrix and the vector in another basis: a rational reflection."""
    rng, size = Random(seed), len(psi)
    w = [rng.randint(1, 9) for _ in range(size)]
    H = [[Fraction(i == j) - Fraction(2 * w[i] * w[j], sum(x * x for x in w)) for j in range(size)]
         for i in range(size)]
    Omega = [[sum(H[i][k] * eigenvalues[k] * H[j][k] for k in range(size)) for j in range(size)] for i in range(size)]
    return Omega, [sum(H[i][k] * psi[k] for k in range(size)) for i in range(size)]


def _random(size, seed=3):
    rng = Random(seed)
    B = [[Fraction(rng.randint(-99, 99), rng.randint(1, 30)) for _ in range(size)] for _ in range(size)]
    Omega = [[sum(x * y for x, y in zip(a, b)) / size for b in B] for a in B]
    return Omega, [Fraction(rng.randint(-9, 9), 7) for _ in range(size)]


def _overlap(a, b):
    return all(a[name].overlaps(b[name]) for name in a.observables)


def test_a_rotated_matrix_has_the_balls_of_its_eigenvalues():
    pair = ak.Ridge((DIAGONAL, [1] * 6), PSI, 2).certify(digits=30, **AT)
    dense = ak.Ridge(*_rotated(DIAGONAL, PSI), 2)
    proved = dense.certify(digits=30, **AT)
    assert _overlap(pair, proved)
    assert "exactly one solution with V > 0" in proved.certificate.claim
    assert "eigenvalues of a matrix of 6 rows with 6 distinct eigenvalues" in str(proved.certificate)
    assert float(proved.test_error.rad) < 1e-29
    assert str(proved.test_error).startswith("2.353596173242573465876955863915")
    assert proved.test_error.contains(str(dense.precise(digits=60, **AT).test_error))


def test_multiple_eigenvalues_and_parts_that_vanish():
    eigenvalues, psi = [3, 3, 1, 1, 1, Fraction(1, 2), 0, 0], [1, 1, 0, 0, 0, Fraction(1, 3), 0, 0]
    at = {"n": 5, "lam": "1/10", "noise_variance": "1/7"}
    Omega, turned = _rotated(eigenvalues, psi)
    short = ak.Ridge(([3, 1, "1/2", 0], [2, 3, 1, 2]), [1, 0, "1/3", 0], 3)
    square = ak.Ridge(([3, 1, "1/2", 0], [2, 3, 1, 2]), [0, 0, "1/3", 0], 3)
    dense = ak.Ridge(Omega, turned, 3).certify(digits=25, **at)
    assert "a matrix of 8 rows with 4 distinct eigenvalues" in str(dense.certificate)
    assert dense.certificate.uniqueness == "global"
    # of two directions with the eigenvalue 3 the pair is given the norm, a root of 2
    assert not _overlap(short.certify(digits=25, **at), dense)
    halves = [x - y for x, y in zip(turned, _rotated(eigenvalues, [1, 1, 0, 0, 0, 0, 0, 0])[1])]
    assert _overlap(square.certify(digits=25, **at), ak.Ridge(Omega, halves, 3).certify(digits=25, **at))
    assert dense.test_error.contains(str(ak.Ridge(Omega, turned, 3).precise(digits=50, **at).test_error))


def test_a_random_matrix_fulfils_the_equations_of_the_theorem_in_exact_algebra():
    Omega, psi = _random(30)
    n, lam, noise, rho = 20, Fraction(1, 10), Fraction(1, 3), 10**5
    proved = ak.Ridge(Omega, psi, rho).certify(digits=30, n=n, lam=lam, noise_variance=noise)
    assert float(proved.test_error.rad) <= 1e-30 * float(proved.test_error)
    # the resolvent by the solver of linear equations of the ball library, which knows no eigenvalues
    with workprec(600):
        zeta = proved.effective_ridge.to_arb()
        of = [[ratio(v) for v in row] for row in Omega]
        matrix = flint.arb_mat(of)
        R = flint.arb_mat([[v + zeta * (i == j) for j, v in enumerate(row)] for i, row in enumerate(of)]).inv()
        P, column = matrix * R, flint.arb_mat([[ratio(v)] for v in psi])
        df1, df2 = P.trace(), (P * P).trace()
        kept = (column.transpose() * (R + R * R * zeta) * column)[0, 0]
        test = (rho + ratio(noise) - kept) / (1 - df2 / n)
        assert (zeta * (1 - df1 / n)).overlaps(ratio(lam) * 30 / n)
        assert proved.df1.to_arb().overlaps(df1) and proved.df2.to_arb().overlaps(df2)
        assert proved.test_error.to_arb().overlaps(test)


def test_floats_are_read_as_they_are_said_to_be():
    Omega, psi = (np.array(x, float) for x in _random(6))
    Omega, psi = (Omega + Omega.T) / 2, psi / 10
    t, at = ak.Ridge(Omega, psi, 10**4), {"n": 4, "lam": "0.1"}
    exact = ak.Ridge([[Fraction(v) for v in row] for row in Omega], [Fraction(v) for v in psi], 10**4)
    texts = ak.Ridge([[repr(float(v)) for v in row] for row in Omega], [repr(float(v)) for v in psi], 10**4)
    binary, decimal = (t.certify(digits=20, floats=floats, **at) for floats in ("exact", "decimal"))
    assert _overlap(binary, exact.certify(digits=20, **at)) and _overlap(decimal, texts.certify(digits=20, **at))
    assert not binary.test_error.overlaps(decimal.test_error)
    assert decimal.test_error.contains(str(t.precise(digits=40, **at).test_error))
    assert t.solve(n=4, lam=0.1).test_error == pytest.approx(float(binary.test_error), rel=1e-12)
    with pytest.raises(ak.DomainError, match="Omega, psi: contain floats, whose binary values may differ"):
        t.certify(**at)


def test_entries_may_be_of_sympy():
    matrix = [[Rational(2), Rational(1, 3)], [Rational(1, 3), Rational(1)]]
    one, other = (ak.Ridge(M, ["1/2", 1], 3).certify(digits=20, **AT)
                  for M in (matrix, [["2", "1/3"], ["1/3", "1"]]))
    assert _overlap(one, other)


def test_what_has_no_exact_spectrum():
    low = np.outer([0.1, 0.7, 0.3], [0.1, 0.7, 0.3])
    t = ak.Ridge(low, 0.5 * np.array([0.1, 0.7, 0.3]), 2)
    with pytest.raises(ak.DomainError, match="Omega: it has the eigenvalue -.*low rank that was computed in floats"):
        t.certify(floats="exact", **AT)
    # of floats that are no covariance by rounding alone the eigenvalues of numpy are the data
    assert float(t.precise(**AT).test_error) == pytest.approx(t.solve(n=3, lam=0.1).test_error, rel=1e-13)
    skew = [[1, Fraction(1, 3)], [Fraction(1, 3) + Fraction(1, 10**12), 1]]
    with pytest.raises(ak.DomainError, match=r"Omega: its entries \(1, 2\) and \(2, 1\) are 0.33.*and differ"):
        ak.Ridge(skew, [1, 0], 2).certify(**AT)
    large = ak.Ridge(np.eye(130), np.ones(130) / 130, 2)
    with pytest.raises(ak.DomainError, match="Omega: has 130 rows, and exact spectra are computed up to 128"):
        large.certify(floats="exact", n=50, lam="0.1")
    assert float(large.precise(digits=20, n=50, lam=0.1).test_error) == pytest.approx(
        large.solve(n=50, lam=0.1).test_error, rel=1e-12)
    with pytest.raises(ak.DomainError, match="Omega: got 'x'; expected a finite real number"):
        ak.Ridge([["x", 0], [0, 1]], [1, 0], 2)
    with pytest.raises(ak.DomainError, match="psi: has a component along a direction in which Omega vanishes"):
        ak.Ridge([[1, 0], [0, 0]], [1, Fraction(1, 10**9)], 2).certify(**AT)
