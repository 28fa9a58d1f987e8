r"""Compressed sensing and its transition
=====================================

A signal, of which a share :math:`\rho` is normal and the rest 0, is seen through :math:`\alpha n` random projections
with noise :math:`\Delta` (Krzakala, Mezard, Sausset, Sun and Zdeborova 2012). The mean square error :math:`E` of the
posterior mean solves

.. math:: E = \rho - E\,\langle x\rangle^2, \qquad \text{in scalar noise } v = \frac{\Delta + E}{\alpha}

At small noise and :math:`\rho = 0.4` message passing succeeds down to :math:`\alpha = 0.59`: two folds.
"""

from sympy import exp, sqrt, symbols

import asympkit as ak
from asympkit.plot.script import options

alpha, rho, Delta, E = symbols("alpha rho Delta E", positive=True)
z = symbols("z", real=True)
noise = (Delta + E) / alpha


def mean(field):
    """Posterior mean of one component."""
    odds = (1 - rho) / rho * sqrt((1 + noise) / noise) * exp(-field**2 / 2 * (1 / noise - 1 / (1 + noise)))
    return field / (1 + noise) / (1 + odds)


errors = (1 - rho) * ak.E(mean(sqrt(noise) * z) ** 2, z) + rho * ak.E(mean(sqrt(1 + noise) * z) ** 2, z)
theory = ak.Theory(
    name="compressed sensing", unknowns=[E], start={E: 0.1}, equations=[E - rho + errors],
    parameters={alpha: ("rate", "positive"), rho: ("sparsity", (0, 1)), Delta: ("noise", "positive")})

if __name__ == "__main__":
    _, save = options()
    path = theory.continuation(over="alpha", start=0.65, stop=0.4, rho=0.4, Delta=1e-5, step=0.05)
    hard = max(fold.parameter for fold in path.folds)
    print(f"message passing succeeds from alpha = {hard:.4f} on; {len(path.folds)} folds")
    assert len(path.folds) == 2 and abs(hard - 0.59) < 5e-3
    at = {"alpha": "0.65", "rho": "0.4", "Delta": "0.001"}
    assert abs(float(theory.certify(**at)["E"]) - theory.solve(alpha=0.65, rho=0.4, Delta=1e-3)["E"]) < 1e-12
    save(path.plot("E"))
