"""Covariances of features from samples: what needs no theory of the features."""

import warnings
from dataclasses import dataclass

import numpy as np

from ..arguments.requests import check_count
from ..errors import AssumptionWarning, DomainError
from .layers import check_inputs, read_network
from .weights import array_of

__all__ = ["Measured", "measure", "sample_features"]

#: so many samples a feature are taken for many, and so many numbers are held at once
_MANY, _CHUNK = 20, 4_000_000


@dataclass(frozen=True, eq=False)
class Measured:
    """Covariances estimated from samples.

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
        """How far a covariance is from what the samples say, relative, in the Frobenius norm, their noise taken off.

        The noise of the samples, ``(Tr Omega)**2 + Tr Omega**2`` over their number for Gaussian features, is
        subtracted from the square; 0 means that nothing was seen.
        """
        square = np.sum(self.Omega**2)
        noise = (np.trace(self.Omega) ** 2 + square) / self.samples
        return float(np.sqrt(max(np.sum((self.Omega - Omega) ** 2) - noise, 0.0) / square))


def measure(features, labels, *, centred=True):
    """Covariances of given features and labels: the model-free alternative to a recursion.

    Parameters
    ----------
    features : array_like, shape (samples, p)
        Of data that no weight was fitted to.
    labels : array_like, shape (samples,)
        Of the target without noise; noise in them is counted in `rho`.
    centred : bool
        Covariances; otherwise raw second moments.

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
        For fewer than 20 samples a feature: the spread of the eigenvalues is then that of the samples.
    """
    features, labels = array_of("features", features), array_of("labels", labels)
    if features.ndim != 2 or labels.shape != features.shape[:1]:
        raise DomainError(f"features of shape {features.shape} and labels of shape {labels.shape}: expected (samples, "
                          "p) and (samples,)")
    total = _Sums(features.shape[1])
    for start in range(0, len(features), max(1, _CHUNK // features.shape[1])):
        block = slice(start, start + max(1, _CHUNK // features.shape[1]))
        total.add(features[block], labels[block])
    return total.result(bool(centred))


def sample_features(student, target, readout, *, samples, seed=0, input_covariance=None, inputs=None, centred=True):
    """Covariances of the features of networks, from Gaussian inputs or from data.

    Parameters
    ----------
    student, target, input_covariance
        As for :func:`~asympkit.networks.covariances.covariances`.
    readout : array_like, shape (k,)
        Labels are ``readout @ target(x) / sqrt(k)``.
    samples, seed : int
        Gaussian inputs drawn.
    inputs : array_like, shape (samples, d), optional
        Data to be used instead of Gaussian inputs; `samples` of them.
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
    rng = np.random.default_rng(check_count("seed", seed, 0))
    k = target[-1].width if target else d
    readout = array_of("readout", readout)
    if readout.shape != (k,):
        raise DomainError(f"readout of shape {readout.shape}: expected ({k},), one for each feature of the target")
    if inputs is None:
        values, vectors = np.linalg.eigh(covariance)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
    else:
        inputs = array_of("inputs", inputs)
        if inputs.ndim != 2 or inputs.shape[1] != d or len(inputs) < samples:
            raise DomainError(f"inputs of shape {inputs.shape}: expected ({samples}, {d}), as many as samples")
    total = _Sums(student[-1].width)
    rows = max(1, _CHUNK // max(d, *(layer.width for layer in (*student, *target))))
    for start in range(0, samples, rows):
        count = min(rows, samples - start)
        x = rng.standard_normal((count, d)) @ root.T if inputs is None else inputs[start:start + count]
        total.add(_features(student, x), _features(target, x) @ readout / np.sqrt(k))
    return total.result(bool(centred))


def _features(layers, values):
    for layer in layers:
        values = layer.activation(values @ layer.weights.T + layer.bias)
    return values


class _Sums:
    """Sums over samples that come in blocks."""

    def __init__(self, p):
        self.count, self.first, self.labels = 0, np.zeros(p), 0.0
        self.second, self.cross, self.squares = np.zeros((p, p)), np.zeros(p), 0.0

    def add(self, features, labels):
        if not (np.isfinite(features).all() and np.isfinite(labels).all()):
            raise DomainError("features or labels have values that are not finite; expected finite numbers")
        self.count += len(labels)
        self.first += features.sum(axis=0)
        self.labels += labels.sum()
        self.second += features.T @ features
        self.cross += labels @ features
        self.squares += labels @ labels

    def result(self, centred):
        n, p = self.count, len(self.first)
        if n < _MANY * p:
            warnings.warn(f"covariances of {p} features from {n} samples: expected at least {_MANY * p}; with fewer "
                          "the eigenvalues spread as those of the samples do, and errors come out too small",
                          AssumptionWarning, stacklevel=3)
        mean, level = self.first / n, self.labels / n
        Omega, psi, rho = self.second / n, self.cross / n, self.squares / n
        if centred:
            Omega, psi, rho = Omega - np.outer(mean, mean), psi - level * mean, rho - level**2
        return Measured(Omega, psi, float(rho), mean, n, centred)
