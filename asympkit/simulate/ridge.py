"""Regress on the features of a fixed first layer, for a grid of samples and penalties.

One network serves many sample sizes and penalties: the regressions on the first n of the same samples share their Gram
matrices, and those with one n share a factorisation for a whole path of penalties.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigvalsh_tridiagonal, svd
from scipy.linalg.lapack import dormqr, dpocon, dptsv, dsytrd, dsytrd_lwork

from ..arguments import check_count
from ..errors import DomainError
from .repeats import one_thread, run_repeats
from .simulation import Estimate, Simulation, check_grid, round_count

NAMES = ("alpha", "lam")


@dataclass(frozen=True, eq=False)
class SampleGrid:
    """Hold numbers of samples and penalties; those given as arrays are axes of the results.

    ``axes`` are those of ``alpha`` and ``lam`` that are arrays, as given, in the order of the results; ``sizes`` are
    the samples, after rounding, one for each alpha.
    """

    axes: dict
    sizes: tuple
    lam: np.ndarray

    @classmethod
    def read(cls, alpha, lam, d, order):
        given = {"alpha": np.asarray(alpha, dtype=np.float64), "lam": np.asarray(lam, dtype=np.float64)}
        sizes = tuple(round_count("alpha", ratio, d, "sample") for ratio in np.atleast_1d(given["alpha"]).tolist())
        return cls({name: given[name] for name in order if np.ndim(given[name])}, sizes, np.atleast_1d(given["lam"]))

    @property
    def shape(self):
        """Return the shape of an observable of one repeat: samples before penalties."""
        return tuple(self.axes[name].size for name in NAMES if name in self.axes)

    def simulation(self, estimates, repeats, **sizes):
        """Make the result from the estimates."""
        if tuple(self.axes) == NAMES[::-1]:
            estimates = {name: Estimate(e.mean.T, e.stderr.T, e.values.swapaxes(1, 2)) for name, e in estimates.items()}
        n = np.array(self.sizes) if "alpha" in self.axes else self.sizes[0]
        lam = self.lam if "lam" in self.axes else float(self.lam[0])
        return Simulation(estimates, n=n, lam=lam, axes=self.axes, repeats=repeats, **sizes)


def run_regressions(worker, settings, alpha, lam, *, d, p, n0=0, task=None, repeats=10, seed=0, test_size=None,
                    order=NAMES, **how):
    """Run repeats of a worker that trains readouts on a grid of samples and penalties; return a Simulation.

    ``settings`` are those of the first layer; errors are measured on ``test_size`` fresh inputs, by default ``max(4*n,
    10000)`` for the largest n; other arguments are as for :func:`~asympkit.simulate.repeats.run_repeats`.
    """
    grid = SampleGrid.read(alpha, lam, d, order)
    test_size = max(4 * max(grid.sizes), 10000) if test_size is None else check_count("test_size", test_size, 1)
    settings = {**settings, "sizes": grid.sizes, "lam": grid.lam, "test_size": test_size, "shape": grid.shape,
                **({"task": task} if task else {})}
    return run_repeats(worker, settings, repeats=repeats, seed=seed, build=partial(
        grid.simulation, d=d, p=p, n0=n0, test_size=test_size, seed=seed), **how)


# Below this reciprocal condition number of the Gram matrix the singular values of the features
# themselves are used: forming the Gram matrix squares their condition number.
GRAM_RCOND = 1e-8

# From this many penalties on, one tridiagonal form costs less than a Cholesky factor for each.
TRIDIAGONAL_FROM = 4


class RidgePath:
    """Minimise ``sum((y - Phi @ w / sqrt(p))**2) + lam * sum(w**2)`` for features Phi of shape (n, p), a row a sample.

    ``gram`` is ``Phi.T @ Phi / p`` if p <= n, otherwise ``Phi @ Phi.T / p``, if it is known; it is not modified.

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
        """Return the weights at penalties that are not negative: of shape (p,) for one, (p, count) for a sequence."""
        lam = np.asarray(check_grid("lam", lam))
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


def iterate_nested_paths(features, labels, sizes):
    """Yield ``(n, RidgePath)`` of the regression on the first n samples, for each different size n in increasing order.

    A path must be used before the next one is requested.  All of them cost the Gram matrices of one: below p samples
    the Gram matrix of the samples is a corner of the largest one, from p samples on that of the features is updated
    with the new samples.
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


#: numbers in one block of inputs, preactivations or features: 32 MB
CHUNK = 4_000_000


def draw_on_sphere(rng, shape, square):
    """Draw vectors along the last axis, uniform on the sphere of the given squared norm."""
    vectors = rng.standard_normal(shape)
    vectors *= np.sqrt(square) / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors


def draw_fresh_samples(rng, target, direction, samples, *, width, noise_variance=0.0):
    """Yield fresh (slice, inputs, labels) in blocks of at most CHUNK numbers at the given width.

    Labels are ``target(<direction, x> / sqrt(d)) + sqrt(noise_variance) * noise``.
    """
    d = len(direction)
    rows = max(1, CHUNK // max(width, d))
    for start in range(0, samples, rows):
        block = slice(start, min(start + rows, samples))
        inputs = rng.standard_normal((block.stop - start, d))
        labels = np.asarray(target(inputs @ direction / np.sqrt(d)), dtype=np.float64)
        if noise_variance > 0:
            labels = labels + np.sqrt(noise_variance) * rng.standard_normal(len(labels))
        yield block, inputs, labels
