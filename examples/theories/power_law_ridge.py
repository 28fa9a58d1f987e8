r"""Kernel ridge regression with power laws
=======================================

Eigenvalues of the kernel fall like :math:`k^{-a}`, squared coefficients of the target like :math:`k^{-b}`. With the
effective ridge :math:`\zeta`, degrees of freedom :math:`d_j(\zeta) = \sum_k (D_k/(D_k+\zeta))^j` and :math:`n` samples,

.. math::

   \zeta\left(1 - \frac{d_1}{n}\right) = \frac\lambda n, \qquad
   \epsilon = \frac{\zeta^2\sum_k T_k/(D_k+\zeta)^2 + \sigma^2}{1 - d_2/n}

Without noise and penalty the error falls like :math:`n^{-\min(b-1,\,2a)}` (Bordelon, Canatar and Pehlevan 2020; Cui,
Loureiro, Krzakala and Zdeborova 2021).
"""

import numpy as np
from sympy import symbols

import asympkit as ak
from asympkit.plot.script import options

n, lam, zeta = symbols("n lam zeta", positive=True)
noise, D, T = symbols("noise_variance D T", nonnegative=True)
size = symbols("size", positive=True)
law = ak.Eigenvalues(D, T)
first, second = (size * ak.mean((D / (D + zeta)) ** j, law) for j in (1, 2))
error = (zeta**2 * size * ak.mean(T / (D + zeta) ** 2, law) + noise) / (1 - second / n)
theory = ak.Theory(
    name="power-law ridge", unknowns=[zeta], equations=[zeta * (1 - first / n) - lam / n],
    parameters={n: ("samples", "positive"), lam: ("penalty", "positive"), noise: ("variance", "nonnegative"),
                size: ("number of eigenvalues", "positive")}, observables={"error": error}, start={zeta: 1e-3})

if __name__ == "__main__":
    _, save = options()
    k = np.arange(1, 20001)
    at = {"D": k**-1.5, "T": k**-2.0, "size": len(k)}
    counts = np.geomspace(10, 1000, 21)
    sweep = theory.sweep(n=counts, lam=[1e-8, 1.0], noise_variance=0, **at)
    slope = np.polyfit(np.log(counts[6:15]), np.log(sweep["error"][6:15, 0]), 1)[0]
    print(f"without a penalty the error falls like n^{slope:.3f}")
    assert abs(slope + 1) < 0.05
    point = {"n": 100, "lam": 1, "noise_variance": 0, **at}
    assert abs(float(theory.certify(floats="exact", **point)["error"]) / theory.solve(**point)["error"] - 1) < 1e-12
    save(sweep.plot("error", over="n"))
