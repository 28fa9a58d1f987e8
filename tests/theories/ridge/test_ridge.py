"""Ridge regression on given covariances: its theorem, long spectra, exact matrices, refusals."""

from fractions import Fraction
from random import Random

import numpy as np
import pytest
from sympy import Rational

import asympkit as ak
from asympkit.balls.backend import ratio, workprec

DIAGONAL = [3, 2, 1, "1/2", "1/4", "1/8"]
PSI = [1, "1/2", "1/2", "1/4", "1/10", "1/20"]


def _plain(Omega, psi, rho, n, lam, noise):
    """Test and train error by Newton's method for the effective ridge, with matrices."""
    p = len(Omega)
    zeta = (lam * p + np.trace(Omega)) / n
    for _ in range(60):
        R = np.linalg.inv(Omega + zeta * np.eye(p))
        left = 1 - np.sum((Omega @ R) * (Omega @ R).T) / n
        zeta -= (zeta * (1 - np.trace(Omega @ R) / n) - lam * p / n) / left
    test = (rho + noise - psi @ (R + zeta * R @ R) @ psi) / left
    return test, (lam * p / (n * zeta))**2 * test


def _matrix(p=30, seed=1):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((p, 2 * p)) / np.arange(1, p + 1)[:, None]**0.5
    return x @ x.T / (2 * p), rng.standard_normal(p) / p


@pytest.mark.parametrize(("n", "lam", "noise"), [(12, 0.05, 0.0), (45, 1e-5, 0.3), (45, 4.0, 0.3), (300, 0.05, 1.0)])
def test_matrices_against_plain_algebra(n, lam, noise):
    Omega, psi = _matrix()
    rho = 1.5 * psi @ np.linalg.solve(Omega, psi)
    s = ak.ridge_error(Omega, psi, rho, n=n, lam=lam, noise_variance=noise)
    assert (s.test_error, s.train_error) == pytest.approx(_plain(Omega, psi, rho, n, lam, noise), rel=1e-10)
    D, zeta = np.linalg.eigvalsh(Omega), s.effective_ridge
    assert (s.df1, s.df2) == pytest.approx((np.sum(D / (D + zeta)), np.sum((D / (D + zeta))**2)), rel=1e-12)


def test_a_compressed_spectrum_is_right_at_every_penalty():
    Omega, psi = _matrix(p=200)
    whole = ak.Ridge(Omega, psi, 1.5 * psi @ np.linalg.solve(Omega, psi))
    short = whole.compressed()
    assert len(short.spectrum.eigenvalues) < 60
    assert 0 < short.compression_error < 1e-12
    for n, lam in ((20, 1e-8), (150, 1e-3), (190, 1.0), (2000, 1e4)):
        a, b = (t.solve(n=n, lam=lam, noise_variance=0.2) for t in (whole, short))
        assert (a.test_error, a.train_error, a.df2) == pytest.approx((b.test_error, b.train_error, b.df2), rel=1e-10)


def _power_law(p):
    k = np.arange(1, p + 1)
    e, psi = k**-1.5, k**-2.1
    return e, np.ones(p), psi, 1.3 * psi @ (psi / e)


def _damped(e, psi, rho, n, lam, noise):
    """The same in the spectrum: a damped iteration for the effective ridge."""
    zeta, p = (lam * e.size + e.sum()) / n, e.size
    while True:
        new = (lam * p + zeta * np.sum(e / (e + zeta))) / n
        if abs(new - zeta) <= 1e-15 * zeta:
            break
        zeta = (new + zeta) / 2
    r = 1 / (e + zeta)
    return (rho + noise - np.sum(psi**2 * r * (1 + zeta * r))) / (1 - np.sum((e * r)**2) / n)


def test_many_eigenvalues_are_few_nodes_for_solvers_alone():
    """Solutions and sweeps over ten thousand eigenvalues: as the iteration over all of them, and as all digits."""
    e, ones, psi, rho = _power_law(10_000)
    t, n = ak.Ridge((e, ones), psi, rho), np.array([30.0, 2000.0, 30_000.0])
    swept = t.sweep(n=n, lam=[1e-5, 1e-2], noise_variance=0.1)
    for i, j in np.ndindex(swept["test_error"].shape):
        expected = _damped(e, psi, rho, n[i], [1e-5, 1e-2][j], 0.1)
        assert swept["test_error"][i, j] == pytest.approx(expected, rel=1e-11)
    at = {"n": 2000, "lam": 0.01, "noise_variance": 0.1}
    assert float(t.precise(digits=20, **at).test_error) == pytest.approx(t.solve(**at).test_error, rel=1e-12)
    proved = t.certify(digits=15, floats="decimal", n=2000, lam="0.01", noise_variance="0.1").test_error
    assert float(proved.mid) == pytest.approx(t.solve(**at).test_error, rel=1e-12)


