"""Logistic regression on covariates
=================================

Gaussian features of any spectrum, with a linear teacher (arXiv 2102.08127).
"""

import numpy as np
from scipy.optimize import minimize
from sympy import acos, erfc, pi, sqrt, symbols

import asympkit as ak

alpha, lam, V, Vhat, q, qhat, rho = symbols("alpha lam V Vhat q qhat rho", positive=True)
m, mhat, x, D, T = symbols("m mhat x D T", real=True)

agrees = ak.Named("P", erfc(-m * x / sqrt(2 * (rho * q - m**2))) / 2)       # the teacher's label is 1, at sqrt(q) x
prior = ak.mean((qhat * D + mhat**2 * T) / (lam + Vhat * D), ak.Eigenvalues(D, T))
envelope = 2 * ak.E(agrees * ak.Moreau("logistic", 1, sqrt(q) * x, V), x)   # both labels count alike


def draw(rng, size, *, alpha, lam, rho, D, T):
    """One logistic regression on ``size`` features of variances D, whose covariances with the teacher are T**0.5."""
    D, c = np.resize(D, size), np.sqrt(np.resize(T, size) / size)
    n, rest = round(alpha * size), np.sqrt(rho - np.sum(c**2 / D))
    X = rng.standard_normal((n, size)) * np.sqrt(D)
    yX = np.sign(X @ (c / D) + rest * rng.standard_normal(n))[:, None] * X / np.sqrt(size)

    def total(w):
        z = yX @ w
        return np.logaddexp(0, -z).sum() + lam * w @ w / 2, lam * w - yX.T @ (1 / (1 + np.exp(z)))

    w = minimize(total, np.zeros(size), jac=True, method="L-BFGS-B", options={"gtol": 1e-9, "ftol": 1e-15}).x
    overlap = w @ c / np.sqrt(rho * w @ (D * w))
    return {"error": np.arccos(overlap) / np.pi, "objective": total(w)[0] / n}


energy = alpha * envelope - (Vhat * q - qhat * V) / 2 + m * mhat - prior / 2
theory = ak.Theory(
    name="logistic regression", unknowns=[V, q, m, Vhat, qhat, mhat], simulate=draw, size_name="p",
    parameters={alpha: ("samples over features", "positive"), lam: ("penalty", "positive"),
                rho: ("variance of the teacher's field", "positive")},
    free_energy=energy, observables={"error": acos(m / sqrt(rho * q)) / pi, "objective": energy / alpha},
    start={V: 1, q: 1, m: 0.5})

if __name__ == "__main__":
    at = {"lam": 0.1, "rho": 1, "D": [0.5, 1.5], "T": [0.25, 0.9]}
    print(report := theory.check(alpha=3, p=200, repeats=10, **at))
    assert report.passed
    theory.plot("error", over="alpha", alpha=np.linspace(0.5, 6, 30), **at)
