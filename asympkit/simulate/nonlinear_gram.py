"""Ridge regression on fixed features for many labels, with regressors without penalty."""

import numpy as np
from scipy.linalg import cho_factor, cho_solve, eigh

# From this many penalties on, one eigendecomposition costs less than a Cholesky factor for each.
EIGEN_FROM = 12

# Below this part of the mean eigenvalue of the smaller Gram matrix a penalty needs the features themselves.
SMALL = 3e-6


class Gram:
    """Apply the resolvent ``(F F^T + n lam)^-1`` of features F, for any number of penalties.

    Parameters
    ----------
    features : ndarray, shape (n, N)
        One row a sample.
    penalties : int
        Expected number of values of lam: many share one eigendecomposition.

    Notes
    -----
    Unlike `RidgePath` it is not tied to one vector of labels, because `fit` applies the resolvent to regressors too.
    Only the smaller of the two Gram matrices is formed and factorised.
    """

    def __init__(self, features, penalties=1):
        samples, width = features.shape
        self.features, self.primal = features, width < samples
        matrix = features.T @ features if self.primal else features @ features.T
        self._matrix, self._eigen = matrix, None
        if penalties >= EIGEN_FROM:
            self._matrix, self._eigen = None, eigh(matrix, overwrite_a=True, check_finite=False, driver="evd")

    def resolvent(self, lam):
        """Return the function that applies ``(F F^T + n lam)^-1`` to a matrix of n rows."""
        shift = lam * len(self.features)
        small = self._inverse(shift)
        if not self.primal:
            return small

        def apply(right):
            return (right - self.features @ small(self.features.T @ right)) / shift

        return apply

    def _inverse(self, shift):
        if self._eigen is None:
            matrix = self._matrix.copy()
            matrix.flat[:: len(matrix) + 1] += shift
            factor = cho_factor(matrix, lower=True, overwrite_a=True, check_finite=False)
            return lambda right: cho_solve(factor, right, check_finite=False)
        values, vectors = self._eigen
        return lambda right: vectors @ ((vectors.T @ right) / (values + shift)[:, None])


def fit(resolvent, features, labels, free, loadings=None, *, diverging=False):
    """Minimise ``|y - F b - U c|^2 + n lam |b|^2`` over b and c, the last entries of c tied to b or all free.

    Parameters
    ----------
    resolvent : callable
        The resolvent of F at this penalty.
    features : ndarray, shape (n, N)
        F.
    labels : ndarray, shape (n, t)
        Several y.
    free : ndarray, shape (n, k)
        The regressors U, of rank k; k may be 0.
    loadings : ndarray, shape (N, j), optional
        V, without zero columns: the last j entries of c are ``V^T b``, which makes the features ``F + U_j V^T``.
    diverging : bool
        Take the limit of infinite V: all of c is free, and ``V^T b = 0``.

    Returns
    -------
    minimum, weights, coefficients : ndarray, shapes (t,), (N, t) and (k, t)
        The minimum over ``n lam``, b, and c.

    Notes
    -----
    With ``u = (F F^T + n lam)^-1 (y - U c - F V gamma)`` the stationary point is ``b = F^T u + V gamma``, where
    ``gamma = U_j^T u`` for tied regressors, and ``U^T u = 0`` for free ones.  Columns are scaled to norm 1, so that
    the sizes of the ties enter by their inverses and may be arbitrarily large; the inverse 0 is the limit.
    """
    norms = np.linalg.norm(free, axis=0)
    columns, k = free / norms, len(norms)
    j = 0 if loadings is None else loadings.shape[1]
    if j:
        lengths = np.linalg.norm(loadings, axis=0)
        loadings = loadings / lengths
        columns = np.hstack([columns, features @ loadings])
    dual = resolvent(labels)
    coefficients = np.zeros((k + j, labels.shape[1]))
    if k:
        solved = resolvent(columns)
        core = columns.T @ solved
        if j:
            core[k:, k:] -= loadings.T @ loadings
        if j and not diverging:
            ties = np.diag(1 / (norms[k - j:] * lengths))
            core[k - j:k, k:] += ties
            core[k:, k - j:k] += ties
        coefficients = np.linalg.solve(core, columns.T @ dual)
        dual -= solved @ coefficients
    weights = features.T @ dual
    if j:
        weights += loadings @ coefficients[k:]
    return np.sum(labels * dual, axis=0), weights, coefficients[:k] / norms[:, None]


def is_small(features, lam):
    """Return whether a penalty is so small that :func:`fit` loses digits to the Gram matrix."""
    return lam * len(features) < SMALL * np.einsum("ij,ij->", features, features) / min(features.shape)


def fit_least(features, labels, free, lam, loadings=None, *, diverging=False):
    """Fit as :func:`fit` by least squares, for a small penalty or none, when b has least norm.

    Returns
    -------
    minimum, weights, coefficients : ndarray, shapes (t,), (N, t) and (k, t)
        The minimum over n, b, and c.
    """
    samples, width = features.shape
    j, regressors = 0 if loadings is None else loadings.shape[1], free
    if j and diverging:                             # V^T b = 0: b is orthogonal to the columns of V
        across, _ = np.linalg.qr(loadings)
        features = features - (features @ across) @ across.T
    elif j:                                         # c = V^T b: other features, without free coefficients
        features, regressors = features + free[:, free.shape[1] - j:] @ loadings.T, free[:, :free.shape[1] - j]
    basis, _ = np.linalg.qr(regressors)
    rest = [matrix - basis @ (basis.T @ matrix) for matrix in (features, labels)]
    if lam:                                         # the penalty as additional samples
        root = np.sqrt(lam * samples)
        rest = [np.vstack([rest[0], root * np.eye(width)]), np.vstack([rest[1], np.zeros((width, labels.shape[1]))])]
    weights = np.linalg.lstsq(*rest, rcond=None)[0]
    if j and diverging:                             # remove rounding, which a small penalty amplifies
        weights -= across @ (across.T @ weights)
    left = labels - features @ weights
    coefficients = np.linalg.lstsq(regressors, left, rcond=None)[0] if regressors.shape[1] else np.zeros(
        (0, labels.shape[1]))
    minimum = np.square(left - regressors @ coefficients).sum(axis=0) / samples + lam * np.square(weights).sum(axis=0)
    tied = loadings.T @ weights if j and not diverging else np.zeros((0, labels.shape[1]))
    return minimum, weights, np.vstack([coefficients, tied])
