r"""Logistic regression on covariates
=================================

Gaussian features of variances :math:`D`, whose squared covariances with a linear teacher are :math:`T` (arXiv
2102.08127). With the Moreau envelope :math:`M_V` of :math:`\log(1+e^{-z})`,

.. math::

   f = 2\alpha\,E_x P(x)\,M_V(\sqrt q\,x) - \frac{\hat V q - \hat q V}{2} + m\hat m
       - \frac12\left\langle\frac{\hat q D + \hat m^2 T}{\lambda + \hat V D}\right\rangle,
   \qquad P = \frac12\,\mathrm{erfc}\frac{-m x}{\sqrt{2(\rho q - m^2)}}
"""

import numpy as np
from scipy.optimize import minimize
from sympy import acos, erfc, pi, sqrt, symbols

import asympkit as ak
from asympkit.plot.script import options

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
    quick, save = options()
    at = {"lam": 0.1, "rho": 1, "D": [0.5, 1.5], "T": [0.25, 0.9]}
    print(report := theory.check(alpha=3, p=200, repeats=10, **at))
    assert report.passed
    proved = theory.certify(alpha=3, floats="decimal", **at)["error"]
    assert abs(float(proved) - theory.solve(alpha=3, **at)["error"]) < 1e-12
    save(theory.plot("error", over="alpha", alpha=np.linspace(0.5, 6, 8 if quick else 30), **at))
