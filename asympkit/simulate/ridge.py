"""Ridge regression on given features, for one penalty or a whole path of them."""

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh, svd
from scipy.linalg.lapack import dpocon

from ..errors import DomainError

# Below this reciprocal condition number of the Gram matrix the singular values of the features
# themselves are used: forming the Gram matrix squares their condition number.
GRAM_RCOND = 1e-8

# From this many penalties on, one eigendecomposition costs less than a Cholesky factor for each.
EIGEN_FROM = 12


class RidgePath:
    """Minimiser of ``sum((y - Phi @ w / sqrt(p))**2) + lam * sum(w**2)``.

    Parameters
    ----------
    Phi : ndarray, shape (n, p)
        Features, one row a sample.
    y : ndarray, shape (n,)
        Labels.

    Notes
    -----
    The smaller of the two Gram matrices is formed once.  One penalty takes a Cholesky factor of
    it, many take its eigendecomposition; where it is ill conditioned the singular value
    decomposition of the features takes over.  ``lam = 0`` gives the solution of least norm.
    """

    def __init__(self, Phi, y):
        Phi, y = np.asarray(Phi, dtype=np.float64), np.asarray(y, dtype=np.float64)
        if Phi.ndim != 2 or y.shape != Phi.shape[:1] or Phi.size == 0:
            raise DomainError(
                f"Phi of shape {Phi.shape} and y of shape {y.shape}: expected a non-empty (n, p) and (n,)"
            )
        for name, value in (("Phi", Phi), ("y", y)):
            if not np.isfinite(value).all():
                raise DomainError(f"{name} has values that are not finite; expected finite numbers "
                                  "(does the activation overflow at these weights?)")
        n, p = Phi.shape
        self._features, self._y, self._root = Phi, y, np.sqrt(p)
        self._primal = p <= n
        self._gram = (Phi.T @ Phi if self._primal else Phi @ Phi.T) / p
        self._right = Phi.T @ y / self._root if self._primal else y
        self._eigen = self._svd = None

    def solve(self, lam):
        """Return the weights.

        Parameters
        ----------
        lam : float or sequence of float
            Penalties, not negative.

        Returns
        -------
        ndarray, shape (p,) or (p, len(lam))
        """
        lam = np.asarray(lam, dtype=np.float64)
        if lam.ndim > 1 or lam.size == 0 or not (np.isfinite(lam).all() and (lam >= 0).all()):
            raise DomainError(f"lam={lam.tolist()}: expected a finite number >= 0 or a sequence of them")
        if lam.ndim == 0:
            return self._one(float(lam), self._by_cholesky)
        way = self._by_cholesky if lam.size < EIGEN_FROM else self._by_eigen
        return np.stack([self._one(value, way) for value in lam.tolist()], axis=1)

    def residual(self, w):
        """Return ``y - Phi @ w / sqrt(p)``, one column a column of `w`."""
        y = self._y if w.ndim == 1 else self._y[:, None]
        return y - self._features @ w / self._root

    def _one(self, lam, way):
        small = way(lam) if self._svd is None else None
        if small is None:
            return self._by_svd(lam)
        return small if self._primal else self._features.T @ small / self._root

    def _by_cholesky(self, lam):
        """Solve with the Gram matrix, or return None where it is ill conditioned."""
        matrix = self._gram.copy()
        matrix.flat[:: len(matrix) + 1] += lam
        norm = np.abs(matrix).sum(axis=0).max()
        try:
            factor, lower = cho_factor(matrix, lower=True, overwrite_a=True, check_finite=False)
        except LinAlgError:
            return None
        if dpocon(factor, norm, uplo="L")[0] < GRAM_RCOND:
            return None
        return cho_solve((factor, lower), self._right, check_finite=False)

    def _by_eigen(self, lam):
        if self._eigen is None:
            values, vectors = eigh(self._gram, check_finite=False, driver="evd")
            self._eigen = values, vectors, vectors.T @ self._right
        values, vectors, right = self._eigen
        if values[0] + lam <= GRAM_RCOND * (values[-1] + lam):
            return None
        return vectors @ (right / (values + lam))

    def _by_svd(self, lam):
        if self._svd is None:
            left, values, right = svd(self._features / self._root, full_matrices=False, check_finite=False)
            cut = np.finfo(np.float64).eps * max(self._features.shape) * values[0]
            keep = values > cut  # what is below is rounding, which no penalty should let in
            self._svd = values[keep], right[keep], left.T[keep] @ self._y
        values, right, coefficients = self._svd
        return right.T @ (values / (values**2 + lam) * coefficients)
