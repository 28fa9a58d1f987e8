r"""Double descent of random features
=================================

Ridge regression on :math:`p = \beta d` random features of normal inputs, :math:`n = \alpha d` samples of a linear
target (Mei and Montanari 2019). Features act like a linear map of slope :math:`\mu_1` plus noise of variance
:math:`\mu_*^2`: the spectrum of their covariance is :math:`\mu_*^2 + \mu_1^2 D`, where :math:`D` follows Marchenko and
Pastur's law, and a share :math:`D` of it is the target's:

.. math::

   f = \frac{\hat q V - q \hat V}{2} + Q\hat Q - \frac12\left\langle
       \frac{\hat q(\mu_*^2 + \mu_1^2 D) + \hat Q^2\beta\mu_1^2 D}{\lambda + \hat V(\mu_*^2 + \mu_1^2 D)}\right\rangle
       + \frac{\alpha}{2\beta}\,\frac{1 + \Delta + q - 2Q}{1+V}

The error peaks where features are as many as samples; a penalty takes the peak away.
"""

import numpy as np
from sympy import symbols

import asympkit as ak
from asympkit.plot.script import options

alpha, beta, lam, V, Vhat = symbols("alpha beta lam V Vhat", positive=True)
Delta, q, Q, qhat, Qhat = symbols("noise_variance q Q qhat Qhat", real=True)
D = symbols("D", nonnegative=True)
tanh = ak.Activation("tanh")
slope = ak.E(tanh.expr * tanh.symbol, tanh.symbol)
rest = ak.E(tanh.expr**2, tanh.symbol) - slope**2
variance = rest + slope**2 * D
prior = ak.mean((qhat * variance + Qhat**2 * beta * slope**2 * D) / (lam + Vhat * variance),
                ak.MarchenkoPastur(D, ratio=beta))
error = ak.Named("R", 1 + Delta + q - 2 * Q)
theory = ak.Theory(
    name="random features", unknowns=[V, q, Q, Vhat, qhat, Qhat],
    parameters={alpha: ("samples over inputs", "positive"), beta: ("features over inputs", "positive"),
                lam: ("penalty", "positive"), Delta: ("variance of the noise", "nonnegative")},
    free_energy=(qhat * V - q * Vhat) / 2 + Q * Qhat - prior / 2 + alpha / beta / 2 * error / (1 + V),
    observables={"test_error": error, "train_error": error / (1 + V) ** 2})

if __name__ == "__main__":
    quick, save = options()
    at = {"alpha": 3, "lam": 0.01, "noise_variance": 0.1}
    found = theory.solve(beta=1.5, **at)["test_error"]
    other = ak.DeepFeatures("1.5:tanh", "1:identity").solve(**at).test_error
    print(f"{found:.12f}, by the chain of deep features {other:.12f}")
    assert abs(found / other - 1) < 1e-9
    assert abs(float(theory.certify(beta="1.5", floats="decimal", **at)["test_error"]) - found) < 1e-12
    save(theory.plot("test_error", over="beta", beta=np.geomspace(0.2, 30, 8 if quick else 60),
                     **{**at, "lam": [1e-4, 1e-2, 1e-1]}))
