"""Train readouts of a fixed first layer with a convex loss, and measure their errors."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr

from ..core.threads import one_thread
from ..ridge.readout import fresh
from .solvers import minimise

__all__ = ["Task", "draw_labels", "mean_label", "train_convex"]


@dataclass(frozen=True)
class Task:
    """Describe the training task of a readout.

    Attributes
    ----------
    loss : ArrayLoss
    labels : {"regression", "sign"}
    flip : float
        Share of signs that are flipped.
    scale : float
        Factor of the objective: 2 for a square without a factor 1/2.
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
    """Train as :func:`~asympkit.simulate.ridge.readout.train_readouts`, for the task's loss and labels."""
    p, largest = len(weights), max(sizes)
    features, labels = np.empty((largest, p)), np.empty(largest)
    for block, inputs, values in fresh(rng, target, direction, largest, width=p, noise_variance=noise_variance):
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
    for _, inputs, truth in fresh(rng, target, direction, test_size, width=p):
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
