"""Ridge regression on deep random networks: against the chain walked by one unknown, digits, proofs, limits."""

import importlib.util
import math
from fractions import Fraction

import numpy as np
import pytest
from helpers.deep_chain import errors
from helpers.tiers import BACKENDS, slow_but
from mpmath import mp

import asympkit as ak
from asympkit.theories.deep_features.chain import LayerEquations, moments_of
from asympkit.theories.derived import Derived

EVERY = ("1.5:tanh,0.7:erf(z),2:sin", "1:erf(z),1:sign")


def _moments(function, variance):
    """kappa_1**2, kappa_*^2 and the variance of the features, by a plain rule."""
    z = np.arange(-12, 12, 1 / 64)
    w = np.exp(-z**2 / 2) / math.sqrt(2 * math.pi) / 64
    f = function(math.sqrt(variance) * z)
    mean, slope = w @ f, w @ (z * f)
    return slope**2 / variance, w @ (f - mean - slope * z)**2, w @ (f - mean)**2


@pytest.fixture(scope="module")
def deep():
    return ak.DeepFeatures(*EVERY)


def test_published_conventions():
    s = ak.DeepFeatures("1.5:tanh", "1:sign").solve(alpha=0.5, lam=1e-4, noise_variance=0.1)
    assert s.clean_error == pytest.approx(1.392130955447151, rel=1e-14)
    assert s.train_error == pytest.approx(6.194382693513306e-7, rel=1e-13)


@pytest.mark.parametrize("moved", [
    {}, {"alpha": 3.0, "lam": 1e-6}, {"lam": 8.0}, {"noise_variance": 0.4},
    {"width1": 0.6, "width2": 2.5, "width3": 0.9}, {"input_spectrum": [3.0, 1.0, 0.2, 0.0]}])
def test_against_the_chain_walked_by_one_unknown(deep, moved):
    from scipy.special import erf

    at = {"alpha": 0.8, "lam": 0.01, "noise_variance": 0.1} | moved
    spectrum = at.get("input_spectrum", [1.0])
    variance = np.mean(spectrum)
    target, _, after = _moments(erf, variance)
    # of a sign the plain rule knows nothing
    transmitted, rho = target * 2 / (math.pi * after), 1.0
    rows = []
    for f in (np.tanh, erf, np.sin):
        *row, variance = _moments(f, variance)
        rows.append(row)
    kappa1, kappastar = zip(*rows)
    widths = [at.get(f"width{k}", w) for k, w in enumerate((1.5, 0.7, 2.0), 1)]
    test, train = errors(at["alpha"], at["lam"], at["noise_variance"], widths, kappa1, kappastar, spectrum, rho,
                         transmitted)
    s = deep.solve(**at)
    assert s.test_error == pytest.approx(test, rel=1e-11)
    assert s.train_error == pytest.approx(train, rel=1e-8)          # the other route loses digits at small lam
    assert s.clean_error == pytest.approx(test - at["noise_variance"], rel=1e-11)


@pytest.mark.parametrize("shared", [1, 2])
def test_targets_that_share_layers(shared):
    own = [] if shared == 2 else ["3:tanh(z)"]
    t = ak.DeepFeatures("1.5:tanh,0.7:erf(z)", ",".join([*["1.5:tanh=", "0.7:erf(z)="][:shared], *own]))
    from scipy.special import erf

    a1, b1, v1 = _moments(np.tanh, 1.25)
    a2, b2, v2 = _moments(erf, v1)
    transmitted, rho = (1.0, v2) if shared == 2 else (_moments(np.tanh, v1)[0], _moments(np.tanh, v1)[2])
    test, train = errors(2.0, 0.05, 0.2, (1.5, 0.7), (a1, a2), (b1, b2), [2.0, 0.5], rho, transmitted, shared)
    s = t.solve(alpha=2.0, lam=0.05, noise_variance=0.2, input_spectrum=[2.0, 0.5])
    assert (s.test_error, s.train_error) == pytest.approx((test, train), rel=1e-11)


def test_digits_and_proofs(deep):
    exact = {"alpha": "0.8", "lam": "1e-6", "noise_variance": "0.1", "width2": "2.5"}
    s = deep.solve(**{k: float(v) for k, v in exact.items()}, input_spectrum=[3.0, 1.0, 0.2])
    exact["input_spectrum"] = [3, 1, Fraction(1, 5)]
    precise, proved = deep.precise(digits=40, **exact), deep.certify(digits=30, **exact)
    assert "exactly one solution with V0, V1, V2, V3 > 0" in proved.certificate.claim
    for name in ("test_error", "train_error", "objective"):
        assert abs(proved[name].mid - float(precise[name])) <= 1e-15 * abs(float(precise[name]))
        assert float(proved[name].rad) < 1e-28
        assert s[name] == pytest.approx(float(precise[name]), rel=1e-13 * s.condition[name])
    with mp.workdps(45):
        assert str(proved.test_error)[:30] == mp.nstr(precise.test_error, 40)[:30]


