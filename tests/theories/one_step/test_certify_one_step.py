"""Certified saddle points of the one-step theory: containment, refusals, and what tampering does."""

import json
import math
from fractions import Fraction

import mpmath
import pytest
from helpers.routes import contains, names
from helpers.tiers import slow_but

import asympkit as ak

pytest.importorskip("flint", reason="python-flint is not installed")

from asympkit.certify import outer, run
from asympkit.certify import run as blocks  # noqa: E402

HERF = "erf(z/sqrt(2))"
MIXED = "z/2+tanh(z)/2"
NAMES = ("eta", "alpha0", "alpha", "beta", "lam", "noise_variance")
POINTS = [
    ("tanh", "sin", 2, 2, "1.5", 2, "0.01", 0),
    ("tanh", "tanh", 1, "0.5", 2, 1, "0.0001", 0),
    (HERF, "tanh", 2, 3, 2, "0.5", "0.1", 0),
    ("sin", "z/3+(z**2-1)/2", 1, 4, 2, 2, "0.1", 0),
    (MIXED, HERF, 2, 2, "0.5", 1, 1, 0),
    ("tanh", "relu", 2, 5, 1, 1, "0.1", 0),
    (HERF, HERF, 3, 20, 1, 1, "0.0001", 0),
    ("gelu", "tanh", 2, 2, "1.5", 2, "0.01", 0),
    ("tanh", "quadratic", 2, 2, "1.5", 2, "0.01", "0.05"),
    ("tanh", HERF, "0.4", "1.3", "0.7", "1.4", "0.3", "0.2"),
    (HERF, "sin", "1.1", 7, 3, "0.6", "0.02", "0.1"),
    (HERF, "relu", "0.7", "2.2", "1.2", "1.7", "0.05", 0),
    (HERF, "quadratic", 1, 3, "2.4", "0.8", "0.2", "0.3"),
    ("sin", "tanh", "1.6", "0.7", "1.1", "1.9", "0.6", 0),
    ("sin", "sin", "0.8", 10, "3.3", "0.4", "0.003", "0.01"),
    ("sin", "relu", "1.2", 4, "0.9", 1, "0.04", 0),
    ("gelu", "sin", "0.5", 6, 2, "1.3", "0.07", "0.2"),
    ("gelu", "relu", "0.9", "1.7", "0.6", "0.9", "0.5", 0),
    ("gelu", "quadratic", "0.6", 3, "1.8", "2.2", "0.1", 0),
    (MIXED, "sin", "1.3", "2.5", "2.1", "1.1", "0.008", "0.4"),
    (MIXED, "tanh", 3, 5, "1.6", "0.7", "0.03", 0),
    (MIXED, "relu", "0.3", 9, 3, 2, "0.9", "0.1"),
    ("relu", "tanh", 2, 2, "1.5", 2, "0.01", 0),
    ("silu", "softplus", 2, 2, "1.5", 2, "0.01", 0),
    ("tanh", "sin", 0, 2, "1.5", 2, "0.01", 0),
    ("tanh", "sin", "0.001", 2, "1.5", 2, "0.01", 0),
    ("tanh", "tanh", 2, math.inf, "1.5", 2, "0.01", "0.1"),
    ("tanh", "sin", 2, 2, 1, 1, "0.00000001", 0),
]
SHORT = {"eta": 1, "alpha0": 2, "alpha": 3, "lam": "0.01"}
pytestmark = pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")


def size(solution, name):
    own = 0 if solution[name].contains(0) else abs(solution[name].mid)
    return max(own, solution.scale.get(name, 0.0))


def identifier(point):
    return "-".join(map(str, point))


def posed(point):
    """Theory and parameters of a point."""
    return ak.OneStep(*point[:2]), dict(zip(NAMES, point[2:]))


@pytest.mark.parametrize("point", slow_but(POINTS, 0, 7, 13, 18, 24, single=True), ids=identifier)
def test_thirty_digits_are_proved(point):
    theory, parameters = posed(point)
    solution = theory.certify(digits=30, **parameters)
    assert solution.converged
    assert "exactly one solution with V1, V2 > 0" in solution.certificate.claim
    rough = theory.solve(**{k: float(Fraction(v)) if isinstance(v, str) else v for k, v in parameters.items()})
    newton = max(1.0, rough.condition["V1"], rough.condition["V2"])
    for name in names(solution):
        scale = size(solution, name)
        # what vanishes by symmetry has no scale of its own
        assert solution[name].rad <= mpmath.mpf(10) ** -30 * (scale or 1)
        assert abs(solution[name].mid - rough[name]) <= 1e-11 * max(newton, rough.condition.get(name, 1.0)) * (
            scale or 1)


