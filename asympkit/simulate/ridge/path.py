"""Ridge regression on given features, for one penalty or a whole path of them."""

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigvalsh_tridiagonal, svd
from scipy.linalg.lapack import dormqr, dpocon, dptsv, dsytrd, dsytrd_lwork

from ...errors import DomainError
from ..core.threads import one_thread

# Below this reciprocal condition number of the Gram matrix the singular values of the features
# themselves are used: forming the Gram matrix squares their condition number.
GRAM_RCOND = 1e-8

# From this many penalties on, one tridiagonal form costs less than a Cholesky factor for each.
TRIDIAGONAL_FROM = 4


class RidgePath:
    """Minimise ``sum((y - Phi @ w / sqrt(p))**2) + lam * sum(w**2)``.

    Parameters
    ----------
    Phi : ndarray, shape (n, p)
        Features, one row a sample.
    y : ndarray, shape (n,)
        Labels.
    gram : ndarray, optional
        ``Phi.T @ Phi / p`` if p <= n, otherwise ``Phi @ Phi.T / p``, if it is known; not modified.

    Notes
    -----
    The smaller of the two Gram matrices is formed once.  A few penalties use a Cholesky factor of it each, many share
    its tridiagonal form ``Q T Q'``: then a penalty costs one tridiagonal system.  Eigenvectors, several times as
    expensive, are not needed.  Penalties for which the matrix is ill conditioned use the singular value decomposition
    of the features.  ``lam = 0`` gives the solution of least norm.
    """

    def __init__(self, Phi, y, gram=None):
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
        if gram is None:
            gram = Phi.T @ Phi if self._primal else Phi @ Phi.T
            gram /= p
        self._gram = gram
        self._right = Phi.T @ y / self._root if self._primal else y
        self._tridiagonal = self._svd = None

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
        lams = np.atleast_1d(lam)
        few = lams.size < TRIDIAGONAL_FROM or len(self._gram) == 1
        small, good = (self._by_cholesky if few else self._by_tridiagonal)(lams)
        weights = small if self._primal else self._features.T @ small / self._root
        if not good.all():
            weights[:, ~good] = self._by_svd(lams[~good])
        return weights if lam.ndim else weights[:, 0]

    def residual(self, w):
        """Return ``y - Phi @ w / sqrt(p)``, one column for each column of `w`."""
        fitted = self._features @ w
        fitted /= -self._root
        fitted += self._y if w.ndim == 1 else self._y[:, None]
        return fitted

    def _by_cholesky(self, lams):
        """Return solutions of the smaller system, and for which penalties it is well conditioned."""
        small, good = np.zeros((len(self._gram), lams.size)), np.zeros(lams.size, dtype=bool)
        for k, lam in enumerate(lams):
            matrix = self._gram.copy()
            matrix.flat[:: len(matrix) + 1] += lam
            norm = np.abs(matrix).sum(axis=0).max()
            try:
                factor, lower = cho_factor(matrix.T, lower=True, overwrite_a=True, check_finite=False)
            except LinAlgError:
                continue
            if dpocon(factor, norm, uplo="L")[0] >= GRAM_RCOND:
                small[:, k], good[k] = cho_solve((factor, lower), self._right, check_finite=False), True
        return small, good

    def _by_tridiagonal(self, lams):
        # thousands of short products: threads gain little, and wait for each other if they share cores with others
        with one_thread():
            if self._tridiagonal is None:
                self._tridiagonal = _Tridiagonal(self._gram)
            form = self._tridiagonal
            right = form.rotate(self._right[:, None], transposed=True)[:, 0]
            good = form.lowest + lams > GRAM_RCOND * (form.highest + lams)
            solved = np.zeros((len(right), lams.size), order="F")
            for k in np.flatnonzero(good):
                solved[:, k] = form.solve(lams[k], right)
            return form.rotate(solved), good

    def _by_svd(self, lams):
        if self._svd is None:
            left, values, right = svd(self._features / self._root, full_matrices=False, check_finite=False)
            cut = np.finfo(np.float64).eps * max(self._features.shape) * values[0]
            keep = values > cut  # smaller ones are rounding
            self._svd = values[keep, None], right[keep], (left.T[keep] @ self._y)[:, None]
        values, right, coefficients = self._svd
        return right.T @ (values / (values**2 + lams) * coefficients)


class _Tridiagonal:
    """Represent ``Q T Q'`` of a symmetric matrix of at least two rows, T tridiagonal and Q a product of reflections."""

    def __init__(self, matrix):
        size = len(matrix)
        lwork = int(dsytrd_lwork(size, lower=1)[0])
        reflections, self._diagonal, self._beside, self._factors, _ = dsytrd(matrix.T, lower=1, lwork=lwork)
        # as dormtr, which scipy lacks: skip the first row and column
        self._reflections = np.asfortranarray(reflections[1:, :-1])
        self.lowest, self.highest = (self._eigenvalue(k) for k in (0, size - 1))

    def _eigenvalue(self, k):
        return eigvalsh_tridiagonal(self._diagonal, self._beside, select="i", select_range=(k, k),
                                    check_finite=False)[0]

    def rotate(self, columns, transposed=False):
        """Return ``Q @ columns``, or the product with the transpose of Q."""
        rotated = np.array(columns, order="F")
        arguments = ("L", "T" if transposed else "N", self._reflections, self._factors, rotated[1:])
        lwork = int(dormqr(*arguments, -1)[1][0])
        rotated[1:] = dormqr(*arguments, lwork)[0]
        return rotated

    def solve(self, lam, right):
        """Solve ``(T + lam) x = right``."""
        return dptsv(self._diagonal + lam, self._beside, right)[2]
