"""The equations of nonlinear spikes, in the limit and at a finite step, written out by hand."""

import math
import warnings
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


TANH, QUADRATIC = "tanh(z)+0.3*(z**2-1)", "z+(z**2-1)/sqrt(2)"
POINT = {"phi": 0.5, "psi": 0.5, "lam": 0.1, "noise_variance": 0.1}
DIGITS = 40


def double_factorial(k):
    return 1 if k < 2 else k * double_factorial(k - 2)


def xi(p, i):
    j = (p - i) // 2
    return 0 if i > p or (p - i) % 2 else int(mpmath.factorial(p) / (2**j * mpmath.factorial(j) * mpmath.factorial(i)))


def written_out(student, target, eta, n, lam, *, kept, rows, top):
    """b^T (G + Z^T A_m^{-1} Z)^{-1} b and tau, in the theory sheet's own symbols, without scaling."""
    mp = mpmath
    c, t = (ak.Activation(f).hermite_coefficients(top, digits=DIGITS) for f in (student, target))
    phi, psi, noise = mp.mpf(POINT["phi"]), mp.mpf(POINT["psi"]), mp.mpf("0.1")
    kappa, N, B = psi / phi, n * phi / psi, c[1] ** 2
    A = ak.Activation(student).second_moment(digits=DIGITS) - B
    labels = ak.Activation(target).second_moment(digits=DIGITS) + noise

    def pair(m1, m2):
        Psi = B * m1 * m2 * (lam * kappa * m1 - 1)
        return phi * (m1 - m2) * (A * m1 + B * m2) + Psi, (B * m1 * m2 + phi * (m2 - m1)) / kappa + Psi

    rough = ak.NonlinearSpikes(student, target).solve(**{**POINT, "lam": float(lam)}, degree=0)
    m1, m2 = mp.findroot(pair, (rough["m1"], rough["m2"]))
    tau, mu = kappa * m1, kappa * m2
    mtilde = 1 - kappa * (1 - lam * tau)
    D = t[1] ** 2 + phi * labels + (B + phi * (B + A) if kept else 0)
    x = 1 - mtilde * (1 + A * tau)
    q = 2 * c[2] ** 2 / psi * mtilde
    degrees = [k for k in range(1, top + 1) if abs(c[k]) > 1e-30]
    first = mu + ((1 + A * tau) * x - B * mu) / D if kept else mu
    trace = {0: tau / (1 + q * tau) if rows == "gaussian" else tau, 1: first}

    def gram(i, j):
        return D ** (mp.mpf(i + j) / 2) * mp.fsum(mp.factorial(h) * xi(i, h) * xi(j, h) * trace.get(h, tau)
                                                  for h in range(min(i, j) + 1))

    def powers(i, j):
        v = [double_factorial(k - 1) * N ** (1 - mp.mpf(k) / 2) if k % 2 == 0 else 0 for k in (i, j)]
        both = double_factorial(i + j - 1) * N ** (1 - mp.mpf(i + j) / 2) if (i + j) % 2 == 0 else 0
        return mtilde * (both - v[0] * v[1] / N * q * tau / (1 + q * tau))

    def step(i, j):
        along = double_factorial(i) * N ** (mp.mpf(1 - i) / 2) if i % 2 else 0
        return (i == j) / (c[1] ** i * c[i] * eta**i) - kept * x * along * D ** (mp.mpf(j - 1) / 2) * xi(j, 1)

    G, P, Z = (mp.matrix([[f(i, j) for j in degrees] for i in degrees]) for f in (gram, powers, step))
    b = mp.matrix([D ** (mp.mpf(i) / 2) * mp.fsum(mp.factorial(p) * xi(i, p) * t[p] * (t[1] / mp.sqrt(D)) ** p
                                                  * (mu if p == 1 else tau) for p in range(1, i + 1)) for i in degrees])
    return (b.T * mp.lu_solve(G + Z.T * mp.inverse(P) * Z, b))[0], tau


@pytest.mark.slow
@pytest.mark.parametrize(("eta", "options"), slow_but([
    (7.4, {"initial_output": "kept", "rows": "gaussian"}), (2.0, {}), (1000**0.29, {"rows": "gaussian"}),
    (2.8, {"initial_output": "kept"})], 1))
def test_against_the_matrices(eta, options):
    theory = ak.NonlinearSpikes(TANH, QUADRATIC, **options)
    kept, rows = options.get("initial_output") == "kept", options.get("rows")
    with mpmath.workdps(DIGITS):
        lam, h = mpmath.mpf("0.1"), mpmath.mpf(10) ** -12
        named = {"kept": kept, "rows": rows, "top": 8}
        quad, tau = written_out(TANH, QUADRATIC, eta, 1000, lam, **named)
        up, down = (written_out(TANH, QUADRATIC, eta, 1000, lam + d, **named)[0] for d in (h, -h))
        train, test = float(lam * quad), float((down - up) / (2 * h) / tau**2)
    s = theory.solve(**POINT, eta=eta, n=1000)
    assert s.train_gap == pytest.approx(train, rel=1e-11)
    assert s.test_gap == pytest.approx(test, rel=1e-10)


@pytest.mark.parametrize(("options", "eta", "train", "test"), [
    ({}, 1000**0.1, 0.0406, 0.1455), ({}, 1000**0.29, 0.1236, 0.452), ({"initial_output": "kept"}, 1.0, 0.0170, 0.066)])
