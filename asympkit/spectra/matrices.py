"""Spectra of covariance matrices, and of operators known by their products with vectors, compressed to few nodes."""

import numpy as np

from ..arguments.domains import check_count, quote
from ..errors import DomainError
from .compression import (
    JUDGING,
    Compressed,
    compress,
    difference,
    jacobi_nodes,
    lanczos,
    linear_algebra,
    penalties,
    read_vector,
    sums,
)

__all__ = ["check_covariance", "clean_spectrum", "compress_matrix", "compress_operator"]

#: sizes up to which the trace of an operator is taken by all its columns, and steps of a process above
_EXACT_UP_TO, _STEPS = 4096, 300
#: eigenvalues below this part of the largest, times their number, are rounding of 0
_ZERO = 4.0 * np.finfo(float).eps
#: entries of a symmetric matrix may differ from their transposes, and eigenvalues lie below 0, by this part of the
#: largest
_ROUNDING = 1e-10


def compress_matrix(Omega, psi, *, rtol=1e-13):
    """Compress a covariance matrix, in the metric of a vector, by one eigendecomposition: see :func:`compress`.

    Parameters
    ----------
    Omega : array_like, shape (p, p)
        Symmetric and positive semi-definite.
    psi : array_like, shape (p,)
    rtol : float

    Returns
    -------
    Compressed

    Raises
    ------
    DomainError
        For a matrix that is not square, finite, symmetric and positive semi-definite.
    """
    matrix = check_covariance("Omega", Omega)
    psi = read_vector("psi", psi, len(matrix))
    values, vectors = linear_algebra.eigh(matrix)
    return compress(clean_spectrum("Omega", values), (vectors.T @ psi) ** 2, rtol=rtol)


def compress_operator(operator, psi, *, steps=None, probes=32, seed=0, rtol=1e-13):
    r"""Compress the spectrum of a symmetric operator that is only known by its products with vectors.

    The measure of `psi` takes one Lanczos process and has no statistical error. The trace is exact, from all p products
    with unit vectors, up to p = 4096; above it is estimated with random signs, and the error of that is stated.

    Parameters
    ----------
    operator : scipy.sparse.linalg.LinearOperator
        Symmetric and positive semi-definite, of shape (p, p).
    psi : array_like, shape (p,)
    steps : int, optional
        Of each Lanczos process where the trace is estimated; 300 unless given.
    probes : int
        Random vectors, at least 2.
    seed : int
    rtol : float
        As in :func:`compress`.

    Returns
    -------
    Compressed
        Its ``error`` compares the process of `psi` with three quarters of its steps, down to penalties far below the
        smallest eigenvalue found; ``statistical_error`` is 0 where the trace is exact.

    Raises
    ------
    DomainError
        For an operator that is not square, symmetric (seen where it is small) and positive semi-definite.
    """
    p = _size(operator)
    psi = read_vector("psi", psi, p)
    if p <= _EXACT_UP_TO:
        return compress_matrix(np.asarray(operator @ np.eye(p)), psi, rtol=rtol)
    steps = min(p, _STEPS if steps is None else check_count("steps", steps, 2))
    rng = np.random.default_rng(check_count("seed", seed, 0))
    rules = [_process(operator, rng.choice([-1.0, 1.0], p), steps)[0] for _ in range(check_count("probes", probes, 2))]
    own = _process(operator, psi, steps) if psi.any() else None
    return _from_probes(rules, own, float(psi @ psi), p, rtol)


def _process(operator, start, steps):
    """Return Gauss rules, in the eigenvalue, of a vector's measure: of all steps, and of three quarters of them."""
    diagonal, beside = lanczos(lambda v: np.asarray(operator @ v, float), start, steps)
    found = []
    for count in (len(diagonal), max(1, 3 * len(diagonal) // 4)):
        nodes, weights = jacobi_nodes(diagonal[:count], beside[:count - 1])
        found.append((clean_spectrum("Omega", nodes), weights))
    return found


def _from_probes(rules, own, length, p, rtol):
    """Compress the nodes of all probes, with equal shares of the trace, and of the vector with its own, together."""
    nodes = np.concatenate([e for e, _ in rules])
    counts = np.concatenate([mass for _, mass in rules]) * (p / len(rules))
    squares, change = np.zeros_like(counts), 0.0
    if own is not None:
        (e, mass), fewer = own
        nodes, squares = np.concatenate([nodes, e]), np.concatenate([squares, mass * length])
        counts = np.concatenate([counts, np.zeros_like(e)])
    zeta = penalties(nodes[nodes > 0.0], JUDGING, seed=1)
    if own is not None:
        change = difference(sums(*own[0], False, zeta), sums(*fewer, False, zeta))
    traces = np.array([sums(*rule, True, zeta) for rule in rules])
    spread = traces.std(axis=0, ddof=1) / np.sqrt(len(rules)) / traces.mean(axis=0)
    small = compress(nodes, squares, counts, rtol=rtol)
    return Compressed(small.D, small.weights, small.T, p, max(change, small.error), float(spread.max()))


# -- arguments ---------------------------------------------------------------------------------------


def check_covariance(name, given, size=None):
    """Return a finite symmetric matrix, of a size if one is expected, or raise a DomainError."""
    try:
        matrix = np.asarray(given)
        matrix = matrix.astype(float) if matrix.dtype.kind != "c" else None
    except (TypeError, ValueError):
        matrix = None
    if matrix is None:
        raise DomainError(f"{name}: got {quote(given)}; expected a square matrix of numbers, which are real")
    expected = "a square matrix (p, p)" if size is None else f"({size}, {size})"
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or size not in (None, len(matrix)) or not matrix.size:
        raise DomainError(f"{name}: got an array of shape {matrix.shape}; expected {expected}")
    if not np.isfinite(matrix).all():
        raise DomainError(f"{name}: {np.count_nonzero(~np.isfinite(matrix))} of its {matrix.size} entries are not "
                          "finite; expected finite numbers")
    apart = float(np.abs(matrix - matrix.T).max())
    if apart > _ROUNDING * float(np.abs(matrix).max()):
        raise DomainError(f"{name}: differs from its transpose by up to {apart:.3g}; expected a symmetric matrix")
    return (matrix + matrix.T) / 2


def clean_spectrum(name, eigenvalues):
    """Set eigenvalues within rounding of 0 to 0; raise a DomainError for negative ones."""
    lowest = eigenvalues.min()
    if lowest < -_ROUNDING * np.abs(eigenvalues).max():
        raise DomainError(f"{name} has the eigenvalue {lowest:.3g}; expected a positive semi-definite matrix, as a "
                          "covariance is")
    return np.where(eigenvalues <= _ZERO * len(eigenvalues) * eigenvalues.max(), 0.0, eigenvalues)


def _size(operator):
    shape = getattr(operator, "shape", None)
    if not isinstance(shape, tuple) or len(shape) != 2 or shape[0] != shape[1] or not hasattr(operator, "__matmul__"):
        raise DomainError(f"Omega: got {type(operator).__name__} of shape {shape}; expected a square symmetric "
                          "scipy.sparse.linalg.LinearOperator")
    return shape[0]
