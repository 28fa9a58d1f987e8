r"""Phase retrieval
===============

A normal signal from :math:`\alpha n` moduli :math:`|a\cdot x|` without noise (Barbier, Krzakala, Macris, Miolane and
Zdeborova 2019). Given a modulus :math:`y` and a field :math:`\omega`, the sign has the mean
:math:`\tanh(\omega y/(1-q))`, and

.. math:: \frac{q}{1-q} = \alpha\,E\left(\frac{y\tanh(\omega y/(1-q)) - \omega}{1-q}\right)^2

an average over two normals. Weak recovery begins at :math:`\alpha = 1/2`; it is perfect from 1.128 on.
"""

from sympy import sqrt, symbols, tanh

import asympkit as ak
from asympkit.plot.script import options

alpha, q = symbols("alpha q", positive=True)
x, z = symbols("x z", real=True)
field = sqrt(q) * x
modulus = field + sqrt(1 - q) * z
score = (modulus * tanh(field * modulus / (1 - q)) - field) / (1 - q)
theory = ak.Theory(
    name="phase retrieval", parameters={alpha: ("samples over dimension", "positive")}, unknowns={q: (0, 1)},
    equations=[q / (1 - q) - alpha * ak.E(score**2, (x, z))], observables={"error": 1 - q})

if __name__ == "__main__":
    quick, save = options()
    path = theory.continuation(over="alpha", start=1.1 if quick else 0.9, stop=1.2, step=0.2)
    print(f"recovery is perfect from alpha = {path.folds[0].parameter:.5f} on")
    assert abs(path.folds[0].parameter - 1.1284714) < 1e-6
    assert quick or abs(float(theory.certify(alpha=1)["q"]) - theory.solve(alpha=1)["q"]) < 1e-12
    save(path.plot("error"))
