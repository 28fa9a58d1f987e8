r"""Ridge regression from its free energy
=====================================

Features of variances :math:`D` and squared covariances :math:`T` with the target, from nothing but the free energy
(arXiv 2402.13999),

.. math::

   f = \frac{\hat q V - q\hat V}{2} + Q\hat Q
       - \frac12\left\langle\frac{\hat q D + \hat Q^2 T}{\lambda + \hat V D}\right\rangle
       + \frac\alpha2\,\frac{\rho + \Delta + q - 2Q}{1 + V}

beside the closed formula.
"""

import numpy as np
from scipy.optimize import brentq
from sympy import symbols

import asympkit as ak
from asympkit.plot.script import options

alpha, lam, V, Vhat = symbols("alpha lam V Vhat", positive=True)
rho, noise, q, Q, qhat, Qhat, D, T = symbols("rho noise_variance q Q qhat Qhat D T", real=True)

error = ak.Named("R", rho + noise + q - 2 * Q)
prior = ak.mean((qhat * D + Qhat**2 * T) / (lam + Vhat * D), ak.Eigenvalues(D, T))


def draw(rng, size, *, alpha, lam, rho, noise_variance, D, T):
    """The errors of one ridge regression on ``size`` features: variances D, squared covariances T with the target."""
    D, c = np.resize(D, size), np.sqrt(np.resize(T, size) / size)
    n, rest = round(alpha * size), rho - np.sum(c**2 / D) + noise_variance
    x = rng.standard_normal((n, size)) * np.sqrt(D)
    y = x @ (c / D) + np.sqrt(rest) * rng.standard_normal(n)
    w = np.linalg.solve(x.T @ x + lam * size * np.eye(size), x.T @ y)
    return {"test_error": rho + noise_variance + w @ (D * w) - 2 * w @ c, "train_error": np.mean((y - x @ w) ** 2)}


theory = ak.Theory(
    name="ridge", unknowns=[V, q, Q, Vhat, qhat, Qhat],
    parameters={alpha: ("samples over features", "positive"), lam: ("penalty", "positive"),
                rho: ("variance of the target", "nonnegative"), noise: ("of the labels", "nonnegative")},
    free_energy=(qhat * V - q * Vhat) / 2 + Q * Qhat - prior / 2 + alpha / 2 * error / (1 + V),
    observables={"test_error": error, "train_error": error / (1 + V) ** 2}, simulate=draw, size_name="p")


def compare(p=200, seed=0, alpha=1.5, lam=0.01, noise=0.1):
    """Solution of the theory, and the closed formula for the test error by plain linear algebra."""
    rng, n = np.random.default_rng(seed), alpha * p
    x = rng.standard_normal((p, 2 * p)) / np.arange(1, p + 1)[:, None] ** 0.4
    omega, psi = x @ x.T / (2 * p), rng.standard_normal(p) / p      # covariances: features, with target
    rho = 1.5 * psi @ np.linalg.solve(omega, psi)                   # a third of the target is not linear
    D, U = np.linalg.eigh(omega)
    # zeta (1 - Tr(omega R) / n) = lam p / n, R = (omega + zeta)^-1
    zeta = brentq(lambda z: z * (1 - np.sum(D / (D + z)) / n) - lam * p / n, 0, (lam * p + D.sum()) / n, xtol=1e-16)
    R = np.linalg.inv(omega + zeta * np.eye(p))
    return (theory.solve(alpha=alpha, lam=lam, rho=rho, noise_variance=noise, D=D, T=p * (U.T @ psi) ** 2),
            (rho + noise - psi @ (R + zeta * R @ R) @ psi) / (1 - np.sum((D / (D + zeta)) ** 2) / n))


if __name__ == "__main__":
    quick, save = options()
    at, (solution, closed) = {"rho": 2, "noise_variance": 0.1, "D": [0.5, 1, 3], "T": [0.2, 1, 0.5]}, compare()
    print(report := theory.check(alpha=1.5, lam=0.01, p=300, **at))
    assert report.passed and abs(solution.test_error - closed) < 1e-12
    proved = theory.certify(alpha="1.5", lam="0.01", floats="decimal", **at)["test_error"]
    assert abs(float(proved) / report.solution["test_error"] - 1) < 1e-12
    save(theory.plot("test_error", over="alpha", alpha=np.linspace(0.2, 3, 8 if quick else 60), lam=[1e-4, 0.1], **at))