@pytest.mark.parametrize("depth", slow_but([1, 2, 3, 4, 5, 6], 1))
def test_doubles_are_right_to_a_few_roundings_at_any_penalty(depth):
    layers = ("1.5:tanh", "0.7:erf(z)", "2:sin", "1:z/sqrt(1+z**2)", "3:atan(z)", "0.5:tanh(2*z)")
    t = ak.DeepFeatures(",".join(layers[:depth]), "1:sign")
    for alpha, lam in (("0.3", "1e-6"), ("20", "1e-6"), ("2", "1e-3"), ("2", "10")):
        s = t.solve(alpha=float(alpha), lam=float(lam), noise_variance=0.1)
        precise = t.precise(digits=40, alpha=alpha, lam=lam, noise_variance="0.1")
        for name in ("test_error", "train_error", "objective"):
            assert s[name] == pytest.approx(float(precise[name]), rel=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize("parameter", ["alpha", "lam", "noise_variance", "width1", "width2", "width3"])
def test_derivatives(deep, parameter):
    at = {"alpha": 0.8, "lam": 0.01, "noise_variance": 0.1, "width1": 1.5, "width2": 0.7, "width3": 2.0}
    h = 1e-4 * at[parameter]
    up, down = (float(deep.precise(digits=25, **{**at, parameter: at[parameter] + x}).test_error) for x in (h, -h))
    assert deep.sensitivity("test_error", parameter, **at) == pytest.approx((up - down) / (2 * h), rel=1e-6)


@pytest.mark.slow
def test_best_width_of_a_layer(deep):
    at = {"alpha": 3.0, "lam": 0.01, "noise_variance": 0.5}
    best = deep.minimize("test_error", over="width2", bounds=(0.1, 5.0), **at)
    around = [deep.solve(**at, width2=float(best.argmin) * f).test_error for f in (0.95, 1.05)]
    assert float(best.value) < min(around)
    assert 0.1 < float(best.argmin) < 5.0


@pytest.mark.parametrize("backend", BACKENDS)
def test_rows_of_points_solve_as_single_ones(deep, backend):
    alpha, lam = [0.3, 1.0, 4.0], [1e-5, 1e-2, 1.0]
    grid = deep.sweep(alpha=alpha, lam=lam, noise_variance=0.1, backend=backend)["test_error"]
    one = [[deep.solve(alpha=a, lam=x, noise_variance=0.1).test_error for x in lam] for a in alpha]
    np.testing.assert_allclose(grid, one, rtol=1e-12)


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


def test_what_is_no_spectrum(deep):
    for spectrum, text in (([1.0, -1.0], "input_spectrum: got -1.0"), ([0.0, 0.0], "got 2 times 0")):
        with pytest.raises(ak.DomainError, match="input_spectrum") as error:
            deep.solve(alpha=1, lam=1, input_spectrum=spectrum)
        assert text in str(error.value)
    with pytest.raises(ak.DomainError, match="it is the mean of input_spectrum"):
        deep.solve(alpha=1, lam=1, input_variance=3)


def test_layers_as_records_and_as_text():
    records = ak.DeepFeatures([ak.Layer(1.5, "tanh"), ak.Layer(2, "max(z,0)")], [ak.Layer(1.5, "tanh", shared=True)])
    text = ak.DeepFeatures("1.5:tanh,2:max(z,0)", "1.5:tanh=")
    at = {"alpha": 0.5, "lam": 0.01}
    assert records.solve(**at).order_parameters == text.solve(**at).order_parameters
    assert str(records.target[0]) == "1.5:tanh="


def test_the_variance_of_the_inputs_is_never_typed(deep):
    with pytest.raises(ak.UnknownNameError, match="to differentiate by; known are alpha, lam, noise_variance, w"):
        deep.sensitivity("test_error", "input_variance", alpha=1, lam=0.1)
    assert "input_variance" not in deep.solve.__doc__ and "width1" in deep.solve.__doc__


def test_a_layer_without_a_linear_part_at_its_variance_is_named():
    with pytest.raises(ak.DomainError, match="kappa1_1 is declared nonzero; expected a nonzero number, or parameters "):
        ak.DeepFeatures("1:z**3-3*z", "1:sign").solve(alpha=1, lam=0.1)


def test_moments_of_many_layers_are_lowered_at_once():
    # what an average holds stands in the next ones several times: walked as a tree, this would take hours
    chain = LayerEquations(9)
    found = Derived([chain.symbols.variance[0]], _nested(moments_of(chain, [True])[0]))
    values, _ = found.floats({"input_variance": 1.0}, dict.fromkeys([*(f"student{k}" for k in range(1, 10)), "target1"],
                                                                    ak.Activation("tanh")))
    variance = 1.0
    for k in range(1, 10):
        slope, _, after = _moments(np.tanh, variance)           # of the slope the square
        assert values[f"kappa1_{k}"]**2 == pytest.approx(slope, rel=1e-12)
        variance = after


def _nested(derived):
    known = {}
    for symbol, expr in derived.items():
        known[symbol] = expr.xreplace(known)
    return {s.name: e for s, e in known.items()}


def test_a_module_checks_that_the_variance_is_the_mean_of_the_spectrum(tmp_path):
    theory = ak.DeepFeatures("1.5:erf(z)", "1:sign")
    made = importlib.util.spec_from_file_location("deep_alone", theory.generate(tmp_path / "deep_alone.py"))
    module = importlib.util.module_from_spec(made)
    made.loader.exec_module(module)
    spectrum = [0.1, 0.2, 0.7]
    found = module.solve(2.0, 0.1, 1 / 3, spectrum)["test_error"]
    expected = theory.solve(alpha=2.0, lam=0.1, input_spectrum=spectrum).test_error
    assert found == pytest.approx(expected, rel=1e-12)
    for wrong in (0.5, -1 / 3, 0.0, math.inf, math.nan, [1 / 3]):
        with pytest.raises(ValueError, match="input_variance: got .*expected a positive finite number, the mean of "
                                             "input_spectrum"):
            module.solve(2.0, 0.1, wrong, spectrum)