def test_eigenvalues_that_few_nodes_do_not_hold_are_all_used():
    e = np.exp(-0.01 * np.arange(5000))
    psi = np.sqrt(e) * 0.01
    found = ak.Ridge((e, np.ones(5000)), psi, 1.0).solve(n=2000, lam=0.1, noise_variance=0.1)
    assert found.test_error == pytest.approx(_damped(e, psi, 1.0, 2000, 0.1, 0.1), rel=1e-12)


@pytest.mark.parametrize(("change", "text"), [
    (lambda e, m, psi: (-e, m, psi), "eigenvalues: got -1; expected those of a covariance"),
    (lambda e, m, psi: (e, m - 1, psi), "multiplicities: got 0.0 for eigenvalue 1"),
    (lambda e, m, psi: (e, m, psi[1:]), "psi: got 4999 numbers for 5000 eigenvalues"),
    (lambda e, m, psi: (e / (e != 1), m, psi), "eigenvalues: 1 of 5000 numbers are not finite"),
    (lambda e, m, psi: (e * (e > 0.1), m, psi), "psi: has a component along a direction in which Omega vanishes")])
def test_what_is_no_long_spectrum(change, text):
    *spectrum, rho = _power_law(5000)
    with np.errstate(divide="ignore"):
        e, m, psi = change(*spectrum)
    with pytest.raises(ak.DomainError) as error:
        ak.Ridge((e, m), psi, rho)
    assert text in str(error.value)


@pytest.mark.slow
@pytest.mark.parametrize("p", [10**5, 10**6])
def test_long_spectra(p):
    e, ones, psi, rho = _power_law(p)
    t = ak.Ridge((e, ones), psi, rho)
    swept = t.sweep(n=np.geomspace(100, p, 5), lam=np.geomspace(1e-7, 1, 3), noise_variance=0.1)
    for index in np.ndindex(swept["test_error"].shape):
        n, lam = (float(axis[k]) for axis, k in zip(swept.axes.values(), index))
        assert swept["test_error"][index] == pytest.approx(_damped(e, psi, rho, n, lam, 0.1), rel=1e-10)


@pytest.mark.parametrize(("Omega", "psi", "rho", "text"), [
    (np.ones((2, 3)), [1, 2], 1, "Omega: got an array of shape (2, 3); expected a square matrix (p, p)"),
    ([[1, 2], [0, 1]], [1, 2], 1, "Omega: differs from its transpose by up to 2; expected a symmetric matrix"),
    ([[1, 2], [2, 1]], [1, 2], 1, "Omega: its eigenvalues go from -1 to 3; expected a covariance"),
    ([[1, np.nan], [2, 1]], [1, 2], 1, "Omega: 1 of its 4 entries are not finite"),
    ("abc", [1, 2], 1, "Omega: got 'abc'; expected a square matrix of numbers"),
    (np.eye(2), [1, 2, 3], 1, "psi: got 3 numbers; expected 2, one for each row of Omega"),
    (np.eye(2), [1, 2], 1, "rho: got 1, and psi Omega^-1 psi is 5; expected rho = E f^2"),
    (np.diag([1, 0]), [1, 2], 10, "psi: has a component along a direction in which Omega vanishes"),
    (([1, 2],), [1, 2], 10, "Omega: got a tuple of 1; expected (eigenvalues, multiplicities)"),
    (([1, 2], [1]), [1, 2], 10, "multiplicities: got 1 numbers for 2 eigenvalues"),
    (([1, 2], [1, 1]), [1], 10, "psi: got 1 numbers for 2 eigenvalues"),
    (([1, 2], [1, -1]), [1, 1], 10, "multiplicities: got -1 for eigenvalue 2"),
    (([1, -2], [1, 1]), [1, 1], 10, "eigenvalues: got -2"),
    (([1, "x"], [1, 1]), [1, 1], 10, "eigenvalues: got [1, 'x']; expected a list of finite numbers"),
    (([0, 0], [1, 1]), [0, 0], 10, "Omega: vanishes"),
])
def test_what_is_no_covariance(Omega, psi, rho, text):
    with pytest.raises(ak.DomainError) as error:
        ak.Ridge(Omega, psi, rho)
    assert text in str(error.value)


