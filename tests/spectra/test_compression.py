"""Compressed spectra: against the full ones, closed cases, and what is refused."""

import numpy as np
import pytest
from scipy.sparse.linalg import LinearOperator, aslinearoperator

from asympkit.errors import ConvergenceError, DomainError
from asympkit.spectra import compression
from asympkit.spectra.compression import compress, compress_matrix, compress_operator, gauss_rule, lanczos


def ridge_error(e, squares, counts, rho, n, lam, noise):
    """Test error by the closed formula; sums over eigenvalues with multiplicities."""
    p = counts.sum()
    zeta = (lam * p + counts @ e) / n
    for _ in range(60):
        left = 1 - counts @ (e / (e + zeta)) ** 2 / n
        zeta -= (zeta * (1 - counts @ (e / (e + zeta)) / n) - lam * p / n) / left
    return (rho + noise - squares @ (1 / (e + zeta) + zeta / (e + zeta) ** 2)) / left


def spectra():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((400, 600))
    return {"sample covariance": np.linalg.eigvalsh(x @ x.T / 600), "power law": np.arange(1, 401) ** -1.5,
            "singular": np.r_[np.zeros(100), 1 / np.arange(1, 301)], "twelve decades": 10 ** rng.uniform(-11, 1, 400)}


@pytest.mark.parametrize("name", spectra())
def test_compressed_spectra_give_the_errors_of_the_full_ones(name):
    e = spectra()[name]
    squares = e * np.random.default_rng(1).standard_normal(e.size) ** 2 / e.size
    nodes = compress(e, squares)
    assert nodes.error < 1e-12 and nodes.D.size < (100 if name != "twelve decades" else 200)
    assert nodes.trace == pytest.approx(e.sum(), rel=1e-12)
    assert nodes.weights.mean() == pytest.approx(1, rel=1e-12) and nodes.T.mean() == pytest.approx(squares.sum())
    own, one = nodes.weights * e.size / nodes.D.size, nodes.T / nodes.D.size
    for n, lam in ((150, 1e-3), (600, 1e-1), (800, 1e-6)):
        full = ridge_error(e, squares, np.ones_like(e), 2.0, n, lam, 0.1)
        assert ridge_error(nodes.D, one, own, 2.0, n, lam, 0.1) == pytest.approx(full, rel=1e-10)


def test_few_points():
    nodes = compress([3, 2, 1, 0.5, 0.25, 0.125], np.square([1, 0.5, 0.5, 0.25, 0.1, 0.05]))
    assert nodes.D.size <= 12 and nodes.error < 1e-14
    known = ridge_error(nodes.D, nodes.T / nodes.D.size, nodes.weights * 6 / nodes.D.size, 2.0, 3, 0.1, 0.0)
    assert known == pytest.approx(2.353596173242573, rel=1e-13)
    nodes = compress(np.full(50, 0.7), np.ones(50))
    assert pytest.approx([0.7, 0.7]) == nodes.D and nodes.T.mean() == pytest.approx(50) and nodes.error < 1e-14
    one = compress([2.0, 1.0, 1.0, 0.5], [0.1, 0.2, 0.3, 0.0])
    two = compress([2.0, 1.0, 0.5], [0.1, 0.5, 0.0], [1, 2, 1])
    assert one.size == two.size == 4
    zeta = 0.3
    expected = np.mean(1 / (np.array([2, 1, 1, 0.5]) + zeta))
    for nodes in (one, two):
        assert np.mean(nodes.weights / (nodes.D + zeta)) == pytest.approx(expected)
        assert np.mean(nodes.T / (nodes.D + zeta)) == pytest.approx(0.1 / 2.3 + 0.5 / 1.3)


def test_rules():
    e, mass = np.exp(np.linspace(-2, 2, 50)), np.linspace(1, 3, 50)
    nodes, weights = gauss_rule(e, mass, 6)
    for k in range(12):
        assert weights @ np.log(nodes) ** k == pytest.approx(mass @ np.log(e) ** k, rel=1e-11, abs=1e-10)
    diagonal, beside = lanczos(lambda v: np.array([2.0, 2.0, 5.0]) * v, np.ones(3), 3)
    assert diagonal.size == 2 and beside.size == 1


