"""The deterministic equivalent of ridge regression with an inverse in every step (arXiv 2402.13999).

Features of covariance omega, covariance psi with the target, alpha = n/p: the order parameters V, q, Q are
iterated jointly, and every step inverts ``Omega Vhat + lam`` as it stands.
"""

import numpy as np


def naive_ridge(omega, psi, *, alpha, lam, rho, noise_variance, tolerance=1e-12, limit=10_000):
    """Test error and number of steps."""
    p = len(omega)
    V, q, Q = 1.0, 1.0, 0.0
    for step in range(1, limit + 1):
        risk = rho + noise_variance + q - 2 * Q
        Vhat = alpha / (1 + V)
        qhat = alpha * risk / (1 + V) ** 2
        R = np.linalg.inv(omega * Vhat + lam * np.eye(p))
        A, weights = omega @ R, R @ psi
        new = (np.trace(A) / p, qhat * np.sum(A * A.T) / p + Vhat**2 * weights @ omega @ weights,
               Vhat * psi @ weights)
        moved = max(abs(a - b) for a, b in zip(new, (V, q, Q)))
        V, q, Q = new
        if moved < tolerance:
            return rho + noise_variance + q - 2 * Q, step
    raise RuntimeError(f"naive iteration: still moving by {moved:.1e} after {limit} steps")
