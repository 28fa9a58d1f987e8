"""Losses with kinks on noisy labels where the student saturates: V falls to 1e-30 there, and no digit is lost."""

import numpy as np
import pytest
from helpers import convex_fixed_point as hand
from helpers.tiers import slow_but
from sympy import Abs, Max, Piecewise, Rational, symbols

import asympkit as ak

y, z = symbols("y z", real=True)
AT = {"gamma": 0.9, "alpha": 2.0, "beta": 0.7, "lam": 0.1}
#: losses, their clipped slopes by hand, and their values
LOSSES = {
    "median": ("absolute", (-1.0, 1.0, 0.0, 0.0), np.abs),
    "quantile": (ak.Loss(Piecewise(((y - z) / 5, y > z), (4 * (z - y) / 5, True)), y, z), (-0.2, 0.8, 0.0, 0.0),
                 lambda r: np.where(r > 0.0, 0.2 * r, -0.8 * r)),
}
STUDENTS = {"relu": lambda x: np.maximum(x, 0.0), "tanh": np.tanh}
POINTS = [("relu", "median", 2.0, 0.2), ("tanh", "quantile", 3.0, 0.1), ("relu", "quantile", 6.0, 0.1),
          ("tanh", "median", 6.0, 0.3), ("relu", "median", 3.0, 0.0), ("tanh", "quantile", 2.0, 0.0)]


@pytest.mark.parametrize(("student", "name", "r", "noise"), slow_but(POINTS, 0, 1))
@pytest.mark.parametrize("target", ["z", "sin"])
def test_equations_by_hand(student, name, r, noise, target):
    loss, slopes, value = LOSSES[name]
    theory = ak.SpikedFeatures(student, target, loss=loss)
    s = theory.solve(r=r, c=1.1, noise_variance=noise, **AT)
    assert s.error_estimate < 1e-12
    function = np.sin if target == "sin" else lambda x: x
    point = hand.FixedPoint(STUDENTS[student], hand._of_residual(value, hand.clipped(*slopes)), function, r=r, c=1.1,
                            noise=noise, **AT)
    u = {n: s[n] for n in ("V1", "V2", "q1", "q2", "theta", "psi", "m")}
    assert point.gap(u) < 1e-9
    for n, found in point.observables(u).items():
        assert getattr(s, n) == pytest.approx(found, rel=1e-9), n


def test_windows_wider_than_the_spread_of_predictions():
    """With fewer samples than features and a small penalty almost all samples are fitted: V grows like 1/lam, and the
    conjugates, of the size of its inverse square, keep their digits."""
    at = {"r": 1.2, "c": 1.1, "gamma": 0.9, "beta": 1.0, "noise_variance": 0.01}
    theory = ak.SpikedFeatures("tanh", "z", loss="absolute")
    s = theory.solve(lam=1e-6, alpha=0.4, rtol=1e-7, **at)
    assert s.V1 > 4e5 and s.qhat1 < 1e-10
    chain = theory.sweep(lam=np.logspace(-1, -6, 6), alpha=0.4, rtol=1e-7, **at)
    np.testing.assert_allclose(chain["qhat1"].ravel()[-1], s.qhat1, rtol=1e-6)
    point = hand.FixedPoint(np.tanh, hand.absolute, lambda x: x, r=1.2, c=1.1, gamma=0.9, alpha=0.4, beta=1.0, lam=1e-3,
                            noise=0.01)
    s = theory.solve(lam=1e-3, alpha=0.4, **at)
    assert point.gap({n: s[n] for n in ("V1", "V2", "q1", "q2", "theta", "psi", "m")}) < 1e-9


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_insensitive_within_a_tube(backend):
    """Two kinks: with a tube of no width it is the absolute loss."""
    lams = np.array([0.05, 0.2])
    errors = {}
    for width in (0, 1e-9, 0.5):
        loss = ak.Loss(Max(Abs(y - z) - width, 0), y, z) if width else "absolute"
        sweep = ak.SpikedFeatures("tanh", "z", loss=loss).sweep(
            r=2.0, c=1.0, noise_variance=0.2, **{**AT, "lam": lams}, backend=backend)
        errors[width] = np.ravel(sweep["test_error"])
    np.testing.assert_allclose(errors[1e-9], errors[0], rtol=1e-7)
    assert np.all(np.abs(errors[0.5] / errors[0] - 1) > 1e-3)


def test_all_samples_within_a_tube():
    """The training loss is 0 there, and the mean of the readout by symmetry: both up to rounding."""
    theory = ak.SpikedFeatures("relu", "tanh", loss=ak.Loss(Max(Abs(y - z) - Rational(1, 2), 0), y, z))
    at = {"r": 0.0, "c": 2.0, "gamma": 0.5, "alpha": 0.5, "beta": 8.0, "noise_variance": 0.01}
    found = [theory.solve(lam=lam, rtol=rtol, **at) for lam, rtol in ((0.1, 1e-12), (1e-3, 1e-9))]
    for s in found:
        assert abs(s.train_loss) < 1e-14 and abs(s.m) < 1e-13 and s.error_estimate < 1e-9
    assert pytest.approx(found[1].V1 * 1e-3, rel=1e-8) == found[0].V1 * 0.1
    assert found[0].test_error == pytest.approx(found[1].test_error, rel=1e-8)
