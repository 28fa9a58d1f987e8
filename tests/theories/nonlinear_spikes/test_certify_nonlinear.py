"""Certificates of the nonlinear spikes: balls, all roots of the quartic, and attempts to cheat."""

import json
import warnings
from fractions import Fraction

import pytest
from helpers.tiers import slow_but

import asympkit as ak

flint = pytest.importorskip("flint", reason="python-flint is not installed")

from flint import arb  # noqa: E402

from asympkit.certify.forms import ball_function  # noqa: E402
from asympkit.theories.nonlinear_spikes import quartic as quartic  # noqa: E402
from asympkit.theories.nonlinear_spikes.equations import symbols  # noqa: E402

AT = {"phi": "0.5", "psi": 1, "lam": "1/100", "noise_variance": "0.1"}
QUADRATIC, TANH = "z+(z**2-1)/sqrt(2)", "tanh(z)+0.3*(z**2-1)"


def quiet(function, **named):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ak.AssumptionWarning)
        return function(**named)


@pytest.mark.parametrize(("student", "target", "options", "moved", "roots"), slow_but([
    (QUADRATIC, QUADRATIC, {}, {}, 4),
    (TANH, "sin", {"rows": "gaussian", "initial_output": "kept"}, {"psi": "0.3", "degree": 3}, 4),
    ("relu", "tanh", {"free_constant": True}, {"phi": "2", "lam": "1e-6", "degree": 4}, 4),
    ("z", QUADRATIC, {}, {"degree": 1}, 3), ("z**2-1", QUADRATIC, {}, {}, 2),
    (TANH, QUADRATIC, {"initial_output": "kept"}, {"eta": 2, "n": 1000}, 4)], 1, 3))
def test_balls_hold_the_precise_solution(student, target, options, moved, roots):
    theory = ak.NonlinearSpikes(student, target, **options)
    at = {**AT, **moved}
    s, p = quiet(theory.certify, digits=20, **at), quiet(theory.precise, digits=45, **at)
    for name in (*s.observables, *s.order_parameters):
        assert abs(s[name].mid - p[name]) <= s[name].rad + abs(p[name]) * 1e-40
    for name in s.observables:
        assert s[name].rad <= 1e-20 * max(abs(s[name].mid), s.scale.get(name, 0.0))
    record = s.certificate
    assert record.claim.startswith("The equations have exactly one solution with chi > 0")
    assert "the only root of the quartic equation of m1 with max(0, 1 - 1/kappa) < lam*kappa*m1 < 1" in record.claim
    assert f"has degree {roots}; its root u = " in record.roots[-1]
    assert record.roots[-1].count(" +/- ") >= roots


def written_out(c1, c2, rest, digits=200):
    """Training and test gap of degrees 1 and 2 for the target QUADRATIC, in the symbols of arXiv 2310.07891."""
    import mpmath as mp

    with mp.workdps(digits):
        phi, psi, lam, noise = mp.mpf("0.5"), mp.mpf(1), mp.mpf("0.01"), mp.mpf("0.1")
        c1, c2, A = mp.mpf(c1), mp.mpf(c2), mp.mpf(rest)
        kappa, B = psi / phi, c1**2
        rho2 = 1 / (1 + phi * (2 + noise))
        S = rho2**2 * mp.mpf(4) / 3 / 2 if c2 else 0

        def quadratic(lam):
            def left(m1):      # (E1) with m2 from (E2), over m1**2
                ratio = phi / kappa / ((phi + B * m1) / kappa + B * m1 * (lam * kappa * m1 - 1))
                return phi * (1 - ratio) * (A + B * ratio) + B * ratio * (lam * kappa * m1 - 1)

            low, high = 1 - 1 / kappa, mp.mpf(1)
            for _ in range(4 * digits):
                u = (low + high) / 2
                low, high = (u, high) if left(u / (lam * kappa)) < 0 else (low, u)
            m1 = u / (lam * kappa)
            ratio = phi / kappa / ((phi + B * m1) / kappa + B * m1 * (lam * kappa * m1 - 1))
            return kappa * m1 * (rho2 * ratio + S), m1

        h = mp.mpf(10) ** -20
        (value, m1), up, down = quadratic(lam), quadratic(lam + h)[0], quadratic(lam - h)[0]
        return lam * value, (down - up) / (2 * h) / (kappa * m1) ** 2


