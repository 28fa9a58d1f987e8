"""Equations c*(u - f) = 0 of positive unknowns, read as log(u/f) = 0 (numpy only; copied into generated modules)."""

import numpy as np


def as_quotients(unknowns, factors, residuals, rows):
    """Replace ``c*(u - f)`` by ``log(u/f)`` in residuals and rows of Newton's matrix.

    Parameters
    ----------
    unknowns : tuple of ndarray
    factors : tuple of float, ndarray or None
        The c of each equation; None leaves it as it is.
    residuals : tuple of ndarray
    rows : tuple of tuple of ndarray
        In the logarithms of positive unknowns.

    Returns
    -------
    maps, residuals, rows
        As a step of :func:`newton_batch` gives them, without maps: steps are to be damped.

    Notes
    -----
    Where f is not positive, an equation stays unchanged, relative to c*u.
    """
    residuals, rows = list(residuals), [list(row) for row in rows]
    for i, (u, c) in enumerate(zip(unknowns, factors)):
        if c is not None:
            share = residuals[i] / (c * u)            # 1 - f/u
            quotient = np.where(share < 1.0, 1.0 - share, 1.0)
            own = np.where(share < 1.0, share, 0.0)
            residuals[i] = np.where(share < 1.0, -np.log(quotient), share)
            rows[i] = [(entry / (c * u) - own * (i == j)) / quotient for j, entry in enumerate(rows[i])]
    return None, tuple(residuals), tuple(map(tuple, rows))