@pytest.mark.slow
@pytest.mark.parametrize("point", POINTS, ids=identifier)
def test_balls_hold_sixty_digits(point):
    theory, parameters = posed(point)
    precise = theory.precise(digits=60, **parameters)
    for digits in (12, 30, 50):
        assert contains(theory.certify(digits=digits, **parameters), precise, 58)


def test_hundred_digits_and_nesting():
    theory = ak.OneStep("tanh", "sin")
    found = {d: theory.certify(digits=d, **SHORT) for d in (6, 15, 30, 100)}
    for d, solution in found.items():
        for name in names(solution):
            assert solution[name].rad <= mpmath.mpf(10) ** -d * size(solution, name)
            assert solution[name].overlaps(found[100][name])


@pytest.mark.slow
def test_spiked_features_by_themselves():
    theory = ak.SpikedFeatures("tanh", "sin")
    parameters = {"r": "-1.5", "c": "1.2", "gamma": "-0.3", "alpha": 3, "lam": "0.01", "beta": "0.7",
                  "noise_variance": "0.1"}
    assert contains(theory.certify(digits=25, **parameters), theory.precise(digits=40, **parameters), 38)
    aligned = {**parameters, "gamma": 1}
    assert contains(theory.certify(digits=25, **aligned), theory.precise(digits=40, **aligned), 38)


def test_identity_of_the_errors():
    # the optimum of the readout: objective = train error + lam beta/alpha q2, from separate averages
    s = ak.OneStep("tanh", "sin").certify(digits=30, **SHORT)
    left = s["objective"].mid
    right = s["train_error"].mid + mpmath.mpf("0.01") / 3 * s["q2"].mid
    with mpmath.workdps(60):
        assert abs(left - right) < 1e-17
    assert s.clean_error.overlaps(s.test_error)


# -- inputs --------------------------------------------------------------------------------------------


def test_floats_are_refused_or_read():
    theory = ak.OneStep("tanh", "sin")
    floats = {**SHORT, "lam": 0.01}
    with pytest.raises(ak.DomainError, match=r"lam: got the float 0.01, which differs from its decimal text.*'0.01'"):
        theory.certify(**floats)
    with pytest.raises(ak.DomainError, match="floats: got 'any'; expected 'refuse', 'decimal' or 'exact'"):
        theory.certify(floats="any", **SHORT)
    text = theory.certify(digits=30, **SHORT)
    decimal = theory.certify(digits=30, floats="decimal", **floats)
    binary = theory.certify(digits=30, floats="exact", **floats)
    fraction = theory.certify(digits=30, **{**SHORT, "lam": Fraction(1, 100)})
    assert decimal["V1"] == text["V1"] == fraction["V1"]
    assert not binary["V1"].overlaps(text["V1"])
    assert abs(binary["V1"].mid - text["V1"].mid) < 1e-14


@pytest.mark.parametrize("student, target, changed, reason", [
    ("tanh", "relu", {"alpha0": math.inf}, "'relu' has kinks and is outside all inner averages here"),
    ("abs(tanh(z))", "tanh", {"eta": 0}, "no closed form of its inner averages is known"),
    ("tanh", "exp(z/3)", {}, r"growth of 'exp\(z/3\)' is not proved to be polynomial"),
    ("tanh(200*z)", "tanh", {}, "too steep"),
])
def test_refusals_name_the_hypothesis(student, target, changed, reason):
    with pytest.raises(ak.ProofError, match=reason):
        ak.OneStep(student, target).certify(**{**SHORT, **changed})


def test_without_the_extra(monkeypatch):
    import sys

    for name in [n for n in sys.modules if n.startswith("asympkit.certify") or n == "asympkit.balls.backend"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "flint", None)
    with pytest.raises(ak.NotAvailableError, match=r"install asympkit\[certify\]"):
        ak.OneStep("tanh", "sin").certify(**SHORT)


