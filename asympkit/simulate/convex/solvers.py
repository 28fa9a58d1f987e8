"""Minimise a convex loss of linear predictions with the penalty ``lam/2 |w|**2``."""

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from ...errors import ConvergenceError

__all__ = ["minimise"]

_STEPS, _ROUNDS = 200, 20_000
#: predicted decrease, relative to the objective, at which Newton's method stops
_REACHED = 1e-14
#: relative changes at which the method of multipliers stops
_SETTLED = 1e-8


def minimise(loss, features, labels, lam, start=None):
    """Return the readout that minimises ``sum(loss(labels, features @ w)) + lam/2 |w|**2``.

    Parameters
    ----------
    loss : ArrayLoss
    features : ndarray, shape (n, p)
        Scaled, so that a prediction is ``features @ w``.
    labels : ndarray, shape (n,)
    lam : float
        Positive.
    start : ndarray, optional
        For a smooth loss: initial readout.

    Returns
    -------
    ndarray, shape (p,)

    Raises
    ------
    ConvergenceError
        If the iteration does not converge.
    """
    if loss.rates is not None:
        return _newton(loss, features, labels, lam, np.zeros(features.shape[1]) if start is None else start)
    return _multipliers(loss, features, labels, lam)


def _newton(loss, features, labels, lam, w):
    """Minimise a smooth loss by damped Newton's method."""
    def total(readout):
        return loss.value(labels, features @ readout).sum() + 0.5 * lam * readout @ readout

    here = total(w)
    for _ in range(_STEPS):
        first, second = loss.rates(labels, features @ w)
        slope = features.T @ first + lam * w
        matrix = (features.T * second) @ features
        matrix.flat[:: len(w) + 1] += lam
        step = cho_solve(cho_factor(matrix, lower=True, overwrite_a=True), slope)
        gain, part = slope @ step, 1.0
        if gain <= _REACHED * abs(here):
            return w - step
        while not (there := total(w - part * step)) <= here - 0.1 * part * gain and part > 1e-10:
            part *= 0.5
        w, here = w - part * step, there
    raise ConvergenceError(f"simulate: Newton's method for a readout did not converge in {_STEPS} steps at lam = "
                           f"{lam:g}; give a larger lam")


def _multipliers(loss, features, labels, lam):
    """Minimise by alternating directions: predictions by proximal points, the readout by ridge regression.

    ``shift`` is the dual variable over the weight, and is rescaled when the weight changes.
    """
    n, p = features.shape
    gram = features @ features.T if n < p else features.T @ features
    values, vectors = np.linalg.eigh(gram)

    def fitted(right):
        """Return predictions and readout that minimise ``weight/2 |right - prediction|**2 + lam/2 |w|**2``."""
        if n < p:
            dual = vectors @ ((vectors.T @ right) / (values + lam / weight))
            w = features.T @ dual
        else:
            w = vectors @ ((vectors.T @ (features.T @ right)) / (values + lam / weight))
        return features @ w, w

    weight = max(1e-3, lam)
    z, shift = np.zeros(n), np.zeros(n)
    for count in range(_ROUNDS):
        predictions, w = fitted(z - shift)
        before, z = z, loss.prox(labels, predictions + shift, 1.0 / weight)
        shift = shift + predictions - z
        apart, moved = np.linalg.norm(predictions - z), np.linalg.norm(z - before)
        size = max(np.linalg.norm(z), np.linalg.norm(predictions), 1e-3 * np.sqrt(n))
        if apart <= _SETTLED * size and moved * weight <= _SETTLED * weight * max(np.linalg.norm(shift), size):
            return w
        if count % 10 == 9 and count < 1000:
            factor = 2.0 if apart > 5.0 * moved else 0.5 if moved > 5.0 * apart else 1.0
            weight, shift = weight * factor, shift / factor
    raise ConvergenceError(f"simulate: the readout did not converge in {_ROUNDS} rounds at lam = {lam:g}; give a "
                           "larger lam")
