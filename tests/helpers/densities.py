"""Means over spectral laws by sums over their densities."""

import numpy as np


def over_density(f, own, nodes=300):
    """The mean over the point mass and over the density, angles on each interval."""
    theta = np.pi * (np.arange(nodes) + 0.5) / nodes
    total = sum(float(share) * f(float(place)) for place, share in own.atoms().items())
    for low, high in own.edges():
        x = (low + high) / 2 + (high - low) / 2 * np.cos(theta)
        total += np.sum(f(x) * own.density(x) * np.sin(theta)) * (high - low) / 2 * np.pi / nodes
    return total
