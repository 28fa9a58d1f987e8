r"""Hopfield model
==============

A network of :math:`n` binary units stores :math:`\alpha n` random patterns (Amit, Gutfreund and Sompolinsky 1987). With
the overlap :math:`m` with one pattern, the overlap :math:`q` of replicas and the crosstalk :math:`r`,

.. math::

   f = \frac{m^2}{2} + \frac\alpha2\left(1 + T\log(1-\chi) - \frac{q}{1-\chi}\right) + \frac{\alpha r(1-q)}{2T}
   - T\,E_z\log2\cosh\frac{m+\sqrt{\alpha r}\,z}{T}, \qquad \chi = \frac{1-q}{T}

At :math:`T = 0` everything follows from :math:`y = m/\sqrt{2\alpha r}`, and retrieval ends at the largest load,
:math:`\alpha_c = 0.138` (0.137905566).
"""

from sympy import cosh, erf, exp, log, pi, sqrt, symbols

import asympkit as ak
from asympkit.plot.script import options

alpha, T, q, r, y = symbols("alpha T q r y", positive=True)
m, z = symbols("m z", real=True)
susceptibility = (1 - q) / T
free = (m**2 / 2 + alpha / 2 * (1 + T * log(1 - susceptibility) - q / (1 - susceptibility))
        + alpha * r * (1 - q) / (2 * T) - T * ak.E(log(2 * cosh((m + sqrt(alpha * r) * z) / T)), z))
theory = ak.Theory(
    name="Hopfield", parameters={alpha: ("load", "positive"), T: ("temperature", "positive")},
    unknowns={m: (-1, 1), q: (0, 1), r: "positive"}, free_energy=free, observables={"f": free})

# T = 0: a load for each y
coldest = ak.Theory(
    name="Hopfield at zero temperature", unknowns=[alpha], parameters={y: ("scaled overlap", "positive")},
    equations=[y * (sqrt(2 * alpha) + 2 / sqrt(pi) * exp(-(y**2))) - erf(y)])

if __name__ == "__main__":
    _, save = options()
    limit = coldest.maximize("alpha", over="y", bounds=(1, 3))
    print(f"capacity at zero temperature: {limit.value:.9f}, at an overlap of {erf(limit.argmax).evalf(4)}")
    assert abs(limit.value - 0.137905566) < 1e-9
    at, begin = {"over": "alpha", "start": 0.05, "stop": 0.2, "T": 0.1}, {"m": 0.99, "q": 0.99, "r": 1.06}
    path = theory.continuation(begin=begin, **at)
    print(f"and at T = 0.1: {path.folds[0].parameter:.6f}")
    assert abs(path.folds[0].parameter - 0.135049) < 1e-6       # by tests/helpers/literature.py
    assert abs(float(coldest.certify(y="1.5")["alpha"]) - coldest.solve(y=1.5)["alpha"]) < 1e-12
    assert abs(float(theory.certify(alpha="0.05", T="0.5")["m"]) - theory.solve(alpha=0.05, T=0.5)["m"]) < 1e-12
    save(path.plot("m"))
