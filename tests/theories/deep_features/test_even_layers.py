"""Students with a layer that passes nothing linear on: the chain begins behind it."""

import numpy as np
import pytest
from helpers.deep_means import errors_with_means
from helpers.tiers import slow_but

import asympkit as ak

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


@pytest.mark.parametrize("parameter", ["alpha", "lam", "noise_variance", "width1", "width2"])
def test_derivatives(parameter):
    t, at = ak.DeepFeatures("1.5:tanh,0.8:z**2", "1:sign"), {**AT, "width1": 1.5, "width2": 0.8}
    h = 1e-4 * at[parameter]
    up, down = (t.solve(**{**at, parameter: at[parameter] + x}).test_error for x in (h, -h))
    slope = t.sensitivity("test_error", parameter, **at)
    assert slope == pytest.approx((up - down) / (2 * h), rel=1e-6)
    assert (slope == 0.0) is (parameter == "width1")            # nothing of what is below counts but a variance


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
