r"""Edge of chaos
=============

In a wide random network of tanh layers, weights of variance :math:`\sigma_w^2/n`, biases of variance
:math:`\sigma_b^2`, the variance of a unit and the growth of a small difference are (Poole et al. 2016,
Schoenholz et al. 2017)

.. math:: q = \sigma_w^2\,E\tanh^2(\sqrt q z) + \sigma_b^2, \qquad \chi = \sigma_w^2\,E\tanh'(\sqrt q z)^2

Order becomes chaos where :math:`\chi = 1`: :math:`\sigma_w^2 = 1.76` at :math:`\sigma_b^2 = 0.05`.
"""

import numpy as np
from sympy import cosh, sqrt, symbols, tanh

import asympkit as ak
from asympkit.plot.script import options

w, b, q = symbols("w b q", positive=True)
z = symbols("z", real=True)
variance = q - w * ak.E(tanh(sqrt(q) * z) ** 2, z) - b
chi = w * ak.E(cosh(sqrt(q) * z) ** -4, z)
theory = ak.Theory(
    name="signals in depth", unknowns=[q], equations=[variance], observables={"chi": chi}, start={q: 0.5},
    parameters={w: ("variance of the weights", "positive"), b: ("variance of the biases", "positive")})
edge = ak.Theory(
    name="edge of chaos", unknowns=[q, w], equations=[variance, chi - 1], start={q: 0.3, w: 1.5},
    parameters={b: ("variance of the biases", "positive")})

if __name__ == "__main__":
    quick, save = options()
    found = edge.solve(b=0.05)["w"]
    print(f"edge at a bias variance of 0.05: {found:.6f}")
    assert abs(found - 1.76) < 5e-3
    assert abs(found - ak.Activation("tanh").edge_of_chaos(0.05)["weight_variance"]) < 1e-10
    assert abs(float(edge.certify(b="0.05")["w"]) - found) < 1e-12
    save(theory.sweep(w=np.linspace(0.5, 4, 8 if quick else 60), b=[0.01, 0.05, 0.3]).plot("chi", over="w"))
