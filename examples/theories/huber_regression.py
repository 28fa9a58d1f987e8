r"""Robust regression
=================

Huber's loss, :math:`r^2/2` up to :math:`\delta` and linear beyond, on labels of which a share :math:`s` is far off; its
scale optimised. With its Moreau envelope :math:`M_V`, and noise of variance :math:`\Delta` or :math:`\Delta'`,

.. math::

   f = \alpha\,E_x\left[(1-s)M_V(\sqrt{R_\Delta}\,x) + s M_V(\sqrt{R_{\Delta'}}\,x)\right]
       - \frac{\hat V q - \hat q V}{2} + m\hat m - \frac{\hat q + \hat m^2}{2(\lambda + \hat V)},
   \qquad R_\Delta = 1 - 2m + q + \Delta
"""

import numpy as np
from sympy import sqrt, symbols

import asympkit as ak
from asympkit.plot.script import options

alpha, lam, delta, Delta, far = symbols("alpha lam delta noise_variance far", positive=True)
(V, Vhat, q, qhat), (share, m, mhat, x) = symbols("V Vhat q qhat", positive=True), symbols("share m mhat x", real=True)


def loss(noise):
    """Mean envelope where the label has a noise of this variance."""
    return ak.E(ak.Moreau(ak.Huber(delta), sqrt(1 - 2 * m + q + noise) * x, 0, V), x)


def draw(rng, size, *, alpha, lam, delta, noise_variance, far, share):
    """One regression by reweighted least squares."""
    X = rng.standard_normal((round(alpha * size), size)) / np.sqrt(size)
    signal = rng.standard_normal(size)
    signal *= np.sqrt(size) / np.linalg.norm(signal)
    width = np.sqrt(np.where(rng.random(len(X)) < share, far, noise_variance))
    y, w = X @ signal + width * rng.standard_normal(len(X)), np.zeros(size)
    for _ in range(200):
        weight = 1 / np.maximum(1, np.abs(y - X @ w) / delta)
        w = np.linalg.solve((X.T * weight) @ X + lam * np.eye(size), (X.T * weight) @ y)
    return {"error": np.mean((w - signal) ** 2)}


huber = ak.Theory(
    name="huber", unknowns=[V, q, m, Vhat, qhat, mhat], simulate=draw, size_name="d",
    parameters={alpha: ("samples over inputs", "positive"), lam: ("penalty", "positive"),
                delta: ("scale of the loss", "positive"), Delta: ("variance of the noise", "positive"),
                far: ("that of outliers", "positive"), share: ("of outliers", (0, 1))},
    free_energy=alpha * ((1 - share) * loss(Delta) + share * loss(far)) - (Vhat * q - qhat * V) / 2 + m * mhat
    - (qhat + mhat**2) / (lam + Vhat) / 2, observables={"error": 1 - 2 * m + q}, start={V: 0.5, q: 0.5, m: 0.5})

if __name__ == "__main__":
    quick, save = options()
    at = {"alpha": 3, "lam": 0.1, "noise_variance": 0.1, "far": 10, "share": 0.2}
    print(best := huber.minimize("error", over="delta", bounds=(0.01, 100), **at))
    assert abs(best.argmin - 0.21064) < 1e-4        # between the square (inf) and absolute errors (0)
    print(report := huber.check(delta=round(best.argmin, 3), d=150, repeats=10, **at))
    assert report.passed
    point = {"delta": 0.25, "alpha": 3, "lam": 0.125, "noise_variance": 0.125, "far": 10, "share": 0.25}
    assert abs(float(huber.certify(floats="exact", **point)["error"]) - huber.solve(**point)["error"]) < 1e-12
    save(huber.plot("error", over="delta", delta=np.geomspace(0.02, 20, 8 if quick else 40),
                    **{**at, "share": [0.1, 0.2, 0.4]}))
