"""The trace_pair (E1), (E2), the form that is solved, and the bridge to spiked features."""

import mpmath
import numpy as np
import pytest
from sympy import Rational, Symbol, cancel, sqrt

import asympkit as ak
from asympkit.theories.nonlinear_spikes.equations import limit_system, pieces, symbols, trace_pair

S = symbols()
STUDENT, TARGET = "tanh(z)+0.3*(z**2-1)", "z+(z**2-1)/sqrt(2)"


def moments():
    """c_1 and A of the student."""
    with mpmath.workdps(60):
        c = ak.Activation(STUDENT).hermite_coefficients(1, digits=60)[1]
        return c, ak.Activation(STUDENT).second_moment(digits=60) - c**2


def test_the_solved_form_is_the_pair():
    """On the curve lam(chi, m1), E2 is affine in m2, and what is left of E1 is chi*zeta = min(1, 1/kappa)."""
    kappa = S.psi / S.phi
    lam = (S.chi / S.m1 - 1 + kappa) / (kappa**2 * S.m1)          # chi = m1*(1 - kappa*(1 - lam*kappa*m1))
    m2 = S.m1 * pieces().ratio.expr
    E1, E2 = (e.subs(S.lam, lam) for e in trace_pair())
    assert cancel(E2.subs(S.m2, m2)) == 0
    left = S.chi * (S.nonlinear + S.linear * m2 / S.m1) + kappa * lam * S.m1 - 1
    assert cancel(E1.subs(S.m2, m2) / (S.linear * m2 * S.m1) - left) == 0


@pytest.mark.parametrize("kappa", [Rational(1, 3), Rational(5, 2)])
def test_share_and_excess_solve_the_quadratic_of_m1(kappa):
    p, low = pieces(), max(0, 1 - 1 / kappa)
    lam, chi = Symbol("lam", positive=True), Symbol("chi", positive=True)
    at = {S.psi: kappa, S.phi: 1, S.lam: lam, S.chi: chi}
    share, excess = (e.expr.subs({n: n.expr for n in (p.distance,)}).subs(at) for e in (p.share, p.excess))
    root = sqrt((kappa - 1) ** 2 + 4 * kappa**2 * lam * chi)
    u = low + chi * share
    assert cancel((u - (kappa - 1 + root) / (2 * kappa)).subs(lam, (Symbol("r") ** 2 - (kappa - 1) ** 2)
                                                              / (4 * kappa**2 * chi))).subs(Symbol("r"), 7) == 0
    assert excess == max(0, 1 - kappa)


def test_structure():
    system = limit_system()
    assert [(b.kind, tuple(map(str, b.torn))) for b in system.blocks] == [
        ("nonlinear", ("chi",)), ("explicit", ()), ("explicit", ()), ("linear", ("dchi",)), ("explicit", ()),
        ("explicit", ())]
    assert [str(u) for u in system.unknowns] == ["chi", "zeta", "m1", "m2", "dchi", "dzeta", "dm1", "dm2"]
    assert ak.NonlinearSpikes("tanh", "sin").free_energy is None


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
