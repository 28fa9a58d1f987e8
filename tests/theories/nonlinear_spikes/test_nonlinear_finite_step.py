"""Nonlinear spikes whose strengths are kept: against the formula written out as matrices, and its limits."""

import math
import warnings

import mpmath
import pytest
from helpers.tiers import slow_but

import asympkit as ak

TANH, QUADRATIC = "tanh(z)+0.3*(z**2-1)", "z+(z**2-1)/sqrt(2)"
AT = {"phi": 0.5, "psi": 0.5, "lam": 0.1, "noise_variance": 0.1}
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
    phi, psi, noise = mp.mpf(AT["phi"]), mp.mpf(AT["psi"]), mp.mpf("0.1")
    kappa, N, B = psi / phi, n * phi / psi, c[1] ** 2
    A = ak.Activation(student).second_moment(digits=DIGITS) - B
    labels = ak.Activation(target).second_moment(digits=DIGITS) + noise

    def pair(m1, m2):
        Psi = B * m1 * m2 * (lam * kappa * m1 - 1)
        return phi * (m1 - m2) * (A * m1 + B * m2) + Psi, (B * m1 * m2 + phi * (m2 - m1)) / kappa + Psi

    rough = ak.NonlinearSpikes(student, target).solve(**{**AT, "lam": float(lam)}, degree=0)
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
    s = theory.solve(**AT, eta=eta, n=1000)
    assert s.train_gap == pytest.approx(train, rel=1e-11)
    assert s.test_gap == pytest.approx(test, rel=1e-10)


@pytest.mark.parametrize(("options", "eta", "train", "test"), [
    ({}, 1000**0.1, 0.0406, 0.1455), ({}, 1000**0.29, 0.1236, 0.452), ({"initial_output": "kept"}, 1.0, 0.0170, 0.066)])
def test_known_values(options, eta, train, test):
    s = ak.NonlinearSpikes(TANH, QUADRATIC, **options).solve(**AT, eta=eta, n=1000)
    assert s.train_gap == pytest.approx(train, abs=6e-5)
    assert s.test_gap == pytest.approx(test, abs=6e-4)


def test_slow_convergence():
    """The train gap at two exponents, for n from 10^3 to 10^12, as the theory sheet lists it."""
    theory = ak.NonlinearSpikes(TANH, QUADRATIC)
    listed = {0.1: (0.0406, 0.0505, 0.0685, 0.0799, 0.0880), 0.29: (0.1235, 0.1343, 0.1437, 0.1483, 0.1520)}
    for alpha, known in listed.items():
        for n, gap in zip((1e3, 1e4, 1e6, 1e8, 1e12), known):
            assert theory.solve(**AT, eta=n**alpha, n=n).train_gap == pytest.approx(gap, abs=1.1e-4)


@pytest.mark.parametrize("options", [{}, {"rows": "gaussian"}, {"initial_output": "kept"}, {"free_constant": True}])
def test_large_and_small_steps(options):
    """A huge step of a polynomial student gives the gaps of the limit, a tiny one none."""
    theory = ak.NonlinearSpikes("z+(z**2-1)/2+(z**3-3*z)/3", QUADRATIC, **options)
    limit = theory.solve(**AT, degree=3)
    with pytest.warns(ak.AssumptionWarning, match="eta = 1e.12 is large at n = 10000: the step moves the argument"):
        far = theory.solve(**AT, eta=1e12, n=1e4)
    assert far.train_gap == pytest.approx(limit.train_gap, rel=1e-10)
    assert far.test_gap == pytest.approx(limit.test_gap, rel=1e-10)
    none = theory.solve(**AT, eta=0, n=1e4)
    assert (none.train_gap, none.test_gap) == (0.0, 0.0)
    near = theory.solve(**AT, eta=1e-6, n=1e4)
    assert 0 < near.test_gap < 1e-9
    assert far.baseline_test == limit.baseline_test == near.baseline_test


def test_degree_leaves_spikes_out():
    theory = ak.NonlinearSpikes(TANH, QUADRATIC)
    step = {"eta": 5.0, "n": 1000}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ak.AssumptionWarning)
        found = [theory.solve(**AT, **step, degree=k).test_gap for k in (0, 1, 2, 8)]
    assert found[0] == 0.0
    assert 0 < found[1] < found[2]
    assert found[3] == theory.solve(**AT, **step).test_gap


def test_a_series_that_does_not_settle_is_reported():
    theory = ak.NonlinearSpikes("sin(2*z)", "tanh(3*z)")
    with pytest.warns(ak.AssumptionWarning, match="is large at n = 100: the spikes of degrees 7 and 8 still change"):
        s = theory.solve(**AT, eta=30, n=100)
    assert s.error_estimate > 0.01
    assert len(s.assumptions) == 1
    with pytest.warns(ak.AssumptionWarning) as caught:
        explicit = ak.NonlinearSpikes("sin(2*z)", "tanh(3*z)").solve(**AT, eta=30, n=100, degree=8)
    assert explicit.error_estimate == s.error_estimate
    assert [str(w.message) for w in caught][1:] == list(s.assumptions)
    settled = theory.solve(**AT, eta=1, n=1000)
    assert 0 < settled.error_estimate < 1e-10


def test_a_step_beyond_the_expansion_is_reported():
    """The bound is that of the standard deviation of what the step adds to the argument of a hidden unit."""
    theory = ak.NonlinearSpikes("sin(2*z)", "tanh(3*z)", initial_output="kept")
    c, t = (ak.Activation(f).hermite_coefficients(1)[1] for f in ("sin(2*z)", "tanh(3*z)"))
    student, target = (ak.Activation(f).second_moment() for f in ("sin(2*z)", "tanh(3*z)"))
    length = t**2 + 0.5 * (target + 0.1) + c**2 + 0.5 * student
    border = math.sqrt(400 / length) / c
    with pytest.warns(ak.AssumptionWarning, match=r"eta\*\|c_1\|\*\|beta\|/sqrt\(N\) = 1.01, where the expansion"):
        s = theory.solve(**AT, eta=1.01 * border, n=400, degree=1)
    assert len(s.assumptions) == 1
    assert theory.solve(**AT, eta=0.99 * border, n=400, degree=1).assumptions == ()


def test_refusals():
    theory = ak.NonlinearSpikes(TANH, QUADRATIC)
    text = r"finite step size: derivatives are available for diverging spikes only \(eta=None, n=None\)"
    with pytest.raises(ak.DomainError, match=text):
        theory.sensitivity("test_error", "lam", eta=1, n=100, **AT)
    with pytest.raises(ak.DomainError, match=text):
        theory.minimize("test_error", over="eta", bounds=(1, 2), n=100, **AT)
    with pytest.raises(ak.DomainError, match="n: got 0; expected a positive finite number"):
        theory.solve(eta=1, n=0, **AT)
    with pytest.raises(ak.DomainError, match="n: got 1e-300; n.phi/psi = 0 hidden units are beyond double precision"):
        theory.solve(**{**AT, "phi": 1e-100}, eta=1, n=1e-300)
    with pytest.raises(ak.DomainError, match="degree: got 9; expected an integer from 0 to 8"):
        theory.solve(eta=1, n=10, degree=9, **AT)
