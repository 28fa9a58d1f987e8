"""Measure the errors of ridge regression on the features of one network, with labels from another."""

import numpy as np

from ..ridge.path import RidgePath
from .network import blocks

__all__ = ["ridge_errors"]


def ridge_errors(rng, student, target, readout, root, *, n, lam, noise_variance, test_size, centred):
    """Fit the readout of a student to n noisy labels of a target, for each penalty, and test it on fresh inputs.

    The labels are ``readout @ target(x) / sqrt(k)`` plus noise, the fit minimises ``sum((y - w @ student(x) /
    sqrt(p))**2) + lam * sum(w**2)``.

    Parameters
    ----------
    rng : numpy.random.Generator
    student, target : Network
    readout : ndarray, shape (k,)
    root : ndarray
        As for :func:`blocks`.
    n : int
    lam : ndarray, shape (L,)
    noise_variance : float
    test_size : int
        Number of fresh inputs; as many others measure the means if these are subtracted.
    centred : bool
        Whether the means of the features and of the labels are subtracted.

    Returns
    -------
    dict of ndarray, shape (L,)
        ``test_error`` (the noise added analytically), ``clean_error``, ``train_error`` (of the noisy labels, without
        penalty).
    """
    d = len(root)
    p, widest = student.width(d), max(student.widest(d), target.widest(d))

    def sampled(samples):
        for block, inputs in blocks(rng, root, samples, widest):
            yield block, student(inputs), target(inputs) @ readout / np.sqrt(len(readout))

    middle, level = np.zeros(p), 0.0
    if centred:
        for _, hidden, values in sampled(test_size):
            middle += hidden.sum(axis=0) / test_size
            level += values.sum() / test_size
    features, labels = np.empty((n, p)), np.empty(n)
    for block, hidden, values in sampled(n):
        features[block], labels[block] = hidden - middle, values - level
    labels += np.sqrt(noise_variance) * rng.standard_normal(n)
    path = RidgePath(features, labels)
    fitted = path.solve(lam)
    missed = np.square(path.residual(fitted)).mean(axis=0)
    wrong = np.zeros(len(lam))
    for _, hidden, values in sampled(test_size):
        outputs = (hidden - middle) @ fitted / np.sqrt(p)
        wrong += np.square(outputs - (values - level)[:, None]).sum(axis=0)
    clean = wrong / test_size
    return {"test_error": clean + noise_variance, "clean_error": clean, "train_error": missed}