@pytest.mark.parametrize(("student", "numbers"), slow_but([
    (QUADRATIC, ("1", "0.7071", "1")), ("z/10**20+z**2-1", ("1e-20", "1", "2")),
    ("z/10**40+z**2-1", ("1e-40", "1", "2")),
    ("10**15*(z**2-1)+z", ("1", "1e15", "2e30")), ("z+(z**2-1)/10**15", ("1", "1e-15", "2e-30")),
    ("z+(z**2-1)/10**13+(z**3-3*z)/10**14", ("1", "1e-13", "2.06e-26"))], 2, 3))
def test_a_coefficient_that_is_not_zero_is_never_taken_as_zero(student, numbers):
    theory = ak.NonlinearSpikes(student, QUADRATIC)
    train, test = written_out(*numbers)
    s, proved = theory.solve(phi=0.5, psi=1, lam=0.01, noise_variance=0.1), theory.certify(digits=20, **AT)
    for name, value in (("train_gap", train), ("test_gap", test)):
        assert abs(proved[name].mid - value) <= proved[name].rad + 1e-30 * value
        assert proved[name].rad <= 1e-20
        assert s[name] == pytest.approx(float(value), rel=1e-11)
        assert theory.precise(digits=25, **AT)[name] == pytest.approx(value, rel=1e-24)
    assert s.assumptions == ()


@pytest.mark.slow
def test_what_solve_cannot_tell_from_zero_a_proof_can():
    """A coefficient of 1e-46 without a closed form: floats refuse it, the proof sees the spike."""
    shifted, near = ak.NonlinearSpikes("tanh(z+1/10**45)", QUADRATIC), ak.NonlinearSpikes("tanh(z+1/10**9)", QUADRATIC)
    with pytest.raises(ak.DomainError, match=r"student: the Hermite coefficient of degree 2 of .* is below the range"):
        shifted.solve(phi=0.5, psi=1, lam=0.01, noise_variance=0.1)
    proved = quiet(shifted.certify, digits=20, **AT)["test_gap"]
    assert abs(proved.mid - near.precise(digits=20, **AT).test_gap) < 1e-8


@pytest.mark.parametrize("student", ["0", "3"])
def test_a_student_without_features_is_named(student):
    with pytest.raises(ak.ProofError, match=f"the student '{student}' is zero without its mean: it has no features"):
        quiet(ak.NonlinearSpikes(student, "z").certify, digits=12, **AT)


@pytest.mark.slow
def test_undecided_degrees_are_refused():
    theory = ak.NonlinearSpikes("tanh(z)+(z**2-1)/10**60/10**60", QUADRATIC)
    text = r"the Hermite coefficient c_2 of the student .* is proved neither to vanish nor not to \("
    with pytest.raises(ak.ProofError, match=text):
        quiet(theory.certify, digits=15, **AT)
    proved = quiet(theory.certify, digits=130, **AT)["test_gap"]
    assert abs(proved.mid - quiet(theory.certify, digits=15, degree=1, **AT)["test_gap"].mid) > 0.1


def test_record_names_the_hypotheses_of_both_activations(tmp_path):
    s = ak.NonlinearSpikes("softplus", "sin", free_constant=True).certify(digits=12, degree=1, **AT)
    assert [h.partition(":")[0] for h in s.certificate.hypotheses] == ["softplus", "sin"]
    stored = json.loads(s.certificate.save(tmp_path / "proof.json").read_text())
    assert stored["roots"] == list(s.certificate.roots)
    assert stored["parameters"]["lam"] == "1/100"


