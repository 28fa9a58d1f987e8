"""Solutions with any loss in equations that are written and integrated by hand, every parameter moved.

Beside ordinary points: unknowns that vanish exactly, labels without noise, students that saturate (V falls to 1e-30
there), penalties that are hardly felt; and affine targets, whose residuals are normal.
"""

from functools import cache

import numpy as np
import pytest
from helpers import convex_fixed_point as hand
from helpers.tiers import slow_but
from scipy.special import expit
from sympy import Abs, Max, Piecewise, Rational, sqrt, symbols

import asympkit as ak

y, z = symbols("y z", real=True)
FUNCTIONS = {"tanh": np.tanh, "relu": lambda x: np.maximum(x, 0.0), "sin": np.sin, "z": lambda x: x}
#: of each loss: how it is asked for, and by hand
LOSSES = {
    "logistic": ("logistic", hand.logistic), "hinge": ("hinge", hand.hinge), "square": ("square", hand.square),
    "absolute": ("absolute", hand.absolute), "huber": (ak.Huber(0.5), hand.huber(0.5)),
    "huber of slope 1": (ak.Huber(1), hand.huber(1.0)), "half square": (ak.Loss((y - z) ** 2 / 2, y, z), hand.square),
    "own": (ak.Loss(sqrt(1 + (y - z) ** 2) - 1, y, z), hand.of_residual(
        lambda r: np.sqrt(1 + r * r) - 1, lambda r: r / np.sqrt(1 + r * r), lambda r: (1 + r * r) ** -1.5)),
    "steep": (ak.Loss("log(1+exp(1-2*y*z))", y, z), hand.of_margin(
        lambda t: np.logaddexp(0, 1 - 2 * t), lambda t: -2 * expit(1 - 2 * t),
        lambda t: 4 * expit(1 - 2 * t) * expit(2 * t - 1))),
    "quantile": (ak.Loss(Piecewise(((y - z) / 5, y > z), (4 * (z - y) / 5, True)), y, z), hand._of_residual(
        lambda r: np.where(r > 0.0, 0.2 * r, -0.8 * r), hand.clipped(-0.2, 0.8, 0.0, 0.0)))}
AT = {"r": 1.2, "c": 1.1, "gamma": 0.9, "alpha": 2.0, "lam": 0.1}


@cache
def theory(name, target, student="tanh", bias=0.0):
    labels = "regression" if target else "sign"
    return ak.SpikedFeatures(student, target or "z", loss=LOSSES[name][0], labels=labels, bias=bias)


def assert_agrees(name, at, target=None, student="tanh", rtol=1e-11, but=()):
    """The solution fulfils the equations by hand, and its observables are theirs; signs where there is no target."""
    loss, by_hand = LOSSES[name]
    at, bias = dict(at), at.get("bias", 0.0)
    at.pop("bias", None)
    s = theory(name, target, student, bias).solve(rtol=rtol, **at)
    named = {"noise" if n == "noise_variance" else n: v for n, v in at.items()}
    point = hand.FixedPoint(FUNCTIONS[student], by_hand, FUNCTIONS[target] if target else None, bias=bias,
                            panel=0.75 if at["lam"] > 0.05 else 0.2, **named)
    u = {n: s[n] for n in ("V1", "V2", "q1", "q2", "theta", "psi", "m")}
    assert point.gap(u) < 1e-9
    scale = 2 if loss == "square" else 1
    for n, value in point.observables(u).items():
        value *= scale if n in ("train_loss", "objective") else 1
        assert n in but or getattr(s, n) == pytest.approx(value, rel=1e-9, abs=1e-12), n
    return s


NOISY = {**AT, "flip": 0.1, "noise_variance": 0.3, "beta": 0.7}


@pytest.mark.parametrize(("name", "at"), [
    ("logistic", NOISY),
    # derivatives of this one are long: no symmetry of theirs is looked for by multiplying them out
    pytest.param("own", NOISY, marks=pytest.mark.slow),
    # separated labels: V grows as the inverse of the penalty, and nearly no sample is inside the margin
    *(pytest.param("hinge", {**AT, "alpha": 0.5, "beta": 2.0, "lam": lam}, marks=pytest.mark.slow)
      for lam in (0.01, 1e-3, 1e-6))])
