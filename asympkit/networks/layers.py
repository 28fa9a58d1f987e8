"""Read and check networks with given weights (arrays, tensors of other libraries, modules, dictionaries of parameters),
and estimate the covariances of their features from samples, without a theory of the features.

No library is imported: objects are recognised by their methods.
"""

import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..activations import Activation
from ..arguments import check_count, quote
from ..errors import AssumptionWarning, DomainError
from ..spectra.compression import check_covariance, clean_spectrum


def array_of(name, value):
    """Return a float array from a list of numbers, or from what has ``__array__`` (numpy, jax) or is a tensor of torch.
    """
    if hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    try:
        array = np.asarray(value)
        # bfloat16 of jax is an extension type, which numpy can cast
        found = array.astype(np.float64) if array.dtype.kind in "fiubV" else np.empty(0)
    except (TypeError, ValueError):
        found = np.empty(0)
    if not found.size:
        raise DomainError(f"{name}: got {quote(value)}; expected an array of real numbers that is not empty")
    return found


def layers_of(name, parameters, activations):
    """Return the layers of a module, or of its dictionary of parameters: (weights, activation, bias or None), in order.

    ``parameters`` has ``named_parameters()`` (a torch module: weights of shape (width, inputs)), or is a mapping of
    names to arrays or mappings (a ``state_dict``; the parameters of flax or haiku, whose ``kernel`` and ``w`` have
    shape (inputs, width)).  There is one activation for each layer; one more matrix is the readout, which is left out.
    """
    if hasattr(parameters, "named_parameters"):
        parameters = dict(parameters.named_parameters())
    if not isinstance(parameters, Mapping):
        raise DomainError(f"{name}: got {quote(parameters)}; expected a list of (weights, activation), or a pair of a "
                          "module or mapping of parameters and a list of activations")
    matrices, biases = {}, {}
    for path, value in _leaves(parameters, ()):
        array = array_of(f"{name}: {'.'.join(path)}", value)
        if array.ndim == 2:
            if path[:-1] in matrices:
                raise DomainError(f"{name}: {'.'.join(path[:-1]) or 'the mapping'} holds two matrices; expected one "
                                  "weight of two dimensions in each layer")
            matrices[path[:-1]] = array.T if path[-1] in ("kernel", "w") else array
        elif array.ndim == 1:
            biases[path[:-1]] = array
        else:
            raise DomainError(f"{name}: {'.'.join(path)} has shape {array.shape}; expected dense layers, whose "
                              "weights have two dimensions")
    for path in biases:
        if path not in matrices:
            raise DomainError(f"{name}: {'.'.join(path)} holds a vector and no matrix; expected dense layers without "
                              "normalisation")
    activations = list(activations)
    if len(matrices) not in (len(activations), len(activations) + 1):
        raise DomainError(f"{name}: {len(matrices)} matrices ({', '.join('.'.join(p) for p in matrices)}) for "
                          f"{len(activations)} activations; expected as many, or one more, the readout")
    return [(matrix, act, biases.get(path)) for (path, matrix), act in zip(matrices.items(), activations)]


def _leaves(tree, path):
    """Yield arrays in a nested mapping, names with numbers in their natural order if siblings are layers."""
    names = list(tree)
    if any(isinstance(tree[n], Mapping) for n in names):
        names = sorted(names, key=_natural) if all(re.search(r"\d", str(n)) for n in names) else names
    for key in names:
        if isinstance(tree[key], Mapping):
            yield from _leaves(tree[key], (*path, str(key)))
        else:
            yield (*path, *str(key).split(".")), tree[key]


def _natural(name):
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", str(name))]


@dataclass(frozen=True, eq=False)
class DenseLayer:
    """Hold a layer ``x -> activation(weights @ x + bias)``, the weights of shape (width, inputs)."""

    weights: np.ndarray
    activation: Activation
    bias: np.ndarray

    @property
    def width(self):
        return len(self.weights)

    @property
    def is_odd(self):
        """Return whether features have no mean if the inputs have none."""
        return not self.bias.any() and (self.activation.form_parity == -1 or self.activation.parity == "odd")


