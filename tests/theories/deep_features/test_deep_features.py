"""Ridge regression on deep random networks: digits, a published formula, even layers, layers with means, refusals."""

import math

import mpmath
import numpy as np
import pytest
from helpers.deep_means import errors_with_means, walked
from helpers.modules import loaded, plain_module
from helpers.tiers import slow_but

import asympkit as ak

EVERY = ("1.5:tanh,0.7:erf(z),2:sin", "1:erf(z),1:sign")


@pytest.fixture(scope="module")
def deep():
    return ak.DeepFeatures(*EVERY)


@pytest.mark.parametrize("depth", slow_but([1, 2, 3, 4, 5, 6], 1))
def test_doubles_are_right_to_a_few_roundings_at_any_penalty(depth):
    layers = ("1.5:tanh", "0.7:erf(z)", "2:sin", "1:z/sqrt(1+z**2)", "3:atan(z)", "0.5:tanh(2*z)")
    t = ak.DeepFeatures(",".join(layers[:depth]), "1:sign")
    for alpha, lam in (("0.3", "1e-6"), ("20", "1e-6"), ("2", "1e-3"), ("2", "10")):
        s = t.solve(alpha=float(alpha), lam=float(lam), noise_variance=0.1)
        precise = t.precise(digits=40, alpha=alpha, lam=lam, noise_variance="0.1")
        for name in ("test_error", "train_error", "objective"):
            assert s[name] == pytest.approx(float(precise[name]), rel=1e-13)


def test_linear_layers_do_nothing_but_lose_rank():
    """A wide linear layer is the input; a narrow one with infinitely many samples leaves what it cannot carry."""
    plain = ak.DeepFeatures("1e8:z", "1:z").solve(alpha=0.7, lam=0.3, noise_variance=0.2)
    # V = 1/(lam + alpha/(1 + V)) for ridge regression on the inputs
    V = plain.V1
    assert 1 / (0.3 + plain.Vhat1) == pytest.approx(1 / (0.3 + 0.7 / 1e8 / (1 + V)), rel=1e-12)
    narrow = ak.DeepFeatures("0.25:z", "1:z").solve(alpha=1e7, lam=1e-7)
    assert narrow.test_error == pytest.approx(0.75, rel=1e-6)


@pytest.mark.parametrize(("student", "target", "text"), [
    ("1.5tanh", "1:sign", "student: got '1.5tanh'; expected WIDTH:ACTIVATION, such as 1.5:tanh"),
    ([], "1:sign", "student: got []; expected a list of asympkit.Layer"),
    ("-1:tanh", "1:sign", "width: got -1.0; expected"),
    ("1:tanh=", "1:sign", "student: got a shared layer; expected shared=True in the target alone"),
    ("1:tanh", "1:sign,1:tanh=", "target: layer 2 is shared and layer 1 is not"),
    ("1:tanh", "2:tanh=", "target: its shared layer 1 is 2:tanh=, and the student's is 1:tanh"),
    ("1:tanh", "1:tanh=,1:tanh=", "target: got 2 shared layers; expected at most 1"),
    ("1:tanh,2:0.5", "1:sign", "student: layer 2 is 2:0.5, a constant, whose features have no variance"),
])
def test_what_is_no_network(student, target, text):
    with pytest.raises(ak.DomainError) as error:
        ak.DeepFeatures(student, target)
    assert text in str(error.value)


@pytest.mark.parametrize("depth", [9, pytest.param(32, marks=pytest.mark.slow)])
def test_moments_of_many_layers_are_computed_at_once(depth):
    """What an average holds stands in the next ones several times: walked as a tree, this would take hours."""
    student, at = ",".join(["1:tanh"] * depth), {"alpha": 2.0, "lam": 0.1, "noise_variance": 0.1}
    assert ak.DeepFeatures(student, "1:tanh").solve(**at).test_error == pytest.approx(
        walked(student, "1:tanh", **at)[0], rel=1e-11)


@pytest.mark.parametrize("student", [EVERY[0], "1.5:z**2"])
def test_what_is_no_spectrum(student):
    """Of an even layer nothing but the mean of the spectrum counts, and its numbers are checked all the same."""
    deep = ak.DeepFeatures(student, "1:sign")
    for spectrum, text in (([1.0, -1.0], "input_spectrum: got -1.0"), ([0.0, 0.0], "got 2 times 0")):
        with pytest.raises(ak.DomainError, match="input_spectrum") as error:
            deep.solve(alpha=1, lam=1, input_spectrum=spectrum)
        assert text in str(error.value)
    with pytest.raises(ak.DomainError, match="it is the mean of input_spectrum"):
        deep.solve(alpha=1, lam=1, input_variance=3)