def test_what_the_constructor_was_given_is_not_ignored_at_a_verb():
    t = ak.Ridge((DIAGONAL, [1] * 6), PSI, 3)
    for name, value in (("rho", 5), ("eigenvalues", [1, 2])):
        with pytest.raises(ak.DomainError, match=f"ridge: got {name}, which follows from Omega, psi and rho; expected"):
            t.solve(n=3, lam=0.1, **{name: value})
    with pytest.raises(ak.UnknownNameError, match="known are n, lam, noise_variance"):
        t.sensitivity("test_error", "rho", n=3, lam=0.1)
    assert "rho" not in t.solve.__doc__


def test_sparse_matrices_are_matrices():
    sparse = pytest.importorskip("scipy.sparse")
    Omega, psi = _matrix()
    a, b = (ak.Ridge(M, psi, 3).solve(n=10, lam=0.1).test_error for M in (Omega, sparse.csr_array(Omega)))
    assert a == pytest.approx(b, rel=1e-13)


def test_estimated_traces_are_said(monkeypatch):
    from scipy.sparse.linalg import aslinearoperator

    from asympkit.spectra import compression

    Omega, psi = _matrix()
    exact = ak.Ridge(aslinearoperator(Omega), psi, 3)
    monkeypatch.setattr(compression, "_EXACT_UP_TO", 10)
    with pytest.warns(ak.errors.AssumptionWarning, match="the traces of an operator of 30 features were estimated"):
        t = ak.Ridge(aslinearoperator(Omega), psi, 3)
    assert exact.spectrum.statistical_error == 0 < t.spectrum.statistical_error < 0.1
    a, b = (r.solve(n=10, lam=0.1).test_error for r in (exact, t))
    assert a == pytest.approx(b, rel=5 * t.spectrum.statistical_error)


def test_a_simulation_takes_about_a_thousand_features_unless_it_is_said():
    many = ak.Ridge(np.diag([4.0, 1.0] * 40), [0.1] * 80, 9)
    seen, known = many.simulate(n=30, lam=0.1, repeats=12), many.solve(n=30, lam=0.1)
    assert seen.sizes == {"copies": 12}
    assert abs(known.test_error - seen["test_error"].mean) < 3 * seen["test_error"].stderr
    few = ak.Ridge(np.eye(4), [1, 1, 0, 0], 9)
    assert few.simulate(n=2, lam=0.1, repeats=2).sizes == {"copies": 250}
    with pytest.raises(ak.DomainError, match="copies: got 100000, for which 200000 samples of 400000 features take"):
        few.simulate(n=2, lam=0.1, repeats=2, copies=100_000)


flint = pytest.importorskip("flint")

FRACTIONS = [3, 2, 1, Fraction(1, 2), Fraction(1, 4), Fraction(1, 8)]
PARTS = [1, Fraction(1, 2), Fraction(1, 2), Fraction(1, 4), Fraction(1, 10), Fraction(1, 20)]
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
    pair = ak.Ridge((FRACTIONS, [1] * 6), PARTS, 2).certify(digits=30, **AT)
    dense = ak.Ridge(*_rotated(FRACTIONS, PARTS), 2)
    proved = dense.certify(digits=30, **AT)
    assert _overlap(pair, proved)
    assert "exactly one solution with V > 0" in proved.certificate.claim
    assert "eigenvalues of a matrix of 6 rows with 6 distinct eigenvalues" in str(proved.certificate)
    assert float(proved.test_error.rad) < 1e-29
    assert str(proved.test_error).startswith("2.353596173242573465876955863915")
    assert proved.test_error.contains(str(dense.precise(digits=60, **AT).test_error))


@pytest.mark.parametrize("seed", [0, 1])
def test_small_eigenvalues_keep_their_digits(seed):
    """Doubles leave them the rounding of the largest: errors were 1.5e-10 and 2.4e-11 off, "converged"."""
    rng = np.random.default_rng(seed)
    values, Q = np.geomspace(1e-6, 1e3, 6), np.linalg.qr(rng.standard_normal((6, 6)))[0]
    psi, Omega = Q @ (rng.standard_normal(6) * np.sqrt(values)), (Q * values) @ Q.T
    t = ak.Ridge((Omega + Omega.T) / 2, psi, 40)
    found, exact = t.solve(n=1e5, lam=1e-5), t.precise(digits=15, n="1e5", lam="1e-5")
    for name in found.observables:
        assert found[name] == pytest.approx(float(exact[name]), rel=1e-12), name


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
