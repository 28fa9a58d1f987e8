"""Train readouts of a fixed first layer, by ridge regression or with a convex loss; measure their errors.

The penalty of a convex loss is ``lam/2 |w|**2``.  Losses are functions of arrays: values, first and second derivatives,
or proximal points.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import ndtr

from ..errors import ConvergenceError
from .repeats import one_thread
from .ridge import CHUNK, draw_fresh_samples, iterate_nested_paths

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
    """Return the labels of a task, or of regression, from target values with noise."""
    if task is None or task.labels != "sign":
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


def train_readouts(rng, student, target, weights, direction, *, sizes, lam, noise_variance, test_size, task=None):
    """Fit readouts on the first n of the same samples, for each n and penalty, and test them on the same inputs.

    The features are ``student(weights @ x) / sqrt(p)``; the target's direction has squared norm d; without a task it is
    ridge regression.  Return readouts, shape (p, sizes, penalties), and observables, shape (sizes, penalties): errors,
    ``m`` and ``q2``; the test error adds the label noise analytically.
    """
    p, largest = len(weights), max(sizes)
    features, labels = np.empty((largest, p)), np.empty(largest)
    for block, inputs, values in draw_fresh_samples(rng, target, direction, largest, width=p,
                                                    noise_variance=noise_variance):
        features[block], labels[block] = student(inputs @ weights.T), draw_labels(rng, task, values)
    readouts, losses = _fit_ridge(features, labels, sizes, lam) if task is None else \
        _fit_convex(features, labels, sizes, lam, task)
    del features
    clean, test = _fresh_errors(rng, student, target, weights, direction, readouts.reshape(p, -1), noise_variance,
                                test_size, task)
    length, samples = np.square(readouts).sum(axis=0), np.asarray(sizes)[:, None]
    penalty = lam if task is None else 0.5 * task.scale * lam
    return readouts, {
        "test_error": test.reshape(losses.shape),
        "clean_error": clean.reshape(losses.shape),
        "train_error": losses / samples,
        **({} if task is None else {"train_loss": losses / samples}),
        "objective": (losses + penalty * length) / samples,
        "m": readouts.sum(axis=0) / np.sqrt(p),
        "q2": length / p,
    }


def _fit_ridge(features, labels, sizes, lam):
    """Return readouts, and sums of squares."""
    readouts, squares = np.empty((features.shape[1], len(sizes), len(lam))), np.empty((len(sizes), len(lam)))
    for n, path in iterate_nested_paths(features, labels, sizes):
        fitted = path.solve(lam)
        missed = np.square(path.residual(fitted)).sum(axis=0)
        for k in np.flatnonzero(np.equal(sizes, n)):
            readouts[:, k], squares[k] = fitted, missed
    return readouts, squares


def _fit_convex(features, labels, sizes, lam, task):
    """Return readouts, and sums of losses."""
    features /= np.sqrt(features.shape[1])
    readouts, losses = np.empty((features.shape[1], len(sizes), len(lam))), np.empty((len(sizes), len(lam)))
    with one_thread():
        for j, n in enumerate(sizes):
            start = None
            for k in np.argsort(-lam):              # from the largest penalty, the easiest, downwards
                start = minimise(task.loss, features[:n], labels[:n], float(lam[k]), start)
                readouts[:, j, k] = start
                losses[j, k] = task.scale * task.loss.value(labels[:n], features[:n] @ start).sum()
    return readouts, losses


def _fresh_errors(rng, student, target, weights, direction, readouts, noise_variance, test_size, task):
    """Return errors of all readouts (columns) on clean and on noisy labels of fresh inputs, by one product a block."""
    p, count = readouts.shape
    negative = readouts / -np.sqrt(p)
    rows = max(1, CHUNK // count)           # for many readouts the outputs of a block are divided further
    wrong, noisy = np.zeros(count), np.zeros(count)
    for _, inputs, truth in draw_fresh_samples(rng, target, direction, test_size, width=p):
        hidden = np.asarray(student(inputs @ weights.T), dtype=np.float64)
        for start in range(0, len(truth), rows):
            error, true = hidden[start:start + rows] @ negative, truth[start:start + rows, None]
            if task is None or task.labels != "sign":
                error += true
                wrong += np.einsum("ij,ij->j", error, error)
                continue
            positive = (true > 0.0) if noise_variance == 0.0 else ndtr(true / np.sqrt(noise_variance))
            positive = task.flip + (1.0 - 2.0 * task.flip) * positive
            wrong += ((error < 0.0) != (true > 0.0)).sum(axis=0)
            noisy += np.where(error < 0.0, 1.0 - positive, positive).sum(axis=0)
    clean = wrong / test_size
    return clean, noisy / test_size if task is not None and task.labels == "sign" else clean + noise_variance
