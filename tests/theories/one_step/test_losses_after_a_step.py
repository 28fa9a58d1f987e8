"""Every method of one large step with another loss, beside the theory of spiked features at the numbers of the step."""

from functools import cache

import pytest
from helpers.tiers import slow_but

import asympkit as ak

CASES = {"logistic": ("z", {"loss": "logistic", "labels": "sign"}, {"flip": 0.05}),
         "hinge": ("z", {"loss": "hinge", "labels": "sign", "bias": 0.2}, {"flip": 0.05}),
         "huber": ("sin", {"loss": ak.Huber(1)}, {})}
AT = {"eta": 1.5, "alpha0": 2.0, "alpha": 2.5, "lam": 0.2, "beta": 0.8, "noise_variance": 0.3}
EXACT = {"eta": "1.5", "alpha0": 2, "alpha": "2.5", "lam": "0.2", "beta": "0.8", "noise_variance": "0.3"}
pytestmark = pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")


@cache
def theory(name):
    target, chosen, _ = CASES[name]
    return ak.OneStep("tanh", target, **chosen)


def step(name):
    return theory(name), {**AT, **CASES[name][2]}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_it_is_spiked_features_at_the_numbers_of_the_step(name):
    target, chosen, more = CASES[name]
    theory, at = step(name)
    s = theory.solve(**at)
    p = s.parameters
    plain = ak.SpikedFeatures("tanh", target, **chosen).solve(
        r=p["r"], c=p["c"], gamma=p["gamma"], **{k: at[k] for k in ("alpha", "lam", "beta", "noise_variance",
                                                                             *more)})
    for name in ("test_error", "train_loss", "objective"):
        assert s[name] == pytest.approx(plain[name], rel=1e-11)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_digits(name):
    theory, at = step(name)
    s, precise = theory.solve(**at), theory.precise(digits=20, **EXACT, **dict.fromkeys(CASES[name][2], "0.05"))
    for quantity in ("test_error", "objective", "q1", "q2"):
        assert s[quantity] == pytest.approx(float(precise[quantity]), rel=1e-11)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_a_check_holds_digits_and_networks(name):
    theory, at = step(name)
    report = theory.check(d=200, repeats=6, seed=2, **at)
    assert report.passed and "20-digit" in str(report)


@pytest.mark.parametrize("name", slow_but(list(CASES)))
def test_sweeps_are_points(name):
    theory, at = step(name)
    sweep = theory.sweep(**{**at, "alpha": [1.0, 2.5], "lam": [0.2, 1.0]})
    assert sweep["test_error"][1, 0] == pytest.approx(theory.solve(**at).test_error, rel=1e-11)


@pytest.mark.slow
@pytest.mark.parametrize("parameter", ["eta", "alpha0", "alpha", "lam", "beta", "noise_variance"])
@pytest.mark.parametrize("name", ["logistic", "huber"])
def test_derivatives(name, parameter):
    theory, at = step(name)
    h = 1e-4 * at[parameter]
    up, down = (theory.solve(**{**at, parameter: at[parameter] + s * h}).test_error for s in (1, -1))
    assert theory.sensitivity("test_error", parameter, **at) == pytest.approx((up - down) / (2 * h), rel=1e-5, abs=1e-8)
