"""Means over spectral laws by sums over their densities."""

import numpy as np


def over_marchenko_pastur(f, c, beta, nodes=400, mp=np):
    """The mean over the density, in the angle of D = c(1 + beta + 2 sqrt(beta) cos), and over the atom at zero."""
    total = 0
    for k in range(nodes):
        angle = mp.pi * (k + 0.5) / nodes
        x = c * (1 + beta + 2 * mp.sqrt(beta) * mp.cos(angle))
        total += 2 * c * mp.sin(angle) ** 2 / x * f(x) / nodes
    return total + (max(1 - 1 / beta, 0) * f(0 * beta) if beta > 1 else 0)


def over_density(f, own, nodes=300):
    """The mean over the point mass and over the density, angles on each interval."""
    theta = np.pi * (np.arange(nodes) + 0.5) / nodes
    total = sum(float(share) * f(float(place)) for place, share in own.atoms().items())
    for low, high in own.edges():
        x = (low + high) / 2 + (high - low) / 2 * np.cos(theta)
        total += np.sum(f(x) * own.density(x) * np.sin(theta)) * (high - low) / 2 * np.pi / nodes
    return total
