r"""Binary perceptron
=================

Weights of :math:`\pm1` that separate :math:`\alpha n` random labels with margin :math:`\kappa`: the entropy (Krauth and
Mezard 1989)

.. math::

   s = -\frac{\hat q(1-q)}2 + E_z\log2\cosh(\sqrt{\hat q}\,z)
       + \alpha\,E_z\log\Phi\left(\frac{\sqrt q\,z - \kappa}{\sqrt{1-q}}\right)

vanishes at the capacity 0.833078599 (margin 0). The load may be an unknown too: one more equation, :math:`s = 0`.
"""

import numpy as np
from sympy import cosh, log, sqrt, symbols

import asympkit as ak
from asympkit.plot.script import options

alpha, q, hat = symbols("alpha q hat", positive=True)
kappa, z = symbols("kappa z", real=True)


def entropy(margin):
    """Entropy per weight."""
    field = (sqrt(q) * z - margin) / sqrt(1 - q)
    return -hat * (1 - q) / 2 + ak.E(log(2 * cosh(sqrt(hat) * z)), z) + alpha * ak.E(ak.LogPhi(field), z)


theory = ak.Theory(
    name="binary perceptron", parameters={alpha: ("load", "positive")}, unknowns={q: (0, 1), hat: "positive"},
    free_energy=entropy(0), observables={"entropy": entropy(0)})
capacity = ak.Theory(
    name="capacity of binary weights", parameters={kappa: ("margin", "real")},
    unknowns={q: (0, 1), hat: "positive", alpha: "positive"},
    equations=[entropy(kappa).diff(q), entropy(kappa).diff(hat), entropy(kappa)])

if __name__ == "__main__":
    quick, save = options()
    print(f"capacity: {(found := capacity.solve(kappa=0)['alpha']):.9f}")
    assert abs(found - 0.833078599) < 1e-9
    assert abs(float(capacity.certify(kappa=0)["alpha"]) - found) < 1e-12
    save(theory.sweep(alpha=np.linspace(0.1, 1.1, 8 if quick else 40)).plot("entropy"))