def test_the_variance_of_the_inputs_is_never_typed(deep):
    with pytest.raises(ak.UnknownNameError, match="to differentiate by; known are alpha, lam, noise_variance, w"):
        deep.sensitivity("test_error", "input_variance", alpha=1, lam=0.1)
    assert "input_variance" not in deep.solve.__doc__ and "width1" in deep.solve.__doc__


def test_a_layer_without_a_linear_part_at_its_variance_is_named():
    with pytest.raises(ak.DomainError, match="kappa1_1 is declared nonzero; expected a nonzero number, or parameters "):
        ak.DeepFeatures("1:z**3-3*z", "1:sign").solve(alpha=1, lam=0.1)


def test_a_module_checks_that_the_variance_is_the_mean_of_the_spectrum(tmp_path):
    theory = ak.DeepFeatures("1.5:erf(z)", "1:sign")
    module = loaded(theory.generate(tmp_path / "deep_alone.py"))
    spectrum = [0.1, 0.2, 0.7]
    found = module.solve(2.0, 0.1, 1 / 3, spectrum)["test_error"]
    expected = theory.solve(alpha=2.0, lam=0.1, input_spectrum=spectrum).test_error
    assert found == pytest.approx(expected, rel=1e-12)
    for wrong in (0.5, -1 / 3, 0.0, math.inf, math.nan):
        with pytest.raises(ValueError, match="input_variance: got .*expected a positive finite number, the mean of "
                                             "input_spectrum"):
            module.solve(2.0, 0.1, wrong, spectrum)


def _newton(a, b, xi, psi1, psi2, z2):
    """The two resolvent equations at one spectral parameter, by Newton's method."""
    for _ in range(60):
        s = 1 - z2 * a * b
        left, right = -xi - b - z2 * b / s, -xi - a - z2 * a / s
        f, g = a * left - psi1, b * right - psi2
        fa, fb = left - a * (z2 * b / s)**2, -a * (1 + z2 / s + z2**2 * a * b / s**2)
        ga, gb = -b * (1 + z2 / s + z2**2 * a * b / s**2), right - b * (z2 * a / s)**2
        det = fa * gb - fb * ga
        da, db = (f * gb - g * fb) / det, (g * fa - f * ga) / det
        a, b = a - da, b - db
        if abs(da) + abs(db) < 1e-27 * (abs(a) + abs(b)):
            return a, b
    raise AssertionError("no root")


def _closed_form(psi1, psi2, zeta, ridge, linear, rest, noise):
    """Test error against the clean target, of a target with linear part ``linear`` and non-linear part ``rest``."""
    with mpmath.workdps(30):
        xi = mpmath.mpc(0, mpmath.sqrt(psi1 * psi2 * ridge))

        # from far up the imaginary axis, where the solution is -psi/xi
        far, steps = mpmath.mpc(0, 100), 30
        nu = -psi1 / far, -psi2 / far
        for k in range(steps + 1):
            nu = _newton(*nu, far * (xi / far)**(mpmath.mpf(k) / steps), psi1, psi2, mpmath.mpf(zeta)**2)
        chi, p, q, z2 = nu[0] * nu[1], psi1, psi2, zeta**2
        e0 = (-chi**5 * z2**3 + 3 * chi**4 * z2**2 + (p * q - q - p + 1) * chi**3 * z2**3 - 2 * chi**3 * z2**2
              - 3 * chi**3 * z2 + (p + q - 3 * p * q + 1) * chi**2 * z2**2 + 2 * chi**2 * z2 + chi**2
              + 3 * p * q * chi * z2 - p * q)
        e1 = q * chi**3 * z2**2 - q * chi**2 * z2 + p * q * chi * z2 - p * q
        e2 = (chi**5 * z2**3 - 3 * chi**4 * z2**2 + (p - 1) * chi**3 * z2**3 + 2 * chi**3 * z2**2 + 3 * chi**3 * z2
              + (-p - 1) * chi**2 * z2**2 - 2 * chi**2 * z2 - chi**2)
        value = linear * e1 / e0 + (rest + noise) * e2 / e0 + rest
        assert abs(value.imag) < 1e-20
        return float(value.real)


@pytest.mark.parametrize(("width", "alpha", "lam", "noise"), [
    (1.5, 0.5, 1e-4, 0.1), (1.5, 0.5, 2.0, 0.1), (0.5, 1.5, 0.01, 0.3), (3.0, 3.0, 0.1, 0.0), (0.2, 4.0, 1e-3, 0.5),
    (6.0, 0.7, 1.0, 0.2), (1.0, 1.1, 0.05, 0.05), (2.0, 10.0, 5.0, 1.0)])
