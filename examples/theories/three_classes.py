r"""Three classes
=============

Least squares on labels of three classes of shares :math:`p_c`, 1 at the own class and -1 elsewhere: order parameters
are matrices. With :math:`\hat V = \alpha/(1+V)` and labels less predictions
:math:`o_{kc} = 2\delta_{kc} - 1 - s m_{kc}`,

.. math::

   V(\lambda+\hat V) = 1, \qquad m_{kc}(\lambda+\hat V) = \hat V p_c s\,o_{kc}, \qquad
   q_{kj}(\lambda+\hat V)^2 = \frac{\hat V}{1+V}\left(q_{kj} + \sum_c p_c o_{kc} o_{jc}\right)
       + \hat V^2 s^2\sum_c p_c^2\,o_{kc} o_{jc}
"""

from itertools import combinations_with_replacement

import numpy as np
from sympy import Heaviside, Matrix, Symbol, sqrt, symbols

import asympkit as ak
from asympkit.plot.script import options

alpha, lam, s, V, share = symbols("alpha lam s V p", positive=True)
K, p = range(3), [share, (1 - share) / 2, (1 - share) / 2]
m = Matrix(3, 3, lambda k, c: Symbol(f"m[{k},{c}]", real=True))                     # weights k, mean of class c
q = Matrix(3, 3, lambda k, j: Symbol(f"q[{min(k, j)},{max(k, j)}]", real=True))     # weights k times weights j
Vhat, off = alpha / (1 + V), Matrix(3, 3, lambda k, c: 2 * int(k == c) - 1) - s * m   # labels less predictions
field = Matrix(3, 3, lambda k, c: Vhat * p[c] * s * off[k, c])
spread = Matrix(3, 3, lambda k, j: Vhat / (1 + V) * (q[k, j] + sum(p[c] * off[k, c] * off[j, c] for c in K)))
pairs = [*combinations_with_replacement(K, 2)]


def hits(a):
    """The probability that the largest output of a sample of class a is its own."""
    (b, c), (x, y) = [k for k in K if k != a], symbols("x y", real=True)
    vb, vc, both = (q[a, a] - q[a, k] - q[a, j] + q[k, j] for k, j in ((b, b), (c, c), (b, c)))
    up, side = ((s * (m[a, a] - m[k, a]) / sqrt(v)) for k, v in ((b, vb), (c, vc)))
    return ak.E(Heaviside(up + x) * Heaviside(side + y), (x, y), rho=both / sqrt(vb * vc))


def draw(rng, size, *, alpha, lam, s, p):
    """One solution; the mean of class c is s times a unit vector, inputs have variance 1 beside it."""
    own = rng.choice(3, round(alpha * size), p=[p, (1 - p) / 2, (1 - p) / 2])
    X = rng.standard_normal((len(own), size)) + s * np.eye(3, size)[own]
    w = np.linalg.solve(X.T @ X + lam * size * np.eye(size), X.T @ (2 * np.eye(3)[own] - 1))
    new = rng.choice(3, 20000, p=[p, (1 - p) / 2, (1 - p) / 2])
    outputs = s * w[new] + rng.multivariate_normal(np.zeros(3), w.T @ w, len(new))
    return {"accuracy": np.mean(np.argmax(outputs, axis=1) == new), "m[0,0]": w[0, 0], "q[0,0]": w[:, 0] @ w[:, 0]}


theory = ak.Theory(
    name="three classes", unknowns=[V, *m, *(q[k] for k in pairs)], simulate=draw, size_name="d",
    parameters={alpha: ("samples over dimensions", "positive"), lam: ("penalty", "positive"),
                s: ("length of the means", "positive"), share: ("share of the first class", (0, 1))},
    equations=[V * (lam + Vhat) - 1, *(m * (lam + Vhat) - field),
               *(q[k] * (lam + Vhat) ** 2 - spread[k] - (field * field.T)[k] for k in pairs)],
    observables={"accuracy": sum(p[a] * hits(a) for a in K)})

if __name__ == "__main__":
    quick, save = options()
    at = {"alpha": 2.0, "lam": 0.1, "s": 2.0, "p": 0.5}
    print(report := theory.check(d=200, repeats=10, **at))
    assert report.passed
    assert abs(float(theory.certify(floats="decimal", **at)["accuracy"]) - report.solution["accuracy"]) < 1e-12
    save(theory.plot("accuracy", over="lam", **{**at, "lam": np.geomspace(0.01, 100, 8 if quick else 40),
                                             "p": [1 / 3, 0.5, 0.8]}))
