"""The general theorem: numbers by plain linear algebra, proofs, refusals."""

import numpy as np
import pytest

import asympkit as ak

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
