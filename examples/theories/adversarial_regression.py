r"""Adversarial training
====================

Regression on inputs that an adversary moves by up to :math:`\epsilon`: its worst residuals are larger by
:math:`\epsilon` times the norm of w,

.. math::

   f = \alpha\,E_z\min_r\left(\frac{(|r| + e)^2}{2} + \frac{(u - r)^2}{2V}\right) - \frac{\hat V q - \hat q V}{2}
       + m\hat m - \frac{\hat q + \hat m^2}{2(\lambda + \hat V)},
   \qquad u = \sqrt R\,|z|, \quad e = \epsilon\sqrt q, \quad R = 1 - 2m + q + \Delta

where :math:`R` is the error on clean inputs, whose labels have noise of variance :math:`\Delta`.
"""

import numpy as np
from sympy import Abs, Max, erf, pi, sqrt, symbols

import asympkit as ak
from asympkit.plot.script import options

alpha, lam, V, q, Vhat = symbols("alpha lam V q Vhat", positive=True)
(eps, noise), (m, qhat, mhat, z) = symbols("eps noise_variance", nonnegative=True), symbols("m qhat mhat z", real=True)

error = ak.Named("R", 1 - 2 * m + q + noise)                # of clean inputs
reach = ak.Named("e", eps * sqrt(q))                        # what the adversary adds to a residual
u = sqrt(error) * Abs(z)
# the least (|r| + e)^2/2 + (u - r)^2/(2V): residuals below V e are trained to 0, the others to (u - V e)/(1 + V)
envelope = (u**2 / V + reach**2 - Max(u - V * reach, 0) ** 2 / (V * (1 + V))) / 2


def draw(rng, size, *, alpha, lam, eps, noise_variance):
    """One adversarially trained vector by reweighted ridge: (r + e)^2 is the least r^2/h + e^2/(1 - h)."""
    signal = rng.standard_normal(size)
    signal *= np.sqrt(size) / np.linalg.norm(signal)
    X = rng.standard_normal((round(alpha * size), size)) / np.sqrt(size)
    y = X @ signal + np.sqrt(noise_variance) * rng.standard_normal(len(X))
    weights, penalty = np.ones(len(X)), lam
    for _ in range(200):
        w = np.linalg.solve(X.T @ (X * weights[:, None]) + penalty * np.eye(size), X.T @ (y * weights))
        r, length = np.abs(y - X @ w) + 1e-9, np.linalg.norm(w) / np.sqrt(size)
        e = eps * length
        weights, penalty = 1 + e / r, lam + eps * np.sum(r + e) / (length * size)
    clean = np.mean((w - signal) ** 2) + noise_variance
    return {"error": clean, "robust_error": clean + 2 * e * np.sqrt(2 * clean / np.pi) + e**2,
            "train_error": np.mean((r + e) ** 2), "fitted": np.mean(r < 1e-4)}


theory = ak.Theory(
    name="adversarial regression", unknowns=[V, q, m, Vhat, qhat, mhat], simulate=draw, size_name="d",
    parameters={alpha: ("samples over dimensions", "positive"), lam: ("penalty", "positive"),
                eps: ("reach of the adversary", "nonnegative"), noise: ("of the labels", "nonnegative")},
    free_energy=alpha * ak.E(envelope, z) - (Vhat * q - qhat * V) / 2 + m * mhat
    - (mhat**2 + qhat) / (2 * (Vhat + lam)),
    observables={"error": error, "robust_error": error + 2 * reach * sqrt(2 * error / pi) + reach**2,
                 "train_error": ak.E((Max(u - V * reach, 0) / (1 + V) + reach) ** 2, z),
                 "fitted": erf(V * reach / sqrt(2 * error))}, start={V: 0.5, q: 0.5, m: 0.5, Vhat: 1.0})

if __name__ == "__main__":
    quick, save = options()
    at = {"alpha": 2.0, "lam": 0.1, "eps": 0.3, "noise_variance": 0.2}
    print(report := theory.check(d=200, repeats=10, **{**at, "alpha": 1.0, "eps": 0.6}))
    assert report.passed and abs(theory.solve(**{**at, "eps": 0.0}).error - 0.35658598998953) < 1e-12    # as ridge
    assert abs(float(theory.certify(floats="decimal", **at)["error"]) - theory.solve(**at).error) < 1e-12
    save(theory.plot(["error", "robust_error"], over="eps", **{**at, "eps": np.linspace(0, 1, 8 if quick else 40)}))
