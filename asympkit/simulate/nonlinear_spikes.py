"""Simulate ridge regression on the features of a network after one gradient step with a growing step size.

Three models of arXiv 2310.07891 on the same draws: the network itself, the sum of its untrained features and
finitely many spikes, and that sum with infinite spikes.  Readouts of given features are trained for many labels, with
and without regressors without penalty, and their test errors measured.  The spikes among the singular values of the
features are located too.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve, eigh, svd

from ..arguments import check_count, check_value
from ..errors import DomainError
from .one_step import hermite_moments, normal_mean
from .repeats import run_repeats
from .ridge import CHUNK, draw_on_sphere
from .simulation import Simulation, check_grid

#: below this share of the norm a Hermite coefficient is rounding, and its spike is absent
ABSENT = 1e-9


@dataclass(frozen=True, eq=False)
class Start:
    """Hold the random start before any training.

    ``weights`` are the first layer W0, shape (N, d), rows of squared norm 1 (in mean); ``readout`` is the second layer
    a of the gradient step, entries of variance 1/N; ``teachers`` are directions beta_star of norm 1, one column each.
    """

    weights: np.ndarray
    readout: np.ndarray
    teachers: np.ndarray

    @classmethod
    def draw(cls, rng, *, d, width, teachers, rows):
        if rows == "sphere":
            weights = draw_on_sphere(rng, (width, d), 1.0)
        else:
            weights = rng.standard_normal((width, d)) / math.sqrt(d)
        return cls(weights, rng.standard_normal(width) / math.sqrt(width), draw_on_sphere(rng, (teachers, d), 1.0).T)

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

    ``g(x) = direction . x``, of norm 1; ``powers`` are the k, none for the network, ``loadings`` the v_k, shape (N,
    powers). If they are ``diverging``, powers of g are regressors without penalty, and readouts orthogonal to the v_k.
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
    """Compute the gradient of the first layer on the first data set, for label noise of shape (n, t).

    Return ``X^T residual / n``, shape (d, t), with which the gradient aligns the first layer; and with ``gradient``,
    shape (t, N, d), minus the gradient of ``|y - student(X W^T) a|^2 / (2 n)``.  With ``kept`` the initial output is
    subtracted from the labels, as in the literal gradient.
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


def train_features(model, start, directions, descent, *, eta, coefficients, degree, degrees=None):
    """Return the features after the step, one `Features` a teacher.

    ``coefficients`` are the student's Hermite coefficients up to ``degree``; spikes have the given degrees, or those
    whose coefficient is not 0.
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
    """
    orthonormal, scale = hermite_moments([student], degree)[0], math.sqrt(normal_mean(lambda z: student(z) ** 2))
    factorials = np.array([math.factorial(k) for k in range(degree + 1)], dtype=np.float64)
    return np.where(np.abs(orthonormal) <= absent * scale, 0.0, orthonormal / np.sqrt(factorials))


def sizes(phi, psi, n):
    """Return input dimension and width; raise for ratios that round to nothing."""
    d = round(check_value("phi", phi, "positive") * n)
    if d < 2:
        raise DomainError(f"phi={phi!r} at n={n} leaves fewer than 2 input dimensions: expected phi >= {2 / n:g}, "
                          "or a larger n")
    width = round(d / check_value("psi", psi, "positive"))
    if width < 1:
        raise DomainError(f"psi={psi!r} at d={d} leaves no hidden unit: expected psi <= {d}, or a larger n")
    return d, width


def step_size(eta, model):
    """Return the step size as a float, or None in the limit of diverging spikes."""
    if model == "limit":
        if eta is not None:
            raise DomainError(f"eta={eta!r}: expected None for model='limit', where the spikes have diverged; "
                              "take model='network' or 'truncated' for a step size")
        return None
    if eta is None:
        raise DomainError(f"eta=None: expected a step size >= 0 for model={model!r}; only model='limit' needs none")
    return check_value("eta", eta, "nonnegative")


