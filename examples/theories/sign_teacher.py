r"""The best student of a sign teacher
==================================

What is learned of a teacher with Gaussian weights, beside samples of the posterior:

.. math::

   f = \frac{q\hat q}{2} - \frac{\hat q - \log(1+\hat q)}{2} - 2\alpha\,E_z H\log H,
   \qquad H = \frac12\,\mathrm{erfc}\left(\sqrt{\frac{q}{2(1-q)}}\,z\right)
"""

import numpy as np
from scipy.special import ndtr, ndtri
from sympy import asin, erfc, log, pi, sqrt, symbols

import asympkit as ak
from asympkit.plot.script import options

alpha, qhat = symbols("alpha qhat", positive=True)
q, z = symbols("q z", real=True)


def draw(rng, size, *, alpha, sweeps=400):
    """The error of the posterior mean: its squared length is how far samples of the posterior lie along the teacher."""
    teacher = rng.standard_normal(size)
    x = rng.standard_normal((round(alpha * size), size)) / np.sqrt(size)
    a = x * np.sign(x @ teacher)[:, None]           # labels are taken into the inputs: a.w > 0
    w, fields, total = teacher.copy(), a @ teacher, 0.0
    for sweep in range(sweeps):
        for i in range(size):
            with np.errstate(divide="ignore"):
                ends = w[i] - fields / a[:, i]
            low, high = ends[a[:, i] > 0].max(initial=-np.inf), ends[a[:, i] < 0].min(initial=np.inf)
            side = -1.0 if low > 0 else 1.0         # in the tail that has digits
            below, above = sorted((ndtr(side * low), ndtr(side * high)))
            new = side * ndtri(below + (above - below) * rng.random())
            new = min(max(new, low), high)
            fields, w[i] = fields + (new - w[i]) * a[:, i], new
        if sweep >= sweeps // 4:                # the first ones remember where they began: at the teacher, a sample too
            total += w @ teacher / np.linalg.norm(w) / np.linalg.norm(teacher)
    return {"error": np.arccos(np.sqrt(total / (sweeps - sweeps // 4))) / np.pi}


share = erfc(z * sqrt(q / (1 - q)) / sqrt(2)) / 2
theory = ak.Theory(
    name="sign teacher", unknowns={q: (0, 1), qhat: "positive"}, simulate=draw, size_name="d",
    parameters={alpha: ("samples over dimensions", "positive")},
    free_energy=q * qhat / 2 - (qhat - log(1 + qhat)) / 2 - 2 * alpha * ak.E(share * log(share), z),
    observables={"error": (pi / 2 - asin(sqrt(q))) / pi})

if __name__ == "__main__":
    quick, save = options()
    print(f"Bayes-optimal error at alpha = 2: {(found := theory.solve(alpha=2)).error:.9f}")
    assert abs(found.error - 0.174534186) < 5e-10
    assert abs(float(theory.certify(alpha=2)["error"]) - found.error) < 1e-12
    save(theory.plot("error", over="alpha", alpha=np.geomspace(0.2, 20, 8 if quick else 40)))
