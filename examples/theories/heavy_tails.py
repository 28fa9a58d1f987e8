r"""Ridge regression on heavy-tailed inputs
=======================================

Inputs are :math:`\sqrt v\,z`, z a standard normal vector, each sample with a scale v of its own: :math:`v = (a-1)/g` of
mean 1, g Gamma-distributed with shape a, so that an input has Student's t law with 2a degrees of freedom. Of unit
signals and ridge regression,

.. math::

   \hat V = \alpha\,E\frac{v}{1+vV}, \quad V = \frac1{\lambda+\hat V}, \quad
   \Delta = \frac{\lambda^2+\hat q}{(\lambda+\hat V)^2}, \quad \hat q = \alpha\,E\frac{v(v\Delta+\sigma^2)}{(1+vV)^2}

Large inputs are samples without noise, small ones tell nothing: heavy tails help or harm.
"""

import numpy as np
from sympy import symbols

import asympkit as ak
from asympkit.plot.script import options

alpha, lam, a, V, Vhat, error = symbols("alpha lam a V Vhat Delta", positive=True)
noise, g = symbols("noise_variance g", nonnegative=True)
v = (a - 1) / g
law = ak.Gamma(a)


def draw(rng, size, *, alpha, lam, a, noise_variance):
    """Fit one data set."""
    signal = rng.standard_normal(size)
    signal *= np.sqrt(size) / np.linalg.norm(signal)
    scales = (a - 1) / rng.gamma(a, size=round(alpha * size))
    X = np.sqrt(scales / size)[:, None] * rng.standard_normal((len(scales), size))
    y = X @ signal + np.sqrt(noise_variance) * rng.standard_normal(len(X))
    w = np.linalg.solve(X.T @ X + lam * np.eye(size), X.T @ y)
    return {"test_error": np.mean((w - signal) ** 2) + noise_variance, "train_error": np.mean((y - X @ w) ** 2)}


theory = ak.Theory(
    name="heavy tails", unknowns=[V, Vhat, error], simulate=draw, size_name="d",
    equations=[V - 1 / (lam + Vhat), Vhat - alpha * ak.E(v / (1 + v * V), g, measure=law),
               error - V**2 * (lam**2 + alpha * ak.E(v * (v * error + noise) / (1 + v * V) ** 2, g, measure=law))],
    parameters={alpha: ("samples over dimensions", "positive"), lam: ("penalty", "positive"),
                a: ("shape, above 1", "positive"), noise: ("of the labels", "nonnegative")},
    observables={"test_error": error + noise,
                 "train_error": ak.E((v * error + noise) / (1 + v * V) ** 2, g, measure=law)})

if __name__ == "__main__":
    quick, save = options()
    at = {"alpha": 2.0, "lam": 0.1, "a": 1.5, "noise_variance": 0.3}
    print(theory.solve(**at), theory.simulate(d=200, repeats=10, **at), sep="\n")
    report = theory.check(d=200, repeats=20, **at)
    print(report.verdict)
    root = 5 * (np.sqrt(1.61) - 1.1)            # V of Gaussian inputs
    share = 2 * (root / (1 + root)) ** 2
    gaussian = 0.3 + (0.01 * root**2 + 0.3 * share) / (1 - share)
    assert report.passed and abs(theory.solve(**{**at, "a": 1e6}).test_error - gaussian) < 1e-5
    save(theory.plot(["test_error", "train_error"], over="a", **{**at, "a": np.geomspace(1.1, 30, 8 if quick else 40)}))
