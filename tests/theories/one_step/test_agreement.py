"""One step in double precision against 40 digits, to 1e-12, and against simulations that share no code with it."""

import warnings

import numpy as np
import pytest
from helpers.routes import both, worst_difference
from helpers.tiers import slow_but
from scipy.special import stdtr

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


#: every parameter moved: student, target, r, c, gamma, alpha, lam, beta, noise
SPIKED = [
    ("tanh", "sin", (3.0, 1.0), 0.95, {"alpha": 3.0, "lam": 0.01}),
    ("erf", "tanh", (1.5, 1.2), 0.5, {"alpha": 0.7, "lam": 0.1, "beta": 0.6}),
    ("sin", "relu", (1.0, 0.8), 0.7, {"alpha": 1.4, "lam": 0.05, "beta": 1.5, "noise_variance": 0.2}),
    ("relu", "erf", (2.0, 1.1), -0.6, {"alpha": 2.0, "lam": 0.3, "beta": 0.8, "noise_variance": 0.1}),
    ("z/2+tanh(z)/2", "(z**2-1)/sqrt(2)+z", (2.0, 1.5), 0.8, {"alpha": 2.5, "lam": 0.02, "noise_variance": 0.25}),
    ("z*exp(-z**2/2)", "sin", (1.2, 1.3), 0.9, {"alpha": 1.0, "lam": 0.2, "beta": 2.0}),
    ("max(z,0)-0.3*min(z,0)**2", "tanh", (-1.0, 1.0), 0.4, {"alpha": 1.8, "lam": 1.0, "beta": 1.2}),
    ("gelu", "z*exp(-z**2/2)", (2.5, 0.9), 1.0, {"alpha": 0.4, "lam": 0.5, "noise_variance": 0.05}),
]
#: c - 1 <= 0.02: the isotropic idealisation is good to the 2 % that are granted.  The spike must not be
#: weak either: the mean of the readout grows like 1/r and multiplies the fluctuation of the mean hidden
#: unit, an excess of order m**2/p (3 % for the second point at eta=0.4 and d=800, 0 in the limit)
NETWORKS = [
    ("tanh", "sin", {"eta": 0.5, "alpha0": 5.0, "alpha": 1.5, "lam": 0.05}),
    ("erf", "tanh", {"eta": 1.0, "alpha0": 20.0, "alpha": 2.0, "lam": 0.1, "beta": 0.7, "noise_variance": 0.1}),
    ("tanh", "tanh", {"eta": 1.0, "alpha0": 8.0, "alpha": 1.2, "lam": 0.2, "beta": 1.5, "noise_variance": 0.2}),
]
OBSERVABLES = ("test_error", "train_error", "q1", "q2", "psi")


def z_scores(points, d, repeats):
    """Differences over standard errors, with the two-sided p-values of Student's t."""
    out = []
    for seed, (student, target, (r, c), gamma, parameters) in enumerate(points):
        theory = ak.SpikedFeatures(student, target)
        at = {"r": r, "c": c, "gamma": gamma, **parameters}
        solution, simulation = theory.solve(**at), theory.simulate(d=d, repeats=repeats, seed=seed, **at)
        for name in OBSERVABLES:
            if name == "psi" and abs(gamma) == 1.0:
                continue
            e = simulation[name]
            z = (e.mean - solution[name]) / e.stderr
            out.append((student, target, name, z, 2 * stdtr(repeats - 1, -abs(z))))
    return out


def test_spiked_features_at_a_point():
    found = z_scores([SPIKED[2]], d=200, repeats=10)
    assert min(p for *_, p in found) * len(found) > 0.001, found


@pytest.mark.slow
def test_spiked_features_at_eight_points():
    found = z_scores(SPIKED, d=1000, repeats=12)
    assert min(p for *_, p in found) * len(found) > 0.001, found


@pytest.mark.slow
@pytest.mark.parametrize(("student", "target", "parameters"), NETWORKS)
def test_real_network_within_three_standard_errors_and_two_percent(student, target, parameters):
    theory = ak.OneStep(student, target)
    assert theory.parameters_at(**{k: v for k, v in parameters.items() if k not in ("alpha", "lam")})["c"] <= 1.02
    solution = theory.solve(**parameters)
    e = theory.simulate(d=800, repeats=60, seed=3, **parameters)["test_error"]
    assert e.stderr < 0.01 * e.mean
    assert abs(e.mean - solution.test_error) < 3 * e.stderr + 0.02 * solution.test_error


def test_no_step_is_the_random_feature_model():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        theory = ak.OneStep("tanh", "sin")
        solution = theory.solve(eta=0.0, alpha0=2.0, alpha=1.5, lam=0.01)
        e = theory.simulate(d=300, repeats=10, seed=2, eta=0.0, alpha0=2.0, alpha=1.5, lam=0.01)["test_error"]
    assert abs(e.mean - solution.test_error) < 4 * e.stderr
    assert np.isfinite(e.values).all()