def test_random_features(width, alpha, lam, noise):
    t = ak.DeepFeatures(f"{width}:tanh", "1:sin")
    s = t.solve(alpha=alpha, lam=lam, noise_variance=noise)
    shown = t.point(t.given({"alpha": alpha, "lam": lam})).shown
    kappa, star = shown["kappa1_1"], shown["kappastar2_1"]
    # of sin(z): slope exp(-1/2), second moment (1 - exp(-2))/2
    linear, whole = math.exp(-1), (1 - math.exp(-2)) / 2
    # their penalty is (p/d) lambda |a|^2 next to the mean square, with features over mu_*
    found = _closed_form(width, alpha, kappa / math.sqrt(star), lam / alpha / star, linear, whole - linear, noise)
    assert s.clean_error == pytest.approx(found, rel=1e-13)


AT = {"alpha": 1.7, "lam": 0.05, "noise_variance": 0.2}


@pytest.mark.parametrize(("moved", "spectrum"), [
    ({}, [1.0]), ({"alpha": 0.4, "lam": 1e-5}, [1.0]), ({"noise_variance": 1.3, "width1": 0.7}, [3.0, 1.0, 0.5])])
def test_an_even_layer_makes_features_without_correlations(moved, spectrum):
    at, variance = AT | moved, np.mean(spectrum)
    rest, width = 2 * variance**2, at.get("width1", 1.5)
    for target, rho, transmitted in (("1:sign", 1.0, 0.0), ("1.5:z**2=", rest, 1.0)):
        # isotropic features, in their own number as the unit of sizes
        test, train = errors_with_means(at["alpha"] / width, at["lam"], at["noise_variance"], (), (), [rest], rho,
                                        transmitted)
        s = ak.DeepFeatures("1.5:z**2", target).solve(**at, input_spectrum=spectrum)
        assert (s.test_error, s.train_error) == pytest.approx((test, train), rel=1e-10)
        assert (s["Q"] == 0.0) is (transmitted == 0.0)


@pytest.mark.parametrize(("student", "target"), slow_but([
    ("1.5:z**2{e}", "1:sign"), ("1.3:abs(z){e},0.7:tanh", "1:tanh"), ("1.5:tanh,0.8:z**2{e},1.2:erf(z)", "1:sign"),
    ("1.5:tanh,0.8:abs(z){e}", "1.5:tanh=,1:sign"), ("1.5:tanh,0.8:abs(z){e}", "1.5:tanh=,0.8:abs(z){e}=,1:sign"),
    ("1.5:z**2{e},0.9:erf(z)", "1.5:z**2{e}=,0.9:erf(z)=")], 1))
def test_it_is_the_limit_of_small_slopes(student, target):
    even, apart = ak.DeepFeatures(student.format(e=""), target.format(e="")).solve(**AT), []
    for slope in ("1/50", "1/100"):
        near = ak.DeepFeatures(student.format(e=f"+z*{slope}"), target.format(e=f"+z*{slope}")).solve(**AT)
        apart.append((near.test_error - even.test_error, near.train_error - even.train_error))
    # the difference is the square of the slope
    np.testing.assert_allclose(np.array(apart[0]) / apart[1], 4.0, rtol=0.05)


def test_digits_and_proofs():
    t, at = ak.DeepFeatures("1.5:z**2", "1:sign"), {"alpha": "1.7", "lam": "0.05", "noise_variance": "0.2"}
    proved = t.certify(digits=20, **at)
    assert "exactly one solution with V1 > 0" in proved.certificate.claim
    assert proved.test_error.contains(str(t.precise(digits=40, **at).test_error))
    assert t.solve(**AT).test_error == pytest.approx(float(proved.test_error), rel=1e-13)


def test_the_width_below_an_even_layer_does_not_matter():
    t, at = ak.DeepFeatures("1.5:tanh,0.8:z**2", "1:sign"), {**AT, "width1": 1.5, "width2": 0.8}
    below, above = (t.sensitivity("test_error", name, **at) for name in ("width1", "width2"))
    assert below == 0.0 != above                                # nothing of what is below counts but a variance


@pytest.mark.slow
@pytest.mark.parametrize(("student", "target"), [
    ("1.5:z**2", "1:sign"), ("1.5:tanh,0.8:z**2,1.2:erf(z)", "1:tanh"),
    ("1.5:tanh,0.8:abs(z)", "1.5:tanh=,0.8:abs(z)=")])
def test_real_networks_agree(student, target):
    report = ak.DeepFeatures(student, target).check(d=250, repeats=12, **AT)
    assert report.outcome == "agree"


def test_its_covariance_has_no_law_of_a_network():
    with pytest.raises(ak.DomainError, match=r"covariance_law: layer 2 is 1:z\*\*2, which is even: the covariance"):
        ak.DeepFeatures("1:tanh,1:z**2", "1:sign").covariance_law()


FEW = {"alpha": 0.8, "lam": 0.01, "noise_variance": 0.1}


