r"""Propagate the covariances of features of deep networks, layer by layer.

With K the covariance of the preactivations of a layer, :math:`K=W\Sigma W^\top`, features have the covariance

.. math:: \Sigma'=D K D+\mathrm{diag}(c),

D the slopes and c the variances of the non-linear parts, for each neuron (the neuron-wise recursion) or, if means
vanish, one for all from the mean variance of the preactivations (the averaged recursion). Covariances of student and
target follow the same equation, with a diagonal for paired units.

Find units of student and target with correlated, or equal, rows of weights.
"""

import operator
from dataclasses import dataclass

import numpy as np

from ..arguments import quote
from ..errors import DomainError
from ..gauss.quadrature.row_moments import RowMoments, row_moments, row_pairs


def read_pairs(student, target, paired):
    """Return the indices of the paired units of each common layer.

    ``paired`` is None for units whose rows of weights are equal; else, for each layer (or all), how many leading units
    are paired, or their indices: unit i of the student with unit i of the target.
    """
    depth = min(len(student), len(target))
    layers = list(zip(student, target))
    if paired is None:
        return [_equal_rows(own, other) for own, other in layers]
    if np.ndim(paired) == 0 and not hasattr(paired, "__len__"):
        paired = [paired] * depth
    paired = list(paired)
    if len(paired) > depth:
        raise DomainError(f"paired: got {len(paired)} entries; expected at most {depth}, the layers that both networks "
                          "have")
    paired += [0] * (depth - len(paired))
    return [_units(k, entry, min(own.width, other.width))
            for k, (entry, (own, other)) in enumerate(zip(paired, layers), start=1)]


def _equal_rows(own, other):
    if own.weights.shape[1] != other.weights.shape[1]:
        return np.empty(0, dtype=int)
    rows = min(own.width, other.width)
    return np.flatnonzero((own.weights[:rows] == other.weights[:rows]).all(axis=1))


def _units(k, entry, most):
    try:
        units = np.arange(operator.index(entry))
        is_right = 0 <= operator.index(entry) <= most
    except TypeError:
        units = np.asarray(entry)
        is_right = (units.ndim == 1 and (units.dtype.kind in "iu" or not units.size)
                    and len(np.unique(units)) == units.size and bool(np.all((units >= 0) & (units < most))))
    if not is_right:
        raise DomainError(f"paired: layer {k}: got {quote(entry)}; expected a number of leading units up to {most}, "
                          f"or different indices below {most}")
    return units.astype(int)


def identical_units(own, other, units, before):
    """Return whether paired units see the same combinations of inputs; ``before``: the features below are the same."""
    if not before or own.weights.shape[1] != other.weights.shape[1]:
        return np.zeros(units.size, dtype=bool)
    return (own.weights[units] == other.weights[units]).all(axis=1)


def same_features(own, other, identical):
    """Return whether the features of two layers are the same, given which of their paired units are identical."""
    return bool(identical.all() and own.width == other.width == identical.size
                and np.array_equal(own.bias, other.bias) and own.activation == other.activation)


@dataclass(frozen=True, eq=False)
class LayerStep:
    """Hold the statistics of one layer at Gaussian preactivations, arrays over its units.

    ``shift`` and ``variances`` are means and variances of the preactivations; ``mean``, ``slope``, ``rest`` means of
    the features, slopes of their linear part, and variances of the non-linear part.  ``neglected`` bounds the
    covariances between different units that are left out, relative to all of them in the Frobenius norm:
    ``sum_{i != j} rest_i rest_j rho_ij^(2 q)``, rho the correlations of the preactivations, q the first order left out,
    3 for odd activations without bias and else 2 (by Cauchy-Schwarz, for Gaussian preactivations).
    """

    shift: np.ndarray
    variances: np.ndarray
    mean: np.ndarray
    slope: np.ndarray
    rest: np.ndarray
    neglected: float = 0.0

    @property
    def spread(self):
        """Return the standard deviation of the variances of the preactivations over their mean."""
        middle = self.variances.mean()
        return float(self.variances.std() / middle) if middle > 0.0 else 0.0


@dataclass(frozen=True, eq=False)
class Passed:
    """Hold means and covariances of the features of the last layers, and the steps of all; student and target.

    Phi is the covariance of the student's features with the target's.
    """

    Omega: np.ndarray
    Phi: np.ndarray
    Psi: np.ndarray
    means: tuple
    steps: tuple


