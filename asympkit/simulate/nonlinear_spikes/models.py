"""Features of a network after one gradient step with a growing step size: exact, truncated, and in the limit.

Three models of arXiv 2310.07891 on the same draws: the network itself, the sum of its untrained features and
finitely many spikes, and that sum with infinite spikes.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.polynomial.hermite_e import hermeval

from ..ridge.readout import CHUNK, on_sphere

# Below this share of the norm a Hermite coefficient is rounding, and its spike is absent.
ABSENT = 1e-9


@dataclass(frozen=True, eq=False)
class Start:
    """Hold the random start before any training.

    Attributes
    ----------
    weights : ndarray, shape (N, d)
        First layer W0, rows of squared norm 1 (in mean).
    readout : ndarray, shape (N,)
        The second layer a of the gradient step, entries of variance 1/N.
    teachers : ndarray, shape (d, t)
        Directions beta_star of norm 1, one column a teacher.
    """

    weights: np.ndarray
    readout: np.ndarray
    teachers: np.ndarray

    @classmethod
    def draw(cls, rng, *, d, width, teachers, rows):
        if rows == "sphere":
            weights = on_sphere(rng, (width, d), 1.0)
        else:
            weights = rng.standard_normal((width, d)) / math.sqrt(d)
        return cls(weights, rng.standard_normal(width) / math.sqrt(width), on_sphere(rng, (teachers, d), 1.0).T)

    def samples(self, rng, target, count):
        """Yield fresh ``(slice, inputs, labels without noise)`` in blocks; labels have one column a teacher."""
        width, d = self.weights.shape
        rows = max(1, CHUNK // max(width, d))
        for begin in range(0, count, rows):
            block = slice(begin, min(begin + rows, count))
            inputs = rng.standard_normal((block.stop - begin, d))
            yield block, inputs, np.asarray(target(inputs @ self.teachers), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Features:
    """Hold the features ``student(W x) + sum_k v_k g(x)^k``, or their limit for infinite v_k.

    Attributes
    ----------
    weights : ndarray, shape (N, d)
        W.
    direction : ndarray, shape (d,)
        ``g(x) = direction . x``, of norm 1.
    powers : tuple of int
        The k; none for the network.
    loadings : ndarray, shape (N, len(powers)), or None
        The v_k; None without powers.
    diverging : bool
        Whether the v_k are infinite: powers of g are then regressors without penalty, and readouts orthogonal to v_k.
    """

    weights: np.ndarray
    direction: np.ndarray
    powers: tuple[int, ...] = ()
    loadings: np.ndarray | None = None
    diverging: bool = False

    def monomials(self, inputs):
        """Return the powers of g, shape (rows, len(powers))."""
        return powers_of(inputs @ self.direction, self.powers)


def first_step(rng, start, student, target, noise, *, kept, gradient):
    """Compute the gradient of the first layer on the first data set.

    Parameters
    ----------
    noise : ndarray, shape (n, t)
        Label noise; its shape gives the number of samples.
    kept : bool
        Whether the initial output is subtracted from the labels, as in the literal gradient.
    gradient : bool
        Whether to compute the full gradient.

    Returns
    -------
    directions : ndarray, shape (d, t)
        ``X^T residual / n``, with which the gradient aligns the first layer.
    descent : ndarray, shape (t, N, d), or None
        Minus the gradient of ``|y - student(X W^T) a|^2 / (2 n)``.
    """
    samples, teachers = noise.shape
    width, d = start.weights.shape
    directions = np.zeros((d, teachers))
    descent = np.zeros((teachers, width, d)) if gradient else None
    for block, inputs, labels in start.samples(rng, target, samples):
        missing = labels + noise[block]
        if kept or gradient:
            hidden = inputs @ start.weights.T
        if kept:
            missing -= (student(hidden) @ start.readout)[:, None]
        directions += inputs.T @ missing
        if gradient:
            slope = np.asarray(student.derivative(hidden), dtype=np.float64)
            for step, residual in zip(descent, missing.T):
                step += (slope * residual[:, None]).T @ inputs
    if gradient:
        descent *= start.readout[:, None] / samples
    return directions / samples, descent


def trained_features(model, start, directions, descent, *, eta, coefficients, degree, degrees=None):
    """Return the features after the step, one `Features` a teacher.

    Parameters
    ----------
    model : {"network", "truncated", "limit"}
    coefficients : ndarray
        Hermite coefficients of the student up to `degree`.
    degrees : tuple of int, optional
        The degrees of the spikes; by default those whose coefficient is not 0.
    """
    result = []
    present = spike_degrees(coefficients, degree) if degrees is None else degrees
    if eta == 0:
        present = ()
    elif model == "truncated":      # a spike of strength 0 is left out
        present = tuple(k for k in present if coefficients[1] * coefficients[k] != 0)
    for index, beta in enumerate(directions.T):
        length = np.linalg.norm(beta)
        direction = beta / length if length else beta
        if model == "network":
            made = Features(start.weights + eta * descent[index], direction)
        elif model == "truncated":
            pushed = coefficients[1] * eta * length * start.readout
            loadings = powers_of(pushed, present) * coefficients[list(present)]
            made = Features(start.weights, direction, present, loadings)
        else:
            made = Features(start.weights, direction, present, powers_of(start.readout, present), diverging=True)
        result.append(made)
    return result


def powers_of(values, powers):
    """Return ``values**k`` as columns, one for each k."""
    return np.vander(values, max(powers, default=0) + 1, increasing=True)[:, list(powers)]


def spike_degrees(coefficients, degree):
    """Return the degrees k <= `degree` whose spike c_1^k c_k (eta X beta)^k (a^k)^T exists: c_1, c_k not 0."""
    if coefficients[1] == 0:
        return ()
    return tuple(k for k in range(1, degree + 1) if coefficients[k] != 0)


def hermite_coefficients(student, degree, absent=ABSENT):
    """Return ``c_k = E[student(z) He_k(z)] / k!`` for k = 0, ..., degree; those below a share of the norm are set to 0.

    Gauss-Legendre quadrature rules on panels of width 1/4 between -14 and 14: kinks at multiples of 1/4 are exact,
    elsewhere a kink leaves an error of about 1e-6, a jump one of 1e-3.
    """
    nodes, weights = np.polynomial.legendre.leggauss(20)
    z = (np.arange(-56, 56)[:, None] / 4 + (nodes + 1) / 8).ravel()
    weights = np.tile(weights / 8, 112) * np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
    values = np.asarray(student(z), dtype=np.float64)
    scale = math.sqrt(weights @ values**2)
    factorials = np.array([math.factorial(k) for k in range(degree + 1)], dtype=np.float64)
    coefficients = np.array([weights @ (values * hermeval(z, row)) for row in np.eye(degree + 1)]) / factorials
    coefficients[np.abs(coefficients) * np.sqrt(factorials) <= absent * scale] = 0.0
    return coefficients
