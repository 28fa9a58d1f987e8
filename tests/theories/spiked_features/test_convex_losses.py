"""Spiked features with any convex loss: the square in other words, simulations, digits, modules, refusals."""

from math import inf

import numpy as np
import pytest
from helpers.modules import loaded
from helpers.tiers import slow_but
from mpmath import mp, mpf
from scipy.stats import norm
from scipy.stats import t as student_t
from sympy import Max, Piecewise, Rational, exp, log, sqrt, symbols

import asympkit as ak
from asympkit.theories.spiked_features.convex import check_is_reached

AT = {"r": 1.2, "c": 1.1, "gamma": 0.9, "alpha": 2, "lam": 0.1}
y, z = symbols("y z", real=True)
CURVED = "sin(z) + 0.4*z**2"
#: three standard errors of a normal variable, where they are estimated from ten draws
THREE = student_t.isf(norm.sf(3), 9)


@pytest.fixture(scope="module")
def logistic():
    return ak.SpikedFeatures("tanh", "z", loss="logistic", labels="sign")


def test_objective_moves_with_lam_by_the_penalty_alone(logistic):
    """Which is so at a stationary point of the free energy, and nowhere else."""
    h = 1e-3
    up, down = (logistic.solve(**{**AT, "lam": 0.1 * (1 + s * h)}).objective for s in (1, -1))
    assert (up - down) / (0.2 * h) == pytest.approx(logistic.solve(**AT)["q2"] / (2 * 2), rel=1e-6)


@pytest.mark.slow
def test_the_square_in_other_words():
    at = {**AT, "noise_variance": 0.1}
    plain = ak.SpikedFeatures("tanh", CURVED).solve(**at)
    loss = ak.Loss((y - z) ** 2 / 2, y, z)
    own = ak.SpikedFeatures("tanh", CURVED, loss=loss).solve(**at)
    assert own.objective == pytest.approx(plain.objective / 2, rel=1e-12)
    assert own.test_error == pytest.approx(plain.test_error, rel=1e-12)
    for name in ("q1", "q2", "m", "theta", "psi"):
        assert own[name] == pytest.approx(plain[name], rel=1e-11)


@pytest.mark.slow
def test_learned_bias():
    """The theory's reference is the minimum at positive biases; a lower one lies beyond them."""
    s = ak.SpikedFeatures("tanh", CURVED, bias="learned").solve(**AT, noise_variance=0.1)
    assert str(s).split()[:2] == ["bias", f"{s.bias:.15g}"]
    biases = [b for b, _ in s.minima]
    assert min(abs(b - 0.521876454) for b in biases) < 1e-9
    assert s.bias == biases[0]
    assert s.objective == s.minima[0][1] == min(value for _, value in s.minima)
    for b, value in s.minima:
        beside = [ak.SpikedFeatures("tanh", CURVED, bias=b + h).solve(**AT, noise_variance=0.1) for h in (-0.02, 0.02)]
        assert all(other.objective > value for other in beside)


@pytest.mark.slow
@pytest.mark.parametrize(("loss", "target", "labels", "more"), [
    ("logistic", "z", "sign", {"flip": 0.1}), ("logistic", "z", "sign", {"noise_variance": 0.25}),
    ("hinge", "z", "sign", {"flip": 0.1, "noise_variance": 0.2}), ("hinge", "z", "sign", {"gamma": 0.6, "alpha": 4}),
    (ak.Huber(Rational(1, 2)), "tanh(2*z)", "regression", {"noise_variance": 0.3}),
    ("absolute", "tanh(2*z)", "regression", {"noise_variance": 0.3, "beta": 1.3}),
    (ak.Loss(sqrt(1 + (y - z) ** 2) - 1, y, z), "tanh(2*z)", "regression", {"noise_variance": 0.3}),
    ("square", "z", "sign", {"flip": 0.1}), ("logistic", "z", "sign", {"lam": 0.05}),
    ("hinge", "z", "sign", {"lam": 2.0, "beta": 1.5}), ("square", "z", "sign", {"gamma": 0.3, "noise_variance": 0.3}),
    ("absolute", "tanh(2*z)", "regression", {"lam": 1.5}),
    (ak.Huber(Rational(1, 2)), "tanh(2*z)", "regression", {"lam": 0.1, "alpha": 1.5}),
    (ak.Loss("log(1+exp(1-2*y*z))", y, z), "z", "sign", {"lam": 1.0, "flip": 0.2}),
    ("logistic", "z", "sign", {"bias": 0.6}), ("hinge", "z", "sign", {"bias": -0.5, "flip": 0.1}),
    ("absolute", "tanh(2*z)", "regression", {"bias": 0.5}), ("square", CURVED, "regression", {"bias": 0.5}),
    (ak.Huber(Rational(1, 2)), CURVED, "regression", {"bias": -0.7, "noise_variance": 0.2})])
