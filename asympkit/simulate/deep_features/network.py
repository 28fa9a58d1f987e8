"""A deep network and the samples it sees."""

from dataclasses import dataclass

import numpy as np

from ..ridge.readout import CHUNK

__all__ = ["Network", "blocks"]


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
