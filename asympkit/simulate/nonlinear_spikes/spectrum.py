"""Compute singular values of the features after one gradient step, and locate their spikes."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.linalg import svd

from ..core import arguments as check
from .arguments import INITIAL_OUTPUTS, ROWS, choice, sizes, step_size
from .models import Start, first_step, hermite_coefficients, powers_of, trained_features
from .readout import hidden_units


@dataclass(frozen=True, eq=False)
class SingularValues:
    r"""Hold singular values of one draw of the features, and overlaps with powers of the first step's direction.

    Attributes
    ----------
    values, untrained : ndarray, shape (min(n, N),)
        Singular values of the features after and before the step, from the largest.
    overlaps : ndarray, shape (leading, degree)
        Squared overlap of the leading left singular vectors with
        :math:`(\tilde X\beta)^{\circ k}`, k = 1, ..., degree, each made orthogonal to the lower powers.
    d, width, n : int
        Sizes.
    eta : float
        Step size.
    """

    values: np.ndarray
    untrained: np.ndarray
    overlaps: np.ndarray
    d: int
    width: int
    n: int
    eta: float

    def spike(self, degree):
        """Return index (0: largest), value and squared overlap of the singular vector closest to spike `degree`."""
        place = int(np.argmax(self.overlaps[:, degree - 1]))
        return place, float(self.values[place]), float(self.overlaps[place, degree - 1])


def nonlinear_singular_values(student, target, *, phi, psi, eta, n, noise_variance=0.0, degree=3, rows="sphere",
                              initial_output="removed", model="network", seed=0, leading=10):
    """Draw the features of `simulate_nonlinear` once and decompose them.

    Parameters
    ----------
    student, target, phi, psi, eta, n, noise_variance, rows, initial_output
        As in `simulate_nonlinear`.
    degree : int
        Largest power; in "truncated" also the largest degree of the spikes.
    model : {"network", "truncated"}
    seed : int
    leading : int
        Number of left singular vectors that are compared with the powers.

    Returns
    -------
    SingularValues

    Notes
    -----
    The spikes are measured here, without a theory.  The decomposition takes about ``8 * (4*n*N + 3*min(n, N)**2)``
    bytes.
    """
    n = check.integer("n", n, low=4)
    d, width = sizes(phi, psi, n)
    choice("model", model, ("network", "truncated"))
    eta, degree = step_size(eta, model), check.integer("degree", degree, low=1)
    kept = choice("initial_output", initial_output, INITIAL_OUTPUTS) == "kept"
    check.elementwise("student", student, derivative=model == "network")
    check.elementwise("target", target)
    deviation = math.sqrt(check.real("noise_variance", noise_variance, low=0.0))
    leading = min(check.integer("leading", leading, low=1), n, width)

    rng = np.random.default_rng(check.integer("seed", seed, low=0))
    start = Start.draw(rng, d=d, width=width, teachers=1, rows=choice("rows", rows, ROWS))
    directions, descent = first_step(rng, start, student, target, deviation * rng.standard_normal((n, 1)),
                                     kept=kept, gradient=model == "network")
    trained, = trained_features(model, start, directions, descent, eta=eta, degree=degree,
                                coefficients=hermite_coefficients(student, degree))
    inputs = np.concatenate([block for _, block, _ in start.samples(rng, target, n)])
    features = hidden_units(student, inputs, trained.weights)
    if model == "truncated":
        features += trained.monomials(inputs) @ trained.loadings.T
    left, values, _ = svd(features, full_matrices=False, overwrite_a=True, check_finite=False)
    powers, _ = np.linalg.qr(powers_of(inputs @ trained.direction, range(1, degree + 1)))
    overlaps = np.square(left[:, :leading].T @ powers)
    untrained = svd(hidden_units(student, inputs, start.weights), compute_uv=False, overwrite_a=True,
                    check_finite=False)
    return SingularValues(values, untrained, overlaps, d, width, n, eta)