def hidden_units(student, inputs, weights):
    """Return ``student(inputs @ weights.T)`` as float64."""
    return np.asarray(student(inputs @ weights.T), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Readout:
    """Hold second layers for every penalty (first axis) and column of labels (last axis).

    ``objective`` is the minimum ``|y - F b - U c|^2 / n + lam |b|^2``, ``weights`` are b; ``monomials`` and
    ``constant`` are the coefficients c of the powers of g and of 1.
    """

    objective: np.ndarray
    weights: np.ndarray
    monomials: np.ndarray
    constant: np.ndarray


def train(gram, features, inputs, labels, lams, constant):
    """Fit the readout of `features` at every penalty; `gram` belongs to the hidden units alone."""
    bias = int(constant)
    free = np.hstack([np.ones((len(inputs), bias)), features.monomials(inputs)])
    fitted = []
    for lam in lams.tolist():
        if is_small(gram.features, lam):
            minimum, weights, coefficients = fit_least(gram.features, labels, free, lam, features.loadings,
                                                       diverging=features.diverging)
        else:
            scaled, weights, coefficients = fit(gram.resolvent(lam), gram.features, labels, free, features.loadings,
                                                diverging=features.diverging)
            minimum = lam * scaled
        fitted.append((minimum, weights, coefficients[bias:], coefficients[:bias].sum(axis=0, keepdims=True)))
    return Readout(*map(np.array, zip(*fitted)))


def fresh_errors(rng, start, student, target, predictors, test_size):
    """Return mean squared errors against labels without noise, all predictors on the same fresh inputs.

    Predictors are pairs (Features, Readout): first the untrained features for all teachers, then one for each teacher.
    """
    wrong = [0.0] * len(predictors)
    teachers = [slice(None), *(slice(t, t + 1) for t in range(len(predictors) - 1))]
    for _, inputs, truth in start.samples(rng, target, test_size):
        untrained = hidden_units(student, inputs, start.weights)
        for index, ((features, readout), columns) in enumerate(zip(predictors, teachers)):
            units = untrained if features.weights is start.weights else hidden_units(student, inputs, features.weights)
            output = units @ readout.weights + features.monomials(inputs) @ readout.monomials + readout.constant
            wrong[index] = wrong[index] + np.square(truth[:, columns] - output).sum(axis=1)
    return [total / test_size for total in wrong]


# From this many penalties on, one eigendecomposition costs less than a Cholesky factor for each.
EIGEN_FROM = 12

# Below this part of the mean eigenvalue of the smaller Gram matrix a penalty needs the features themselves.
SMALL = 3e-6


class Gram:
    """Apply the resolvent ``(F F^T + n lam)^-1`` of features F, one row a sample, for so many penalties or others.

    Unlike `RidgePath` it is not tied to one vector of labels, because `fit` applies the resolvent to regressors too.
    Only the smaller of the two Gram matrices is formed and factorised; many penalties share one eigendecomposition.
    """

    def __init__(self, features, penalties=1):
        samples, width = features.shape
        self.features, self.primal = features, width < samples
        matrix = features.T @ features if self.primal else features @ features.T
        self._matrix, self._eigen = matrix, None
        if penalties >= EIGEN_FROM:
            self._matrix, self._eigen = None, eigh(matrix, overwrite_a=True, check_finite=False, driver="evd")

    def resolvent(self, lam):
        """Return the function that applies ``(F F^T + n lam)^-1`` to a matrix of n rows."""
        shift = lam * len(self.features)
        small = self._inverse(shift)
        if not self.primal:
            return small

        def apply(right):
            return (right - self.features @ small(self.features.T @ right)) / shift

        return apply

    def _inverse(self, shift):
        if self._eigen is None:
            matrix = self._matrix.copy()
            matrix.flat[:: len(matrix) + 1] += shift
            factor = cho_factor(matrix, lower=True, overwrite_a=True, check_finite=False)
            return lambda right: cho_solve(factor, right, check_finite=False)
        values, vectors = self._eigen
        return lambda right: vectors @ ((vectors.T @ right) / (values + shift)[:, None])


def fit(resolvent, features, labels, free, loadings=None, *, diverging=False):
    """Minimise ``|y - F b - U c|^2 + n lam |b|^2`` over b and c, the last entries of c tied to b or all free.

    ``resolvent`` is that of F at this penalty, ``labels`` are several y, ``free`` the regressors U, of full rank.  With
    ``loadings`` V, without zero columns, the last entries of c are ``V^T b``, which makes the features ``F + U_j V^T``;
    if they are ``diverging``, all of c is free, and ``V^T b = 0``.  Return the minimum over ``n lam``, b, and c.

    With ``u = (F F^T + n lam)^-1 (y - U c - F V gamma)`` the stationary point is ``b = F^T u + V gamma``, where
    ``gamma = U_j^T u`` for tied regressors, and ``U^T u = 0`` for free ones.  Columns are scaled to norm 1, so that
    the sizes of the ties enter by their inverses and may be arbitrarily large; the inverse 0 is the limit.
    """
    norms = np.linalg.norm(free, axis=0)
    columns, k = free / norms, len(norms)
    j = 0 if loadings is None else loadings.shape[1]
    if j:
        lengths = np.linalg.norm(loadings, axis=0)
        loadings = loadings / lengths
        columns = np.hstack([columns, features @ loadings])
    dual = resolvent(labels)
    coefficients = np.zeros((k + j, labels.shape[1]))
    if k:
        solved = resolvent(columns)
        core = columns.T @ solved
        if j:
            core[k:, k:] -= loadings.T @ loadings
        if j and not diverging:
            ties = np.diag(1 / (norms[k - j:] * lengths))
            core[k - j:k, k:] += ties
            core[k:, k - j:k] += ties
        coefficients = np.linalg.solve(core, columns.T @ dual)
        dual -= solved @ coefficients
    weights = features.T @ dual
    if j:
        weights += loadings @ coefficients[k:]
    return np.sum(labels * dual, axis=0), weights, coefficients[:k] / norms[:, None]


def is_small(features, lam):
    """Return whether a penalty is so small that :func:`fit` loses digits to the Gram matrix."""
    return lam * len(features) < SMALL * np.einsum("ij,ij->", features, features) / min(features.shape)


def fit_least(features, labels, free, lam, loadings=None, *, diverging=False):
    """Fit as :func:`fit` by least squares, for a small penalty or none, when b has least norm; the minimum is over n.
    """
    samples, width = features.shape
    j, regressors = 0 if loadings is None else loadings.shape[1], free
    if j and diverging:                             # V^T b = 0: b is orthogonal to the columns of V
        across, _ = np.linalg.qr(loadings)
        features = features - (features @ across) @ across.T
    elif j:                                         # c = V^T b: other features, without free coefficients
        features, regressors = features + free[:, free.shape[1] - j:] @ loadings.T, free[:, :free.shape[1] - j]
    basis, _ = np.linalg.qr(regressors)
    rest = [matrix - basis @ (basis.T @ matrix) for matrix in (features, labels)]
    if lam:                                         # the penalty as additional samples
        root = np.sqrt(lam * samples)
        rest = [np.vstack([rest[0], root * np.eye(width)]), np.vstack([rest[1], np.zeros((width, labels.shape[1]))])]
    weights = np.linalg.lstsq(*rest, rcond=None)[0]
    if j and diverging:                             # remove rounding, which a small penalty amplifies
        weights -= across @ (across.T @ weights)
    left = labels - features @ weights
    coefficients = np.linalg.lstsq(regressors, left, rcond=None)[0] if regressors.shape[1] else np.zeros(
        (0, labels.shape[1]))
    minimum = np.square(left - regressors @ coefficients).sum(axis=0) / samples + lam * np.square(weights).sum(axis=0)
    tied = loadings.T @ weights if j and not diverging else np.zeros((0, labels.shape[1]))
    return minimum, weights, np.vstack([coefficients, tied])


# -- simulations -------------------------------------------------------------------------------------------------------


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

    Return estimates of ``train_error`` (the minimum, penalty included), ``test_error`` (fresh noisy labels), those of
    untrained features on the same draws, ``baseline_train`` and ``baseline_test``, and the paired differences
    ``train_gap`` and ``test_gap``, baseline minus trained.

    "limit" and "truncated" agree with the theory, at the same step size, up to a share of order 1/n.  So does the
    network for a step size of order one: the rest of the step, beyond the spikes, adds about 20 % to small gaps at
    n = 500, half of that at n = 1000.  But this rest grows like eta / sqrt(n) next to the bulk, and spikes diverge only
    like small powers of n: a network of any size that can be trained must not be compared with the limit.  A repeat
    holds about ``8 * (3*n*N + n*d + 3*min(n, N)**2)`` bytes, ``16 * teachers * N * d`` more for the network, and up to
    six blocks of 32 MB.
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
