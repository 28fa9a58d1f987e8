"""The traces (E1), (E2), what diverging spikes take off, and the moments that both are made of."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from asympkit.derivations.nonlinear_spikes.forms import closed_form, matrix_form
from helpers.tiers import slow_but
from sympy import Rational, cancel, symbols

import asympkit as ak
from asympkit.parsing.grammar import CATALOGUE
from asympkit.theories.derived import vanishes, vanishes_by_form
from asympkit.theories.nonlinear_spikes.equations import symbols as trace_symbols
from asympkit.theories.nonlinear_spikes.equations import trace_pair

S = trace_symbols()
STUDENT, TARGET = "tanh(z)+0.3*(z**2-1)", "z+(z**2-1)/sqrt(2)"


def moments():
    """c_1 and A of the student."""
    with mpmath.workdps(60):
        c = ak.Activation(STUDENT).hermite_coefficients(1, digits=60)[1]
        return c, ak.Activation(STUDENT).second_moment(digits=60) - c**2


def test_solution_satisfies_the_pair_and_its_derivative():
    """E1, E2 vanish at 40 digits, and dm1, dm2 are the implicit derivatives by the Jacobian of the theory sheet."""
    at = {"phi": "0.5", "psi": "0.7", "lam": "0.02", "noise_variance": "0.1"}
    s = ak.NonlinearSpikes(STUDENT, TARGET).precise(digits=40, **at)
    c, A = moments()
    with mpmath.workdps(60):
        square = c**2
    values = {S.linear: square, S.nonlinear: A, S.phi: Rational(1, 2), S.psi: Rational(7, 10), S.lam: Rational(1, 50),
              S.m1: s["m1"], S.m2: s["m2"]}
    E = trace_pair()
    size = abs(float(s["m1"])) ** 3
    assert all(abs(e.evalf(50, subs=values)) < 1e-37 * size for e in E)
    J = [[e.diff(v).evalf(50, subs=values) for v in (S.m1, S.m2)] for e in E]
    f = [e.diff(S.lam).evalf(50, subs=values) for e in E]
    det = J[0][0] * J[1][1] - J[0][1] * J[1][0]
    assert abs(float((J[0][1] * f[1] - J[1][1] * f[0]) / det / s["dm1"]) - 1) < 1e-15
    assert abs(float((J[1][0] * f[0] - J[0][0] * f[1]) / det / s["dm2"]) - 1) < 1e-15


def test_kept_output_needs_no_other_trace():
    """x of section 6 is c_1^2 mu mtilde, so that e = mu: only |beta|^2 changes."""
    s = ak.NonlinearSpikes(STUDENT, TARGET).precise(digits=30, phi="0.5", psi="1.4", lam="0.03")
    c, A = moments()
    with mpmath.workdps(50):
        tau, mu = s["m1"] * 14 / 5, s["m2"] * 14 / 5
        mtilde = 1 - (1 - tau * 3 / 100) * 14 / 5
        assert abs((1 - mtilde * (1 + A * tau)) / (c**2 * mu * mtilde) - 1) < 1e-27


@pytest.mark.parametrize("student", ["z+(z**2-1)/sqrt(2)", "tanh", STUDENT])
def test_bridge_to_spiked_features(student):
    """Without a spike the theory is that of the spiked features with r = 0 and c = 1, at lam*kappa."""
    target = "sin"
    c = ak.Activation(student).hermite_coefficients(1)[1]
    for phi, psi, lam, noise in [(0.5, 1.0, 0.01, 0.1), (2.0, 0.3, 0.1, 0.0), (0.3, 0.4, 1e-3, 0.5)]:
        kappa = psi / phi
        s = ak.NonlinearSpikes(student, target).solve(phi=phi, psi=psi, lam=lam, noise_variance=noise, degree=0)
        other = ak.SpikedFeatures(student, target).solve(r=0, c=1, gamma=0.5, alpha=1 / phi, beta=1 / psi,
                                                         lam=lam * kappa, noise_variance=noise)
        A = ak.Activation(student).second_moment() - c**2
        V = c**2 * other["V1"] + A * other["V2"]
        assert s["m1"] * kappa * lam == pytest.approx(1 / (1 + V), rel=1e-13)
        assert s["m2"] / s["m1"] == pytest.approx(other["V1"] / other["V2"], rel=1e-13)
        assert s["chi"] * (1 + V) == pytest.approx(other["V2"], rel=1e-13)
        assert s.baseline_test == pytest.approx(other.test_error, rel=2e-13)
        assert s.baseline_train == pytest.approx(other.objective, rel=2e-13)
        assert s.test_error == s.baseline_test


def test_random_box():
    """One root in the physical interval, found from afar, over twelve decades."""
    from asympkit.generated.nonlinear_spikes import kernel as module

    from asympkit.solve.kernel import Kernel, SolverOptions

    rng, size = np.random.default_rng(3), 4000
    log = {"phi": (-2, 2), "psi": (-2, 2), "lam": (-8, 3), "linear": (-3, 3), "nonlinear": (-9, 9)}
    at = {n: 10 ** rng.uniform(*ends, size) for n, ends in log.items()}
    at["nonlinear"][:50], at["linear"][50:100] = 0.0, 0.0
    values = [at.get(n, 1.0) for n in module.PARAMETERS]
    found = []
    for start in (1.0, 1e-25, 1e25):
        out, _ = Kernel(module, SolverOptions({"chi": start})).batch(values, [])
        found.append(dict(zip(module.OUTPUTS, out)))
    first, kappa = found[0], at["psi"] / at["phi"]
    part, low = at["lam"] * kappa * first["m1"], np.maximum(0.0, 1 - 1 / kappa)
    assert np.max(first["residual"]) < 1e-14
    assert np.max(first["iterations"]) <= 25
    assert np.all((part >= low * (1 - 1e-14)) & (part <= 1 + 1e-14))
    assert np.all((first["m2"] > 0) & (first["m2"] <= first["m1"] * (1 + 1e-14)))
    assert np.all(first["dm1"] < 0) and np.all(first["dm2"] < 0)
    for other in found[1:]:
        assert np.max(np.abs(other["chi"] / first["chi"] - 1)) < 1e-11


rho, tau, mu, mu0 = symbols("rho tau mu mu0", positive=True)
COEFFICIENTS = dict(enumerate(symbols("c0:9", real=True)))
SETS = [(1,), (1, 2), (1, 2, 3), (1, 2, 3, 4), (1, 4), (1, 3, 4), (1, 2, 5), (1, 6), (0, 1, 2), (0, 1, 2, 4)]


@pytest.mark.parametrize("degrees", SETS)
def test_forms_are_equal_symbolically(degrees):
    matrix, closed = (form(degrees, COEFFICIENTS, rho, tau, mu, mu0) for form in (matrix_form, closed_form))
    assert cancel(matrix - closed) == 0


def test_a_step_of_even_degree_frees_part_of_the_constant():
    """The spike of degree 4 lowers the error although the target has no fourth coefficient."""
    c = {1: Fraction(1), 2: Fraction(1)}
    at = [Fraction(1, 2), Fraction(2), Fraction(1), Fraction(2)]
    two, three, four, all_free = (closed_form(d, c, *at) for d in ((1, 2), (1, 2, 3), (1, 2, 3, 4), (0, 1, 2)))
    assert two == three < four < all_free


AT = {"phi": 0.5, "psi": 0.7, "lam": 0.01, "noise_variance": 0.1}
FUNCTIONS = [*CATALOGUE, TARGET, STUDENT, "2*relu(z)-1/sqrt(2*pi)", "z*exp(-z**2/4)+0.2*z**2", "-gelu(3*z)",
             "min(tanh(z), z/2)", "(z+1)*(cos(z)+z**2)", "(1+z)*(z-1)*erf(z)", "where(z**3<0, z**2, -z**2)", "0",
             "where(z>1, z, 0)", "tanh(z)/(1+z**2)", "(z**2-1)/10**20+z", "abs(z-1)-abs(z+1)", "z/(2+tanh(z))"]


@pytest.mark.parametrize("text", slow_but(FUNCTIONS, 0, 2, 6, 9, 12, 14, 18, 21, 22, 25, 30, 31, 35))
def test_what_vanishes_at_sight_vanishes(text):
    f = ak.Activation(text)
    values = f.hermite_coefficients(8, digits=25)
    for k in range(1, 9):
        small = abs(values[k]) < 1e-24
        if vanishes_by_form(f, k):
            assert small
        assert vanishes(f, k) == small


@pytest.mark.parametrize("size", ["1e30", "1e-60", "1e-5"])
@pytest.mark.parametrize("text", ["z", "z**2-1", "tanh(z)", "relu(z)", TARGET])
def test_moments_scale_with_the_function(text, size):
    unit = float(size)
    plain = ak.NonlinearSpikes(text, "z").moments["student"]
    scaled = ak.NonlinearSpikes(f"{size}*({text})", "z").moments["student"]
    assert scaled.rest == pytest.approx(unit**2 * plain.rest, rel=1e-13, abs=0)
    expected, (constant, *others) = [unit * c for c in plain.coefficients], scaled.coefficients
    assert others == pytest.approx(expected[1:], rel=1e-13, abs=0)
    # the constant decides nothing: its rounding is not taken for zero
    assert constant == pytest.approx(expected[0], rel=1e-13, abs=1e-15 * unit * plain.rest**0.5)


def test_a_scale_of_the_student_is_a_scale_of_the_penalty():
    for text in (TARGET, STUDENT):
        big = ak.NonlinearSpikes(f"10**20*({text})", TARGET).solve(**{**AT, "lam": 1e38})
        plain = ak.NonlinearSpikes(text, TARGET).solve(**AT)
        assert big.test_gap == pytest.approx(plain.test_gap, rel=1e-11)
        assert big.train_error == pytest.approx(plain.train_error, rel=1e-11)
    with pytest.raises(ak.DomainError, match="its second moment is beyond double precision; scale the function down"):
        ak.NonlinearSpikes("1e200*z", "z").solve(**AT)


def test_a_nearly_linear_function_keeps_what_is_left():
    rest = ak.NonlinearSpikes("1e9*sin(z/10**9)", "z").moments["student"].rest
    assert rest == pytest.approx(6 / 36 * 1e-36, rel=1e-9)
