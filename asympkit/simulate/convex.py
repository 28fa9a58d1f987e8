"""Train readouts of a fixed first layer with a convex loss and the penalty ``lam/2 |w|**2``; measure their errors.

Losses are functions of arrays: values, first and second derivatives, or proximal points.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import ndtr

from ..errors import ConvergenceError
from .repeats import one_thread
from .ridge import draw_fresh_samples

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class ArrayLoss:
    """Hold a loss ``value(y, z)`` of labels and predictions; its name identifies it in the file of a simulation.

    A smooth loss has ``derivatives(y, z)``, the first two in z; one with kinks ``prox(y, omega, V)``, the z that
    minimises ``(z - omega)**2/(2 V) + value(y, z)``.
    """

    name: str
    value: Callable[..., Any] = field(repr=False)
    derivatives: Callable[..., Any] | None = field(default=None, repr=False)
    prox: Callable[..., Any] | None = field(default=None, repr=False)


def _half_square(y, z):
    return 0.5 * (y - z) ** 2


def _half_square_rates(y, z):
    return z - y, np.ones_like(z)


def _absolute(y, z):
    return np.abs(y - z)


def _absolute_prox(y, omega, V):
    return omega + np.clip(y - omega, -V, V)


def _hinge(y, z):
    return np.maximum(0.0, 1.0 - y * z)


def _hinge_prox(y, omega, V):
    return omega + y * np.clip(1.0 - y * omega, 0.0, V)


def _logistic(y, z):
    return np.logaddexp(0.0, -y * z)


def _logistic_rates(y, z):
    share = np.exp(-np.logaddexp(0.0, y * z))
    return -y * share, share * (1.0 - share)


#: losses by name; "square" is half the square
NAMED = {loss.name: loss for loss in (
    ArrayLoss("square", _half_square, _half_square_rates), ArrayLoss("absolute", _absolute, prox=_absolute_prox),
    ArrayLoss("hinge", _hinge, prox=_hinge_prox), ArrayLoss("logistic", _logistic, _logistic_rates))}


_STEPS, _ROUNDS = 200, 20_000
#: predicted decrease, relative to the objective, at which Newton's method stops
_REACHED = 1e-14
#: relative changes at which the method of multipliers stops
_SETTLED = 1e-8


def minimise(loss, features, labels, lam, start=None):
    """Return the readout that minimises ``sum(loss(labels, features @ w)) + lam/2 |w|**2``, for a positive lam.

    A smooth loss takes an initial readout.  ConvergenceError if the iteration does not converge.
    """
    if loss.derivatives is not None:
        return _newton(loss, features, labels, lam, np.zeros(features.shape[1]) if start is None else start)
    return _multipliers(loss, features, labels, lam)


def _newton(loss, features, labels, lam, w):
    """Minimise a smooth loss by damped Newton's method."""
    def total(readout):
        return loss.value(labels, features @ readout).sum() + 0.5 * lam * readout @ readout

    here = total(w)
    for _ in range(_STEPS):
        first, second = loss.derivatives(labels, features @ w)
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


@dataclass(frozen=True)
class Task:
    """Describe the training task of a readout; ``flip`` is the share of signs that are flipped, as labels.

    ``labels`` are "regression" or "sign"; ``scale`` is the factor of the objective: 2 for a square without a factor
    1/2.
    """

    loss: Any
    labels: str = "regression"
    flip: float = 0.0
    scale: float = 1.0


def draw_labels(rng, task, values):
    """Return the labels of a task, from target values with noise."""
    if task.labels != "sign":
        return values
    signs = np.where(values > 0.0, 1.0, -1.0)
    return signs if task.flip == 0.0 else np.where(rng.random(len(signs)) < task.flip, -signs, signs)


def mean_label(task, target, noise_variance):
    """Return the mean label of given inputs as a function of the target's argument."""
    if task is None or task.labels != "sign":
        return target
    share = 1.0 - 2.0 * task.flip
    if noise_variance == 0.0:
        return lambda z: share * np.where(target(z) > 0.0, 1.0, -1.0)
    return lambda z: share * (2.0 * ndtr(target(z) / np.sqrt(noise_variance)) - 1.0)


def train_convex(rng, student, target, weights, direction, *, sizes, lam, noise_variance, test_size, task):
    """Train as :func:`~asympkit.simulate.ridge.train_readouts`, for the task's loss and labels."""
    p, largest = len(weights), max(sizes)
    features, labels = np.empty((largest, p)), np.empty(largest)
    for block, inputs, values in draw_fresh_samples(rng, target, direction, largest, width=p,
                                                    noise_variance=noise_variance):
        features[block], labels[block] = student(inputs @ weights.T), draw_labels(rng, task, values)
    features /= np.sqrt(p)
    readouts, losses = np.empty((p, len(sizes), len(lam))), np.empty((len(sizes), len(lam)))
    with one_thread():
        for j, n in enumerate(sizes):
            start = None
            for k in np.argsort(-lam):              # from the largest penalty, the easiest, downwards
                start = minimise(task.loss, features[:n], labels[:n], float(lam[k]), start)
                readouts[:, j, k] = start
                losses[j, k] = task.scale * task.loss.value(labels[:n], features[:n] @ start).mean()
    del features
    errors = _fresh_errors(rng, student, target, weights, direction, readouts.reshape(p, -1), noise_variance, test_size,
                           task)
    length, samples = np.square(readouts).sum(axis=0), np.asarray(sizes)[:, None]
    return readouts, {
        **{name: value.reshape(losses.shape) for name, value in errors.items()},
        "train_error": losses,
        "train_loss": losses,
        "objective": losses + 0.5 * task.scale * lam * length / samples,
        "m": readouts.sum(axis=0) / np.sqrt(p),
        "q2": length / p,
    }


def _fresh_errors(rng, student, target, weights, direction, readouts, noise_variance, test_size, task):
    """Return errors of all readouts (columns) on fresh inputs; the effect of noise is added analytically."""
    p = len(weights)
    wrong, noisy = np.zeros(readouts.shape[1]), np.zeros(readouts.shape[1])
    for _, inputs, truth in draw_fresh_samples(rng, target, direction, test_size, width=p):
        outputs = np.asarray(student(inputs @ weights.T), dtype=np.float64) @ readouts / np.sqrt(p)
        if task.labels != "sign":
            wrong += np.square(truth[:, None] - outputs).sum(axis=0)
            continue
        positive = (truth > 0.0) if noise_variance == 0.0 else ndtr(truth / np.sqrt(noise_variance))
        positive = (task.flip + (1.0 - 2.0 * task.flip) * positive)[:, None]
        wrong += ((outputs > 0.0) != (truth > 0.0)[:, None]).sum(axis=0)
        noisy += np.where(outputs > 0.0, 1.0 - positive, positive).sum(axis=0)
    clean = wrong / test_size
    return {"test_error": noisy / test_size if task.labels == "sign" else clean + noise_variance, "clean_error": clean}
