"""Students that saturate on the spike, and penalties that divide what is left of their variance there.

Far out on the spike that is as small as a penalty may be.  The conditional means of the reference are those of the
distance of a student from its asymptote, which cancels nowhere, by Gauss's rule on many panels up to the end of the
weight.
"""

import math

import mpmath
import numpy as np
import pytest
from asympkit.generated.spiked_features import kernel
from numpy.polynomial.legendre import leggauss
from scipy.special import erfc

import asympkit as ak
from asympkit.solve.solution import Status

pytestmark = pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")
#: texts, distances from the asymptotes on the right and on the left, slopes and values of these at 0, and kinks
STUDENTS = {
    "tanh(z)": (lambda u: -2 / (1 + np.exp(2 * u)), lambda u: 2 / (1 + np.exp(-2 * u)), (0, 1), (0, -1), ()),
    "erf(z)": (lambda u: -erfc(u), lambda u: erfc(-u), (0, 1), (0, -1), ()),
    "sigmoid(z)": (lambda u: -1 / (1 + np.exp(u)), lambda u: 1 / (1 + np.exp(-u)), (0, 1), (0, 0), ()),
    "softplus(z)": (lambda u: np.logaddexp(0, -u), lambda u: np.logaddexp(0, u), (1, 0), (0, 0), ()),
    "gelu(z)": (lambda u: -u * erfc(u / 2**0.5) / 2, lambda u: u * erfc(-u / 2**0.5) / 2, (1, 0), (0, 0), ()),
    "hardtanh(z)": (lambda u: np.clip(u, -1, 1) - 1, lambda u: np.clip(u, -1, 1) + 1, (0, 1), (0, -1), (-1, 1)),
    "max(0, 1 - abs(z))": (*2 * (lambda u: np.maximum(0, 1 - abs(u)),), (0, 0), (0, 0), (-1, 0, 1)),
}
#: one gradient step that takes tanh far into its saturation
STEP = {"eta": 15, "alpha0": 0.019, "alpha": 0.92, "beta": 1.74}
PLACES, WEIGHTS = leggauss(16)


def conditional_means(text, factor, offset, slope):
    """Return E s, E z s and the variance left of s = factor*f(offset + slope*z), at rows of offsets."""
    right, left, above, below, kinks = STUDENTS[text]
    found = []
    for a in offset:
        apart, (rate, value) = (right, above) if a >= 0 else (left, below)
        turn, fine, wide = -a / slope, np.arange(-30, 31) / (2 * slope), np.arange(-60, 61) * 4 / slope
        edges = np.concatenate([np.arange(-76, 77) / 2, turn + fine, turn + wide, [(k - a) / slope for k in kinks]])
        edges = np.unique(np.clip(edges, -38, 38))
        half = np.diff(edges)[:, None] / 2
        z = ((edges[1:] + edges[:-1])[:, None] / 2 + half * PLACES).ravel()
        w = (half * WEIGHTS).ravel() * np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
        with np.errstate(over="ignore"):
            s = apart(a + slope * z)
        mean, tilt = w @ s, w @ (s * z)
        found.append((mean + rate * a + value, tilt + rate * slope, w @ (s - mean - tilt * z) ** 2))
    return np.array(found).T * np.array([[factor], [factor], [factor**2]])


def solve_by_reference(monkeypatch, theory, text, factor, point):
    """Solve the equations of the package on tables of the means above."""
    original, items = kernel.normal_means, ([1, 0], [2])

    def means(function, offset, slope, functional, *others, **more):
        if function is not theory.functions["student"]:
            return original(function, offset, slope, functional, *others, **more)
        made = conditional_means(text, factor, np.asarray(offset, float), float(slope))
        count = len(functional(np.ones(1), np.ones(1), lambda column: np.zeros(1)))
        return [made[k] for k in items[count == 1]], 0.0

    with monkeypatch.context() as patch:
        patch.setattr(kernel, "normal_means", means)
        return theory.solve(**point)