def matrix(p=120):
    x = np.random.default_rng(3).standard_normal((p, 2 * p)) / np.arange(1, p + 1)[:, None] ** 0.3
    return x @ x.T / (2 * p) + 0.05 * np.eye(p), np.random.default_rng(4).standard_normal(p)


def test_matrices_and_operators_give_the_same():
    omega, psi = matrix()
    dense, operator = compress_matrix(omega, psi), compress_operator(aslinearoperator(omega), psi)
    np.testing.assert_allclose(operator.D, dense.D)
    assert operator.statistical_error == 0
    for zeta in (1e-4, 0.1, 10):
        inverse = np.linalg.inv(omega + zeta * np.eye(len(psi)))
        assert np.mean(dense.T / (dense.D + zeta) ** 2) == pytest.approx(psi @ inverse @ inverse @ psi, rel=1e-11)
        assert np.mean(dense.weights / (dense.D + zeta)) == pytest.approx(np.trace(inverse) / len(psi), rel=1e-11)


def test_a_large_operator_states_the_error_of_its_trace(monkeypatch):
    monkeypatch.setattr(compression, "_EXACT_UP_TO", 10)
    omega, psi = matrix()
    nodes = compress_operator(aslinearoperator(omega), psi, probes=20, seed=1)
    assert 1e-4 < nodes.statistical_error < 0.1 and nodes.size == 120
    for zeta in (0.1, 1.0):
        inverse = np.linalg.inv(omega + zeta * np.eye(len(psi)))
        assert np.mean(nodes.T / (nodes.D + zeta)) == pytest.approx(psi @ inverse @ psi, rel=1e-11)
        freedom = np.trace(omega @ inverse)
        found = nodes.size * np.mean(nodes.weights * nodes.D / (nodes.D + zeta))
        assert abs(found / freedom - 1) < 4 * nodes.statistical_error


@pytest.mark.parametrize("omega, text", [
    (np.ones((2, 3)), r"Omega: got an array of shape \(2, 3\); expected a square matrix \(p, p\)"),
    (np.ones(3), r"Omega: got an array of shape \(3,\); expected a square matrix"),
    ([[1.0, np.nan], [np.nan, 1.0]], r"Omega: 2 of its 4 entries are not finite"),
    ([[1.0, 0.2], [0.1, 1.0]], r"Omega: differs from its transpose by up to 0.1; expected a symmetric matrix"),
    ([[1.0, 2.0], [2.0, 1.0]], r"Omega has the eigenvalue -1; expected a positive semi-definite matrix"),
    ([["a"]], r"Omega: got .*; expected a square matrix of numbers, which are real"),
    (np.eye(2, dtype=complex), r"Omega: got .*; expected a square matrix of numbers, which are real"),
    (np.eye(3), r"psi of shape \(2,\): expected shape \(3,\)"),
    (np.diag([1.0, 0.0]), r"psi: a part 5.0e-01 of its squared length lies where the covariance is singular"),
    (np.zeros((2, 2)), r"eigenvalues: all are 0"),
])
def test_what_is_refused(omega, text):
    with pytest.raises(DomainError, match=text):
        compress_matrix(omega, [1.0, 1.0])


def test_other_refusals():
    with pytest.raises(DomainError, match=r"multiplicities: got -1"):
        compress([1.0, 2.0], [1.0, 1.0], [2, -1])
    with pytest.raises(DomainError, match=r"squares: got -1"):
        compress([1.0, 2.0], [1.0, -1.0])
    with pytest.raises(DomainError, match=r"Omega: got ndarray of shape \(2, 3\); expected a square symmetric"):
        compress_operator(np.ones((2, 3)), [1.0, 1.0])
    minus = LinearOperator((5000, 5000), matvec=lambda v: -v)
    with pytest.raises(DomainError, match=r"Omega has the eigenvalue -1"):
        compress_operator(minus, np.ones(5000), probes=2, steps=2)
    with pytest.raises(ConvergenceError, match=r"compress: 160 nodes reach a relative error of"):
        compress(10.0 ** np.random.default_rng(0).uniform(-12, 1, 500), np.ones(500), rtol=1e-17)
