r"""Capacity of a perceptron with a margin
======================================

How many random labels are separated (Gardner 1988): the least norm from one free energy, and read backwards the labels
at which a margin :math:`\kappa` is reached,

.. math::

   f = \alpha\,E_x\frac{\max(1 - \sqrt q\,x, 0)^2}{2V} - \frac{\hat V q - \hat q V}{2}
       - \frac{\hat q}{2(1 + \hat V)}, \qquad 1 = \alpha\,E_x\max(\kappa - x, 0)^2
"""

import numpy as np
from scipy.optimize import minimize
from sympy import sqrt, symbols

import asympkit as ak
from asympkit.plot.script import options

alpha, V, Vhat, q, qhat = symbols("alpha V Vhat q qhat", positive=True)
x = symbols("x", real=True)


def draw(rng, size, *, alpha):
    """The margin of the separating perceptron of least norm for round(alpha*size) random labels, by its dual."""
    n = round(alpha * size)
    z = rng.standard_normal((n, size)) / np.sqrt(size)
    found = minimize(lambda a: (a @ z @ z.T @ a / 2 - a.sum(), z @ (z.T @ a) - 1), np.ones(n), jac=True,
                     bounds=[(0, None)] * n, method="L-BFGS-B", options={"maxiter": 20000, "ftol": 1e-15, "gtol": 1e-9})
    return {"margin": np.sqrt(size / np.sum((z.T @ found.x) ** 2))}


# labels are taken into the inputs: every field is to be at least 1, the norm as small as it can
perceptron = ak.Theory(
    name="perceptron of least norm", unknowns=[V, q, Vhat, qhat], simulate=draw, size_name="d",
    parameters={alpha: ("labels over inputs", "positive")},
    free_energy=alpha * ak.E(ak.Moreau(ak.Margin(1), 1, sqrt(q) * x, V), x) - (Vhat * q - qhat * V) / 2
    - qhat / (1 + Vhat) / 2, observables={"margin": 1 / sqrt(q)}, start={V: 0.5, q: 1})

# read backwards: the labels at which a margin is reached
kappa = symbols("kappa", real=True)
capacity = ak.Theory(
    name="capacity", unknowns=[alpha], parameters={kappa: ("margin", "real")},
    equations=[1 - alpha * ak.E((ak.prox(ak.Margin(kappa), 1, x, 1) - x) ** 2, x)])

if __name__ == "__main__":
    quick, save = options()
    for k in (0, 1):
        print(f"capacity at margin {k}: {capacity.precise(digits=20, kappa=k)['alpha']}")
    assert abs(capacity.solve(kappa=1)["alpha"] - 0.519572) < 1e-6         # Gardner 1988
    print(report := perceptron.check(alpha=1.0, d=200, repeats=10))
    assert report.passed
    assert abs(float(capacity.certify(kappa=1)["alpha"]) - 0.519572) < 1e-6
    assert abs(float(perceptron.certify(alpha=1)["margin"]) - perceptron.solve(alpha=1)["margin"]) < 1e-12
    save(capacity.plot("alpha", over="kappa", kappa=np.linspace(-1, 2, 8 if quick else 40)))