def propagate(student, target, inputs, pairs, averaged):
    """Return covariances of the features of two networks that see the same Gaussian inputs, which have no mean.

    ``pairs`` are the paired units of each layer that both networks have; the recursion is the averaged or the
    neuron-wise one.
    """
    sides = [_NetworkPass(layers, inputs, averaged) for layers in (student, target)]
    cross, same = inputs, True
    for k in range(max(len(student), len(target))):
        own, other = (side.weights(k) for side in sides)
        cross = cross if own is None else own @ cross
        cross = cross if other is None else cross @ other.T
        units = pairs[k] if k < len(pairs) else np.empty(0, dtype=int)
        shared = cross[units, units]            # covariances of the preactivations
        for axis, side in enumerate(sides):
            if side.step(k):
                cross = cross * np.expand_dims(side.steps[k].slope, 1 - axis)
        if units.size:
            layers, steps = [side.layers[k] for side in sides], [side.steps[k] for side in sides]
            identical = identical_units(*layers, units, same)
            cross[units, units] += _pair_rests(shared, layers, steps, units, identical, averaged)
            same = same_features(*layers, identical)
        else:
            same = False
    return Passed(sides[0].covariance, cross, sides[1].covariance, tuple(s.mean for s in sides),
                  tuple(s.steps for s in sides))


class _NetworkPass:
    """Propagate one of the two networks through its layers."""

    def __init__(self, layers, inputs, averaged):
        self.layers, self.averaged = layers, averaged
        self.mean, self.covariance, self.steps = np.zeros(len(inputs)), inputs, []

    def weights(self, k):
        """Return the weights of a layer, or None after the last one."""
        return self.layers[k].weights if k < len(self.layers) else None

    def step(self, k):
        """Pass layer k, and return whether there is one."""
        if k >= len(self.layers):
            return False
        layer = self.layers[k]
        before = layer.weights @ self.covariance @ layer.weights.T
        before = 0.5 * (before + before.T)
        variances = np.maximum(np.diagonal(before), 0.0)
        shift = layer.weights @ self.mean + layer.bias
        moments = layer_moments(layer, shift, variances, self.averaged)
        self.mean = moments.mean
        self.covariance = before * moments.slope[:, None] * moments.slope
        self.covariance.flat[:: layer.width + 1] += moments.rest
        left_out = _left_out(before, variances, moments.rest, 3 if layer.is_odd and not shift.any() else 2)
        size = np.linalg.norm(self.covariance)
        self.steps.append(LayerStep(shift, variances, moments.mean, moments.slope, moments.rest,
                               float(left_out / size) if size > 0.0 else 0.0))
        return True


def layer_moments(layer, shift, variances, averaged):
    """Return moments of all neurons, or those at the mean variance for all of them."""
    if not averaged:
        return row_moments(layer.activation, shift, np.sqrt(variances))
    one = row_moments(layer.activation, 0.0, np.sqrt(variances.mean()))
    return RowMoments(*(np.full(layer.width, v[0]) for v in (one.mean, one.slope, one.variance, one.rest)))


def _left_out(before, variances, rest, order):
    """Return the Frobenius norm of the bounds on covariances between different units beyond the first order."""
    scale = np.divide(1.0, np.sqrt(variances), out=np.zeros_like(variances), where=variances > 0.0)
    powers = (before * scale[:, None] * scale) ** (2 * order)
    powers.flat[:: len(rest) + 1] = 0.0
    return float(np.sqrt(max(rest @ powers @ rest, 0.0)))


def _pair_rests(shared, layers, steps, units, identical, averaged):
    """Return the non-linear part of the covariance of each pair's features, whose preactivations are correlated."""
    (a, v), (b, w) = [(step.shift[units], step.variances[units]) for step in steps]
    if averaged:
        # use the mean variances of the paired units, with which the correlation is at most 1
        a, b = np.zeros((2, 1))
        v, w, shared, identical = (np.atleast_1d(f(x)) for f, x in
                                   ((np.mean, v), (np.mean, w), (np.mean, shared), (np.all, identical)))
    s, t = np.sqrt(v), np.sqrt(w)
    size = s * t
    rho = np.where(identical, 1.0, np.clip(np.divide(shared, size, out=np.zeros_like(size), where=size > 0.0), -1, 1))
    f, g = (layer.activation for layer in layers)
    return row_pairs(f, g, a, s, b, t, rho, row_moments(f, a, s), row_moments(g, b, t))
