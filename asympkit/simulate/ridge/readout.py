"""Train readouts of a fixed first layer by ridge regression and measure their errors."""

import numpy as np

from .nested import nested_paths

#: numbers in one block of inputs, preactivations or features: 32 MB
CHUNK = 4_000_000


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
        The indices of these samples.
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


def train_readouts(rng, student, target, weights, direction, *, sizes, lam, noise_variance, test_size):
    """Fit readouts on the first n of the same samples, for each n and penalty, and test them on the same inputs.

    Parameters
    ----------
    rng : numpy.random.Generator
    student, target : callable
        Elementwise functions.
    weights : ndarray, shape (p, d)
        First layer; the features are ``student(weights @ x) / sqrt(p)``.
    direction : ndarray, shape (d,)
        The target's direction, of squared norm d.
    sizes : sequence of int
        Numbers n of samples; as many as the largest are drawn.
    lam : ndarray, shape (L,)
    noise_variance : float
    test_size : int

    Returns
    -------
    readouts : ndarray, shape (p, len(sizes), L)
    observables : dict of ndarray, shape (len(sizes), L)
        The errors, ``m`` and ``q2``; the test error adds the label noise analytically.
    """
    p, largest = len(weights), max(sizes)
    features, labels = np.empty((largest, p)), np.empty(largest)
    for block, inputs, values in fresh(rng, target, direction, largest, width=p, noise_variance=noise_variance):
        features[block], labels[block] = student(inputs @ weights.T), values
    readouts, squares = np.empty((p, len(sizes), len(lam))), np.empty((len(sizes), len(lam)))
    for n, path in nested_paths(features, labels, sizes):
        fitted = path.solve(lam)
        missed = np.square(path.residual(fitted)).sum(axis=0)
        for k in np.flatnonzero(np.equal(sizes, n)):
            readouts[:, k], squares[k] = fitted, missed
    del features

    clean = fresh_errors(rng, student, target, weights, direction, readouts.reshape(p, -1), test_size)
    clean = clean.reshape(squares.shape)
    length, samples = np.square(readouts).sum(axis=0), np.asarray(sizes)[:, None]
    return readouts, {
        "test_error": clean + noise_variance,
        "clean_error": clean,
        "train_error": squares / samples,
        "objective": (squares + lam * length) / samples,
        "m": readouts.sum(axis=0) / np.sqrt(p),
        "q2": length / p,
    }


def fresh_errors(rng, student, target, weights, direction, readouts, test_size):
    """Return mean squared errors of all readouts (columns) on fresh inputs, by one product for each block of inputs."""
    p, count = readouts.shape
    negative = readouts / -np.sqrt(p)
    rows = max(1, CHUNK // count)           # for many readouts the outputs of a block are divided further
    wrong = np.zeros(count)
    for _, inputs, truth in fresh(rng, target, direction, test_size, width=p):
        hidden = np.asarray(student(inputs @ weights.T), dtype=np.float64)
        for start in range(0, len(truth), rows):
            error = hidden[start:start + rows] @ negative
            error += truth[start:start + rows, None]
            wrong += np.einsum("ij,ij->j", error, error)
    return wrong / test_size
