"""Double precision against 40 digits over the whole box of parameters, to 1e-12."""

import numpy as np
import pytest
from helpers.routes import both, worst_difference
from helpers.tiers import slow_but

import asympkit as ak
from asympkit.runtime.means import normal_means
from asympkit.runtime.rules import trapezoid

STUDENTS = ["tanh", "erf", "sin", "relu", "z/2+tanh(z)/2"]
TARGETS = ["tanh", "sin", "relu", "erf", "(z**2-1)/sqrt(2)+z"]


def points():
    """36 points: every student, target and eta in turn, the other parameters at random."""
    rng = np.random.default_rng(1)
    for k in range(36):
        yield STUDENTS[k % 5], TARGETS[(k // 5 + k) % 5], {
            "eta": [0.0, 0.3, 1.0, 2.0, 3.5, 5.0][k % 6],
            "alpha0": float(np.round(0.3 * (200 / 0.3) ** rng.uniform(), 3)),
            "alpha": float(np.round(rng.uniform(0.2, 5), 3)), "beta": [0.5, 1.0, 2.0][rng.integers(3)],
            "lam": float(np.round(10 ** rng.uniform(-4, 0), 6)), "noise_variance": [0.0, 0.25][rng.integers(2)]}


#: cheap in arbitrary precision, with every student, target and eta
CHEAP = (1, 8, 30)


@pytest.mark.parametrize(("student", "target", "parameters"), slow_but(points(), *CHEAP))
def test_compiled_agrees_with_forty_digits(student, target, parameters):
    compiled, precise = both(ak.OneStep(student, target), **parameters)
    order, errors = worst_difference(compiled, precise)
    assert max(order.values()) < 1e-12, order
    assert max(errors.values()) < 1e-12, errors
    assert compiled.residual < 1e-13


NETWORK = {"eta": 1.0, "alpha0": 1.5, "alpha": 2.0, "beta": 0.8, "lam": 0.01, "noise_variance": 0.1}


@pytest.mark.parametrize(("student", "target", "at", "bulk", "width"), slow_but(
    [(*point, "isotropic", None) for point in points()]
    + [("tanh", "sin", NETWORK, bulk, width) for bulk in ("isotropic", "exact") for width in (None, 300.0)],
    2, 11, 20, 29, 36, 37, 38, 39))
@pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")
def test_identity_of_section_4_in_double_precision(student, target, at, bulk, width):
    """eps_t + lam*beta/alpha*q2 = E[(hzz + Delta - h C - mu1 psi hz)/(1 + V)], on a rule of the test's own.

    With the direction of the norms of rows in the exact bulk, and at a width the common norm of inputs, added to C.
    """
    s = ak.OneStep(student, target, bulk=bulk).solve(**at, **({"width": width} if width else {}))
    r, c, gamma = s["r"], s["c"], s["gamma"]
    rho = np.sqrt((1 - gamma) * (1 + gamma))
    k, w = trapezoid(0.0125, 13.0)
    student, target = ak.Activation(student), ak.Activation(target)
    (m0, m1, rate), _ = normal_means(student, r * k, np.sqrt(c), lambda z, f, at: (f, z * f, (z**2 - 1) * f))
    (rest,), _ = normal_means(student, r * k, np.sqrt(c), lambda z, f, at: ((f - at(m0) - at(m1) * z) ** 2,))
    (h, hz, hzz), _ = normal_means(target, gamma * k, rho, lambda z, f, at: (f, z * f, f * f))
    m1, rate = m1 / np.sqrt(c), rate / (2 * c)
    V = m1**2 * s["V1"] + rest * s["V2"]
    mean = m0 + (c * (k**2 - 1) * rate * at["beta"] / width if width else 0.0)
    C = mean * s["m"] + k * m1 * s["theta"] + (rate * s["chi"] if bulk == "exact" else 0.0)
    overlap = s["psi"] + (s["psi0"] / rho if width else 0.0)        # psi0 meets the slope of the target, hz/rho
    right = (w * (hzz + s.noise_variance - h * C - m1 * overlap * hz) / (1 + V)).sum()
    assert s.objective == pytest.approx(right, rel=1e-13 if at is not NETWORK else 1e-12)
