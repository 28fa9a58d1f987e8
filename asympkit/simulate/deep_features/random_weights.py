"""Draw deep networks with independent Gaussian weights, and samples."""

import numpy as np

from ...errors import DomainError
from ..core import arguments as check
from .errors import ridge_errors
from .network import Network

__all__ = ["draw_deep"]


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
    d = check.integer("d", d, low=1)
    n = check.count("alpha", check.real("alpha", alpha, low=0.0, open_low=True), d, "sample")
    eigenvalues = np.resize(np.array([check.real("spectrum", e, low=0.0) for e in spectrum]), d)
    own, others = _layers("student", student), _layers("target", target)
    weights = _weights(rng, d, own, d, "width{}")
    shared = _shared(own, others)
    inputs = len(weights[shared - 1]) if shared else d
    targets = weights[:shared] + _weights(rng, inputs, others[shared:], d, "target width{}", shared)
    networks = [Network(tuple(w), tuple(f for _, f, _ in layers)) for w, layers in ((weights, own), (targets, others))]
    readout = rng.standard_normal(networks[1].width(d))
    found = ridge_errors(rng, *networks, readout, np.sqrt(eigenvalues), n=n,
                         lam=np.array([check.real("lam", lam, low=0.0)]), centred=bool(centred),
                         noise_variance=check.real("noise_variance", noise_variance, low=0.0),
                         test_size=max(4 * n, 10000) if test_size is None else check.integer("test_size", test_size,
                                                                                             low=1))
    return {name: float(value[0]) for name, value in found.items()}


def _layers(name, layers):
    """Return layers as triples (ratio, function, shared)."""
    found = []
    for k, layer in enumerate(layers, start=1):
        if not isinstance(layer, tuple) or len(layer) not in (2, 3):
            raise DomainError(f"{name}: layer {k} is {layer!r}; expected (width, function)")
        ratio, function, shared = (*layer, False)[:3]
        check.elementwise(f"{name}: layer {k}", function)
        found.append((check.real(f"{name}: layer {k}: width", ratio, low=0.0, open_low=True), function, shared))
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
        width = check.count(name.format(k), ratio, d, "unit")
        found.append(rng.standard_normal((width, inputs)) / np.sqrt(inputs))
        inputs = width
    return found
