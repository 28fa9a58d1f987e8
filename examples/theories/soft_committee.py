r"""Soft committee machine
======================

Two units learn two, at high temperature (Biehl, Schloesser and Ahr 1998): overlaps :math:`R` with the own unit of the
teacher, :math:`S` with the other, :math:`C` of the two students,

.. math::

   f = \alpha\left(\tfrac23 + g(C) - 2g(R) - 2g(S)\right) - \tfrac12\log\left(1+C-(R+S)^2\right)
       - \tfrac12\log\left(1-C-(R-S)^2\right),
   \quad g(c) = E\,\mathrm{erf}\tfrac{x}{\sqrt2}\,\mathrm{erf}\tfrac{y}{\sqrt2}

where :math:`x, y` are normal with correlation :math:`c`: :math:`g = \frac2\pi\arcsin\frac c2`. Units specialise from
:math:`\alpha = 23.7` on, a pitchfork.
"""

import numpy as np
from sympy import Rational, erf, log, sqrt, symbols

import asympkit as ak
from asympkit.plot.script import options

alpha = symbols("alpha", positive=True)
R, S, C, x, y = symbols("R S C x y", real=True)


def committee(overlap):
    """Write the theory for a mean of products at a correlation."""
    error = (Rational(2, 3) + overlap(C) - 2 * overlap(R) - 2 * overlap(S)) / 2
    free = 2 * alpha * error - log(1 + C - (R + S) ** 2) / 2 - log(1 - C - (R - S) ** 2) / 2
    return ak.Theory(
        name="soft committee", parameters={alpha: ("samples times beta", "positive")}, free_energy=free,
        unknowns={R: (-1, 1), S: (-1, 1), C: (-1, 1)}, observables={"f": free, "error": error})


theory = committee(lambda c: ak.E(erf(x / sqrt(2)) * erf(y / sqrt(2)), (x, y), rho=c))

if __name__ == "__main__":
    quick, save = options()
    path = theory.continuation(over="alpha", start=40, stop=10, begin={"R": 0.9, "S": 0.05, "C": 0})
    (point,) = path.branch_points
    print(f"units specialise at alpha = {point.parameter:.4f}")
    assert abs(point.parameter - 23.7) < 0.05
    assert abs(float(theory.certify(alpha=10)["error"]) - theory.solve(alpha=10)["error"]) < 1e-12
    grid = np.linspace(10, 60, 8 if quick else 60)
    save(theory.sweep(alpha=grid, start={"R": 0.9, "S": 0.05, "C": 0}).plot(["R", "S"]))