def coefficients(phi, psi, lam, linear, nonlinear):
    s = symbols()
    values = {s.phi: phi, s.psi: psi, s.lam: lam, s.linear: linear, s.nonlinear: nonlinear}
    return [arb(ball_function(c)({k: arb(v) for k, v in values.items()})) for c in quartic.quartic()]


def test_another_root_is_refused():
    rows = coefficients(0.5, 1.0, 0.01, 1.0, 1.0)
    roots, low = quartic.isolate(rows), arb(1) / 2
    real = sorted(float(r.real.mid()) for r in roots)
    assert quartic.classify(roots, low, arb("0.506021", "1e-4")).real.overlaps(arb("0.506021", "1e-5"))
    for other in real[:3]:
        with pytest.raises(ak.ProofError, match="the solution found is not the physical root"):
            quartic.classify(roots, low, arb(other, 1e-4))
    with pytest.raises(ak.ProofError, match="not the physical root"):
        quartic.classify(roots, low, arb("0.49", "0.02"))        # wide enough to hold another root too
    with pytest.raises(ak.ProofError, match="has 2 roots in the physical interval; expected exactly one"):
        quartic.classify(roots, arb("0.4"), arb("0.506021", "1e-4"))
    with pytest.raises(ak.ProofError, match="has 0 roots in the physical interval"):
        quartic.classify(roots, arb("0.6"), arb("0.506021", "1e-4"))
    with pytest.raises(ak.ProofError, match="not proved to lie inside or outside"):
        quartic.classify(roots, arb("0.506", "0.01"), arb("0.506021", "1e-4"))


def test_roots_that_are_not_separated_are_refused():
    with pytest.raises(ak.ProofError, match="are not isolated at this precision"):
        quartic.isolate([arb(1), arb(-2), arb(1, 1e-3)])
    assert len(quartic.isolate([arb(0), arb(1), arb(-3), arb(2)])) == 2


@pytest.mark.parametrize("place", range(5))
def test_a_wrong_coefficient_is_refused(monkeypatch, place):
    """The polynomial comes from (E1), (E2): with one coefficient changed it does not fit the solution."""
    true = quartic.quartic()
    wrong = tuple(c * (1 + Fraction(1, 10**15)) if i == place else c for i, c in enumerate(true))
    monkeypatch.setattr(quartic, "quartic", lambda: wrong)
    theory = ak.NonlinearSpikes(QUADRATIC, QUADRATIC)
    with pytest.raises(ak.ProofError, match="the solution found is no root of the quartic equation of m1"):
        theory.certify(digits=20, **AT)


@pytest.mark.parametrize("name", ["linear", "nonlinear"])
def test_wrong_moments_are_refused(monkeypatch, name):
    """The roots of another student do not hold the solution."""
    from asympkit.theories.nonlinear_spikes import moments as nonlinear_moments
    from asympkit.theories.nonlinear_spikes import quartic

    honest = nonlinear_moments.moments_of

    def shifted(*arguments):
        m = honest(*arguments)
        c = tuple(v * (1 + arb("1e-12")) if k == 1 and name == "linear" else v for k, v in enumerate(m.coefficients))
        return nonlinear_moments.ActivationMoments(c, m.rest * (1 + arb("1e-12")) if name == "nonlinear" else m.rest)

    monkeypatch.setattr(quartic, "moments_of", shifted)
    with pytest.raises(ak.ProofError, match="the solution found is no root of the quartic"):
        ak.NonlinearSpikes(QUADRATIC, QUADRATIC).certify(digits=15, **AT)


def test_floats_are_refused_unless_read():
    theory = ak.NonlinearSpikes(QUADRATIC, QUADRATIC)
    with pytest.raises(ak.DomainError, match="lam: got the float 0.01, which differs from its decimal text"):
        theory.certify(**{**AT, "lam": 0.01})
    s = theory.certify(digits=12, floats="decimal", **{**AT, "lam": 0.01})
    assert s["m1"].overlaps(theory.certify(digits=12, **AT)["m1"])
