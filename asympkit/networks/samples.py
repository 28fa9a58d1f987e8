"""Estimate covariances of features from samples, without a theory of the features."""

import warnings
from dataclasses import dataclass

import numpy as np

from ..arguments.domains import check_count
from ..errors import AssumptionWarning, DomainError
from .layers import array_of, check_inputs, read_network

__all__ = ["MANY", "Measured", "SampleSums", "blocks", "measure", "sample_features"]

#: recommended samples per feature, and largest number of entries held at once
MANY, _CHUNK = 20, 4_000_000


@dataclass(frozen=True, eq=False)
class Measured:
    """Hold covariances estimated from samples.

    Attributes
    ----------
    Omega : ndarray, shape (p, p)
    psi : ndarray, shape (p,)
        Covariance of the features with the labels.
    rho : float
        Variance of the labels.
    mean : ndarray, shape (p,)
        Means of the features.
    samples : int
    centred : bool
    """

    Omega: np.ndarray
    psi: np.ndarray
    rho: float
    mean: np.ndarray
    samples: int
    centred: bool

    def distance(self, Omega):
        """Return the relative distance of a covariance from the estimate, in the Frobenius norm, without sampling
        noise.

        The sampling noise, ``(Tr Omega)**2 + Tr Omega**2`` over the number of samples for Gaussian features, is
        subtracted from the square; 0 means that no difference is significant.
        """
        square = np.sum(self.Omega**2)
        noise = (np.trace(self.Omega) ** 2 + square) / self.samples
        return float(np.sqrt(max(np.sum((self.Omega - Omega) ** 2) - noise, 0.0) / square))


def measure(features, labels, *, centred=True):
    """Estimate covariances of given features and labels: the model-free alternative to a recursion.

    Parameters
    ----------
    features : array_like, shape (samples, p)
        Of data that the weights were not fitted to.
    labels : array_like, shape (samples,)
        Of the target without noise; noise in them adds to `rho`.
    centred : bool
        True for covariances, False for raw second moments.

    Returns
    -------
    Measured

    Raises
    ------
    DomainError
        For shapes that do not fit, or numbers that are not finite.

    Warns
    -----
    AssumptionWarning
        For fewer than 20 samples a feature: the spread of the eigenvalues is then dominated by sampling.
    """
    features, labels = array_of("features", features), array_of("labels", labels)
    if features.ndim != 2 or labels.shape != features.shape[:1]:
        raise DomainError(f"features of shape {features.shape} and labels of shape {labels.shape}: expected (samples, "
                          "p) and (samples,)")
    total = SampleSums(features.shape[1])
    for start in range(0, len(features), max(1, _CHUNK // features.shape[1])):
        block = slice(start, start + max(1, _CHUNK // features.shape[1]))
        total.add(features[block], labels[block])
    return total.result(bool(centred))


def sample_features(student, target, readout, *, samples, seed=0, input_covariance=None, inputs=None, centred=True):
    """Estimate covariances of the features of networks, from Gaussian inputs or from data.

    Parameters
    ----------
    student, target, input_covariance
        As for :func:`~asympkit.networks.covariances.covariances`.
    readout : array_like, shape (k,)
        Labels are ``readout @ target(x) / sqrt(k)``.
    samples, seed : int
        Number of Gaussian inputs, and their seed.
    inputs : array_like, shape (samples, d), optional
        Data to use instead of Gaussian inputs; `samples` of them.
    centred : bool

    Returns
    -------
    Measured

    Raises
    ------
    DomainError
        As for covariances and :func:`measure`.
    """
    student, target = read_network("student", student), read_network("target", target)
    covariance = check_inputs(student, target, input_covariance)
    samples, d = check_count("samples", samples, 2), len(covariance)
    k = target[-1].width if target else d
    readout = array_of("readout", readout)
    if readout.shape != (k,):
        raise DomainError(f"readout of shape {readout.shape}: expected ({k},), one for each feature of the target")
    if inputs is not None:
        inputs = array_of("inputs", inputs)
        if inputs.ndim != 2 or inputs.shape[1] != d or len(inputs) < samples:
            raise DomainError(f"inputs of shape {inputs.shape}: expected ({samples}, {d}), as many as samples")
    total = SampleSums(student[-1].width)
    for own, other in blocks(student, target, covariance, samples, check_count("seed", seed, 0), inputs):
        total.add(own, other @ readout / np.sqrt(k))
    return total.result(bool(centred))


def blocks(student, target, covariance, samples, seed, inputs=None):
    """Yield features of both networks, for a part of the samples at a time."""
    d, rng = len(covariance), np.random.default_rng(seed)
    if inputs is None:
        values, vectors = np.linalg.eigh(covariance)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
    rows = max(1, _CHUNK // max(d, *(layer.width for layer in (*student, *target))))
    for start in range(0, samples, rows):
        count = min(rows, samples - start)
        x = rng.standard_normal((count, d)) @ root.T if inputs is None else inputs[start:start + count]
        yield _features(student, x), _features(target, x)


def _features(layers, values):
    for layer in layers:
        values = layer.activation(values @ layer.weights.T + layer.bias)
    return values


class SampleSums:
    """Accumulate sums over samples that come in blocks."""

    def __init__(self, p, shape=()):
        self.count, self.first, self.labels = 0, np.zeros(p), np.zeros(shape)
        self.second, self.cross, self.squares = np.zeros((p, p)), np.zeros((p, *shape)), np.zeros(2 * shape)

    def __add__(self, other):
        total = object.__new__(SampleSums)
        total.__dict__ = {name: value + vars(other)[name] for name, value in vars(self).items()}
        return total

    def add(self, features, labels):
        if not (np.isfinite(features).all() and np.isfinite(labels).all()):
            raise DomainError("features or labels have values that are not finite; expected finite numbers")
        self.count += len(labels)
        self.first += features.sum(axis=0)
        self.labels += labels.sum(axis=0)
        self.second += features.T @ features
        self.cross += features.T @ labels
        self.squares += labels.T @ labels

    def moments(self, centred):
        """Return second moments of features, of features and labels, and of labels, and both means."""
        mean, level = self.first / self.count, self.labels / self.count
        Omega, psi, rho = (s / self.count for s in (self.second, self.cross, self.squares))
        if centred:
            outer = np.multiply.outer
            Omega, psi, rho = Omega - outer(mean, mean), psi - outer(mean, level), rho - outer(level, level)
        return Omega, psi, rho, mean, level

    def result(self, centred):
        n, p = self.count, len(self.first)
        if n < MANY * p:
            warnings.warn(f"covariances of {p} features from {n} samples: expected at least {MANY * p}; with fewer "
                          "the eigenvalues are spread by sampling, and errors come out too small",
                          AssumptionWarning, stacklevel=3)
        Omega, psi, rho, mean, _ = self.moments(centred)
        return Measured(Omega, psi, float(rho), mean, n, centred)
