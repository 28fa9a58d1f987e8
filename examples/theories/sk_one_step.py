r"""Spin glass, one step of breaking
================================

States within and between clusters have the overlaps :math:`q_1 > q_0`; with Parisi's parameter :math:`x`,

.. math::

   f = -\frac\beta4\left(1 - 2q_1 + (1-x)q_1^2 + x q_0^2\right) - \frac1{\beta x}E_{z_0}\log
       E_z\left[2\cosh\beta(\sqrt{q_0}z_0 + \sqrt{q_1-q_0}z + h)\right]^x

Parisi (1980): the energy at zero temperature is -0.7652, the entropy -0.01 (replica symmetric -0.7979 and -0.159; with
all steps -0.7632 and 0). Averages stand inside logarithms and in one another.
"""

import numpy as np
from sympy import cosh, log, sqrt, symbols

import asympkit as ak
from asympkit.plot.script import options

beta, q0, q1, X = symbols("beta q0 q1 X", positive=True)
h, z, z0 = symbols("h z z0", real=True)


def energy(first, average):
    """Write the free energy with ``first`` as the overlap between clusters."""
    inner = ak.E((2 * cosh(beta * (sqrt(first) * z0 + sqrt(q1 - first) * z + h))) ** X, z)
    return -beta / 4 * (1 - 2 * q1 + (1 - X) * q1**2 + X * first**2) - average(log(inner)) / (beta * X)


in_field = ak.Theory(
    name="SK in a field, one step", unknowns={q0: (0, 1), q1: (0, 1), X: (0, 1)}, start={q0: 0.4, q1: 0.7, X: 0.3},
    parameters={beta: ("inverse temperature", "positive"), h: ("field", "nonnegative")},
    free_energy=energy(q0, lambda f: ak.E(f, z0)), observables={"f": energy(q0, lambda f: ak.E(f, z0))})
apart = energy(0, lambda f: f).subs(h, 0)               # clusters that have nothing in common, no field
theory = ak.Theory(
    name="SK, one step", parameters={beta: ("inverse temperature", "positive")}, unknowns={q1: (0, 1), X: (0, 1)},
    free_energy=apart, observables={"f": apart})

if __name__ == "__main__":
    quick, save = options()
    found = in_field.solve(beta=20, h=0, start={"q0": 0.45, "q1": 0.985, "X": 0.06})
    print(f"f = {found['f']:.6f} at T = 1/20, {-0.7652 + 0.01 / 20:.6f} by the published energy and entropy")
    assert abs(found["f"] - (-0.7652 + 0.01 / 20)) < 5e-5
    assert abs(float(theory.certify(beta=2)["f"]) - theory.solve(beta=2)["f"]) < 1e-12
    save(theory.sweep(beta=np.linspace(1.5, 5, 6 if quick else 30)).plot(["q1", "X"]))
