"""Deep random features behind layers that are not odd: against a walk of the chain, sampled weights, simulations."""

import numpy as np
import pytest
from helpers.deep_means import walked
from helpers.modules import plain_module
from helpers.tiers import slow_but

import asympkit as ak

AT = {"alpha": 0.8, "lam": 0.01, "noise_variance": 0.1}


@pytest.mark.parametrize(("student", "target"), slow_but([
    ("1.5:relu,0.7:tanh", "1:tanh"), ("1.5:relu,0.7:relu", "1:relu,1:relu"),
    ("1.5:relu,0.7:relu", "1.5:relu=,0.7:relu="), ("1.5:relu,0.7:relu", "1.5:relu=,1:tanh"),
    ("1.5:relu,0.7:relu", "1.5:relu="), ("1.5:relu,0.7:relu", "1.5:relu=,0.7:relu=,2:tanh,1:relu"),
    ("1.5:tanh,0.7:log(1+exp(z)),2:relu", "1:relu,1:tanh"), ("1.5:relu,0.7:relu,1.1:relu", "1:relu,1:relu,1:relu"),
    ("1.5:relu,0.7:tanh,1.1:log(1+exp(z)),2:tanh", "1.5:relu=,1:relu,1:tanh")], 0, 1))
def test_against_the_chain_walked_by_one_unknown(student, target):
    t = ak.DeepFeatures(student, target)
    for spectrum, moved in (([1.0], {}), ([2.0, 0.5], {"alpha": 3.0, "lam": 1e-5}), ([2.0, 0.0], {"lam": 4.0})):
        at = {**AT, "input_spectrum": spectrum, **moved}
        s, (test, train) = t.solve(**at), walked(student, target, **at)
        assert s.test_error == pytest.approx(test, rel=1e-11)
        assert s.train_error == pytest.approx(train, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(("student", "target"), [
    ("1.5:relu,0.7:relu", "1:relu,1:relu"), ("1:relu,1:relu,1:relu,1:tanh", "1:relu,1:log(1+exp(z)),1:tanh")])
def test_exported_module(student, target):
    t = ak.DeepFeatures(student, target)
    made = plain_module(t.source())
    found, known = made.solve(**AT, input_variance=1.25, input_spectrum=[2.0, 0.5]), t.solve(
        **AT, input_spectrum=[2.0, 0.5])
    for name, value in known.observables.items():
        assert found[name] == pytest.approx(value, rel=1e-12)


@pytest.mark.slow
def test_three_layers_in_digits_and_balls():
    pytest.importorskip("flint", reason="python-flint is not installed")
    t = ak.DeepFeatures("1:relu,1:relu,1:tanh", "1:tanh")
    exact = {"alpha": "0.8", "lam": "0.01", "noise_variance": "0.1", "input_spectrum": ["0.5", "1.5"]}
    precise, proved = t.precise(digits=25, **exact), t.certify(digits=15, **exact)
    assert t.solve(**AT, input_spectrum=[0.5, 1.5]).test_error == pytest.approx(float(precise.test_error), rel=1e-12)
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
    assert t.check(d=200, **AT).passed
