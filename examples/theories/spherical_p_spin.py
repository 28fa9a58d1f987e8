r"""Spherical 3-spin glass
======================

Crisanti and Sommers (1992): spins on a sphere, interactions of three, one step of breaking, which is exact,

.. math::

   f = -\frac{1-(1-x)q^3}{4T} - \frac T2\left(\frac{x-1}{x}\log(1-q) + \frac1x\log\left(1-(1-x)q\right)\right)

States appear at the dynamic temperature :math:`\sqrt{3/8} = 0.6124`, where the plateau of the correlation is
:math:`q = 1/2`, and dominate below the static one, 0.586, at which :math:`x = 1`.
"""

import numpy as np
from sympy import log, symbols

import asympkit as ak
from asympkit.plot.script import options

T, q, X = symbols("T q X", positive=True)
free = -(1 - (1 - X) * q**3) / (4 * T) - T / 2 * ((X - 1) / X * log(1 - q) + log(1 - (1 - X) * q) / X)
theory = ak.Theory(
    name="spherical 3-spin", parameters={T: ("temperature", "positive")}, unknowns={q: (0, 1), X: "positive"},
    free_energy=free, observables={"f": free}, start={q: 0.75, X: 0.7})
plateau = ak.Theory(
    name="plateau", parameters={T: ("temperature", "positive")}, unknowns={q: (0, 1)},
    equations=[q / (1 - q) - 3 * q**2 / (2 * T**2)])

if __name__ == "__main__":
    _, save = options()
    dynamic = plateau.continuation(over="T", start=0.4, stop=0.7, begin={"q": 0.9}).folds[0]
    print(f"dynamic transition at T = {dynamic.parameter:.6f}, q = {dynamic.unknowns['q']:.4f}")
    assert abs(dynamic.parameter - np.sqrt(3 / 8)) < 1e-9
    path = theory.continuation(over="T", start=0.4, stop=0.6, begin={"q": 0.75, "X": 0.7})
    (branch,) = path.branches
    static = np.interp(1, branch["X"], branch.parameter)
    print(f"static transition at T = {static:.4f}")
    assert abs(static - 0.586) < 1e-3
    assert abs(float(theory.certify(T="0.5")["f"]) - theory.solve(T=0.5)["f"]) < 1e-12
    save(path.plot("X"))