def read_network(name, layers):
    """Read layers and check them against each other; return a tuple of :class:`DenseLayer`.

    Layers are (weights, activation) or (weights, activation, bias), the first layer first; or a pair of a module or
    mapping of parameters and a list of activations, as for :func:`layers_of`.  ``name`` is for errors.
    """
    is_pair = isinstance(layers, tuple | list) and len(layers) == 2
    if is_pair and (isinstance(layers[0], Mapping) or hasattr(layers[0], "named_parameters")):
        layers = layers_of(name, *layers)
    if isinstance(layers, Mapping | str) or not hasattr(layers, "__iter__"):
        raise DomainError(f"{name}: got {quote(layers)}; expected a list of (weights, activation)")
    found = []
    for k, layer in enumerate(layers, start=1):
        if not isinstance(layer, tuple | list) or len(layer) not in (2, 3):
            raise DomainError(f"{name}: layer {k} is {quote(layer)}; expected (weights, activation), or (weights, "
                              "activation, bias)")
        found.append(_read_layer(name, k, *layer, inputs=found[-1].width if found else None))
    return tuple(found)


def _read_layer(name, k, weights, activation, bias=None, *, inputs):
    what = f"{name}: the weights of layer {k}"
    weights = array_of(what, weights)
    if weights.ndim != 2 or inputs not in (None, weights.shape[1]):
        expected = "(width, inputs)" if inputs is None else f"(width, {inputs}), the width of layer {k - 1} as inputs"
        raise DomainError(f"{what} have shape {weights.shape}: expected {expected}")
    _check_finite(what, weights)
    bias = np.zeros(len(weights)) if bias is None else array_of(f"{name}: the bias of layer {k}", bias)
    if bias.shape != (len(weights),):
        raise DomainError(f"{name}: the bias of layer {k} has shape {bias.shape}: expected ({len(weights)},)")
    _check_finite(f"{name}: the bias of layer {k}", bias)
    return DenseLayer(weights, Activation(activation), bias)


def _check_finite(what, array):
    wrong = np.count_nonzero(~np.isfinite(array))
    if wrong:
        raise DomainError(f"{what}: {wrong} of {array.size} entries are not finite; expected finite numbers")


def check_inputs(student, target, covariance):
    """Return the covariance of the inputs as a matrix that fits the networks, from a matrix, its diagonal or None."""
    if not student:
        raise DomainError("student: got no layer; expected at least one (weights, activation)")
    d = student[0].weights.shape[1]
    if target and target[0].weights.shape[1] != d:
        raise DomainError(f"target: the weights of layer 1 have shape {target[0].weights.shape}: expected (width, "
                          f"{d}), as many inputs as the student has")
    if covariance is None:
        return np.eye(d)
    array = array_of("input_covariance", covariance)
    matrix = check_covariance("input_covariance", np.diag(array) if array.ndim == 1 else array, d)
    clean_spectrum("input_covariance", np.linalg.eigvalsh(matrix))
    return matrix


#: recommended samples per feature, and largest number of entries held at once
MANY, _CHUNK = 20, 4_000_000


@dataclass(frozen=True, eq=False)
class Measured:
    """Hold covariances estimated from samples.

    ``psi`` is the covariance of the features with the labels, ``rho`` the variance of the labels, ``mean`` that of the
    features.
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

    Features have one row a sample, of data that the weights were not fitted to; labels are those of the target without
    noise: noise in them adds to ``rho``.  Raw second moments unless ``centred``.  Fewer than 20 samples a feature give
    an AssumptionWarning: the spread of the eigenvalues is then dominated by sampling.
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
    """Estimate covariances of the features of networks from Gaussian inputs, or from the first rows of given ones.

    Networks and input covariance are as for :func:`~asympkit.networks.covariances.covariances`; labels are
    ``readout @ target(x) / sqrt(k)``.
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
