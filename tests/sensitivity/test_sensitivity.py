"""Exact derivatives of solutions: against multiprecision differences, several at once, at kinks and corners."""

from fractions import Fraction
from unittest import mock

import mpmath
import numpy as np
import pytest
from helpers.tiers import slow_but
from sympy import Abs, Heaviside, Max, Min, Piecewise, Rational, Symbol, exp, sign, symbols

import asympkit as ak
from asympkit.nodes import Applied
from asympkit.numbers.functions import entry
from asympkit.sensitivity import run
from asympkit.sensitivity.complex_step import _listed
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


def _own():
    a, alpha, q = symbols("a alpha q", positive=True)
    k, z = symbols("k z", real=True)
    mean = ak.E(Applied("f", a * k + z), z)
    return ak.Theory(name="slope of an activation", unknowns=[q], activations={"f": "tanh"},
                     parameters={a: ("slope", "positive"), alpha: ("samples", "positive")},
                     equations=[q - alpha * ak.E(mean**2 / (1 + q * mean**2), k)])


@pytest.mark.parametrize(("theory", "quantity", "parameter", "at", "most"), [
    # an optimum of the step lies between, where the derivative vanishes
    (lambda: ak.OneStep("tanh", "sin"), "test_error", "eta",
     {"eta": [0.3, 1.2, 1.4157019158338242, 1.7], "alpha0": 1, "alpha": 1.5, "lam": 0.1}, 1),
    (lambda: ak.OneStep("tanh", "sin"), "V1", "lam", {"eta": [[0.3], [1]], "lam": [0.1, 2], "alpha0": 1, "alpha": 1},
     0),
    (_own, "q", "a", {"a": [0.5, 1, 2], "alpha": 0.7}, 0),
    pytest.param(lambda: ak.OneStep("relu", "z + z**2"), "train_error", "eta",
                 {"eta": [0.5, 1, 2], "alpha0": [[1], [2], [INF]], "alpha": 1.5, "lam": 0.1}, 3,
                 marks=pytest.mark.slow),
    pytest.param(lambda: ak.SpikedFeatures("tanh(6*z)", "sin"), "m", "gamma",
                 {"gamma": [-0.9, -0.5, 0.2, 0.5], "r": 1, "c": 1, "alpha": 1.5, "lam": 0.1}, 4,
                 marks=pytest.mark.slow),
    pytest.param(lambda: ak.SpikedFeatures("tanh", "sin"), "test_error", "c",
                 {"c": [0.5, 1, 2], "r": [[0.5], [2]], "gamma": 0.3, "alpha": 1.5, "lam": 0.1, "width": 80}, 2,
                 marks=pytest.mark.slow),
    pytest.param(lambda: ak.OneStep("tanh", "z", loss="logistic", labels="sign"), "test_error", "eta",
                 {"eta": [0.5, 1, 2], "alpha0": 1, "alpha": 1.5, "lam": 0.1}, 2, marks=pytest.mark.slow),
])
def test_points_together_are_points_alone(theory, quantity, parameter, at, most):
    theory = theory()
    with mock.patch.object(run, "_at_point", side_effect=run._at_point) as alone:
        found = theory.sensitivity(quantity, parameter, **at)
    assert alone.call_count <= most
    arrays = {n: v for n, v in at.items() if np.ndim(v)}
    for index in np.ndindex(found.shape):
        here = {n: float(np.broadcast_to(v, found.shape)[index]) for n, v in arrays.items()}
        one = theory.sensitivity(quantity, parameter, **{**at, **here})
        size = abs(theory.solve(**{**at, **here})[quantity])
        assert found[index] == pytest.approx(one, rel=1e-10, abs=1e-11 * size), here


def test_a_point_that_cannot_be_differentiated_says_so():
    theory = ak.OneStep("tanh", "sin")
    with pytest.raises(ak.DomainError, match="no derivative here"):
        theory.sensitivity("test_error", "eta", eta=[0.5, 0.0, 1.0], alpha0=1, alpha=1.5, lam=0.1)


m, h, K = symbols("m h K", real=True)


def theory(equation, observable=m, **more):
    return ak.Theory(name="kinked", unknowns=[m], parameters={h: ("field", "real")}, equations=[equation],
                     observables={"o": observable}, **more)


OFFSET = {K: Max(h, 1) ** 2}


@pytest.mark.parametrize(("made", "at", "sides"), [
    (theory(m - Abs(h)), 0, "Abs(h) switches: its derivative is -1 from below and 1 from above"),
    (theory(m - h, Max(h, Rational(1, 10))), 0.1, "Max(1/10, h) switches: its derivative is 0 from below and 1"),
    (theory(m - h, Min(2 * m, m + 3)), 3, "switches: its derivative is 2 from below and 1 from above"),
    (theory(m - h - Max(m - 1, 0) / 2), 1, "Max(0, m - 1) switches: its derivative is 1 from below and 2 from above"),
    (theory(m - h, sign(h)), 0, "sign(h) switches: its value is -1 from below and 1 from above"),
    (theory(m - h, Piecewise((h, h < 1), (h + 5, True))), 1, "its value is 0.999999 from below and 6 from above"),
    (theory(m - K, derived=OFFSET), 1, "Max(1, h) switches: its derivative is 0 from below and 2 from above")])
def test_two_sides_are_refused(made, at, sides):
    with pytest.raises(ak.DomainError) as caught:
        made.sensitivity("o", "h", h=at)
    said = str(caught.value)
    assert said.startswith(f"sensitivity: o is not differentiable in h at h = {at}, where ")
    assert sides in said and said.endswith("move the parameter to the intended side")


