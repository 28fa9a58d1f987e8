r"""Magnet in a random field
========================

All spins see each other, and each a normal field of width :math:`\sigma`, at inverse temperature :math:`\beta`:

.. math:: f(m) = \frac{m^2}{2} - \frac1\beta\, E_z \log 2\cosh\beta(m + h + \sigma z)

The magnet orders below a width :math:`\sigma_c(\beta)`, at which :math:`1 = \beta E_z \cosh^{-2}(\beta\sigma z)`. At
zero temperature it is :math:`\sqrt{2/\pi}` (Schneider and Pytte 1977), without disorder
:math:`\beta = 1` (Curie and Weiss).
"""

import numpy as np
from sympy import cosh, log, symbols

import asympkit as ak
from asympkit.plot.script import options

beta, sigma = symbols("beta", positive=True), symbols("sigma", nonnegative=True)
m, h, z = symbols("m h z", real=True)
magnet = ak.Theory(
    name="random-field magnet", unknowns={m: (-1, 1)}, start={m: 0.9},
    parameters={beta: ("inverse temperature", "positive"), sigma: ("width of the fields", "nonnegative"),
                h: ("field", "real")},
    free_energy=m**2 / 2 - ak.E(log(2 * cosh(beta * (m + h + sigma * z))), z) / beta)

# the width at which the paramagnet loses its stability is an unknown of equations of their own
critical = ak.Theory(
    name="critical width", unknowns={sigma: "positive"}, start={sigma: 0.5},
    parameters={beta: ("inverse temperature", "positive")},
    equations=[1 - beta * ak.E(1 / cosh(beta * sigma * z) ** 2, z)])

if __name__ == "__main__":
    quick, save = options()
    found = magnet.solve(beta=1.5, sigma=0, h=0)["m"]
    assert abs(np.arctanh(found) / found - 1.5) < 1e-12
    coldest = critical.solve(beta=1000)["sigma"]
    print(f"critical width at beta = 1000: {coldest:.6f}, at zero temperature {np.sqrt(2 / np.pi):.6f}")
    assert abs(coldest - np.sqrt(2 / np.pi)) < 2e-6
    assert abs(float(magnet.certify(beta="1.5", sigma=0, h=0)["m"]) - found) < 1e-12
    save(magnet.plot("m", over="sigma", sigma=np.linspace(0, 0.78, 40), beta=[2] if quick else [2, 5, 20], h=0.03))
