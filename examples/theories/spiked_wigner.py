r"""Spike in a Wigner matrix
========================

A vector of prior :math:`P` is hidden in a symmetric noisy matrix, at signal to noise :math:`\Delta^{-1} = s`; its
Bayes-optimal estimate has the overlap :math:`q` that is stationary in (Lesieur, Krzakala and Zdeborova 2017)

.. math:: \phi(q) = \frac{s q^2}{4} - E_{x, z}\log E_{x'}\, e^{\,s q x x' + \sqrt{sq}\,z x' - s q x'^2/2}

For signs it is positive from :math:`s = 1` on, for sparse signs, of which a share :math:`\rho` above 0.09 is not 0,
from :math:`s = 1/\rho^2` on; below that share the transition is of first order, and earlier.
"""

import numpy as np
from sympy import cosh, exp, log, sqrt, symbols

import asympkit as ak
from asympkit.plot.script import options

snr, rho, q = symbols("snr rho q", positive=True)
z = symbols("z", real=True)
free = snr * q**2 / 4 + snr * q / 2 - ak.E(log(cosh(snr * q + sqrt(snr * q) * z)), z)
theory = ak.Theory(
    name="spiked Wigner", parameters={snr: ("signal to noise", "positive")}, unknowns={q: (0, 1)}, free_energy=free,
    observables={"f": free})


def evidence(signal):
    """Mean logarithm of the normalisation of sparse signs, where the entry is this signal."""
    field = snr * q
    return ak.E(log(1 - rho + rho * exp(-field / 2) * cosh(field * signal + sqrt(field) * z)), z)


free = snr * q**2 / 4 - (1 - rho) * evidence(0) - rho * evidence(1)
sparse = ak.Theory(
    name="sparse spiked Wigner", unknowns=[q], free_energy=free, observables={"f": free}, start={q: 0.05},
    parameters={snr: ("signal to noise", "positive"), rho: ("share of entries that are not 0", (0, 1))})

if __name__ == "__main__":
    quick, save = options()
    x = np.linspace(-12, 12, 4001)
    w = np.exp(-(x**2) / 2)
    q = theory.solve(snr=1.5)["q"]
    assert abs(q - w @ np.tanh(1.5 * q + np.sqrt(1.5 * q) * x) / w.sum()) < 1e-10
    q = sparse.solve(snr=200, rho=0.1)["q"]             # state evolution: the mean of x times its estimate
    weight, b = 0.1 * np.exp(-100 * q), 200 * q + np.sqrt(200 * q) * x
    estimate = weight * np.sinh(b) / (0.9 + weight * np.cosh(b))
    print(f"overlap of sparse signs: {q:.10f}, by state evolution {(again := 0.1 * w @ estimate / w.sum()):.10f}")
    assert abs(q - again) < 1e-9
    assert abs(float(sparse.certify(snr=200, rho="0.1")["q"]) - q) < 1e-12
    save(theory.sweep(snr=np.linspace(1.02, 4, 8 if quick else 40)).plot("q"))
