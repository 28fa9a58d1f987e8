"""Exact derivatives of solutions: against multiprecision differences, at corners, and their errors."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from helpers.tiers import slow_but
from sympy import Symbol, exp, symbols

import asympkit as ak
from asympkit.nodes import Applied
from asympkit.spectra import Eigenvalues

pytestmark = pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")
INF = float("inf")
STEP = Fraction(1, 10**12)
z = Symbol("z", real=True)


def difference(theory, quantities, change, digits=22):
    """Central multiprecision differences; ``change(step)`` gives the parameters."""
    up, down = (theory.precise(digits=digits, **change(s)) for s in (STEP, -STEP))
    width = 2 * mpmath.mpf(STEP.numerator) / STEP.denominator
    return {q: float((up[q] - down[q]) / width) for q in quantities}


def check(theory, quantities, name, point, change, rel=1e-10):
    for quantity, exact in difference(theory, quantities, change).items():
        found = theory.sensitivity(quantity, name, **point)
        assert found == pytest.approx(exact, rel=rel, abs=1e-10 * abs(theory.solve(**point)[quantity])), quantity


def moved(parameters, name):
    exact = {k: v if v == INF else Fraction(str(v)) for k, v in parameters.items()}
    return lambda step: {**exact, name: exact[name] + step}


POINT = {"eta": 1.0, "alpha0": 2.0, "alpha": 1.5, "lam": 0.01, "beta": 1.5, "noise_variance": 0.1}
ROUGH = {"eta": 0.7, "alpha0": 1.5, "alpha": 0.8, "lam": 0.1, "beta": 0.8, "noise_variance": 0.05}


#: closed forms of the means make multiprecision values of the first cheap
PAIRS = [("sin", "erf(z/sqrt(2))"), pytest.param("relu", "sign", marks=pytest.mark.slow)]


@pytest.mark.parametrize(("student", "target"), PAIRS)
@pytest.mark.parametrize("name", slow_but(ROUGH, "eta"))
def test_one_step_every_parameter(name, student, target):
    check(ak.OneStep(student, target), ["test_error", "theta"], name, ROUGH, moved(ROUGH, name))


@pytest.mark.parametrize(("student", "target"), PAIRS)
@pytest.mark.parametrize("name", slow_but(["eta", "beta", "noise_variance"], 1))
def test_one_step_population_gradient(name, student, target):
    point = {"eta": 1.0, "alpha0": INF, "alpha": 2.0, "lam": 0.1, "beta": 1.0, "noise_variance": 0.2}
    check(ak.OneStep(student, target), ["train_error"], name, point, moved(point, name))


@pytest.mark.parametrize("activation", slow_but(["relu", "sign", "tanh"], 0, 1))
def test_theory_through_its_table(activation):
    k = Symbol("k", real=True)
    V, g, lam = symbols("V g lam", positive=True)
    s = ak.E(Applied("act", g * k + z), z)
    theory = ak.Theory(name="toy", unknowns=[V], parameters={g: ("gain", "positive"), lam: ("penalty", "positive")},
                       equations=[V - 1 / (lam + ak.E(s**2 / (1 + V * s**2), k))],
                       observables={"spread": ak.E(1 / (1 + V * s**2), k)}, activations={"act": activation})
    point = {"g": 1.3, "lam": 0.2}
    check(theory, ["spread"], "g", point, moved(point, "g"), rel=1e-12)


def test_theory_with_eigenvalues_and_arrays():
    D, V, lam = symbols("D V lam", positive=True)
    theory = ak.Theory(name="ridge", unknowns=[V], parameters={lam: ("penalty", "positive")},
                       equations=[V - ak.mean(D / (lam + D / (1 + V)), Eigenvalues(D))], observables={"y": V**2})
    x, lams = np.linspace(0.2, 3, 50), np.array([0.3, 0.4])
    found = theory.sensitivity("V", "lam", lam=lams, D=x)
    v = np.array([theory.solve(lam=a, D=x)["V"] for a in lams])
    s = lams[:, None] + x / (1 + v[:, None])
    by_hand = -np.mean(x / s**2, axis=1) / (1 - np.mean(x**2 / s**2, axis=1) / (1 + v) ** 2)
    assert found == pytest.approx(by_hand, rel=1e-12)
    assert theory.sensitivity("y", "lam", lam=0.3, D=x) == pytest.approx(2 * v[0] * by_hand[0], rel=1e-12)


def test_envelope_theorem():
    """The objective is a minimum over the readout: its derivative by lam is the squared norm alone."""
    theory = ak.OneStep("tanh", "sin")
    slope = POINT["beta"] / POINT["alpha"] * theory.solve(**POINT)["q2"]
    assert theory.sensitivity("objective", "lam", **POINT) == pytest.approx(slope, rel=1e-12)


def test_linear_student_has_no_residual_variance():
    theory = ak.OneStep("identity", "tanh")
    point = {"eta": 1.0, "alpha0": 1.0, "alpha": 2.0, "lam": 0.1}
    assert theory.sensitivity("objective", ["lam"], **point)["lam"] == pytest.approx(
        theory.solve(**point)["q2"] / 2.0, rel=1e-12)
    check(theory, ["test_error"], "eta", point, moved(point, "eta"))


def test_no_step_is_no_start_of_one():
    theory = ak.OneStep("tanh", "sin")
    rest = {"alpha": 2.0, "lam": 0.1}
    with pytest.raises(ak.DomainError, match="eta: got 0, which means no step; the limit eta -> 0 is another one"):
        theory.sensitivity("test_error", "eta", eta=0.0, alpha0=1.0, **rest)
    with pytest.raises(ak.DomainError, match="alpha0: got inf; a derivative by alpha0 needs a finite number"):
        theory.sensitivity("test_error", "alpha0", eta=1.0, alpha0=INF, **rest)
    assert theory.sensitivity("test_error", "eta", eta=1.0, alpha0=0.0, **rest) == 0.0
    assert theory.sensitivity("test_error", "alpha", eta=0.0, alpha0=1.0, **rest) == pytest.approx(
        theory.sensitivity("test_error", "alpha", eta=1.0, alpha0=0.0, **rest), rel=1e-12)


def test_errors_say_what_to_do():
    theory = ak.SpikedFeatures("tanh", "sin")
    point = {"r": 1.0, "c": 1.0, "gamma": 0.5, "alpha": 2.0, "lam": 0.1}
    with pytest.raises(ak.UnknownNameError, match="no quantity 'test_eror'; did you mean 'test_error'"):
        theory.sensitivity("test_eror", "lam", **point)
    with pytest.raises(ak.UnknownNameError, match="no parameter 'lamb'; did you mean 'lam'"):
        theory.sensitivity("test_error", "lamb", **point)
    with pytest.raises(ak.DomainError, match="a derivative by gamma needs a number between -1 and 1"):
        theory.sensitivity("test_error", "gamma", **{**point, "gamma": 1.0})
    with pytest.raises(ak.ConvergenceError, match="test_error is not differentiable in r at this point"):
        theory.sensitivity("test_error", "r", **{**point, "r": 0.0, "c": 1.0})
    with pytest.raises(ak.DomainError, match="alpha has .3,., lam has .2,."):
        theory.sensitivity("test_error", "lam", **{**point, "alpha": np.ones(3), "lam": np.ones(2)})


def test_digits_that_a_formula_beside_averages_loses_are_noticed():
    m, z = symbols("m z", real=True)
    g, h = symbols("g h", positive=True)
    mean = ak.E(1 / (1 + h * z**2 + m**2), z)
    theory = ak.Theory(name="cancels", parameters={g: ("g", "positive"), h: ("h", "positive")}, unknowns=[m],
                       equations=[m - (exp(g) - 1 - g) / g**2 * mean])
    step = 1e-4
    up, down = (theory.precise(g=0.1 + s * step, h=1, digits=25)["m"] for s in (1, -1))
    assert theory.sensitivity("m", "g", g=0.1, h=1) == pytest.approx(float(up - down) / (2 * step), rel=1e-7)
    for at in (1e-5, [1e-5, 2e-5]):                 # 4e-6 off
        with pytest.raises(ak.ConvergenceError, match="nearly equal numbers are subtracted"):
            theory.sensitivity("m", "g", g=at, h=1)


@pytest.mark.slow
def test_a_bias_that_vanishes_by_symmetry():
    """Refused before: the derivative of the bias is 0 beside others that are not."""
    m, b, z = symbols("m b z", real=True)
    V, lam = symbols("V lam", positive=True)
    loss = sum(ak.E(ak.Moreau("hinge", 1, z + m + s * b, V), z) for s in (1, -1))
    theory = ak.Theory(name="two clouds", unknowns=[m, b],
                       parameters={V: ("width", "positive"), lam: ("penalty", "positive")},
                       free_energy=loss + lam * m**2 / 2, start={m: 1})
    up, down = (theory.solve(V=1, lam=0.3 + s)["m"] for s in (1e-5, -1e-5))
    assert theory.sensitivity("m", "lam", V=1, lam=0.3) == pytest.approx((up - down) / 2e-5, rel=1e-7)
    assert abs(theory.sensitivity("b", "lam", V=1, lam=0.3)) < 1e-15
