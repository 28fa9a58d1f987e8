"""Estimate the memory of a repeat."""

from .readout import CHUNK


def repeat_bytes(*, d, p, n, readouts=1):
    """Return the largest memory of the arrays of one repeat, in bytes.

    Parameters
    ----------
    d, p, n : int
        Input dimension, width, and samples (the largest number along alpha).
    readouts : int
        Numbers of samples times penalties.

    Returns
    -------
    int
        ``8 * (n*p + 5*min(n, p)**2 + 3*p*d + 4*p*readouts + n*readouts + 8*CHUNK)``: features, Gram matrix and its
        tridiagonal form, first layer and its gradient, readouts, residuals, and blocks of CHUNK = 4e6 numbers for
        inputs. It does not depend on the size of the test set and of the first batch. A penalty so small that
        singular values are needed adds ``8 * 5*n*p``.
    """
    square = min(n, p) ** 2
    return 8 * (n * p + 5 * square + 3 * p * d + (4 * p + n) * readouts + 8 * CHUNK)