def test_known_values(options, eta, train, test):
    s = ak.NonlinearSpikes(TANH, QUADRATIC, **options).solve(**POINT, eta=eta, n=1000)
    assert s.train_gap == pytest.approx(train, abs=6e-5)
    assert s.test_gap == pytest.approx(test, abs=6e-4)


def test_slow_convergence():
    """The train gap at two exponents, for n from 10^3 to 10^12, as the theory sheet lists it."""
    theory = ak.NonlinearSpikes(TANH, QUADRATIC)
    listed = {0.1: (0.0406, 0.0505, 0.0685, 0.0799, 0.0880), 0.29: (0.1235, 0.1343, 0.1437, 0.1483, 0.1520)}
    for alpha, known in listed.items():
        for n, gap in zip((1e3, 1e4, 1e6, 1e8, 1e12), known):
            assert theory.solve(**POINT, eta=n**alpha, n=n).train_gap == pytest.approx(gap, abs=1.1e-4)


@pytest.mark.parametrize("options", [{}, {"rows": "gaussian"}, {"initial_output": "kept"}, {"free_constant": True}])
def test_large_and_small_steps(options):
    """A huge step of a polynomial student gives the gaps of the limit, a tiny one none."""
    theory = ak.NonlinearSpikes("z+(z**2-1)/2+(z**3-3*z)/3", QUADRATIC, **options)
    limit = theory.solve(**POINT, degree=3)
    with pytest.warns(ak.AssumptionWarning, match="eta = 1e.12 is large at n = 10000: the step moves the argument"):
        far = theory.solve(**POINT, eta=1e12, n=1e4)
    assert far.train_gap == pytest.approx(limit.train_gap, rel=1e-10)
    assert far.test_gap == pytest.approx(limit.test_gap, rel=1e-10)
    none = theory.solve(**POINT, eta=0, n=1e4)
    assert (none.train_gap, none.test_gap) == (0.0, 0.0)
    near = theory.solve(**POINT, eta=1e-6, n=1e4)
    assert 0 < near.test_gap < 1e-9
    assert far.baseline_test == limit.baseline_test == near.baseline_test


def test_degree_leaves_spikes_out():
    theory = ak.NonlinearSpikes(TANH, QUADRATIC)
    step = {"eta": 5.0, "n": 1000}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ak.AssumptionWarning)
        found = [theory.solve(**POINT, **step, degree=k).test_gap for k in (0, 1, 2, 8)]
    assert found[0] == 0.0
    assert 0 < found[1] < found[2]
    assert found[3] == theory.solve(**POINT, **step).test_gap


def test_a_series_that_does_not_settle_is_reported():
    theory = ak.NonlinearSpikes("sin(2*z)", "tanh(3*z)")
    with pytest.warns(ak.AssumptionWarning, match="is large at n = 100: the spikes of degrees 7 and 8 still change"):
        s = theory.solve(**POINT, eta=30, n=100)
    assert s.error_estimate > 0.01
    assert len(s.assumptions) == 1
    with pytest.warns(ak.AssumptionWarning) as caught:
        explicit = ak.NonlinearSpikes("sin(2*z)", "tanh(3*z)").solve(**POINT, eta=30, n=100, degree=8)
    assert explicit.error_estimate == s.error_estimate
    assert [str(w.message) for w in caught][1:] == list(s.assumptions)
    settled = theory.solve(**POINT, eta=1, n=1000)
    assert 0 < settled.error_estimate < 1e-10


def test_a_step_beyond_the_expansion_is_reported():
    """The bound is that of the standard deviation of what the step adds to the argument of a hidden unit."""
    theory = ak.NonlinearSpikes("sin(2*z)", "tanh(3*z)", initial_output="kept")
    c, t = (ak.Activation(f).hermite_coefficients(1)[1] for f in ("sin(2*z)", "tanh(3*z)"))
    student, target = (ak.Activation(f).second_moment() for f in ("sin(2*z)", "tanh(3*z)"))
    length = t**2 + 0.5 * (target + 0.1) + c**2 + 0.5 * student
    border = math.sqrt(400 / length) / c
    with pytest.warns(ak.AssumptionWarning, match=r"eta\*\|c_1\|\*\|beta\|/sqrt\(N\) = 1.01, where the expansion"):
        s = theory.solve(**POINT, eta=1.01 * border, n=400, degree=1)
    assert len(s.assumptions) == 1
    assert theory.solve(**POINT, eta=0.99 * border, n=400, degree=1).assumptions == ()


def test_refusals():
    theory = ak.NonlinearSpikes(TANH, QUADRATIC)
    text = r"finite step size: derivatives are available for diverging spikes only \(eta=None, n=None\)"
    with pytest.raises(ak.DomainError, match=text):
        theory.sensitivity("test_error", "lam", eta=1, n=100, **POINT)
    with pytest.raises(ak.DomainError, match=text):
        theory.minimize("test_error", over="eta", bounds=(1, 2), n=100, **POINT)
    with pytest.raises(ak.DomainError, match="n: got 0; expected a positive finite number"):
        theory.solve(eta=1, n=0, **POINT)
    with pytest.raises(ak.DomainError, match="n: got 1e-300; n.phi/psi = 0 hidden units are beyond double precision"):
        theory.solve(**{**POINT, "phi": 1e-100}, eta=1, n=1e-300)
    with pytest.raises(ak.DomainError, match="degree: got 9; expected an integer from 0 to 8"):
        theory.solve(eta=1, n=10, degree=9, **POINT)
