r"""Check whether features are still, for their readout, a linear model with independent noise.

The theory assumes independent Gaussian rows of weights. Trained weights violate that; it holds as long as training has
moved them little (the lazy regime). Results for three-layer tanh networks (200 inputs, widths 300), tanh target:

====================  =====================  ============================  ==================
change of W1, W2      covariance left out    distance of Omega from data   error of clean_error
====================  =====================  ============================  ==================
0, 0                  0.004                  0.00                          +1 to +4 %
0.21, 0.10            0.012                  0.03                          -2, +1 %
0.48, 0.12            0.015                  0.07                          -3, +2 %
1.1, 0.39             0.036                  0.15                          -3, +2 %
3.3, 1.5              0.10                   0.23                          -7, 0 %
10, 6.3                                                                    -8, +26 %
====================  =====================  ============================  ==================

(Neuron-wise recursion; n = 150 and 600 samples, simulated to 4 and 2 %; the last line from another training.) With 80
inputs, widths 120, a change of 1.6, with 0.065 left out and a distance of 0.15 from the data, made the errors 25 % too
large. Weights that grow further saturate their units, and the errors may be right again.

Compute the linear model with noise that deep features with given weights are equivalent to.

.. math:: \varphi(x)\simeq W_{\rm eff}x+C_{\rm eff}^{1/2}\xi+\mu,\qquad \xi\sim N(0,I),

so that :math:`\Omega=W_{\rm eff}\Omega_0W_{\rm eff}^\top+C_{\rm eff}`:
a readout sees linear regression with input noise.
"""

import warnings
from dataclasses import dataclass

import numpy as np

from ..errors import AssumptionWarning, DomainError
from .covariances import recursion
from .layers import check_inputs, read_network

#: (lazy up to here, not lazy beyond) of each measure, from the table above
_CHANGE, _NEGLECTED, _DISTANCE, _ERROR = (0.5, 1.0), (0.03, 0.1), (0.1, 0.2), (0.05, 0.1)
_VERDICTS = ("lazy", "doubtful", "not lazy")


@dataclass(frozen=True, eq=False)
class Laziness:
    """Hold the signs of lazy or non-lazy training in a network's weights.

    Attributes
    ----------
    changes : tuple of float, or None
        Relative change of the weights of each layer by training (Frobenius norm); None if unknown.
    neglected : tuple of float
        Relative bound on the covariances that the recursion leaves out in each layer: it needs the weights alone, and
        is also large if the inputs have few large variances.
    distance : float or None
        Relative distance of the covariance from a measured one, after subtraction of the sampling noise.
    verdict : {"lazy", "doubtful", "not lazy"}
        The worst of the verdicts by each measure.
    text : str
        A summary in words.
    """

    changes: tuple | None
    neglected: tuple
    distance: float | None
    verdict: str
    text: str

    def __str__(self):
        return self.text


def laziness(student, initial=None, *, input_covariance=None, measured=None, errors=None):
    """Look for signs that a network has left the lazy regime; warn if the verdict is "not lazy".

    ``initial`` is the network before training, in the same form; ``measured`` are centred covariances of its features
    from data, by :func:`~asympkit.networks.layers.measure`; ``errors`` are test errors of its readout with their
    statistical errors, by the method of the covariances, the theory's method first.
    """
    layers = read_network("student", student)
    inputs = check_inputs(layers, (), input_covariance)
    found, _, _ = recursion(layers, (), inputs, [], "neuron-wise")
    neglected = tuple(step.neglected for step in found.steps[0])
    changes = None if initial is None else _changes(layers, read_network("initial", initial))
    distance = None if measured is None else _distance(measured, found.Omega)
    seen = [(max(neglected), _NEGLECTED, "covariances of size {:.2g} (relative) may be left out")]
    if changes is not None:
        seen.append((max(changes), _CHANGE, "training changed the weights of a layer by {:.2g} of their norm"))
    if distance is not None:
        seen.append((distance, _DISTANCE, "the measured covariance of the features is {:.2g} (relative) away"))
    if errors is not None and len(errors) > 1:
        (error, _), (known, spread) = list(errors.values())[:2]
        method = list(errors)[1]
        seen.append((max(abs(error - known) - 3.0 * spread, 0.0) / known, _ERROR, "the test error is {:.2g} (relative) "
                     f"away from that of {method} covariances, {known:.4g}"))
    grades = [int(value > low) + int(value > high) for value, (low, high), _ in seen]
    verdict = _VERDICTS[max(grades)]
    text = f"{verdict}: " + "; ".join(said.format(value) for value, _, said in seen)
    if max(grades) == 2:
        warnings.warn(f"the network has left the lazy regime ({text}): errors predicted from its weights may be off by "
                      "10 % and more; use covariances measured on data", AssumptionWarning, stacklevel=2)
    return Laziness(changes, neglected, distance, verdict, text)


def _changes(layers, initial):
    shapes, known = ([layer.weights.shape for layer in network] for network in (layers, initial))
    if shapes != known:
        raise DomainError(f"initial: its weights have the shapes {known}: expected {shapes}, as those of the student")
    return tuple(float(np.linalg.norm(now.weights - before.weights) / max(np.linalg.norm(before.weights), 1e-300))
                 for now, before in zip(layers, initial))


def _distance(measured, Omega):
    if measured.Omega.shape != Omega.shape or not measured.centred:
        raise DomainError(f"measured: Omega of shape {measured.Omega.shape}, centred={measured.centred}: expected "
                          f"{Omega.shape}, centred=True")
    return measured.distance(Omega)


@dataclass(frozen=True, eq=False)
class Effective:
    """Hold the effective linear model of a network.

    ``W_eff`` are linear coefficients of the features in the inputs, shape (p, d); ``C_eff`` is the covariance of the
    noise that replaces the non-linear part; ``mean`` are the means of the features, ``Omega`` and ``inputs`` the
    covariances of features and inputs, ``steps`` slopes and non-linear variances of each layer; ``method`` and
    ``reason`` are as in :class:`~asympkit.networks.covariances.Covariances`.
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

    Arguments are as for :func:`~asympkit.networks.covariances.covariances` ("exact" is not a linear model). For a
    trained network the covariance is that of its data.
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
