"""The two-by-two linearisation in numbers, for students that are not odd."""

from functools import cached_property

import numpy as np


class Pairs:
    """Forms of ``(1 + g S)^(-1)`` with ``S = (1 + ell A1)^2 + omega A2``, for a law of samples given by nodes.

    Parameters
    ----------
    y, tau, weights : array
    g, ell, omega, overload : float
    """

    def __init__(self, y, tau, weights, g, ell, omega, overload):
        self.y, self.tau, self.weights, self.g, self.overload = y, tau, weights, g, overload
        self.C = np.array([[1.0, -1.0], [g, 1.0]])
        self.M = np.zeros((len(y), 2, 2))
        self.M[:, 0, 0], self.M[:, 0, 1], self.M[:, 1, 0] = g * omega * y**2, -ell * y, g * ell * y

    def mean(self, values, matrices):
        """The mean of a number times a matrix."""
        return np.einsum("i,i,ijk", self.weights, np.broadcast_to(values, self.y.shape), matrices)

    def divided(self, G):
        """``(1 + G M/alpha0)^(-1)`` at every node."""
        return np.linalg.inv(np.eye(2) + self.overload * G @ self.M)

    @cached_property
    def G(self):
        """The traces of the blocks over d: the half-damped fixed point."""
        G = np.linalg.inv(self.C)
        for _ in range(2000):
            new = np.linalg.inv(self.C + self.mean(1.0, self.M @ self.divided(G)))
            if np.abs(new - G).max() < 1e-14:
                return new
            G = (G + new) / 2
        raise ArithmeticError("the fixed point of the pair was not reached")

    @cached_property
    def divided_at_G(self):
        return self.divided(self.G)

    @cached_property
    def G_theta(self):
        """The blocks between the target's direction and itself."""
        return np.linalg.inv(self.C + self.mean(self.tau**2, self.M @ self.divided_at_G))

    def E(self, F):
        """Mean of ``F tau`` with the weight, F given at the nodes."""
        return self.mean(F * self.tau, self.divided_at_G)

    def target(self, F):
        """The blocks between ``s_F`` and the target's direction."""
        return self.E(F) @ self.G_theta

    def from_target(self, F):
        """The blocks between the target's direction and ``s_F``."""
        return self.G_theta @ np.linalg.solve(self.G, self.E(F) @ self.G)

    def X(self, F, H):
        """The blocks between ``s_F`` and ``s_H``."""
        return self.overload * self.mean(F * H, self.divided_at_G) @ self.G + self.E(F) @ self.from_target(H)
