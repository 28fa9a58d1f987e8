"""Ridge regression on the features of a deep network, whose weights are given, random or trained.

Labels may come from another network.  Networks with given weights are averaged over readouts of the target and
samples; a small deep network can be trained.
"""

from dataclasses import dataclass

import numpy as np

from ..arguments import check_count, check_value
from ..errors import ConvergenceError, DomainError
from .repeats import run_repeats
from .ridge import CHUNK, RidgePath
from .simulation import Draws, check_grid, round_count


@dataclass(frozen=True, eq=False)
class Network:
    """Evaluate layers ``x -> function(weights @ x + bias)``, the first first; without any, the features are the inputs.
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
    """Yield slices of samples and inputs of covariance ``root @ root.T``, at most CHUNK numbers at the given width.

    A root of shape (d,) holds the standard deviations of independent inputs.
    """
    rows = max(1, CHUNK // max(width, len(root)))
    for start in range(0, samples, rows):
        block = slice(start, min(start + rows, samples))
        inputs = rng.standard_normal((block.stop - start, len(root)))
        yield block, inputs * root if root.ndim == 1 else inputs @ root.T


def ridge_errors(rng, student, target, readout, root, *, n, lam, noise_variance, test_size, centred):
    """Fit the readout of a student to n noisy labels of a target, for each penalty, and test it on fresh inputs.

    The labels are ``readout @ target(x) / sqrt(k)`` plus noise, the fit minimises
    ``sum((y - w @ student(x) / sqrt(p))**2) + lam * sum(w**2)``; inputs are as for :func:`blocks`.  With ``centred``
    the means of features and labels are subtracted, measured on as many other inputs as those of the test.

    Return arrays over penalties: ``test_error`` (the noise added analytically), ``clean_error``, ``train_error`` (of
    the noisy labels, without penalty).
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

    Layers are (width over d, elementwise function), the first first; leading ones of the target may have a third entry,
    True for the student's own layer of the same depth, and a target without layers is linear in the inputs.  alpha is
    the number of samples over d; the penalty lam is not divided by it.  ``spectrum`` are eigenvalues of the input
    covariance, repeated until there are d.  With ``centred`` the means of features and labels are subtracted.  Return
    ``test_error``, on ``test_size`` fresh inputs, ``clean_error`` and ``train_error`` by name.
    """
    n, shared = round_count("alpha", alpha, d, "sample"), sum(any(layer[2:]) for layer in target)
    weights = _weights(rng, d, student, d, "width{}")
    inputs = len(weights[shared - 1]) if shared else d
    targets = weights[:shared] + _weights(rng, inputs, target[shared:], d, "target width{}", shared)
    networks = [Network(tuple(w), tuple(layer[1] for layer in layers))
                for w, layers in ((weights, student), (targets, target))]
    readout = rng.standard_normal(networks[1].width(d))
    found = ridge_errors(rng, *networks, readout, np.sqrt(np.resize(np.asarray(spectrum, dtype=np.float64), d)), n=n,
                         lam=np.array([lam], dtype=np.float64), noise_variance=noise_variance, centred=centred,
                         test_size=max(4 * n, 10000) if test_size is None else test_size)
    return {name: float(value[0]) for name, value in found.items()}


def _weights(rng, inputs, layers, d, name, below=0):
    """Draw the weights of layers; ``name`` names the width of a layer by its number."""
    found = []
    for k, (ratio, *_) in enumerate(layers, below + 1):
        width = round_count(name.format(k), ratio, d, "unit")
        found.append(rng.standard_normal((width, inputs)) / np.sqrt(inputs))
        inputs = width
    return found


#: parts of a layer, as the settings of a repeat name them
_PARTS = ("weights", "function", "bias")


def simulate_features(student, target, *, n, lam, noise_variance=0.0, input_covariance, readout=None, centred=False,
                      test_size=None, repeats=10, seed=0, **how):
    """Run ridge regression on the features of a network of given weights, with labels from another one.

    Layers are (weights, elementwise function, bias), the first first, weights of shape (width, inputs), and fit each
    other and the covariance of the Gaussian inputs; a target without layers is linear in the inputs, and its output is
    ``readout @ features / sqrt(k)``, with a standard normal readout in each repeat by default.  ``lam`` may be a
    sequence of penalties ``lam * |w|**2`` next to the sum of squares of ``y - w @ features / sqrt(p)``.  With
    ``centred`` the means of features and labels are subtracted.  ``test_size`` are fresh inputs of each repeat, by
    default ``max(4 n, 10000)``; other arguments are as for :func:`~asympkit.simulate.repeats.run_repeats`.  Return
    estimates of ``test_error``, ``clean_error`` and ``train_error``.

    A repeat holds the features of the n samples and a Gram matrix of size ``min(n, p)``; inputs are processed in blocks
    of 4e6 numbers.
    """
    n, layers, d = check_count("n", n, 1), {"student": student, "target": target}, len(input_covariance)
    k = len(target[-1][0]) if target else d
    lam = check_grid("lam", lam)
    settings = {
        "n": n, "lam": np.atleast_1d(lam),
        "noise_variance": check_value("noise_variance", noise_variance, "nonnegative"),
        "root": _root(input_covariance), "readout": np.zeros(0) if readout is None else _readout(readout, k),
        "test_size": max(4 * n, 10000) if test_size is None else check_count("test_size", test_size, 1),
        "centred": bool(centred), "single": np.ndim(lam) == 0,
    }
    for name, parts in layers.items():
        for i, parts_of_layer in enumerate(parts):
            settings |= {f"{name}_{part}_{i}": value for part, value in zip(_PARTS, parts_of_layer)}
    sizes = {"d": d, "p": len(student[-1][0]), "k": k, "n": n}
    axes = {"lam": np.asarray(lam)} if np.ndim(lam) else {}
    return run_repeats(features_repeat, settings, repeats=repeats, seed=seed, build=lambda estimates, finished: Draws(
        estimates, sizes, finished, seed, axes), **how)


def features_repeat(seed, *, n, lam, noise_variance, root, readout, test_size, centred, single, **layers):
    """Run one repeat from its seed sequence."""
    rng = np.random.default_rng(seed)
    student, target = (_network(name, layers) for name in ("student", "target"))
    if not readout.size:
        readout = rng.standard_normal(target.width(len(root)))
    found = ridge_errors(rng, student, target, readout, root, n=n, lam=lam, noise_variance=noise_variance,
                         test_size=test_size, centred=centred)
    return {name: float(value[0]) if single else value for name, value in found.items()}


def _network(name, layers):
    depth = sum(key.startswith(f"{name}_weights_") for key in layers)
    return Network(*(tuple(layers[f"{name}_{part}_{i}"] for i in range(depth)) for part in _PARTS))


def _readout(value, k):
    readout = np.asarray(value, dtype=np.float64)
    if readout.shape != (k,) or not np.isfinite(readout).all():
        raise DomainError(f"readout of shape {readout.shape}: expected ({k},), finite numbers, one for each feature of "
                          "the target")
    return readout


def _root(covariance):
    values, vectors = np.linalg.eigh(covariance)
    return vectors * np.sqrt(np.maximum(values, 0.0))


def train_layers(rng, student, target, *, root=None, readout=None, learning_rate, steps, batch, scale=1.0,
                 noise_variance=0.0):
    r"""Train all layers of a network, and its readout, by gradient descent on fresh batches of a target's labels.

    Layers are (initial weights, elementwise function with a ``derivative``); inputs have the root ``root``, shape (d,)
    or (d, d), of their covariance, by default ones; the target's ``readout`` is standard normal by default.

    The output is ``scale * a @ features / sqrt(p)``, with ``a`` standard normal at first. A step descends along the
    gradient of half the mean squared error of a batch, times ``learning_rate / scale**2``, in each layer divided by the
    number of its inputs, so that a rate of order 1 learns in some steps at every width. A large ``scale`` keeps the
    weights near their start (the lazy regime), a small one moves them.

    Return the trained weights of the layers, the target's readout, and the mean squared error of each batch before its
    step. ConvergenceError if the weights diverge.
    """
    rate = check_value("learning_rate", learning_rate, "nonnegative")
    scale = check_value("scale", scale, "positive")
    noise = np.sqrt(check_value("noise_variance", noise_variance, "nonnegative"))
    steps, batch = check_count("steps", steps, 1), check_count("batch", batch, 1)
    weights, functions = [np.array(w, dtype=np.float64) for w, _ in student], [f for _, f in student]
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
