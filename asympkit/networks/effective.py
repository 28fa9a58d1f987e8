r"""Compute the linear model with noise that deep features with given weights are equivalent to.

.. math:: \varphi(x)\simeq W_{\rm eff}x+C_{\rm eff}^{1/2}\xi+\mu,\qquad \xi\sim N(0,I),

so that :math:`\Omega=W_{\rm eff}\Omega_0W_{\rm eff}^\top+C_{\rm eff}`:
a readout sees linear regression with input noise.
"""

from dataclasses import dataclass

import numpy as np

from .covariances import recursion
from .layers import check_inputs, read_network

__all__ = ["Effective", "effective"]


@dataclass(frozen=True, eq=False)
class Effective:
    """Hold the effective linear model of a network.

    Attributes
    ----------
    W_eff : ndarray, shape (p, d)
        Linear coefficients of the features in the inputs.
    C_eff : ndarray, shape (p, p)
        Covariance of the noise that replaces the non-linear part.
    mean : ndarray, shape (p,)
        Means of the features.
    Omega, inputs : ndarray
        Covariances of the features and of the inputs.
    steps : list of Step
        Slopes and non-linear variances of each layer.
    method, reason : str
        As in :class:`~asympkit.networks.covariances.Covariances`.
    """

    W_eff: np.ndarray
    C_eff: np.ndarray
    mean: np.ndarray
    Omega: np.ndarray
    inputs: np.ndarray
    steps: list
    method: str
    reason: str

    @property
    def linear_share(self):
        """Return the share of the trace of Omega that is linear in the inputs."""
        return float(1.0 - np.trace(self.C_eff) / np.trace(self.Omega))


def effective(student, *, input_covariance=None, method="auto"):
    """Return the effective linear model of a network, trained or random, from its weights.

    Parameters
    ----------
    student, input_covariance, method
        As for :func:`~asympkit.networks.covariances.covariances` ("exact" is not a linear model). For a trained
        network the covariance is that of its data.

    Returns
    -------
    Effective

    Raises
    ------
    DomainError
        As for covariances.
    """
    layers = read_network("student", student)
    inputs = check_inputs(layers, (), input_covariance)
    found, method, reason = recursion(layers, (), inputs, [], method)
    steps = found.steps[0]
    W_eff, C_eff = np.eye(len(inputs)), np.zeros_like(inputs)
    for layer, step in zip(layers, steps):
        linear = step.slope[:, None] * layer.weights
        W_eff = linear @ W_eff
        C_eff = linear @ C_eff @ linear.T
        C_eff = 0.5 * (C_eff + C_eff.T)
        C_eff.flat[:: layer.width + 1] += step.rest
    return Effective(W_eff, C_eff, found.means[0], found.Omega, inputs, steps, method, reason)
