r"""Two Gaussian clouds
===================

Points of two Gaussian clouds around :math:`\pm v`, a share :math:`s` in one of them, separated by a vector with the
hinge or logistic loss, a penalty and a learned bias :math:`b` (Mignacco, Krzakala, Lu, Urbani and Zdeborova 2020);
directions have one of two variances. With the Moreau envelope :math:`M_V` of the loss,

.. math::

   f = \alpha\,E\,M_V(\sqrt q\,z + m \pm b) - \frac{\hat V q - \hat q V}{2} + m\hat m
       - \frac12\sum_d \rho_d\,\frac{d\,\hat q + \hat m^2}{\lambda + \hat V d}

In clouds of equal size and variance :math:`d` a large penalty is best, and meets the Bayes-optimal error
:math:`\Phi\left(-\sqrt{\alpha/(d(\alpha + d))}\right)`.
"""

import numpy as np
from scipy.special import ndtr
from sympy import erfc, sqrt, symbols

import asympkit as ak
from asympkit.plot.script import options

alpha, lam, q, V, Vhat, qhat, share, rho, d1, d2 = symbols("alpha lam q V Vhat qhat share rho d1 d2", positive=True)
m, mhat, b, z = symbols("m mhat b z", real=True)
prior = sum(r * (d * qhat + mhat**2) / (lam + Vhat * d) for r, d in ((rho, d1), (1 - rho, d2)))


def mixture(name):
    """Write the theory of a loss of the margin."""
    loss = (share * ak.E(ak.Moreau(name, 1, sqrt(q) * z + m + b, V), z)
            + (1 - share) * ak.E(ak.Moreau(name, 1, sqrt(q) * z + m - b, V), z))
    return ak.Theory(
        name=f"{name} loss on a mixture", unknowns=[V, q, m, Vhat, qhat, mhat, b], start={V: 1, q: 0.5, m: 0.5},
        parameters={alpha: ("samples over dimension", "positive"), lam: ("penalty", "positive"),
                    share: ("of one class", (0, 1)), rho: ("of directions", (0, 1)),
                    d1: ("variance", "positive"), d2: ("variance", "positive")},
        free_energy=alpha * loss - (Vhat * q - qhat * V) / 2 + m * mhat - prior / 2,
        observables={"test_error": (share * erfc((m + b) / sqrt(2 * q))
                                    + (1 - share) * erfc((m - b) / sqrt(2 * q))) / 2})


theory, logistic = mixture("hinge"), mixture("logistic")

if __name__ == "__main__":
    quick, save = options()
    at = {"alpha": 2, "share": 0.5, "rho": 0.5, "d1": 1, "d2": 1}
    found = theory.solve(lam=10, start={"V": 0.1, "q": 0.05, "m": 0.1}, **at)["test_error"]
    print(f"large penalty: {found:.6f}, Bayes-optimal {ndtr(-np.sqrt(2 / 3)):.6f}")
    assert abs(found - ndtr(-np.sqrt(2 / 3))) < 1e-4
    other = logistic.solve(lam=100, start={"V": 0.01, "q": 1e-4, "m": 0.01}, **at)["test_error"]
    assert abs(other - ndtr(-np.sqrt(2 / 3))) < 1e-4
    other = {"alpha": 2.0, "lam": 0.5, "share": 0.25, "rho": 0.5, "d1": 1.0, "d2": 0.5}
    for t in (theory, logistic):
        proved = t.certify(digits=10, floats="exact", **other)["test_error"]
        assert abs(float(proved) - t.solve(**other)["test_error"]) < 1e-10
    save(theory.plot("test_error", over="alpha", alpha=np.linspace(0.3, 3, 5 if quick else 20), lam=0.1,
                     share=[0.1, 0.3, 0.5], rho=0.8, d1=0.5, d2=0.1))
