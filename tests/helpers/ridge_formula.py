"""The closed formula for the errors of ridge regression on features of given covariances, by plain linear algebra."""

import numpy as np


def ridge_formula(omega, psi, rho, *, n, lam, noise_variance=0.0):
    """Clean, test and train error; penalty ``lam * |w|**2`` on features over the root of their number."""
    p = len(omega)
    e, vectors = np.linalg.eigh(omega)
    squares = (vectors.T @ psi) ** 2
    zeta = (lam * p + e.sum()) / n
    for _ in range(100):
        left = 1 - np.sum((e / (e + zeta)) ** 2) / n
        zeta -= (zeta * (1 - np.sum(e / (e + zeta)) / n) - lam * p / n) / left
    test = (rho + noise_variance - squares @ (1 / (e + zeta) + zeta / (e + zeta) ** 2)) / left
    return {"clean_error": test - noise_variance, "test_error": test,
            "train_error": (lam * p / (n * zeta)) ** 2 * test}