@pytest.mark.parametrize(("made", "at", "slope"), [
    (theory(m - Max(h, 0) ** 2), 0, 0.0), (theory(m - h * Abs(h)), 0, 0.0), (theory(m - Abs(h)), -0.5, -1.0),
    (theory(m - h, Piecewise((h, h < 1), (2 * h - h**2 / 2 - Rational(1, 2), True)) + m), 1, 2.0),
    (theory(m - h, h * sign(h - 1)), 2, 1.0), (theory(m - h, h * Heaviside(h - 1)), 0.5, 0.0),
    (theory(m - K, derived={K: h * sign(h)}), -2, -1.0)])
def test_what_meets_is_given(made, at, slope):
    assert made.sensitivity("o", "h", h=at) == pytest.approx(slope, abs=1e-12)


def test_the_other_quantity_does_not_mind():
    made = theory(m - 2 * h, Abs(h))
    assert made.sensitivity("m", "h", h=0) == pytest.approx(2.0)
    with pytest.raises(ak.DomainError, match="o is not differentiable"):
        made.sensitivity("o", "h", h=[0.0, 1.0])


def test_minimum_at_a_kink():
    found = theory(m - Abs(h - Rational(3, 10)) - 1).minimize("m", over="h", bounds=(-1, 2))
    assert found.argmin == pytest.approx(0.3, abs=1e-8)
    assert found.value == pytest.approx(1.0, abs=1e-8)


#: sympy classes, orders, and arguments at which they are smooth
AT = [("erf", (), (0.7,)), ("erfc", (), (-1.3,)), ("LogErfc", (), (2.0,)), ("LogPhi", (), (-3.0,)),
      ("Mills", (), (1.5,)), ("LogCosh", (), (0.4,)), ("SoftPlus", (), (-0.6,)), ("OwenT", (), (0.5, 0.8)),
      ("BivariateNormalCDF", (), (0.3, -0.4, 0.6)), ("MPResolvent", (), (0.7, 0.2, 1.3, 0.6)),
      ("LogisticSlope", (), (0.9, -0.4)), ("LogisticEnvelope", (), (0.9, -0.4)), ("Saturated", (), (0.8, 1.7)),
      ("NormalBlur", (1, -1), (0.3, 0.7, -1.0, 1.0)), ("besselj", (2,), (1.4,)), ("gamma", (), (2.3,))]


@pytest.mark.parametrize(("name", "orders", "at"), AT, ids=[row[0] for row in AT])
def test_derivatives(name, orders, at):
    listed, mp = entry(name), mpmath.MPContext()
    mp.dps = 30
    function = _listed({listed.arrays: listed.array_function})[listed.arrays]
    constant = 2 if name == "NormalBlur" else 0                        # its sides are no variables
    for k in range(len(at) - constant):
        point = [np.array([x + (1e-100j if i == k else 0.0)]) for i, x in enumerate(at)]
        found = function(*orders, *point)[0]
        held = [mp.mpf(x) for x in at]
        expected = mp.diff(lambda x, k=k, held=held: listed.at_digits(mp, *orders, *held[:k], x, *held[k + 1:]),
                           held[k])
        assert found.real == pytest.approx(float(listed.at_digits(mp, *orders, *held)), rel=1e-13)
        assert found.imag * 1e100 == pytest.approx(float(expected), rel=1e-12)


y, p = symbols("y p", real=True)
KINKED = {"hinge": ("z", {"loss": "hinge", "labels": "sign"}), "absolute": ("z", {"loss": "absolute"}),
          "huber": ("z", {"loss": ak.Huber(0.5)}),
          "quantile": ("sin", {"loss": ak.Loss(Max(3 * (y - p) / 10, -7 * (y - p) / 10), y, p)}),
          "insensitive": ("sin", {"loss": ak.Loss(Max(abs(y - p) - Rational(1, 10), 0), y, p)})}


@pytest.mark.parametrize("name", ["absolute", *(pytest.param(n, marks=pytest.mark.slow) for n in KINKED
                                                if n != "absolute")])
def test_derivatives_of_kinked_losses_are_those_of_differences(name):
    target, how = KINKED[name]
    theory = ak.SpikedFeatures("tanh", target, **how)
    at = {"r": 1.5, "c": 1.1, "gamma": 0.8, "alpha": 1.5, "lam": 0.1, "noise_variance": 0.1}
    theory.solve(**at)
    for parameter in ("lam", "gamma"):
        found = theory.sensitivity("test_error", parameter, **at)
        values = [theory.solve(**{**at, parameter: at[parameter] * (1 + 1e-4 * k)}).test_error for k in (-2, -1, 1, 2)]
        slope = (values[0] - 8 * values[1] + 8 * values[2] - values[3]) / (12e-4 * at[parameter])
        assert found == pytest.approx(slope, rel=2e-9)


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


def test_where_there_is_no_solution_the_reason_is_that_of_solve():
    """It said "the linearised equations are singular (residual 1.0e+290)", and "solve: ..."."""
    a, m, q = symbols("a m q", real=True)

    def theory(unknowns, equations):
        return ak.Theory(name="none", parameters={a: ("place", "real")}, unknowns=unknowns, equations=equations)

    root = (Abs(z) + a) ** Rational(1, 2)
    for said, t in ((r"integrand sqrt\(a \+ Abs\(z\)\) is nan at z", theory([m], [m - ak.E(root, z)])),
                    ("the equations are not satisfied", theory([m], [m**2 + 1 + a**2])),
                    ("linear equations are dependent", theory([m, q], [m + q - a, 2 * m + 2 * q - 2 * a]))):
        with pytest.raises(ak.ConvergenceError, match=f"^sensitivity: .*{said}") as caught:
            t.sensitivity("m", "a", a=-0.5)
        assert "e+29" not in str(caught.value)
