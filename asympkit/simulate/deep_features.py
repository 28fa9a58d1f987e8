"""Ridge regression on the features of a deep network, whose weights are given, random or trained.

Labels may come from another network.
"""

from dataclasses import dataclass

import numpy as np

from ..arguments.domains import check_count, check_value
from ..errors import DomainError
from .ridge import CHUNK, RidgePath
from .simulation import check_elementwise, round_count

__all__ = ["Network", "draw_deep", "ridge_errors"]





@dataclass(frozen=True, eq=False)
class Network:
    """Evaluate layers ``x -> function(weights @ x + bias)``, the first first; without any, the features are the inputs.

    Attributes
    ----------
    weights : tuple of ndarray
        Layer l of shape (width l, width l - 1).
    functions : tuple of callable
        Elementwise.
    biases : tuple of ndarray, optional
    """

    weights: tuple
    functions: tuple
    biases: tuple = ()

    def __call__(self, inputs):
        """Return features, one row a sample."""
        values = inputs
        biases = self.biases or (0.0,) * len(self.weights)
        for matrix, function, bias in zip(self.weights, self.functions, biases):
            values = np.asarray(function(values @ matrix.T + bias), dtype=np.float64)
        return values

    def width(self, d):
        """Return the number of features."""
        return len(self.weights[-1]) if self.weights else d

    def widest(self, d):
        """Return the largest number of values that a sample has in any layer."""
        return max([d, *map(len, self.weights)])


def blocks(rng, root, samples, width):
    """Yield inputs of covariance ``root @ root.T``, in blocks of at most CHUNK numbers at the given width.

    Parameters
    ----------
    rng : numpy.random.Generator
    root : ndarray, shape (d,) or (d, d)
        Standard deviations of independent inputs, or a root of their covariance.
    samples, width : int

    Yields
    ------
    block : slice
        The indices of these samples.
    inputs : ndarray, shape (rows, d)
    """
    rows = max(1, CHUNK // max(width, len(root)))
    for start in range(0, samples, rows):
        block = slice(start, min(start + rows, samples))
        inputs = rng.standard_normal((block.stop - start, len(root)))
        yield block, inputs * root if root.ndim == 1 else inputs @ root.T


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


def draw_deep(rng, d, *, student, target, alpha, lam, noise_variance=0.0, spectrum=(1.0,), centred=False,
              test_size=None):
    """Draw deep networks, and the errors of ridge regression on the features of one with labels from the other.

    Weights of each layer are independent normals of variance 1 over the number of inputs of the layer; the target's
    readout has standard normal entries over the root of its width.

    Parameters
    ----------
    rng : numpy.random.Generator
    d : int
        Input dimension.
    student : sequence of (width, function)
        Layers, the first first: width over d, elementwise function.
    target : sequence of (width, function) or (width, function, shared)
        Layers of the target; leading ones may be shared, and are then the student's of the same depth. A target without
        layers is linear in the inputs.
    alpha : float
        Samples over d.
    lam : float
        Penalty next to the sum of squares; not divided by the number of samples.
    noise_variance : float
    spectrum : sequence of float
        Eigenvalues of the input covariance, repeated until there are d.
    centred : bool
        Whether the means of features and labels are subtracted.
    test_size : int, optional
        Fresh inputs; by default ``max(4 n, 10000)``.

    Returns
    -------
    dict of float
        ``test_error``, ``clean_error``, ``train_error``.

    Raises
    ------
    DomainError
        For a value outside its domain, or a shared layer that the student lacks.
    """
    d = check_count("d", d, 1)
    n = round_count("alpha", check_value("alpha", alpha, "positive"), d, "sample")
    eigenvalues = np.resize(np.array([check_value("spectrum", e, "nonnegative") for e in spectrum]), d)
    own, others = _layers("student", student), _layers("target", target)
    weights = _weights(rng, d, own, d, "width{}")
    shared = _shared(own, others)
    inputs = len(weights[shared - 1]) if shared else d
    targets = weights[:shared] + _weights(rng, inputs, others[shared:], d, "target width{}", shared)
    networks = [Network(tuple(w), tuple(f for _, f, _ in layers)) for w, layers in ((weights, own), (targets, others))]
    readout = rng.standard_normal(networks[1].width(d))
    found = ridge_errors(rng, *networks, readout, np.sqrt(eigenvalues), n=n,
                         lam=np.array([check_value("lam", lam, "nonnegative")]), centred=bool(centred),
                         noise_variance=check_value("noise_variance", noise_variance, "nonnegative"),
                         test_size=max(4 * n, 10000) if test_size is None else check_count("test_size", test_size, 1))
    return {name: float(value[0]) for name, value in found.items()}


def _layers(name, layers):
    """Return layers as triples (ratio, function, shared)."""
    found = []
    for k, layer in enumerate(layers, start=1):
        if not isinstance(layer, tuple) or len(layer) not in (2, 3):
            raise DomainError(f"{name}: layer {k} is {layer!r}; expected (width, function)")
        ratio, function, shared = (*layer, False)[:3]
        check_elementwise(f"{name}: layer {k}", function)
        found.append((check_value(f"{name}: layer {k}: width", ratio, "positive"), function, shared))
    if not found and name == "student":
        raise DomainError("student: got no layer; expected at least one (width, function)")
    return found


def _shared(student, target):
    """Return how many leading layers the target has in common with the student."""
    shared = sum(flag for _, _, flag in target)
    if not all(flag for _, _, flag in target[:shared]):
        raise DomainError("target: a shared layer follows one that is not; expected the shared ones first")
    for k, (own, other) in enumerate(zip(student, target[:shared]), start=1):
        if own[0] != other[0]:
            raise DomainError(f"target: layer {k} is shared and has the width {other[0]:g}; expected "
                              f"{own[0]:g}, the student's")
    if shared > len(student):
        raise DomainError(f"target: {shared} layers are shared; expected at most {len(student)}, as the student has")
    return shared


def _weights(rng, inputs, layers, d, name, below=0):
    """Draw the weights of layers; ``name`` names the width of a layer by its number."""
    found = []
    for k, (ratio, _, _) in enumerate(layers, below + 1):
        width = round_count(name.format(k), ratio, d, "unit")
        found.append(rng.standard_normal((width, inputs)) / np.sqrt(inputs))
        inputs = width
    return found