@pytest.mark.parametrize(("student", "target"), slow_but([
    ("1.5:relu,0.7:tanh", "1:tanh"), ("1.5:relu,0.7:relu", "1:relu,1:relu"),
    ("1.5:relu,0.7:relu", "1.5:relu=,0.7:relu="), ("1.5:relu,0.7:relu", "1.5:relu=,1:tanh"),
    ("1.5:relu,0.7:relu", "1.5:relu="), ("1.5:relu,0.7:relu", "1.5:relu=,0.7:relu=,2:tanh,1:relu"),
    ("1.5:tanh,0.7:log(1+exp(z)),2:relu", "1:relu,1:tanh"), ("1.5:relu,0.7:relu,1.1:relu", "1:relu,1:relu,1:relu"),
    ("1.5:relu,0.7:tanh,1.1:log(1+exp(z)),2:tanh", "1.5:relu=,1:relu,1:tanh")], 0, 1))
def test_against_the_chain_walked_by_one_unknown(student, target):
    t = ak.DeepFeatures(student, target)
    for spectrum, moved in (([1.0], {}), ([2.0, 0.5], {"alpha": 3.0, "lam": 1e-5}), ([2.0, 0.0], {"lam": 4.0})):
        at = {**FEW, "input_spectrum": spectrum, **moved}
        s, (test, train) = t.solve(**at), walked(student, target, **at)
        assert s.test_error == pytest.approx(test, rel=1e-11)
        assert s.train_error == pytest.approx(train, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(("student", "target"), [
    ("1.5:relu,0.7:relu", "1:relu,1:relu"), ("1:relu,1:relu,1:relu,1:tanh", "1:relu,1:log(1+exp(z)),1:tanh")])
def test_exported_module(student, target):
    t = ak.DeepFeatures(student, target)
    made = plain_module(t.source())
    found, known = made.solve(**FEW, input_variance=1.25, input_spectrum=[2.0, 0.5]), t.solve(
        **FEW, input_spectrum=[2.0, 0.5])
    for name, value in known.observables.items():
        assert found[name] == pytest.approx(value, rel=1e-12)


@pytest.mark.slow
def test_three_layers_in_digits_and_balls():
    pytest.importorskip("flint", reason="python-flint is not installed")
    t = ak.DeepFeatures("1:relu,1:relu,1:tanh", "1:tanh")
    exact = {"alpha": "0.8", "lam": "0.01", "noise_variance": "0.1", "input_spectrum": ["0.5", "1.5"]}
    precise, proved = t.precise(digits=25, **exact), t.certify(digits=15, **exact)
    assert t.solve(**FEW, input_spectrum=[0.5, 1.5]).test_error == pytest.approx(float(precise.test_error), rel=1e-12)
    assert abs(proved.test_error.mid - float(precise.test_error)) <= 1e-15
    assert proved.test_error.rad < 1e-15
    assert "exactly one solution with V0, V1, V2, V3 > 0" in proved.certificate.claim
    assert any("outer rule" in h for h in proved.certificate.hypotheses)


def test_an_even_layer_behind_one_with_means_carries_the_signal():
    s = ak.DeepFeatures("2:relu,2:abs(z)", "1:tanh").solve(alpha=50.0, lam=1e-4)
    assert 0 < s.test_error < 0.8 * s.parameters["rho"]


@pytest.mark.slow
@pytest.mark.parametrize(("student", "target"), [
    ("1.5:relu,1:relu", "1:relu,1:relu"), ("1.5:log(1+exp(z)),0.8:log(1+exp(z))", "1:relu,1:tanh"),
    ("1:relu,1:tanh", "1:tanh"), ("1:relu,1:relu,1:relu", "1:relu,1:relu,1:relu")])
def test_against_the_theorem_at_sampled_weights(student, target):
    rng, d = np.random.default_rng(0), 400

    def drawn(text):
        """Weights of one network, of rows of variance one over the number of their entries."""
        found, inputs = [], d
        for layer in text.split(","):
            width, function = layer.split(":", 1)
            width = round(float(width) * d)
            found.append((rng.standard_normal((width, inputs)) / np.sqrt(inputs), function))
            inputs = width
        return found

    given, t = ak.DeepFeatures.from_weights(drawn(student), drawn(target)), ak.DeepFeatures(student, target)
    for alpha, lam in ((0.5, 0.01), (2.0, 0.1)):
        one = t.solve(alpha=alpha, lam=lam, noise_variance=0.1)
        other = given.solve(n=int(alpha * d), lam=lam, noise_variance=0.1)
        assert one.clean_error == pytest.approx(other.clean_error, rel=0.04)
        assert one.train_error == pytest.approx(other.train_error, rel=0.06)
    assert t.check(d=200, **FEW).passed