def test_penalties_as_small_as_what_is_left_of_a_variance():
    """The number is of `precise`; the conditional means were cut at 2e-21 of the weight: 3e-7 off, "converged"."""
    theory = ak.OneStep("tanh", "tanh")
    assert theory.solve(**STEP, lam=1e-14)["test_error"] == pytest.approx(146372187.430544013, rel=1e-12)
    with pytest.raises(ak.ConvergenceError, match="the averages did not reach") as caught:
        theory.solve(**STEP, lam=1e-22)
    assert caught.value.solution.error_estimate > 1e-10


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_random_students_and_penalties(monkeypatch, seed):
    rng, solved = np.random.default_rng(seed), 0
    for _ in range(10):
        text, factor = str(rng.choice([*STUDENTS])), float(rng.choice([1, 1, 1e-3, 1e3, 1e6]))
        theory = ak.SpikedFeatures(f"{factor!r}*{text}", str(rng.choice(["sin(z)", "z", "z**2 - 1", "tanh(z/2)"])))
        logs = {"r": (-0.4, 0.6), "c": (-1, 3), "alpha": (-0.7, 0.7), "beta": (-0.5, 0.5), "lam": (-18, -6)}
        point = {n: float(10 ** rng.uniform(*ends)) for n, ends in logs.items()} | {"gamma": rng.uniform(0.05, 0.95)}
        point["r"] *= point["c"] ** 0.5
        point["lam"] *= factor**2
        try:
            found = theory.solve(**point)
            known = solve_by_reference(monkeypatch, theory, text, factor, point)
        except ak.ConvergenceError:
            continue
        solved += 1
        # roundings of a saturated student have a common part, 2e-11 of the error at most, that no refinement shows
        allowed = 5e-11 if found.status.name == "CONVERGED" else 1e-9
        for n in ("test_error", "V1", "V2"):
            assert found[n] == pytest.approx(known[n], rel=allowed), (text, point)
    assert solved >= 5


@pytest.mark.slow
@pytest.mark.parametrize(("student", "lam"), [("tanh", 1e-12), ("erf", 1e-13), ("1e6*tanh(z)", 1e-2)])
def test_small_penalties_have_the_digits_of_many(student, lam):
    theory, point = ak.SpikedFeatures(student, "sin"), {"r": 8, "c": 12, "gamma": 0.3, "alpha": 0.9, "beta": 1.5}
    known = float(theory.precise(**point, lam=lam, digits=15)["test_error"])
    assert theory.solve(**point, lam=lam)["test_error"] == pytest.approx(known, rel=1e-12)
    for backend in ("numpy", "numba"):
        found = theory.sweep(**point, lam=np.array([lam, 2 * lam]), backend=backend)
        assert found["test_error"][0] == pytest.approx(known, rel=1e-11)


SPREAD = {"r": 0.7, "gamma": 0.8, "alpha": 2.0}


@pytest.mark.parametrize("c", [1e-15, 1e-17])
def test_small_spreads_leave_few_digits(c):
    """What is left of tanh beside a line along the spike was up to 24 % off, "converged"."""
    theory = ak.SpikedFeatures("tanh", "sin")
    swept = theory.sweep(**SPREAD, c=c, lam=[0.1, 0.2], backend="numpy")
    assert {*swept.status} <= {Status.LIMITED, Status.ILL_CONDITIONED}
    assert theory.solve(**SPREAD, c=c, lam=0.1).status is Status.LIMITED


@pytest.mark.slow
@pytest.mark.parametrize(("student", "power"), [("tanh", 2), ("relu", 1.5)])
def test_small_spreads_have_the_digits_asked_for(student, power):
    """It was 0, or of the wrong sign, 3e-47 for 3e-61: means lost what working digits there were."""
    theory = ak.SpikedFeatures(student, "sin")
    small, smaller = (theory.precise(**SPREAD, c=c, lam=0.1, digits=15)["Vhat2"] / mpmath.mpf(c) ** power
                      for c in ("1e-24", "1e-30"))
    assert small > 0 and abs(smaller / small - 1) < 1e-11
