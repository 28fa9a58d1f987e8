"""Ridge regression on deep random networks: digits, limits, refusals."""

import importlib.util
import math

import pytest
from helpers.deep_means import walked
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
    made = importlib.util.spec_from_file_location("deep_alone", theory.generate(tmp_path / "deep_alone.py"))
    module = importlib.util.module_from_spec(made)
    made.loader.exec_module(module)
    spectrum = [0.1, 0.2, 0.7]
    found = module.solve(2.0, 0.1, 1 / 3, spectrum)["test_error"]
    expected = theory.solve(alpha=2.0, lam=0.1, input_spectrum=spectrum).test_error
    assert found == pytest.approx(expected, rel=1e-12)
    for wrong in (0.5, -1 / 3, 0.0, math.inf, math.nan):
        with pytest.raises(ValueError, match="input_variance: got .*expected a positive finite number, the mean of "
                                             "input_spectrum"):
            module.solve(2.0, 0.1, wrong, spectrum)
