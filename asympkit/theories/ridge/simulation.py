"""Draw ridge regression on Gaussian features with a given spectrum and target."""

import numpy as np

from ...errors import DomainError

__all__ = ["draw", "usual_copies"]

#: number of features by default, and of entries of the largest matrix of samples: 3.2 GB
_FEATURES, _MOST = 1000, 4 * 10**8


def usual_copies(features):
    """Return the default number of copies: as many as make :data:`_FEATURES` features, or one."""
    return max(1, round(_FEATURES / float(features)))


def draw(rng, size, *, n, lam, noise_variance, rho, features, eigenvalues, weights, alignment):
    """Return the errors of one regression with ``size`` times the features of every eigenspace, and the samples.

    The copies have the same limit, and are nearer to it.
    """
    k = len(eigenvalues)
    counts = np.maximum(1, np.rint(size * features * np.asarray(weights) / k)).astype(int)
    D, p, samples = np.repeat(eigenvalues, counts), int(counts.sum()), max(1, round(n * size))
    if samples * p > _MOST:
        raise DomainError(f"copies: got {size}, for which {samples} samples of {p} features take "
                          f"{8e-9 * samples * p:.1f} GB; expected at most {8e-9 * _MOST:.1f} GB: fewer copies, or "
                          "fewer samples and features")
    psi = rng.standard_normal(p)            # its direction in each eigenspace is arbitrary
    for group, T in zip(np.split(np.arange(p), np.cumsum(counts)[:-1]), alignment):
        psi[group] *= np.sqrt(T / k) / np.linalg.norm(psi[group])
    beta = np.divide(psi, D, out=np.zeros(p), where=D > 0)
    x = rng.standard_normal((samples, p)) * np.sqrt(D)
    y = x @ beta + np.sqrt(max(rho - psi @ beta, 0.0) + noise_variance) * rng.standard_normal(samples)
    # without a penalty: least squares of least norm
    if not lam:
        w = np.linalg.lstsq(x, y, rcond=None)[0]
    elif samples < p:
        w = x.T @ np.linalg.solve(x @ x.T + lam * p * np.eye(samples), y)
    else:
        w = np.linalg.solve(x.T @ x + lam * p * np.eye(p), x.T @ y)
    clean, residual = rho + w @ (D * w) - 2 * w @ psi, y - x @ w
    left = residual @ residual / samples
    return {"test_error": clean + noise_variance, "clean_error": clean, "train_error": left,
            "objective": left + lam * p * (w @ w) / samples}
