"""Train a small deep network by gradient descent."""

import numpy as np

from ...errors import ConvergenceError
from ..core import arguments as check
from .network import Network

__all__ = ["train_layers"]


def train_layers(rng, student, target, *, root=None, readout=None, learning_rate, steps, batch, scale=1.0,
                 noise_variance=0.0):
    r"""Train all layers of a network, and its readout, by gradient descent on fresh batches of a target's labels.

    The output is ``scale * a @ features / sqrt(p)``, with ``a`` standard normal at first. A step descends along the
    gradient of half the mean squared error of a batch, times ``learning_rate / scale**2``, in each layer divided by the
    number of its inputs, so that a rate of order 1 learns in some steps at every width. A large ``scale`` keeps the
    weights near their start (the lazy regime), a small one moves them.

    Parameters
    ----------
    rng : numpy.random.Generator
    student : sequence of (ndarray, callable)
        Initial weights, and elementwise functions with a ``derivative``.
    target : sequence of (ndarray, callable)
        Layers of the target.
    root : ndarray, shape (d,) or (d, d), optional
        A root of the input covariance, or standard deviations; by default ones.
    readout : ndarray, shape (k,), optional
        Of the target; by default standard normal.
    learning_rate, scale, noise_variance : float
    steps, batch : int
        Number of steps, and of samples in each.

    Returns
    -------
    weights : list of ndarray
        Trained weights of the layers.
    readout : ndarray, shape (k,)
        Of the target that was learned.
    losses : ndarray, shape (steps,)
        Mean squared error of each batch before its step.

    Raises
    ------
    ConvergenceError
        If the weights diverge.
    """
    rate = check.real("learning_rate", learning_rate, low=0.0)
    scale = check.real("scale", scale, low=0.0, open_low=True)
    noise = np.sqrt(check.real("noise_variance", noise_variance, low=0.0))
    steps, batch = check.integer("steps", steps, low=1), check.integer("batch", batch, low=1)
    weights, functions = [np.array(w, dtype=np.float64) for w, _ in student], [f for _, f in student]
    for k, function in enumerate(functions, start=1):
        check.elementwise(f"student: layer {k}", function, derivative=True)
    teacher = Network(tuple(w for w, _ in target), tuple(f for _, f in target))
    root = np.ones(weights[0].shape[1]) if root is None else np.asarray(root)
    if readout is None:
        readout = rng.standard_normal(teacher.width(len(root)))
    own, losses = rng.standard_normal(len(weights[-1])), np.empty(steps)
    for step in range(steps):
        inputs = rng.standard_normal((batch, len(root)))
        inputs = inputs * root if root.ndim == 1 else inputs @ root.T
        labels = teacher(inputs) @ readout / np.sqrt(len(readout)) + noise * rng.standard_normal(batch)
        slopes, own_slope, losses[step] = _gradient(weights, functions, scale * own, inputs, labels)
        if not losses[step] < 1e6 * max(losses[0], 1.0):
            raise ConvergenceError(f"learning_rate={rate:g}: the weights diverge in step {step + 1}; choose a "
                                   "smaller one")
        weights = [w - rate / (scale**2 * w.shape[1]) * slope for w, slope in zip(weights, slopes)]
        own = own - rate / scale * own_slope
    return weights, readout, losses


def _gradient(weights, functions, own, inputs, labels):
    """Return the gradient of half the mean squared error by each layer and the readout, and that error."""
    before, values = [], [inputs]
    for matrix, function in zip(weights, functions):
        before.append(values[-1] @ matrix.T)
        values.append(np.asarray(function(before[-1]), dtype=np.float64))
    root = np.sqrt(len(own))
    missed = values[-1] @ own / root - labels
    back = np.outer(missed, own) / (root * len(labels))
    slopes = []
    for layer in range(len(weights) - 1, -1, -1):
        back = back * functions[layer].derivative(before[layer])
        slopes.append(back.T @ values[layer])
        back = back @ weights[layer]
    return slopes[::-1], values[-1].T @ missed / (root * len(labels)), float(np.mean(missed**2))
