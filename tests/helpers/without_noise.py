"""Regression labels without noise, by hand: residuals of the equations of a solution by nested panels, with numpy and
scipy alone.

Inner panels are graded towards the places where residuals pass a kink of the loss, which are found as roots; moments of
the student and the outer average have panels of their own.  What a loss says of a normal residual is written by the
probabilities of its pieces.
"""

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr

ACTIVATIONS = {"tanh": np.tanh, "sin": np.sin, "relu": lambda x: np.maximum(x, 0.0)}
_X, _W = np.polynomial.legendre.leggauss(20)
_GRID = np.linspace(-9.0, 9.0, 1501)


def _density(z):
    return np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi)


def _nodes(edges):
    left, half = edges[:-1, None], 0.5 * np.diff(edges)[:, None]
    z = (left + half * (1 + _X)).ravel()
    return z, (half * _W).ravel() * _density(z)


def _moments(student, offset, scale):
    """Mean, slope by the bulk and variance about both, given the projection on the spike."""
    z, w = _nodes(np.unique(np.clip([*np.linspace(-10, 10, 31), -offset / scale], -10, 10)))
    s = ACTIVATIONS[student](offset + scale * z)
    mean, slope = w @ s, w @ (s * z)
    return mean, slope / scale, w @ (s - mean - slope * z) ** 2


def _clipped(residual, spread, top, rate):
    """Mean, mean square and mean derivative of ``clip(rate*t, -1, 1)`` of a normal t."""
    low, high = (-top - residual) / spread, (top - residual) / spread
    middle = np.where(low > 0, ndtr(-low) - ndtr(-high), ndtr(high) - ndtr(low))
    at_low, at_high = _density(low), _density(high)
    first = residual * middle + spread * (at_low - at_high)
    second = (residual**2 + spread**2) * middle + 2 * residual * spread * (at_low - at_high) + \
        spread**2 * (low * at_low - high * at_high)
    return (rate * first + ndtr(-high) - ndtr(low), rate**2 * second + ndtr(low) + ndtr(-high), rate * middle)


def _at(kappa, sol, student, target, delta, gamma, r, c):
    mean, slope, variance = _moments(student, r * kappa, np.sqrt(c))
    C, T = mean * sol["m"] + kappa * slope * sol["theta"], slope * sol["psi"]
    V = slope**2 * sol["V1"] + variance * sol["V2"]
    spread = np.sqrt(slope**2 * sol["q1"] + variance * sol["q2"] - T * T)
    top, rate = (delta + V, 1 / (delta + V)) if delta else (V, 1 / V)
    rho = np.sqrt(1 - gamma**2)

    def residual(s):
        return ACTIVATIONS[target](gamma * kappa + rho * s) - C - T * s

    edges = [np.linspace(-9, 9, 25), [-gamma * kappa / rho]]
    for kink in (-top, top):
        values = residual(_GRID) - kink
        for k in np.flatnonzero(values[1:] * values[:-1] < 0):
            root = brentq(lambda s, kink=kink: residual(s) - kink, _GRID[k], _GRID[k + 1], xtol=1e-15)
            edges += [[root], *(root + side * 2.0 ** -np.arange(42) for side in (-1, 1))]
    s, w = _nodes(np.unique(np.clip(np.concatenate(edges), -9, 9)))
    force, square, bend = _clipped(residual(s), spread, top, rate)
    return np.array([mean * (w @ force), kappa * slope * (w @ force), slope * (w @ (s * force) + T * (w @ bend)),
                     slope**2 * (w @ square), variance * (w @ square), slope**2 * (w @ bend), variance * (w @ bend),
                     w @ residual(s) ** 2 + spread**2])


def residuals(sol, student, target, delta, *, r, c, gamma, alpha, beta, **_):
    """Relative residuals of the equations that hold data, for Huber's loss of slope 1 (``delta`` = 1) or
    of the absolute loss (0), and of the test error."""
    kappas, weights = _nodes(np.linspace(-7.5, 7.5, 9))
    rows = np.array([_at(kappa, sol, student, target, delta, gamma, r, c) for kappa in kappas])
    found, share = weights @ rows, alpha / beta
    known = {"thetahat": alpha * found[1], "psihat": alpha * found[2], "qhat1": share * found[3],
             "qhat2": share * found[4], "Vhat1": share * found[5], "Vhat2": share * found[6], "test_error": found[7]}
    got = {**sol.order_parameters, **sol.observables}
    out = {name: abs(abs(value / got[name]) - 1) for name, value in known.items()}
    return {"m": abs(found[0]), **out}
