r"""Spin glass, replica symmetric
=============================

Sherrington and Kirkpatrick's model in a field :math:`h`, with one overlap :math:`q`:

.. math:: f = -\frac\beta4(1-q)^2 - \frac1\beta E_z\log2\cosh\beta(\sqrt q\,z + h)

It holds above the line of de Almeida and Thouless (1978), on which
:math:`\beta^2 E_z\cosh^{-4}\beta(\sqrt q z + h) = 1`. There :math:`1 - T \simeq (3/4)^{1/3} h^{2/3}` for small fields,
and at zero temperature and field the energy is :math:`-\sqrt{2/\pi}`.
"""

import numpy as np
from sympy import cosh, log, sqrt, symbols, tanh

import asympkit as ak
from asympkit.plot.script import options

beta, q = symbols("beta q", positive=True)
h, z = symbols("h z", real=True)
field = beta * (sqrt(q) * z + h)
free = -beta / 4 * (1 - q) ** 2 - ak.E(log(2 * cosh(field)), z) / beta
theory = ak.Theory(
    name="SK", parameters={beta: ("inverse temperature", "positive"), h: ("field", "real")},
    unknowns={q: (0, 1)}, free_energy=free, observables={"f": free, "stable": 1 - beta**2 * ak.E(cosh(field) ** -4, z)})

# the line itself: the inverse temperature is an unknown
line = ak.Theory(
    name="AT line", parameters={h: ("field", "positive")}, unknowns={q: (0, 1), beta: "positive"},
    equations=[q - ak.E(tanh(field) ** 2, z), 1 - beta**2 * ak.E(cosh(field) ** -4, z)],
    start={q: 0.2, beta: 1.5}, observables={"T": 1 / beta})

if __name__ == "__main__":
    quick, save = options()
    print(f"energy at T = 1/1000: {theory.solve(beta=1000, h=0)['f']:.6f}; {-np.sqrt(2 / np.pi):.6f} at T = 0")
    assert abs(theory.solve(beta=1000, h=0)["f"] + np.sqrt(2 / np.pi)) < 2e-4
    weak = line.solve(h=1e-4, start={"q": 3e-3, "beta": 1.003})
    assert abs((1 - weak["T"]) / (0.75 ** (1 / 3) * 1e-4 ** (2 / 3)) - 1) < 5e-3
    assert abs(theory.solve(beta=1 / weak["T"], h=1e-4)["stable"]) < 1e-9
    assert abs(float(theory.certify(beta=1, h="0.5")["q"]) - theory.solve(beta=1, h=0.5)["q"]) < 1e-12
    assert abs(float(line.certify(h="0.5")["T"]) - line.solve(h=0.5)["T"]) < 1e-12
    save(line.sweep(h=np.geomspace(0.01, 1, 8 if quick else 30)).plot("T"))