def test_simulations_agree(loss, target, labels, more):
    bias = more.get("bias", 0.0)
    more = {name: value for name, value in more.items() if name != "bias"}
    at = {"r": 1.2, "c": 1.1, "gamma": 0.8, "alpha": 2.5, "beta": 0.7, "lam": 0.5, **more}
    theory = ak.SpikedFeatures("tanh", target, loss=loss, labels=labels, bias=bias)
    found, drawn = theory.solve(rtol=1e-8, **at), theory.simulate(d=400, repeats=10, seed=1, **at)
    for name in ("test_error", "clean_error", "train_loss", "objective", "psi"):
        estimate = drawn[name]
        # what remains at this width is of the order of 1/d
        assert abs(estimate.mean - found[name]) < THREE * estimate.stderr + 3 / 400 * abs(found[name]), name


@pytest.mark.slow
def test_labels_along_the_spike():
    theory = ak.SpikedFeatures("tanh", "z", loss="logistic", labels="sign")
    at = {"r": 0.8, "c": 1.1, "alpha": 2.5, "beta": 0.7, "lam": 0.5, "flip": 0.05}
    along, near = (theory.solve(rtol=1e-7, gamma=g, **at) for g in (1, 1 - 1e-7))
    assert along.objective == pytest.approx(near.objective, rel=1e-3)
    mirrored = theory.solve(rtol=1e-7, gamma=-1, **{**at, "r": -0.8, "c": 1.1})
    assert mirrored.objective == pytest.approx(along.objective, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(("loss", "test_error", "objective"), [
    # of the logistic loss: fifteen digits of precise(); the others are what labels with a noise of 1e-8 lead to
    ("logistic", 0.073568900995759481, 0.28223403647431416), ("hinge", None, None), (ak.Huber(0.5), None, None),
    (ak.Loss("log(1+exp(1-2*y*z))", y, z), None, None)])
def test_labels_that_jump_along_the_spike(loss, test_error, objective):
    """Whether or not they are flipped, the average over the projection is one of each side."""
    theory = ak.SpikedFeatures("tanh", "z", loss=loss, labels="sign")
    at = {"r": 0.8, "c": 1.1, "gamma": 1, "alpha": 2.5, "beta": 0.7, "lam": 0.5, "flip": 0.05}
    s = theory.solve(**at)
    assert s.error_estimate < 1e-12
    if objective is None:
        near = theory.solve(**at, noise_variance=1e-8)
        assert s.objective == pytest.approx(near.objective, rel=1e-7)
        assert s.test_error == pytest.approx(near.test_error, rel=1e-6)
    else:
        assert s.objective == pytest.approx(objective, rel=1e-13)
        assert s.test_error == pytest.approx(test_error, rel=1e-13)


@pytest.mark.slow
def test_hinge_loss_of_a_student_that_is_saturated():
    """Where it is, V and the spread of predictions vanish, and averages of 1/V times squares must not lose digits."""
    theory = ak.SpikedFeatures("tanh", "z", loss="hinge", labels="sign")
    at = {"r": 1.7415538907306627, "c": 1.0455194818214968, "gamma": 0.6297562126038357, "noise_variance": 0.1,
          "alpha": 0.7633859604590572, "beta": 1.6302696630122098, "lam": 0.5612361475583143, "flip": 0.07}
    s = theory.solve(**at)                # was refused at rtol 1e-10: residual 1.8e-10, change 1.6e-9
    assert s.residual < 1e-13 and s.error_estimate < 1e-13
    near = theory.solve(**{**at, "lam": at["lam"] * (1 + 1e-13)})
    assert s.objective == pytest.approx(near.objective, rel=1e-12)


@pytest.mark.slow
def test_hinge_loss_of_a_student_whose_variances_vanish():
    """That of erf saturates like exp(-exp(...)): places are 1e50 spreads away from predictions."""
    s = ak.SpikedFeatures("erf", "z", loss="hinge", labels="sign").solve(
        r=1.2, c=1.1, gamma=0.5, alpha=2, beta=1, lam=0.5)
    assert s.objective == pytest.approx(0.4945838842815366, rel=1e-12)


@pytest.mark.parametrize(("loss", "more", "about"), [
    ("logistic", {"gamma": 1}, "gamma: got 1.0 with labels='sign', noise_variance=0 and flip=0: the mean feature"),
    ("hinge", {"gamma": -1, "flip": 1}, "gamma: got -1.0 with labels='sign', noise_variance=0 and flip=1: the mean")])
def test_labels_that_the_mean_feature_separates(loss, more, about):
    theory = ak.SpikedFeatures("tanh", "z", loss=loss, labels="sign")
    with pytest.raises(ak.DomainError) as caught:
        theory.solve(**{**AT, **more})
    assert about in str(caught.value)
    assert "expected a noise_variance above 0, a flip between 0 and 1, or a target beside" in str(caught.value)


def test_which_labels_are_separated():
    """Not those of a loss that has a least value, nor where the mean feature has another sign somewhere."""
    square, hinge = (ak.SpikedFeatures("tanh", "z", loss=loss, labels="sign").readout.task().loss
                     for loss in ("square", "hinge"))
    plain, at = ak.Activation("tanh"), {"r": 1.2, "c": 1.1, "flip": 0.0}
    for loss, student, values in ((square, plain, at), (hinge, plain, {**at, "flip": 0.1}),
                                  (hinge, plain, {**at, "r": 0.0}),
                                  (hinge, ak.Activation("tanh(z+0.3)"), at), (hinge, ak.Activation("z**2-1"), at)):
        check_is_reached(loss, student, values, "gamma: got 1")
    with pytest.raises(ak.DomainError, match="no readout minimises the loss 'hinge'"):
        check_is_reached(hinge, plain, {**at, "r": -1.2}, "gamma: got 1")


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_sweeps_where_labels_are_separated(backend):
    """Training losses fall below what double precision tells from 0, and their points are none the worse."""
    hinge = ak.SpikedFeatures("tanh", "z", loss="hinge", labels="sign")
    at = {**AT, "alpha": 0.5, "beta": 2.0}
    found = hinge.sweep(**{**at, "lam": np.geomspace(1e-4, 1e-2, 3)}, backend=backend)
    alone = hinge.solve(**{**at, "lam": 1e-3}, rtol=1e-11)
    assert found["test_error"][1] == pytest.approx(alone.test_error, rel=1e-11)
    np.testing.assert_allclose(found["train_loss"], [1.1010e-17, 1.38346e-12, 9.500076e-8], rtol=1e-6, atol=2e-13)


@pytest.mark.parametrize("labels", slow_but(["sign", "regression"]))
@pytest.mark.parametrize("delta", slow_but([30.0, 1e8], 1))
def test_the_huber_loss_that_is_square_for_all(labels, delta):
    """Its ends are far away, and what they cost is not."""
    at = {**AT, "noise_variance": 0.1}
    plain = ak.SpikedFeatures("tanh", "z", labels=labels).solve(**at)
    huber = ak.SpikedFeatures("tanh", "z", labels=labels, loss=ak.Huber(delta)).solve(**at)
    assert huber.objective == pytest.approx(plain.objective / 2, rel=1e-14)
    assert huber.test_error == pytest.approx(plain.test_error, rel=1e-14)


@pytest.mark.parametrize(("loss", "labels", "target"), slow_but([
    ("logistic", "sign", "z"), ("hinge", "sign", "z"), ("absolute", "regression", "sin")], 0))
def test_equations_name_nothing_twice(loss, labels, target):
    text = ak.SpikedFeatures("tanh", target, loss=loss, labels=labels).equations().text()
    defined = [line.partition(" = ")[0] for line in text.partition("block 1")[0].splitlines()]
    assert len(defined) == len(set(defined)) and {"  mu0", "  mu1"} <= {*defined}


def test_a_theory_says_its_loss(logistic):
    assert repr(logistic).startswith("<SpikedFeatures 'spiked features', student 'tanh', target 'z', loss 'logistic', "
                                     "labels 'sign': solve(r=, c=, gamma=")
    assert '<td style="text-align:left">loss</td><td style="text-align:left">logistic</td>' in logistic._repr_html_()
    assert "target 'sin', bias 'learned': " in repr(ak.SpikedFeatures("tanh", "sin", bias="learned"))
    own = ak.OneStep("tanh", "z", loss=ak.Loss((y - z) ** 4, y, z), labels="sign", bias=0.5)
    assert "target 'z', loss Loss((y - z)**4), labels 'sign', bias 0.5: solve(eta=" in repr(own)


@pytest.mark.parametrize(("make", "text"), [
    (lambda: ak.SpikedFeatures("tanh", "sin", loss="logistic", labels="sign"),
     "target: got 'sin' with labels='sign'; signs are those of the linear target 'z', to which noise is added before "
     "the sign is taken"),
    (lambda: ak.SpikedFeatures("tanh", "z", loss="logistic"),
     "loss: got 'logistic' with labels='regression'; a loss of regression labels is one of the residual y - z; losses "
     "of labels 1 and -1 take labels='sign'"),
    (lambda: ak.SpikedFeatures("tanh", "z", loss="logistik"), "loss: got 'logistik'; did you mean 'logistic'?"),
    (lambda: ak.SpikedFeatures("tanh", "z", loss=ak.Huber(symbols("d", positive=True))), "holds d; put numbers in"),
    (lambda: ak.SpikedFeatures("tanh", "z", loss="hinge", labels="signs"), "labels: got 'signs'"),
    (lambda: ak.SpikedFeatures("tanh", "z", loss=ak.Loss(-y * z, y, z), labels="sign"),
     "loss: got '-y*z' with labels='sign', which is linear in the prediction: nothing but lam limits the readout"),
    (lambda: ak.SpikedFeatures("tanh", "z", loss=ak.Loss(y - z, y, z)), "loss: got 'y - z' with labels='regression', "
     "which is linear in the prediction"),
    (lambda: ak.SpikedFeatures("tanh", "z", loss=ak.Loss(z**2 + y, y, z), labels="sign"),
     "loss: got 'y + z**2' with labels='sign', whose slope is the same for both labels: nothing is learned"),
    (lambda: ak.OneStep("tanh", "z", loss=ak.Loss(z**2 * y**2, y, z), labels="sign"), "whose slope is the same for"),
    *((lambda: ak.SpikedFeatures("tanh", "z", loss=ak.Margin(1), labels="sign"), text) for text in (
        "got 'margin' with labels='sign', which is infinite in places: ",
        "; expected a finite loss, such as 'hinge' at a small lam, or a user-defined theory"))])
def test_refusals(make, text):
    with pytest.raises(ak.DomainError) as caught:
        make()
    assert text in str(caught.value)


@pytest.mark.parametrize(("call", "text"), [
    (lambda t: t.solve(**AT, flip=1.5), "flip: got 1.5; expected a number in [0, 1]"),
    (lambda t: t.solve(**AT, noise=0.1), "unknown parameter 'noise'")])
def test_wrong_calls(logistic, call, text):
    with pytest.raises(ak.AsympkitError) as caught:
        call(logistic)
    assert text in str(caught.value)


def test_what_is_not_there_is_refused_by_name(logistic):
    curved = ak.Loss(sqrt(1 + (y - z) ** 2) - 1, y, z)
    with pytest.raises(ak.NotAvailableError, match="labels='regression' is averaged over target and noise at every"):
        ak.SpikedFeatures("tanh", "sin", loss=curved).precise(**AT)
    with pytest.raises(ak.ProofError, match="certify: the loss .* with labels='regression' is averaged over proximal.*"
                       r"check\(\) simulates"):
        ak.SpikedFeatures("tanh", "sin", loss=curved).certify(**AT)
    with pytest.raises(ak.ProofError, match="certify: the loss 'huber' with labels='regression' and the target 'sin'"):
        ak.SpikedFeatures("tanh", "sin", loss=ak.Huber(1)).certify(**AT)
    with pytest.raises(ak.ProofError, match="certify: the loss 'logistic' with labels='sign' at gamma = 1 and -1 has"):
        logistic.certify(**{**AT, "gamma": 1, "noise_variance": "0.1"})
    with pytest.raises(ak.NotAvailableError, match="minimize: a learned bias is found by solve"):
        ak.SpikedFeatures("tanh", "sin", bias="learned").minimize("test_error", over="lam", bounds=(0.1, 1), **AT)


def test_step_on_signs_is_that_of_their_moments():
    """Result 3.1 with E[z y] = s sqrt(2/pi), E y^2 = 1."""
    from math import pi

    h1 = float(ak.Activation("tanh").hermite_coefficients(1)[1])
    step = ak.OneStep("tanh", "z", loss="logistic", labels="sign")
    at = {"eta": 0.8, "alpha0": 3.0, "beta": 0.8, "noise_variance": 0.1, "flip": 0.1}
    found, linear = step.parameters_at(**at), 0.8 * (2 / pi / 1.1) ** 0.5
    length = (linear**2 + 1 / 3) ** 0.5
    assert found["gamma"] == pytest.approx(linear / length, rel=1e-12)
    assert found["r"] == pytest.approx(h1 * length, rel=1e-12)
    assert {g.share for g in step.tolerances} == {0.02}


@pytest.mark.slow
@pytest.mark.parametrize(("model", "alpha0", "eta"), [("network", 3, 0.8), ("spiked", 3, 0.8), ("network", inf, 3)])
def test_one_step_agrees_with_its_simulation(model, alpha0, eta):
    """At long steps of the population gradient, where the mean of the readout is small: its square costs 1/p."""
    theory = ak.OneStep("tanh", "z", loss="logistic", labels="sign")
    at = {"eta": eta, "alpha0": alpha0, "alpha": 2, "lam": 0.5, "beta": 0.8, "flip": 0.1, "noise_variance": 0.1}
    found, drawn = theory.solve(rtol=1e-8, **at), theory.simulate(d=400, repeats=10, model=model, **at)
    for name in ("test_error", "clean_error", "train_loss", "objective"):
        assert abs(drawn[name].mean - found[name]) < 3 * drawn[name].stderr + 0.01 * found[name], name


@pytest.mark.slow
def test_quantile_losses_are_losses_of_residuals_however_they_are_written():
    forms = (Max(Rational(9, 10) * (y - z), (z - y) / 10),
             Piecewise((Rational(9, 10) * (y - z), y > z), ((z - y) / 10, True)),
             Piecewise((Rational(9, 10) * (y - z), z - y < 0), ((z - y) / 10, True)))
    at = {"r": 1.2, "c": 1.1, "gamma": 0.9, "alpha": 2.0, "lam": 0.1, "noise_variance": 0.1}
    found = {ak.SpikedFeatures("tanh", "z", loss=ak.Loss(form, y, z)).solve(**at).objective for form in forms}
    assert len(found) == 1
    assert found.pop() == pytest.approx(0.11508118177785172, rel=1e-11)


EXACT = {"r": "1.2", "c": "1.1", "gamma": "0.9", "alpha": 2, "lam": "0.1"}
#: of logistic regression there, to the change between two rules of 60 working digits
CLEAN, OBJECTIVE = ("0.1253719152930665912103804275139013050094", "0.2092229967359974984639400011488941649257")


def _close(found, wanted, digits):
    with mp.workdps(60):
        return abs(mpf(found) - mpf(wanted)) < mpf(10) ** -digits


@pytest.mark.slow
def test_logistic_digits(logistic):
    s = logistic.precise(digits=15, **EXACT)
    assert _close(s.clean_error, CLEAN, 15)
    assert _close(s.objective, OBJECTIVE, 15)
    assert s.error_estimate < 1e-15


@pytest.mark.slow
def test_forty_digits_of_logistic_regression(logistic):
    s = logistic.precise(digits=40, **EXACT)
    assert _close(s.clean_error, CLEAN, 39)
    assert _close(s.objective, OBJECTIVE, 39)


@pytest.mark.slow
def test_own_smooth_loss_has_the_digits_of_the_logistic_one():
    own = ak.SpikedFeatures("tanh", "z", loss=ak.Loss(log(1 + exp(-y * z)), y, z), labels="sign")
    assert _close(own.precise(digits=25, **EXACT).clean_error, CLEAN, 25)


def test_check_says_which_digits_are_not_there(monkeypatch):
    theory = ak.SpikedFeatures("tanh", "sin")

    def refused(*_, **__):
        raise ak.NotAvailableError("precise: the loss has none")

    monkeypatch.setattr(type(theory), "precise", refused)
    report = theory.check(d=60, repeats=2, **AT)
    assert "multiprecision: not available: the loss has none" in report.notes
    assert report.passed
    assert "compiled and certified values agree" in report.verdict
    assert "not available" in str(report)
    assert report.to_dict()["rows"][0]["mpmath"] is None

    def unproved(*_, **__):
        raise ak.ProofError("certify: the loss has no proof")

    monkeypatch.setattr(type(theory), "certify", unproved)
    report = theory.check(d=60, repeats=2, **AT)
    assert report.passed and "compiled values alone" in report.verdict


HALF = ak.Loss((y - z) ** 2 / 2, y, z)


def test_module_of_a_loss(tmp_path):
    theory = ak.SpikedFeatures("tanh", "sin", loss=HALF)
    path = theory.generate(tmp_path / "half.py")
    text = path.read_text(encoding="utf-8")
    assert "import asympkit" not in text
    assert "loss (y - z)**2/2, labels regression" in text
    module, rng = loaded(path), np.random.default_rng(0)
    for _ in range(3):
        point = rng.uniform((0.5, 0.8, 0.3, 0.7, 0.5, 0.05), (2.0, 1.4, 0.9, 3.0, 2.0, 1.0)).tolist()
        at = {**dict(zip(("r", "c", "gamma", "alpha", "beta", "lam"), point)), "noise_variance": 0.1}
        solved, found = theory.solve(**at, rtol=1e-10), module.solve(**at)
        for name, value in {**solved.order_parameters, **solved.observables}.items():
            assert found[name] == pytest.approx(value, rel=1e-10, abs=1e-12), (name, at)


@pytest.mark.slow
def test_modules_of_signs_know_no_labels_along_the_spike(logistic, tmp_path):
    with pytest.raises(ValueError, match="gamma: got 1.0; expected a number between -1 and 1"):
        loaded(logistic.generate(tmp_path / "m.py")).solve(r=1, c=1, gamma=1.0, alpha=1.0, lam=0.1)
