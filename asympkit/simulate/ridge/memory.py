"""How much memory a repeat needs."""

from .readout import CHUNK


def repeat_bytes(*, d, p, n, readouts=1):
    """Largest memory that the arrays of one repeat take, in bytes.

    Parameters
    ----------
    d, p, n : int
        Input dimension, width, and samples (the most, along alpha).
    readouts : int
        Numbers of samples times penalties.

    Returns
    -------
    int
        ``8 * (n*p + 5*min(n, p)**2 + 3*p*d + 4*p*readouts + n*readouts + 8*CHUNK)``: features, Gram matrix and its
        tridiagonal form, first layer and its gradient, readouts, residuals, and blocks of CHUNK = 4e6 numbers in which
        inputs come and go. The size of the test set and of the first batch are not in it. Where a penalty
        is so small that singular values are needed, another ``8 * 5*n*p`` are.
    """
    square = min(n, p) ** 2
    return 8 * (n * p + 5 * square + 3 * p * d + (4 * p + n) * readouts + 8 * CHUNK)
