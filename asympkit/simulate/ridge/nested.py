"""Ridge regressions on the first n of the same samples, for several n."""

import numpy as np

from .path import RidgePath


def nested_paths(features, labels, sizes):
    """Yield the regression on the first n samples, for each size n in increasing order.

    Parameters
    ----------
    features : ndarray, shape (N, p)
    labels : ndarray, shape (N,)
    sizes : sequence of int
        At most N each; equal sizes are yielded once.

    Yields
    ------
    n : int
    path : RidgePath
        Must be used before the next one is requested.

    Notes
    -----
    All of them cost the Gram matrices of one: below p samples the Gram matrix of the samples is a corner of the largest
    one, from p samples on that of the features is updated with the new samples.
    """
    p = features.shape[1]
    sizes = np.unique(sizes).tolist()
    below = [n for n in sizes if n < p]
    if below:
        first = features[:below[-1]]
        corner = first @ first.T / p
        for n in below:
            yield n, RidgePath(features[:n], labels[:n], corner[:n, :n])
        del corner
    gram, done = np.zeros((p, p)) if len(below) < len(sizes) else None, 0
    for n in sizes[len(below):]:
        new = features[done:n]
        gram += new.T @ new / p
        done = n
        yield n, RidgePath(features[:n], labels[:n], gram)
