r"""LASSO
=====

Independent features, signals of 1 or -1 on a share :math:`\rho` and 0 elsewhere, noisy labels:

.. math::

   f = \frac{\alpha(\rho - 2m + q + \Delta)}{2(1+V)} - \frac{\hat V q - \hat q V}{2} + m\hat m
       + E_{s, x}\min_w\left(\frac{\hat V w^2}{2} - (\sqrt{\hat q}\,x + \hat m s)\,w + \lambda|w|\right)
"""

import numpy as np
from sympy import sqrt, symbols

import asympkit as ak
from asympkit.plot.script import options

alpha, lam, rho, V, Vhat, q, qhat = symbols("alpha lam rho V Vhat q qhat", positive=True)
noise, m, mhat, x, s = symbols("noise_variance m mhat x s", real=True)


def prior(signal):
    """The least Vhat w^2/2 - h w + lam |w| at a field of this signal."""
    h = sqrt(qhat) * x + mhat * signal
    return ak.E(lam * ak.Moreau("absolute", 0, h / Vhat, lam / Vhat) - h**2 / (2 * Vhat), x)


def draw(rng, size, *, alpha, lam, rho, noise_variance):
    """One LASSO by accelerated proximal gradient steps; signals are 1 or -1 on a share rho, else 0."""
    signal = rng.choice([-1.0, 1.0], size) * (rng.random(size) < rho)
    X = rng.standard_normal((round(alpha * size), size)) / np.sqrt(size)
    y = X @ signal + np.sqrt(noise_variance) * rng.standard_normal(len(X))
    step, w, v = 1 / np.linalg.norm(X, 2) ** 2, np.zeros(size), np.zeros(size)
    for k in range(3000):
        u = v - step * X.T @ (X @ v - y)
        new = np.sign(u) * np.maximum(np.abs(u) - step * lam, 0)
        w, v = new, new + k / (k + 3) * (new - w)
    return {"error": np.mean((w - signal) ** 2), "train_error": np.mean((y - X @ w) ** 2)}


error = ak.Named("R", rho - 2 * m + q + noise)
lasso = ak.Theory(
    name="lasso", unknowns=[V, q, m, Vhat, qhat, mhat], simulate=draw, size_name="p",
    parameters={alpha: ("samples over features", "positive"), lam: ("penalty", "positive"),
                rho: ("share of signals that are not 0", (0, 1)), noise: ("of the labels", "nonnegative")},
    free_energy=alpha * error / (2 * (1 + V)) - (Vhat * q - qhat * V) / 2 + m * mhat
    + (1 - rho) * prior(0) + rho * prior(1),
    observables={"error": rho - 2 * m + q, "train_error": error / (1 + V) ** 2}, start={V: 0.5, q: 0.3, m: 0.3})

if __name__ == "__main__":
    quick, save = options()
    at = {"alpha": 0.8, "lam": 0.2, "rho": 0.3, "noise_variance": 0.1}
    print(report := lasso.check(p=400, repeats=10, **at))
    assert report.passed
    assert abs(float(lasso.certify(floats="decimal", **at)["error"]) - lasso.solve(**at)["error"]) < 1e-12
    save(lasso.plot("error", over="lam", **{**at, "lam": np.geomspace(0.02, 2, 8 if quick else 40), "rho": [0.1, 0.3]}))
