r"""Mutual information of a linear channel
======================================

A vector :math:`x` of :math:`d` independent entries is sent through a random matrix and noise, :math:`y = Ax + w`, with
:math:`n = \alpha d` measurements of signal to noise :math:`s` (users that share a channel: Tanaka 2002; proved by
Barbier, Macris, Dia and Krzakala 2020). With the mean square error :math:`E` of :math:`x`,

.. math::

   \frac Id = I_P\left(\frac{\alpha s}{1+sE}\right) + \frac\alpha2\left(\log(1+sE) - \frac{sE}{1+sE}\right)

is stationary, where :math:`I_P(S)` is the information of one entry in normal noise: :math:`\frac12\log(1+S)` for normal
entries, :math:`S - E_z\log\cosh(S+\sqrt S z)` for signs. For normal ones Verdu and Shamai (1999) have a closed form.
"""

import numpy as np
from sympy import cosh, log, sqrt, symbols

import asympkit as ak
from asympkit.plot.script import options

alpha, snr, E = symbols("alpha snr E", positive=True)
z = symbols("z", real=True)


def channel(name, information):
    """Write the theory of a prior, given the information of one entry."""
    total = information(alpha * snr / (1 + snr * E)) + alpha / 2 * (log(1 + snr * E) - snr * E / (1 + snr * E))
    return ak.Theory(
        name=name, unknowns={E: (0, 1)}, free_energy=total, observables={"information": total}, start={E: 0.3},
        parameters={alpha: ("measurements over entries", "positive"), snr: ("signal to noise", "positive")})


theory = channel("normal entries", lambda s: log(1 + s) / 2)
signs = channel("signs", lambda s: s - ak.E(log(cosh(s + sqrt(s) * z)), z))

if __name__ == "__main__":
    quick, save = options()
    a, s = 1.5, 4.0
    b, g = 1 / a, a * s
    F = (np.sqrt(g * (1 + np.sqrt(b)) ** 2 + 1) - np.sqrt(g * (1 - np.sqrt(b)) ** 2 + 1)) ** 2
    closed = (np.log(1 + g - F / 4) + np.log(1 + g * b - F / 4) / b - F / (4 * b * g)) / 2
    found = theory.solve(alpha=a, snr=s)["information"]
    print(f"normal entries: {found:.12f}, closed form {closed:.12f}")
    assert abs(found - closed) < 1e-12
    error, x = signs.solve(alpha=1, snr=2)["E"], np.linspace(-12, 12, 4001)
    field, w = 2 / (1 + 2 * error), np.exp(-(x**2) / 2)         # state evolution
    assert abs(error - 1 + w @ np.tanh(field + np.sqrt(field) * x) / w.sum()) < 1e-12
    assert abs(float(theory.certify(alpha="1.5", snr=4)["information"]) - closed) < 1e-12
    assert abs(float(signs.certify(alpha=1, snr=2)["E"]) - error) < 1e-12
    save(signs.sweep(alpha=np.linspace(0.1, 3, 8 if quick else 40), snr=[0.5, 1, 2]).plot("information", over="alpha"))
