r"""Bayes-optimal perceptron
========================

A student that knows how its teacher was made, Gaussian weights (Opper and Haussler 1991) or signs (Gyorgyi 1990), and
sees :math:`\alpha n` labels: with :math:`\hat q` as overlaps of the prior,

.. math::

   q = \frac{\hat q}{1+\hat q} \;\text{ or }\; E_z\tanh(\hat q + \sqrt{\hat q}\,z), \qquad
   \hat q = \frac{2\alpha}{1-q}\,E_z\frac{\varphi(u)^2}{\Phi(u)}, \quad u = \sqrt{\tfrac q{1-q}}\,z

Errors of Gaussian weights fall like :math:`0.442/\alpha` (Bayes) and :math:`0.625/\alpha` (Gibbs). Signs are learned
perfectly beyond :math:`\alpha = 1.49`, where the other solution ends (Sompolinsky, Tishby and Seung 1990).
"""

import numpy as np
from sympy import acos, exp, pi, sqrt, symbols, tanh

import asympkit as ak
from asympkit.plot.script import options

alpha, q, hat = symbols("alpha q hat", positive=True)
z = symbols("z", real=True)


def perceptron(overlap, tail=None):
    """Write the theory of a prior; ``tail`` is the normal tail, where its logarithm is not used."""
    field = sqrt(q / (1 - q)) * z
    gain = exp(ak.LogPhi(field)) * ak.Mills(field) ** 2 if tail is None else exp(-(field**2)) / (2 * pi) / tail(field)
    return ak.Theory(
        name="Bayes-optimal perceptron", parameters={alpha: ("load", "positive")},
        unknowns={q: (0, 1), hat: "positive"}, equations=[q - overlap, hat - 2 * alpha / (1 - q) * ak.E(gain, z)],
        observables={"gibbs": acos(q) / pi, "bayes": acos(sqrt(q)) / pi})


theory = perceptron(hat / (1 + hat))
signs = perceptron(ak.E(tanh(hat + sqrt(hat) * z), z))

if __name__ == "__main__":
    quick, save = options()
    many = theory.solve(alpha=100)
    print(f"errors times alpha: {100 * many['bayes']:.4f} (Bayes), {100 * many['gibbs']:.4f} (Gibbs)")
    assert abs(100 * many["bayes"] - 0.442) < 3e-3 and abs(100 * many["gibbs"] - 0.625) < 3e-3
    path = signs.continuation(over="alpha", start=1.2, stop=1.5, step=0.5)
    print(f"signs: the solution with errors ends at alpha = {path.folds[0].parameter:.4f}")
    assert abs(path.folds[0].parameter - 1.49) < 5e-3
    assert abs(float(theory.certify(alpha=2)["bayes"]) - theory.solve(alpha=2)["bayes"]) < 1e-12
    save(theory.sweep(alpha=np.geomspace(0.1, 50, 6 if quick else 15)).plot(["bayes", "gibbs"]))