# -- the record ----------------------------------------------------------------------------------------


def test_certificate_is_a_record(tmp_path):
    solution = ak.OneStep("gelu", "sin").certify(digits=20, **SHORT)
    record = solution.certificate
    text = str(record)
    assert "every exact value lies in its ball" in text
    assert "lam = 1/100" in text and "20 digits requested" in text
    assert "gelu: |f(x)| <= 1 |x| on the real line; analytic and bounded on strips" in text
    assert "T is monotone and strictly scalable" in text
    assert "is not odd, as arXiv 2402.04980 assumes" in text
    assert "python-flint" in text
    assert str(solution["V1"]) in text
    data = json.loads(record.save(tmp_path / "record.json").read_text())
    assert data["enclosures"]["V1"] == str(solution["V1"])
    assert "proved" in str(solution) and "largest radius" in str(solution)


# -- tampering -----------------------------------------------------------------------------------------


def attempt(**changed):
    """The ball of every quantity, or None where the proof fails."""
    try:
        return ak.OneStep("tanh", "sin").certify(digits=15, **{**SHORT, **changed})
    except ak.AsympkitError:
        return None


@pytest.fixture(scope="module")
def reference():
    return ak.OneStep("tanh", "sin").precise(digits=40, **SHORT)


@pytest.mark.parametrize("factor", slow_but([2, 4, 16], 2))
def test_a_longer_step_is_noticed(factor, monkeypatch, reference):
    honest = outer.OuterSums._fix

    def longer(self, step):
        honest(self, step * factor)

    monkeypatch.setattr(outer.OuterSums, "_fix", longer)
    solution = attempt()
    assert solution is None or contains(solution, reference, 38)


@pytest.mark.parametrize("move", slow_but([1e-20, 1e-12, 1e-8, 1e-3], 0, 3))
def test_a_moved_bracket_is_noticed(move, monkeypatch, reference):
    honest = blocks.polish
    monkeypatch.setattr(run, "polish", lambda *a: [x * (1 + move) for x in honest(*a)])
    solution = attempt()
    assert solution is None or contains(solution, reference, 38)
    if move > 1e-6:
        assert solution is None


def test_a_higher_region_is_not_proved(monkeypatch, reference):
    from asympkit.certify import entire as region

    honest = region.Region._promising
    tops = []

    def higher(self, top):
        tops.append(honest(self, top))
        return 1.5 * tops[-1]

    monkeypatch.setattr(region.Region, "_promising", higher)
    solution = attempt()
    assert tops
    assert solution is None or contains(solution, reference, 38)


@pytest.mark.parametrize(("loss", "more"), [
    ("square", {"flip": "0.05", "noise_variance": "0.2", "beta": "0.7"}),
    pytest.param("square", {"eta": 0}, marks=pytest.mark.slow),         # the equation of m vanishes
    pytest.param("square", {}, marks=pytest.mark.slow),
    pytest.param("logistic", {"flip": "0.1"}, marks=pytest.mark.slow),
    pytest.param("hinge", {"noise_variance": "0.1", "beta": 2}, marks=pytest.mark.slow),
    pytest.param(ak.Huber(1), {"eta": 0}, marks=pytest.mark.slow)])
def test_steps_on_signs_are_proved(loss, more):
    """Rate and noise of the step that is the same on a sign with additive noise are balls.

    Digits of what is 0 are those beside 1.
    """
    theory = ak.OneStep("tanh", "z", loss=loss, labels="sign")
    at = {"eta": "1.5", "alpha0": 3, "alpha": 2, "lam": "0.1", **more}
    proved, many = theory.certify(digits=10, **at), theory.precise(digits=20, **at)
    for name, value in {**many.order_parameters, **many.observables}.items():
        assert abs(float(proved[name].mid - value)) <= float(proved[name].rad) + 1e-15 * abs(float(value)) + 1e-28


def test_what_has_no_proof_after_a_step_is_refused_by_name():
    with pytest.raises(ak.ProofError, match="'logistic' with labels='sign' at gamma = 1 and -1 has other averages"):
        ak.OneStep("tanh", "z", loss="logistic", labels="sign").certify(
            digits=8, eta=1, alpha0=math.inf, alpha=2, lam="0.1", noise_variance="0.1")
