"""Simulate ridge regression on the features of a network after one gradient step with a growing step size.

The spikes among the singular values of the features are located too.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.linalg import svd

from ..arguments import check_count, check_value
from ..errors import DomainError
from .nonlinear_models import (
    ABSENT,
    Features,
    Gram,
    Start,
    first_step,
    fresh_errors,
    hermite_coefficients,
    hidden_units,
    powers_of,
    sizes,
    step_size,
    train,
    train_features,
)
from .repeats import run_repeats
from .simulation import Simulation, check_grid


def simulate_nonlinear(student, target, *, phi, psi, lam, n, noise_variance=0.0, degree=2, eta=None, rows="sphere",
                       initial_output="removed", free_constant=False, seed=0, model="network", degrees=None,
                       teachers=None, test_size=None, repeats=10, **how):
    r"""Train the features of a network by one gradient step, its readout by ridge regression on fresh data.

    The setting is that of arXiv 2310.07891: :math:`y=\sigma_\star(\beta_\star^\top x)+\varepsilon` with
    :math:`|\beta_\star|=1`, a first layer :math:`W=W_0-\eta\,\partial_W\frac1{2n}|y-\sigma(XW^\top)a|^2` with
    :math:`a\sim N(0,I_N/N)`, and on n independent samples the readout that minimises :math:`\frac1n|\tilde
    y-\sigma(\tilde XW^\top)b|^2+\lambda|b|^2`.  The input dimension d is phi times n, the width N
    is d over psi, both rounded.  Other arguments are those of the theory, and of
    :func:`~asympkit.simulate.repeats.run_repeats`; the theory assumes ``E student(z) = 0``, the simulation uses the
    student as given.

    The ``model`` is "network"; or "truncated", its untrained features plus the spikes :math:`c_1^kc_k\eta^k(\tilde
    X\beta)^{\circ k}(a^{\circ k})^\top`, with :math:`\beta=X^\top y/n` from the first set; or "limit", these for
    infinite step size, where :math:`(\tilde X\beta)^{\circ k}` are regressors without penalty and the readout is
    orthogonal to :math:`a^{\circ k}` (which matters, as n grows, only if the initial output is kept).  Equal seeds make
    equal draws in all three.  The degrees of the spikes are ``degrees``, if known; by default those up to ``degree``
    whose Hermite coefficient, computed here with an error, is above 1e-9 of the norm; 0 is no spike.

    Each repeat averages over ``teachers`` independent directions :math:`\beta_\star` and noises, by default 1 for the
    network and 8 otherwise.  They share the inputs and untrained features, and thus one factorisation; in the network
    each needs its own features.  Test errors are measured on ``test_size`` fresh inputs, by default ``max(4 * n,
    2000)``.

    Return estimates of ``train_error`` (the minimum, penalty included), ``test_error`` (fresh noisy labels),
    ``baseline_train`` and ``baseline_test`` (untrained features on the same draws), and of the paired differences
    ``train_gap`` and ``test_gap``, baseline minus trained.

    Notes
    -----
    "limit" and "truncated" agree with the theory, at the same step size, up to a share of order 1/n.  So does the
    network for a step size of order one: the rest of the step, beyond the spikes, adds about 20 % to small gaps at
    n = 500, half of that at n = 1000.  But this rest grows like eta / sqrt(n) next to the bulk, and spikes diverge only
    like small powers of n: a network of any size that can be trained must not be compared with the limit.

    A repeat holds about ``8 * (3*n*N + n*d + 3*min(n, N)**2)`` bytes, ``16 * teachers * N * d`` more for the
    network, and up to six blocks of 32 MB.
    """
    n = check_count("n", n, 4)
    d, width = sizes(phi, psi, n)
    lam = check_grid("lam", lam)
    degrees = None if degrees is None else tuple(degrees)
    degree = check_count("degree", degree, 0) if degrees is None else max(degrees, default=0)
    if n <= degree + 1:
        raise DomainError(f"n={n}: expected more samples than free regressors, n >= {degree + 2}")
    test_size = max(4 * n, 2000) if test_size is None else test_size
    settings = {
        "student": student, "target": target, "d": d, "width": width, "n": n, "lam": lam, "degree": degree,
        "degrees": degrees,
        "noise_variance": check_value("noise_variance", noise_variance, "nonnegative"), "eta": step_size(eta, model),
        "rows": rows, "constant": bool(free_constant), "model": model, "kept": initial_output == "kept",
        "teachers": teachers or (1 if model == "network" else 8), "test_size": test_size,
    }

    def build(estimates, finished):
        return Simulation(estimates, d=d, p=width, n=n, n0=n, test_size=test_size, repeats=finished, seed=seed, lam=lam,
                          axes={"lam": lam} if np.ndim(lam) else {})

    return run_repeats(nonlinear_repeat, settings, repeats=repeats, seed=seed, build=build, **how)


def nonlinear_repeat(seed, *, student, target, d, width, n, lam, degree, noise_variance, eta, rows, kept, constant,
                     model, teachers, test_size, degrees=None):
    """Run one repeat from its seed sequence and return its observables, averaged over the teachers."""
    rng = np.random.default_rng(seed)
    start = Start.draw(rng, d=d, width=width, teachers=teachers, rows=rows)
    first_noise, second_noise = math.sqrt(noise_variance) * rng.standard_normal((2, n, teachers))
    directions, descent = first_step(rng, start, student, target, first_noise, kept=kept,
                                     gradient=model == "network")
    coefficients = hermite_coefficients(student, max(degree, 1), ABSENT if degrees is None else 0.0)
    trained = train_features(model, start, directions, descent, eta=eta, coefficients=coefficients, degree=degree,
                               degrees=degrees)
    del descent

    inputs, labels = np.empty((n, d)), np.empty((n, teachers))
    for block, drawn, values in start.samples(rng, target, n):
        inputs[block], labels[block] = drawn, values + second_noise[block]
    lams = np.atleast_1d(lam)
    # no powers: the direction is not used
    untrained = Features(start.weights, start.teachers[:, 0])
    gram = Gram(hidden_units(student, inputs, start.weights), len(lams))
    before = train(gram, untrained, inputs, labels, lams, constant)
    after = []
    for which, column in zip(trained, labels.T):
        if which.weights is not start.weights:
            gram = None      # free the memory of the features before the next ones
            gram = Gram(hidden_units(student, inputs, which.weights), len(lams))
        after.append(train(gram, which, inputs, column[:, None], lams, constant))
    del gram, inputs

    clean = fresh_errors(rng, start, student, target, [(untrained, before), *zip(trained, after)], test_size)
    baseline_train, baseline_test = before.objective.mean(axis=1), clean[0].mean(axis=1) + noise_variance
    train_error = np.mean([fitted.objective[:, 0] for fitted in after], axis=0)
    test_error = np.mean(clean[1:], axis=0)[:, 0] + noise_variance
    result = {
        "train_error": train_error, "test_error": test_error,
        "baseline_train": baseline_train, "baseline_test": baseline_test,
        "train_gap": baseline_train - train_error, "test_gap": baseline_test - test_error,
    }
    return result if np.ndim(lam) else {name: float(value[0]) for name, value in result.items()}


@dataclass(frozen=True, eq=False)
class SingularValues:
    r"""Hold singular values of one draw of the features, and overlaps with powers of the first step's direction.

    ``values`` and ``untrained`` are those after and before the step, from the largest.  ``overlaps``, shape (leading,
    degree), are squared ones of the leading left singular vectors with :math:`(\tilde X\beta)^{\circ k}`, k = 1, ...,
    degree, each made orthogonal to the lower powers.
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
    """Draw the features of :func:`simulate_nonlinear` once and decompose them, without a theory.

    The model is "network" or "truncated", for which ``degree`` is also the largest of its spikes; ``leading`` left
    singular vectors are compared with the powers up to it.  The decomposition takes about ``8 * (4*n*N + 3*min(n,
    N)**2)`` bytes.
    """
    n = check_count("n", n, 4)
    d, width = sizes(phi, psi, n)
    if model not in ("network", "truncated"):
        raise DomainError(f"model={model!r}: expected one of 'network', 'truncated'")
    eta, degree = step_size(eta, model), check_count("degree", degree, 1)
    deviation = math.sqrt(check_value("noise_variance", noise_variance, "nonnegative"))
    leading = min(check_count("leading", leading, 1), n, width)

    rng = np.random.default_rng(check_count("seed", seed, 0))
    start = Start.draw(rng, d=d, width=width, teachers=1, rows=rows)
    directions, descent = first_step(rng, start, student, target, deviation * rng.standard_normal((n, 1)),
                                     kept=initial_output == "kept", gradient=model == "network")
    trained, = train_features(model, start, directions, descent, eta=eta, degree=degree,
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
