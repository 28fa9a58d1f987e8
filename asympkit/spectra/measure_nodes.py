r"""Few nodes that stand for many eigenvalues: Gauss rules of a discrete measure in the logarithm of the eigenvalue.

The functions that ridge regression takes of a spectrum, :math:`e/(e+\zeta)`, its square and :math:`\log(e+\zeta)`, are
analytic in :math:`u=\log e` in the strip of half-width :math:`\pi` around the real line, whatever :math:`\zeta>0` is.
A Gauss rule in u with m nodes therefore errs by about :math:`\rho^{-2m}`,
:math:`\rho=x+\sqrt{1+x^2}`, :math:`x=2\pi/\log\kappa`, for all penalties at once, :math:`\kappa` the ratio of the
largest to the smallest eigenvalue: 20 to 60 nodes where a rule in e itself needs :math:`\sqrt\kappa`.
"""

import numpy as np

__all__ = ["gauss_rule", "lanczos"]


def lanczos(apply, start, steps):
    """Run the Lanczos process with full reorthogonalisation.

    Parameters
    ----------
    apply : callable
        A symmetric operator on vectors.
    start : ndarray
        Not zero; its direction is the first vector.
    steps : int

    Returns
    -------
    diagonal, beside : ndarray
        Of the Jacobi matrix; fewer steps than requested where the Krylov space is exhausted.
    """
    basis = np.empty((min(steps, start.size), start.size))
    diagonal, beside = [], []
    vector = start / np.linalg.norm(start)
    for k in range(len(basis)):
        basis[k] = vector
        image = apply(vector)
        diagonal.append(float(vector @ image))
        scale = np.linalg.norm(image)
        for _ in range(2):          # the second pass removes the rounding error of a small remainder
            image = image - basis[:k + 1].T @ (basis[:k + 1] @ image)
        length = np.linalg.norm(image)
        if k + 1 == len(basis) or length <= 1e-14 * max(scale, abs(diagonal[0])):
            break
        beside.append(float(length))
        vector = image / length
    return np.array(diagonal), np.array(beside[:len(diagonal) - 1])


def jacobi_nodes(diagonal, beside):
    """Return nodes and weights (of sum 1) of the Gauss rule of a Jacobi matrix."""
    from scipy.linalg import eigh_tridiagonal

    nodes, vectors = eigh_tridiagonal(diagonal, beside)
    return nodes, vectors[0] ** 2


def gauss_rule(eigenvalues, weights, size):
    """Compute the Gauss rule of a discrete measure on positive numbers, in their logarithm.

    Parameters
    ----------
    eigenvalues : ndarray
        Positive.
    weights : ndarray
        Not negative, not all zero.
    size : int
        Nodes; fewer come out where the measure has fewer points.

    Returns
    -------
    nodes, weights : ndarray
        The weights have the same sum as those given.
    """
    held = weights > 0.0
    u, mass = np.log(eigenvalues[held]), weights[held]
    # centred, so that the process sees a spectrum around 0
    middle = 0.5 * (u.min() + u.max())
    nodes, parts = jacobi_nodes(*lanczos(lambda v: (u - middle) * v, np.sqrt(mass), size))
    return np.exp(nodes + middle), parts * mass.sum()
