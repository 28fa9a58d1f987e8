"""Losses of parabolas and lines on labels without noise: nodes are placed where residuals pass a kink."""

import numpy as np
import pytest

import asympkit as ak
from tests.helpers.without_noise import residuals

AT = {"r": 1.2, "c": 1.1, "gamma": 0.9, "alpha": 2.0, "beta": 1.0, "lam": 0.1}
LOSSES = {"absolute": 0, "huber": 1}


def theory(student, target, loss):
    return ak.SpikedFeatures(student, target, loss=ak.Huber(1) if loss == "huber" else loss)


def test_what_a_person_types_first():
    s = theory("tanh", "sin", "huber").solve(**AT)
    assert s.error_estimate < 1e-11
    assert max(residuals(s, "tanh", "sin", 1, **AT).values()) < 1e-10
    assert s.test_error == s.clean_error == pytest.approx(0.0693591100227882, rel=1e-11)


@pytest.mark.slow
@pytest.mark.parametrize("student", ["tanh", "relu"])
@pytest.mark.parametrize("target", ["sin", "tanh"])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("more", [{}, {"gamma": 0.5, "lam": 0.01}, {"gamma": 0.2, "lam": 1.0, "beta": 0.5}])
def test_solutions_solve_the_equations_by_hand(student, target, loss, more):
    at = {**AT, **more}
    s = theory(student, target, loss).solve(**at)
    assert max(residuals(s, student, target, LOSSES[loss], **at).values()) < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("loss", LOSSES)
def test_a_target_with_a_kink(loss):
    s = theory("tanh", "relu", loss).solve(**AT)
    assert max(residuals(s, "tanh", "relu", LOSSES[loss], **AT).values()) < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize(("student", "target", "loss"), [("tanh", "sin", "huber"), ("relu", "tanh", "absolute"),
                                                         ("tanh", "relu", "absolute")])
def test_compiled_loops_place_the_same_nodes(student, target, loss):
    """With noise and without in one sweep: each point has its own nodes."""
    t, lams = theory(student, target, loss), np.array([0.05, 0.1, 0.4])
    noises = np.array([0.0, 5e-4, 0.2])
    found = {b: t.sweep(**{**AT, "lam": lams, "noise_variance": noises}, backend=b) for b in ("numpy", "numba")}
    for name in ("test_error", "train_loss", "m", "V1", "qhat2"):
        np.testing.assert_allclose(found["numba"][name], found["numpy"][name], rtol=1e-10)
    s = t.solve(**{**AT, "lam": 0.4})
    assert found["numba"]["test_error"][2, 0] == pytest.approx(s.test_error, rel=1e-10)


@pytest.mark.slow
def test_derivatives_at_no_noise():
    t, h = theory("tanh", "sin", "huber"), 1e-5
    up, down = (t.solve(**{**AT, "lam": 0.1 + side * h}).test_error for side in (1, -1))
    assert t.sensitivity("test_error", "lam", **AT) == pytest.approx((up - down) / (2 * h), rel=1e-6)


@pytest.mark.slow
def test_nodes_change_little_where_noise_begins_to_be_enough():
    t = theory("tanh", "sin", "huber")
    placed, everywhere = (t.solve(**AT, noise_variance=v).test_error for v in (0.001 - 1e-12, 0.001))
    assert placed == pytest.approx(everywhere, rel=1e-10)


@pytest.mark.slow
def test_predictions_that_stop_just_beyond_the_target():
    """What is left turns within little at one projection: more digits than there are are refused."""
    t = theory("tanh", "sin", "huber")
    with pytest.raises(ak.ConvergenceError, match="averages did not reach"):
        t.solve(**{**AT, "lam": 100.0})
    assert t.solve(**{**AT, "lam": 100.0}, rtol=1e-6).converged
