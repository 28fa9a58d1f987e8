"""Compute Hermite coefficients of functions from their values alone, with kinks and jumps anywhere."""

import numpy as np

from ...errors import DomainError

#: ends of the integrals: the square root of the normal weight is below 1e-31 there
_END = 17.0
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)
#: map from values at the nodes to the last two Legendre coefficients
_LAST = np.polynomial.legendre.legvander(_NODES, 19)[:, -2:].T * _WEIGHTS * np.array([[37.0], [39.0]]) / 2
#: accepted error of a piece, relative to the integral
_MISSED = 1e-15
#: halvings of a piece, after which a jump is located to rounding
_HALVINGS = 50


def hermite_moments(functions, degree):
    """Return means of functions of a normal variable with orthonormal Hermite polynomials.

    Parameters
    ----------
    functions : sequence of callable
        On float64 arrays; square integrable, with kinks and jumps anywhere.
    degree : int

    Returns
    -------
    ndarray, shape (len(functions), degree + 1)
        ``E[f(z) * He_k(z)] / sqrt(k!)``.

    Raises
    ------
    DomainError
        For a function with values that are not finite.

    Notes
    -----
    Gauss-Legendre quadrature rules on pieces; pieces that do not resolve all functions are halved.
    """
    nodes, weights = _rule(functions, min(0.5, 4.0 / np.sqrt(degree + 1.0)))
    half = np.exp(-nodes**2 / 4.0)
    weighted = _values(functions, nodes) * half * weights / np.sqrt(2.0 * np.pi)
    moments = np.empty((len(functions), degree + 1))
    before, now = np.zeros_like(nodes), half
    for k in range(degree + 1):
        moments[:, k] = weighted @ now
        before, now = now, (nodes * now - np.sqrt(k) * before) / np.sqrt(k + 1.0)
    return moments


def normal_mean(function):
    """Return the mean of a function of a normal variable, by the same quadrature."""
    return hermite_moments([function], 0)[0, 0]


def _rule(functions, width):
    """Return nodes and weights on pieces no longer than a width."""
    edges = np.linspace(-_END, _END, 2 * int(np.ceil(_END / width)) + 1)
    low, high = edges[:-1], edges[1:]
    done, whole = [], None
    for _ in range(_HALVINGS):
        middle, half = (low + high) / 2.0, (high - low) / 2.0
        nodes = middle[:, None] + half[:, None] * _NODES
        values = _values(functions, nodes) * np.exp(-nodes**2 / 4.0)
        if whole is None:
            whole = np.einsum("fpn,n,p->f", np.abs(values), _WEIGHTS, half)[:, None]
        last = np.abs(np.einsum("fpn,kn->fkp", values, _LAST)).max(axis=1)
        open_ = np.any(last * half > _MISSED * whole, axis=0)
        done.append((nodes[~open_], half[~open_, None] * _WEIGHTS))
        if not open_.any():
            break
        low, high = np.concatenate([low[open_], middle[open_]]), np.concatenate([middle[open_], high[open_]])
    else:
        done.append((nodes[open_], half[open_, None] * _WEIGHTS))
    return tuple(np.concatenate([part.ravel() for part in parts]) for parts in zip(*done))


def _values(functions, nodes):
    values = np.array([np.asarray(f(nodes), dtype=np.float64) for f in functions])
    if not np.isfinite(values).all():
        raise DomainError("alpha0=inf: student, its derivative or target has values that are not finite on "
                          f"[-{_END:g}, {_END:g}], where the gradient is integrated; expected finite numbers")
    return values
