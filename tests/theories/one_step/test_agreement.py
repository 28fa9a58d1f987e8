"""Double precision against 40 digits over the whole box of parameters, to 1e-12."""

import numpy as np
import pytest
from helpers.routes import both, worst_difference
from helpers.tiers import slow_but

import asympkit as ak

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


#: cheap in many digits, with every student, target and eta
CHEAP = (1, 8, 30)


@pytest.mark.parametrize(("student", "target", "parameters"), slow_but(points(), *CHEAP))
def test_compiled_agrees_with_forty_digits(student, target, parameters):
    compiled, precise = both(ak.OneStep(student, target), **parameters)
    order, errors = worst_difference(compiled, precise)
    assert max(order.values()) < 1e-12, order
    assert max(errors.values()) < 1e-12, errors
    assert compiled.residual < 1e-13


ANCHORS = [
    ("tanh", "tanh", {"eta": 1.0, "alpha0": 0.5, "alpha": 2.0, "lam": 0.01},
     {"test_error": 0.174661944523745, "train_error": 0.0490111151657757}),
    ("tanh", "sin", {"eta": 2.0, "alpha0": 2.0, "alpha": 1.5, "beta": 2.0, "lam": 0.01},
     {"test_error": 0.156231570785081}),
]


@pytest.mark.parametrize(("student", "target", "parameters", "known"), ANCHORS)
@pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")
def test_anchors(student, target, parameters, known):
    solution = ak.OneStep(student, target).solve(**parameters)
    for name, value in known.items():
        assert solution[name] == pytest.approx(value, rel=3e-15)


@pytest.mark.parametrize(("student", "target", "parameters"), slow_but(list(points()), *range(2, 36, 3)))
@pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")
def test_identity_of_section_4_in_double_precision(student, target, parameters):
    # eps_t + lam*beta/alpha*q2 = E[(hzz + Delta - h C - mu1 psi hz)/(1 + V)], on a rule of the test's own
    from asympkit.runtime.means import normal_means
    from asympkit.runtime.rules import trapezoid

    s = ak.OneStep(student, target).solve(**parameters)
    r, c, gamma = s["r"], s["c"], s["gamma"]
    k, w = trapezoid(0.0125, 13.0)
    (m0, m1), _ = normal_means(ak.Activation(student), r * k, np.sqrt(c), lambda z, f, at: (f, z * f))
    (rest,), _ = normal_means(ak.Activation(student), r * k, np.sqrt(c),
                              lambda z, f, at: ((f - at(m0) - at(m1) * z) ** 2,))
    (h, hz, hzz), _ = normal_means(ak.Activation(target), gamma * k, np.sqrt((1 - gamma) * (1 + gamma)),
                                   lambda z, f, at: (f, z * f, f * f))
    m1 = m1 / np.sqrt(c)
    V = m1**2 * s["V1"] + rest * s["V2"]
    C = m0 * s["m"] + k * m1 * s["theta"]
    right = (w * (hzz + s.noise_variance - h * C - m1 * s["psi"] * hz) / (1 + V)).sum()
    assert s.objective == pytest.approx(right, rel=1e-13)


def test_everything_moves_with_every_parameter():
    base = {"eta": 0.7, "alpha0": 4.0, "alpha": 1.3, "lam": 0.02, "beta": 1.4, "noise_variance": 0.1}
    theory = ak.OneStep("erf", "tanh")
    reference = theory.solve(**base).test_error
    for name, value in base.items():
        moved = theory.solve(**{**base, name: value * 1.1}).test_error
        assert abs(moved - reference) > 1e-4, name


@pytest.mark.parametrize("width", [None, 300.0])
@pytest.mark.parametrize("bulk", ["isotropic", "exact"])
def test_identity_of_the_errors_of_a_network(bulk, width):
    """The same with the direction of the norms of rows, and at a width, where the common norm of inputs adds to C."""
    from asympkit.runtime.means import normal_means
    from asympkit.runtime.rules import trapezoid

    at = {"eta": 1.0, "alpha0": 1.5, "alpha": 2.0, "beta": 0.8, "lam": 0.01, "noise_variance": 0.1}
    s = ak.OneStep("tanh", "sin", bulk=bulk).solve(**at, **({"width": width} if width else {}))
    r, c, gamma = s["r"], s["c"], s["gamma"]
    k, w = trapezoid(0.0125, 13.0)
    (m0, m1, rate), _ = normal_means(ak.Activation("tanh"), r * k, np.sqrt(c),
                                     lambda z, f, at: (f, z * f, (z**2 - 1) * f))
    (rest,), _ = normal_means(ak.Activation("tanh"), r * k, np.sqrt(c),
                              lambda z, f, at: ((f - at(m0) - at(m1) * z) ** 2,))
    rho = np.sqrt((1 - gamma) * (1 + gamma))
    (h, hz, hzz), _ = normal_means(ak.Activation("sin"), gamma * k, rho, lambda z, f, at: (f, z * f, f * f))
    m1, rate = m1 / np.sqrt(c), rate / (2 * c)
    V = m1**2 * s["V1"] + rest * s["V2"]
    mean = m0 + (c * (k**2 - 1) * rate * at["beta"] / width if width else 0.0)
    C = mean * s["m"] + k * m1 * s["theta"] + (rate * s["chi"] if bulk == "exact" else 0.0)
    overlap = s["psi"] + (s["psi0"] / rho if width else 0.0)        # psi0 meets the slope of the target, hz/rho
    right = (w * (hzz + s.noise_variance - h * C - m1 * overlap * hz) / (1 + V)).sum()
    assert s.objective == pytest.approx(right, rel=1e-12)
