"""Train the readout of a fixed first layer by ridge regression and measure its errors."""

import numpy as np

from .ridge import RidgePath

CHUNK = 4_000_000  # numbers in one block of inputs, preactivations or features


def on_sphere(rng, shape, square):
    """Draw vectors along the last axis, uniform on the sphere of the given squared norm."""
    vectors = rng.standard_normal(shape)
    vectors *= np.sqrt(square) / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors


def fresh(rng, target, direction, samples, *, width, noise_variance=0.0):
    """Yield fresh samples in blocks of at most CHUNK numbers at the given width.

    Yields
    ------
    block : slice
        Which of the samples these are.
    inputs : ndarray, shape (rows, d)
    labels : ndarray, shape (rows,)
        ``target(<direction, x> / sqrt(d)) + sqrt(noise_variance) * noise``.
    """
    d = len(direction)
    rows = max(1, CHUNK // max(width, d))
    for start in range(0, samples, rows):
        block = slice(start, min(start + rows, samples))
        inputs = rng.standard_normal((block.stop - start, d))
        labels = np.asarray(target(inputs @ direction / np.sqrt(d)), dtype=np.float64)
        if noise_variance > 0:
            labels = labels + np.sqrt(noise_variance) * rng.standard_normal(len(labels))
        yield block, inputs, labels


def train_readout(rng, student, target, weights, direction, *, n, lam, noise_variance, test_size):
    """Fit the readout on n fresh samples and test it on fresh inputs.

    Parameters
    ----------
    rng : numpy.random.Generator
    student, target : callable
        Elementwise functions.
    weights : ndarray, shape (p, d)
        First layer; the features are ``student(weights @ x) / sqrt(p)``.
    direction : ndarray, shape (d,)
        The target's direction, of squared norm d.
    n, test_size : int
    lam : float or ndarray
    noise_variance : float

    Returns
    -------
    readout : ndarray, shape (p,) or (p, len(lam))
    observables : dict
        The errors, ``m`` and ``q2``; the test error adds the label noise analytically.
    """
    p = len(weights)
    features, labels = np.empty((n, p)), np.empty(n)
    for block, inputs, values in fresh(rng, target, direction, n, width=p, noise_variance=noise_variance):
        features[block], labels[block] = student(inputs @ weights.T), values
    path = RidgePath(features, labels)
    readout = path.solve(lam)

    squares = np.square(path.residual(readout)).sum(axis=0)
    length = np.square(readout).sum(axis=0)
    del features, path
    wrong = 0.0
    for _, inputs, truth in fresh(rng, target, direction, test_size, width=p):
        output = np.asarray(student(inputs @ weights.T), dtype=np.float64) @ readout / np.sqrt(p)
        wrong = wrong + np.square(truth - output.T).sum(axis=-1)
    clean = wrong / test_size
    return readout, {
        "test_error": clean + noise_variance,
        "clean_error": clean,
        "train_error": squares / n,
        "objective": (squares + lam * length) / n,
        "m": readout.sum(axis=0) / np.sqrt(p),
        "q2": length / p,
    }