def test_signs(name, at):
    assert_agrees(name, at)


@pytest.mark.slow
@pytest.mark.parametrize("lam", [10.0, 1e3])
def test_predictions_whose_sign_is_nearly_sure(lam):
    """Their spread is a hundredth of their size: the errors change within a layer, too thin for the rule by hand."""
    s = assert_agrees("logistic", {**AT, "lam": lam}, but=("test_error", "clean_error"))
    rough = theory("logistic", None).solve(**{**AT, "lam": lam}, rtol=1e-9)
    assert s.test_error == pytest.approx(rough.test_error, rel=1e-9)


SIGNS = ("hinge", "logistic", "steep", "square", "huber", "own")


@pytest.mark.slow
@pytest.mark.parametrize("name", SIGNS)
@pytest.mark.parametrize("at", [{"alpha": 0.5, "beta": 2.0}, {"alpha": 2.0, "lam": 1e-4},
                                {"alpha": 2.0, "beta": 2.0, "lam": 1e-4},
                                {"alpha": 1.9, "lam": 1e-3, "flip": 0.2, "noise_variance": 1.0}])
def test_little_penalty(name, at):
    assert_agrees(name, {**AT, "lam": 1e-3, **at}, rtol=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("moved", [
    {"gamma": 0.3}, {"gamma": -0.8, "alpha": 0.7}, {"r": 0.6, "c": 0.8, "lam": 2.0}, {"beta": 0.4},
    {"beta": 2.5, "alpha": 5.0}, {"noise_variance": 0.5}, {"bias": 0.4}], ids=str)
@pytest.mark.parametrize(("name", "target"), [*((n, None) for n in SIGNS), *((n, "sin") for n in (
    "huber", "absolute", "own", "half square"))])
def test_every_parameter_moved(name, target, moved):
    assert_agrees(name, {**AT, **moved}, target)


@pytest.mark.slow
@pytest.mark.parametrize("name", SIGNS)
@pytest.mark.parametrize("moved", [{"flip": 0.15}, {"flip": 0.8, "noise_variance": 0.2}, {"gamma": 0.99},
                                   {"gamma": 0.999, "flip": 0.1}], ids=str)
def test_flips_and_targets_almost_along_the_spike(name, moved):
    assert_agrees(name, {**AT, **moved})


#: points where unknowns are 0, and those that are
ZEROS = {"gamma": ({"gamma": 0.0}, ("theta", "m")), "flip": ({"flip": 0.5}, ("theta", "psi", "m")),
         "r": ({"r": 0.0, "c": 1.1}, ("m",)),
         "all": ({"r": 0.0, "c": 1.1, "gamma": 0.0, "flip": 0.5}, ("theta", "psi", "m"))}


@pytest.mark.parametrize(("name", "target", "zero"), slow_but(
    [(n, None, zero) for n in ("logistic", "hinge", "absolute", "square", "huber of slope 1", "own") for zero in ZEROS]
    + [("huber of slope 1", "z", zero) for zero in ("gamma", "r")],
    ("logistic", None, "all")))
def test_unknowns_that_vanish(name, target, zero):
    """Newton's method comes to rest at 0, which relative steps never do."""
    moved, vanishing = ZEROS[zero]
    s = assert_agrees(name, {**AT, **({"noise_variance": 0.1} if target else {}), **moved}, target)
    assert s.residual < 1e-11 and all(abs(s[u]) < 1e-14 for u in vanishing)


@pytest.mark.slow
def test_a_student_that_is_saturated():
    """Far out on the spike it has no variance left, in floats."""
    s = theory("logistic", None).solve(r=2.93, c=0.65, gamma=0.95, alpha=25, lam=1e-3, beta=2.3, flip=0.5)
    assert s.converged
    assert s.test_error == pytest.approx(0.5, abs=1e-13)


@pytest.mark.parametrize(("student", "name", "r", "noise", "target"), slow_but([
    (*case, target) for target in ("z", "sin") for case in (
        ("relu", "absolute", 2.0, 0.2), ("tanh", "quantile", 3.0, 0.1), ("relu", "quantile", 6.0, 0.1),
        ("tanh", "absolute", 6.0, 0.3), ("relu", "absolute", 3.0, 0.0), ("tanh", "quantile", 2.0, 0.0))]))
def test_kinks_where_the_student_saturates(student, name, r, noise, target):
    s = assert_agrees(name, {**AT, "r": r, "beta": 0.7, "noise_variance": noise}, target, student, rtol=1e-12)
    assert s.error_estimate < 1e-12


@pytest.mark.parametrize(("student", "target", "name", "more"), slow_but([
    ("tanh", "sin", "huber of slope 1", {}), ("tanh", "relu", "absolute", {}), ("tanh", "relu", "huber of slope 1", {}),
    *((student, target, name, more) for student in ("tanh", "relu") for target in ("sin", "tanh")
      for name in ("absolute", "huber of slope 1")
      for more in ({"gamma": 0.5, "lam": 0.01}, {"gamma": 0.2, "lam": 1.0, "beta": 0.5}))]))
def test_labels_without_noise(student, target, name, more):
    s = assert_agrees(name, {**AT, **more}, target, student)
    if not more and target == "sin":
        assert s.test_error == s.clean_error == pytest.approx(0.0693591100227882, rel=1e-11)


@pytest.mark.slow
@pytest.mark.parametrize(("student", "target", "loss"), [("tanh", "sin", ak.Huber(1)), ("relu", "tanh", "absolute"),
                                                         ("tanh", "relu", "absolute")])
def test_compiled_loops_place_the_same_nodes(student, target, loss):
    """With noise and without in one sweep: each point has its own nodes."""
    t, lams = ak.SpikedFeatures(student, target, loss=loss), np.array([0.05, 0.1, 0.4])
    noises = np.array([0.0, 5e-4, 0.2])
    found = {b: t.sweep(**{**AT, "lam": lams, "noise_variance": noises}, backend=b) for b in ("numpy", "numba")}
    for name in ("test_error", "train_loss", "m", "V1", "qhat2"):
        np.testing.assert_allclose(found["numba"][name], found["numpy"][name], rtol=1e-10)
    s = t.solve(**{**AT, "lam": 0.4})
    assert found["numba"]["test_error"][2, 0] == pytest.approx(s.test_error, rel=1e-10)


@pytest.mark.slow
def test_where_noise_begins_to_be_enough_and_where_predictions_stop_just_beyond_the_target():
    """What is left turns within little at one projection: more digits than there are are refused."""
    t = ak.SpikedFeatures("tanh", "sin", loss=ak.Huber(1))
    placed, everywhere = (t.solve(**AT, noise_variance=v).test_error for v in (0.001 - 1e-12, 0.001))
    assert placed == pytest.approx(everywhere, rel=1e-10)
    with pytest.raises(ak.ConvergenceError, match="averages did not reach"):
        t.solve(**{**AT, "lam": 100.0})
    assert t.solve(**{**AT, "lam": 100.0}, rtol=1e-6).converged


@pytest.mark.slow
def test_kinks_wider_apart_than_the_spread_of_predictions():
    """With fewer samples than features and a small penalty almost all samples are fitted: V grows like 1/lam, and the
    conjugates, of the size of its inverse square, keep their digits."""
    at = {**AT, "alpha": 0.4, "noise_variance": 0.01}
    s = theory("absolute", "z").solve(**{**at, "lam": 1e-6}, rtol=1e-7)
    assert s.V1 > 4e5 and s.qhat1 < 1e-10
    chain = theory("absolute", "z").sweep(**{**at, "lam": np.logspace(-1, -6, 6)}, rtol=1e-7)
    np.testing.assert_allclose(chain["qhat1"].ravel()[-1], s.qhat1, rtol=1e-6)
    assert_agrees("absolute", {**at, "lam": 1e-3}, "z")


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_insensitive_within_a_tube(backend):
    """Two kinks: with a tube of no width it is the absolute loss."""
    errors = {}
    for width in (0, 1e-9, 0.5):
        loss = ak.Loss(Max(Abs(y - z) - width, 0), y, z) if width else "absolute"
        sweep = ak.SpikedFeatures("tanh", "z", loss=loss).sweep(
            r=2.0, c=1.0, gamma=0.9, alpha=2.0, beta=0.7, noise_variance=0.2, lam=[0.05, 0.2], backend=backend)
        errors[width] = np.ravel(sweep["test_error"])
    np.testing.assert_allclose(errors[1e-9], errors[0], rtol=1e-7)
    assert np.all(np.abs(errors[0.5] / errors[0] - 1) > 1e-3)


@pytest.mark.slow
def test_all_samples_within_a_tube():
    """The training loss is 0 there, and the mean of the readout by symmetry: both up to rounding."""
    own = ak.SpikedFeatures("relu", "tanh", loss=ak.Loss(Max(Abs(y - z) - Rational(1, 2), 0), y, z))
    at = {"r": 0.0, "c": 2.0, "gamma": 0.5, "alpha": 0.5, "beta": 8.0, "noise_variance": 0.01}
    found = [own.solve(lam=lam, rtol=rtol, **at) for lam, rtol in ((0.1, 1e-12), (1e-3, 1e-9))]
    for s in found:
        assert abs(s.train_loss) < 1e-14 and abs(s.m) < 1e-13 and s.error_estimate < 1e-9
    assert pytest.approx(found[1].V1 * 1e-3, rel=1e-8) == found[0].V1 * 0.1
    assert found[0].test_error == pytest.approx(found[1].test_error, rel=1e-8)


AFFINE = {"r": 1.2, "c": 1.1, "gamma": 0.9, "alpha": 2, "lam": 0.1, "noise_variance": 0.1}
RESIDUALS = {"huber": ak.Huber(1), "absolute": "absolute", "smooth": ak.Loss(sqrt(1 + (y - z) ** 2), y, z)}


@pytest.mark.slow
@pytest.mark.parametrize("name", RESIDUALS)
def test_targets_that_are_nearly_affine_lead_there(name):
    """Those are averaged over the target's own normal too: other equations, and other sums."""
    loss = RESIDUALS[name]
    plain = ak.SpikedFeatures("tanh", "0.5 + 2*z", loss=loss).solve(**AFFINE)
    near = ak.SpikedFeatures("tanh", "0.5 + 2*z + 1e-9*sin(z)", loss=loss).solve(**AFFINE)
    for name in ("test_error", "objective", "train_loss", "q1", "q2", "theta", "psi", "m"):
        assert near[name] == pytest.approx(plain[name], rel=3e-9)


@pytest.mark.parametrize("loss", slow_but(["absolute", ak.Huber(1)], 1))
@pytest.mark.parametrize("moved", slow_but([{}, {"lam": 7.0}, {"lam": 1e-3}, {"alpha": 0.5}], 0))
def test_without_noise(loss, moved):
    s = ak.SpikedFeatures("tanh", "z", loss=loss).solve(**{**AFFINE, "noise_variance": 0.0, **moved})
    assert s.converged and s.error_estimate <= 1e-12
    noisy = ak.SpikedFeatures("tanh", "z", loss=loss).solve(**{**AFFINE, "noise_variance": 1e-9, **moved})
    assert s.test_error == pytest.approx(noisy.test_error, rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("name", RESIDUALS)
def test_trained_readouts(name):
    at = {**AFFINE, "gamma": 0.7, "lam": 0.3}
    t = ak.SpikedFeatures("tanh", "0.5 + 2*z", loss=RESIDUALS[name])
    seen, known = t.simulate(d=400, repeats=10, seed=3, **at), t.solve(**at)
    for name in ("test_error", "train_error"):
        assert abs(known[name] - seen[name].mean) < 3 * seen[name].stderr + 3 / 400 * seen[name].mean
