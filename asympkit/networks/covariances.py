r"""Compute covariances of the features of two networks by a recursion that is chosen, and say why.

With K the covariance of the preactivations of a layer, :math:`K=W\Sigma W^\top`, features have the covariance
:math:`\Sigma'=DKD+\mathrm{diag}(c)`, D the slopes and c the variances of the non-linear parts, for each neuron (the
neuron-wise recursion) or, if means vanish, one for all from the mean variance of the preactivations (the averaged
recursion). Covariances of student and target follow the same equation, with a diagonal for paired units, those with
correlated, or equal, rows of weights.

Covariances of the features of one layer are computed to all orders: the dual kernel, entry by entry.

The covariance of :math:`f(a_i+s_iX)` and :math:`g(b_j+t_jY)` at correlation :math:`\rho_{ij}` is a closed expression of
:math:`s_i,t_j,\rho_{ij}` if the Gaussian calculus derives one (as for arcsine and arc-cosine kernels), else
:math:`\sum_{q\ge1}c_q(i)\tilde c_q(j)\rho_{ij}^q` over Hermite coefficients. The sum is truncated if Cauchy-Schwarz
proves the rest to be rounding; other entries are integrated.
"""

import operator
from dataclasses import dataclass

import numpy as np

from ..arguments import check_choice, quote
from ..errors import ConvergenceError, DomainError
from ..gauss.dual import closed_kernel
from ..gauss.quadrature.row_moments import (
    RowMoments,
    chunks,
    cut_of_rows,
    kink_places,
    lattice,
    panels_of_rows,
    row_moments,
    row_pairs,
)
from ..once import computed_once
from ..spectra.compression import clean_spectrum, linear_algebra
from .layers import MANY, SampleSums, array_of, blocks, check_inputs, read_network


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


METHODS = ("auto", "averaged", "neuron-wise", "exact", "sampled")
#: spread of the variances of preactivations below which the averaged recursion uses their mean
_ALIKE = 0.1
#: relative bound on the covariances that a recursion leaves out, above which the reason says so and one layer uses
#: exact ones: 0.004 for random weights of 100 units, 0.035 if each row occurs twice
_LEFT_OUT = 0.02
#: operations of sampling the features of networks: usual (two seconds), and at most
_USUAL_WORK, _MOST_WORK = 5 * 10**10, 10**12


@dataclass(frozen=True, eq=False)
class Covariances:
    """Hold covariances of the features of a student and a target that see the same inputs.

    Attributes
    ----------
    Omega, Phi, Psi : ndarray, shape (p, p), (p, k), (k, k)
        Of the student's features, of these with the target's, and of the target's: covariances, or raw second moments
        (see `centred`).
    student_mean, target_mean : ndarray
        Means of the features, whether or not they are subtracted in the matrices.
    centred : bool
    method : {"averaged", "neuron-wise", "exact", "sampled"}
    reason : str
        Why this method was used.
    steps : tuple of list of Step
        Statistics of each layer of the student and of the target (:class:`LayerStep`).
    pairs : list of ndarray of int
        Units of each layer that were treated as paired.
    """

    Omega: np.ndarray
    Phi: np.ndarray
    Psi: np.ndarray
    student_mean: np.ndarray
    target_mean: np.ndarray
    centred: bool
    method: str
    reason: str
    steps: tuple
    pairs: list

    def psi(self, readout):
        """Return the covariance ``Phi @ readout / sqrt(k)`` of the student's features with the target's output."""
        readout = self._readout(readout)
        return self.Phi @ readout / np.sqrt(readout.size)

    def rho(self, readout=None):
        """Return the variance of the target's output; without a readout its mean over readouts of unit variance."""
        if readout is None:
            return float(np.trace(self.Psi) / len(self.Psi))
        readout = self._readout(readout)
        return float(readout @ self.Psi @ readout / readout.size)

    def squares(self, readout=None):
        """Return eigenvalues of Omega, and the squared length of psi along each eigenvector.

        Without a readout the squares are averaged over readouts of unit variance. Errors of ridge regression depend on
        psi only through them.
        """
        e, vectors = self._spectrum
        if readout is not None:
            return e, (vectors.T @ self.psi(readout)) ** 2
        return e, np.square(vectors.T @ self.Phi).sum(axis=1) / self.Phi.shape[1]

    @computed_once
    def _spectrum(self):
        e, vectors = linear_algebra.eigh(self.Omega)
        return clean_spectrum("Omega", e), vectors

    def _readout(self, readout):
        readout, k = array_of("readout", readout), self.Phi.shape[1]
        if readout.shape != (k,) or not np.isfinite(readout).all():
            raise DomainError(f"readout of shape {readout.shape}: expected ({k},), finite numbers, one for each "
                              "feature of the target")
        return readout


def covariances(student, target=(), *, input_covariance=None, paired=None, method="auto", centred=True):
    r"""Compute covariances of features of two deep networks with given weights under inputs ``N(0, input_covariance)``.

    Features are :math:`\varphi_\ell=\phi_\ell(W_\ell\varphi_{\ell-1}+b_\ell)`; preactivations are taken as Gaussian
    (they are in the first layer), covariances between different units to first order (arXiv 2402.13999).  Networks and
    other arguments are as for :class:`~asympkit.theories.deep_features.given_weights.GivenWeights`.

    The method "averaged" is the published recursion: one mean variance for each layer, no means.  "neuron-wise" has a
    mean and a variance for each neuron.  "exact", for one layer, includes all orders.  "sampled" uses Gaussian inputs,
    from 20 to 400 a feature.  "auto" is the averaged one if features have no mean before the last layer and neurons are
    similar, else the neuron-wise one.  Unless ``centred``, matrices are raw second moments.

    DomainError for matrices whose shapes do not fit or that are not covariances, and for a method that does not apply;
    ConvergenceError if a Gaussian mean does not converge in double precision.
    """
    check_choice("method", method, METHODS)
    is_automatic = method == "auto"
    student, target = read_network("student", student), read_network("target", target)
    inputs = check_inputs(student, target, input_covariance)
    pairs = read_pairs(student, target, paired)
    if method == "sampled":
        found = sample_covariances(student, target, inputs, bool(centred))
        if found is None:
            raise DomainError("method: got 'sampled' for a network of too many units to sample within minutes; "
                              "expected another method, or covariances of sample(...) in asympkit.Ridge")
        return found[0]
    if method == "exact":
        found = exact_covariances(student, target, inputs, pairs)
        reason = "as requested: one layer, all orders of the covariances between units"
    else:
        found, method, reason = recursion(student, target, inputs, pairs, method)
        left_out = max(step.neglected for steps in found.steps for step in steps)
        if is_automatic and left_out > _LEFT_OUT:
            text = f"the recursion may leave out covariances of {left_out:.2g} of those of the features"
            if len(student) == len(target) == 1:
                found, method = exact_covariances(student, target, inputs, pairs), "exact"
            reason = f"{text}, of equal rows or few units" if method == "exact" else f"{reason}; {text}"
    matrices = [found.Omega, found.Phi, found.Psi]
    if not centred:
        m, q = found.means
        matrices = [matrix + np.outer(*means) for matrix, means in zip(matrices, ((m, m), (m, q), (q, q)))]
    return Covariances(*matrices, *found.means, bool(centred), method, reason, found.steps, pairs)


def sample_covariances(student, target, covariance, centred=True, samples=None, seed=0):
    """Estimate covariances of the features of both networks from Gaussian inputs: of all samples, and of each half.

    By default there are between 20 and 400 samples a feature; None if 20 a feature take more than some 1e12 operations.
    """
    p, k = student[-1].width, target[-1].width if target else len(covariance)
    if samples is None:
        products = len(covariance)**2 + p * p + p * k + k * k
        work = 2 * (products + sum(layer.weights.size for layer in (*student, *target)))
        if MANY * p * work > _MOST_WORK:
            return None
        samples = max(MANY * p, min(20 * MANY * p, _USUAL_WORK // work))
    sums, found = [SampleSums(p, (k,)), SampleSums(p, (k,))], []
    for place, total in enumerate(sums):
        for block in blocks(student, target, covariance, samples // 2, (seed, place)):
            total.add(*block)
    for total in (sums[0] + sums[1], *sums):
        Omega, Phi, Psi, mean, level = total.moments(centred)
        found.append(Covariances(Omega, Phi, Psi, mean, level, centred, "sampled", f"of {total.count} Gaussian inputs",
                                 (), []))
    return found


def recursion(student, target, inputs, pairs, method):
    """Return means and covariances by one of the two recursions, the method that was used, and why."""
    check_choice("method", method, ("auto", "averaged", "neuron-wise"))
    obstacle = _mean_before_the_last(student, target)
    if method == "averaged" and obstacle:
        raise DomainError(f"method='averaged': {obstacle}, so that features have means before the last layer; expected "
                          "odd activations without bias there, or method='neuron-wise'")
    if method == "neuron-wise" or obstacle:
        reason = "as requested" if method == "neuron-wise" else f"{obstacle}: features have means before the last layer"
        return propagate(student, target, inputs, pairs, False), "neuron-wise", reason
    found = propagate(student, target, inputs, pairs, True)
    if method == "averaged":
        return found, "averaged", "as requested"
    spread = max(step.spread for steps in found.steps for step in steps)
    text = (f"the variances of the preactivations differ by {100 * spread:.2g} % between the neurons of a layer "
            "(standard deviation)")
    if spread <= _ALIKE:
        return found, "averaged", f"features have no mean before the last layer, and {text}"
    return propagate(student, target, inputs, pairs, False), "neuron-wise", text


def _mean_before_the_last(student, target):
    """Return a sentence on what gives features a mean before the last layer, or on a bias; None if nothing does."""
    for name, layers in (("student", student), ("target", target)):
        for k, layer in enumerate(layers, start=1):
            if layer.bias.any():
                return f"layer {k} of the {name} has a bias"
            if k < len(layers) and not layer.is_odd:
                return f"{layer.activation.name!r}, layer {k} of the {name}, is not odd"
    return None


#: orders of the series, and accepted truncation, relative to the root of the product of the variances
_ORDERS, _AIM = 120, 1e-13
#: how often quadrature rules for the coefficients are refined
_HALVINGS = 5
#: number of entries at which a closed form is compared with the integral, and accepted difference
_CHECKED, _SAME = 24, 1e-12


def exact_covariances(student, target, inputs, pairs):
    """Return exact means and covariances of the features of one layer of the student, and one or none of the target.

    ``pairs`` are the paired units, whose rows may be the same.  DomainError for deeper networks.
    """
    if len(student) > 1 or len(target) > 1:
        raise DomainError(f"method='exact': the student has {len(student)} and the target {len(target)} layers; "
                          "expected one layer at most, or method='neuron-wise'")
    own = _Units(student[0], inputs)
    Omega = _symmetric(own)
    if not target:
        return Passed(Omega, own.slopes[:, None] * (own.layer.weights @ inputs), inputs,
                      (own.moments.mean, np.zeros(len(inputs))), ([own.step], []))
    other = _Units(target[0], inputs)
    shared = own.layer.weights @ inputs @ other.layer.weights.T
    rho = _correlations(shared, own.s, other.s)
    units = pairs[0]
    same = units[identical_units(own.layer, other.layer, units, True)]
    rho[same, same] = 1.0
    return Passed(Omega, _kernel(own, other, rho), _symmetric(other), (own.moments.mean, other.moments.mean),
                  ([own.step], [other.step]))


class _Units:
    """Hold the units of one layer: moments, and Hermite coefficients on demand."""

    def __init__(self, layer, inputs):
        self.layer, self.inputs = layer, inputs
        self.variances = np.einsum("ij,jk,ik->i", layer.weights, inputs, layer.weights, optimize=True)
        self.s = np.sqrt(np.maximum(self.variances, 0.0))
        self.moments = row_moments(layer.activation, layer.bias, self.s)
        self.slopes = self.moments.slope

    @property
    def step(self):
        m = self.moments
        return LayerStep(self.layer.bias, self.variances, m.mean, m.slope, m.rest)

    @computed_once
    def coefficients(self):
        """Return orthonormal Hermite coefficients of each unit, orders 0 .. _ORDERS, shape (orders, width)."""
        return _hermite_rows(self.layer.activation, self.layer.bias, self.s)


def _correlations(shared, s, t):
    size = np.outer(s, t)
    return np.clip(np.divide(shared, size, out=np.zeros_like(size), where=size > 0.0), -1.0, 1.0)


def _symmetric(units):
    """Return the covariance of the features of one layer with themselves."""
    shared = units.layer.weights @ units.inputs @ units.layer.weights.T
    rho = _correlations(0.5 * (shared + shared.T), units.s, units.s)
    np.fill_diagonal(rho, 0.0)
    kernel = _kernel(units, units, rho)
    kernel = 0.5 * (kernel + kernel.T)
    np.fill_diagonal(kernel, units.moments.variance)
    return kernel


def _kernel(own, other, rho):
    """Return the covariances of all units of one layer with all of another."""
    closed = _by_formula(own, other, rho)
    return _by_series(own, other, rho) if closed is None else closed


def _by_formula(own, other, rho):
    """Return closed covariances, if there is a finite formula that agrees with the integrals of a few entries."""
    if own.layer.bias.any() or other.layer.bias.any():
        return None
    formula = closed_kernel(own.layer.activation, other.layer.activation)
    if formula is None:
        return None
    with np.errstate(all="ignore"):
        values = formula(own.s[:, None], other.s[None, :], rho) - np.outer(own.moments.mean, other.moments.mean)
    if np.shape(values) != rho.shape or not np.isfinite(values).all():
        return None
    rng = np.random.default_rng(0)
    i, j = rng.integers(0, rho.shape[0], _CHECKED), rng.integers(0, rho.shape[1], _CHECKED)
    sizes = np.sqrt(own.moments.second[i] * other.moments.second[j])
    return values if np.all(np.abs(values[i, j] - _integrals(own, other, rho, i, j)) <= _SAME * sizes) else None


def _by_series(own, other, rho):
    """Sum the Hermite series; integrate entries whose tail is not proved to be small."""
    c, e = own.coefficients, other.coefficients
    values = np.zeros_like(rho)
    for q in range(_ORDERS, 0, -1):
        values = rho * (values + np.outer(c[q], e[q]))
    tails = [np.maximum(u.moments.variance - np.square(u.coefficients[1:]).sum(axis=0), 0.0) for u in (own, other)]
    sizes = np.sqrt(np.outer(own.moments.variance, other.moments.variance))
    left_out = np.abs(rho) ** (_ORDERS + 1) * np.sqrt(np.outer(*tails))
    i, j = np.nonzero(left_out > _AIM * sizes)
    values[i, j] = _integrals(own, other, rho, i, j)
    return values


def _integrals(own, other, rho, i, j):
    """Return covariances of some pairs of units, by integration."""
    (f, g), (left, right) = (own.layer.activation, other.layer.activation), (own.moments, other.moments)
    parts = [type(m)(m.mean[k], m.slope[k], m.variance[k], m.rest[k]) for m, k in ((left, i), (right, j))]
    linear = rho[i, j] * own.s[i] * other.s[j] * left.slope[i] * right.slope[j]
    return linear + row_pairs(f, g, own.layer.bias[i], own.s[i], other.layer.bias[j], other.s[j], rho[i, j], *parts)


def _hermite_rows(activation, a, s):
    """Return coefficients of all rows, with quadrature rules that are refined until two agree."""
    kinks = np.asarray(activation.kinks_float, float)
    spread = np.flatnonzero(s > 0.0)
    found = np.zeros((_ORDERS + 1, a.size))
    found[0, s == 0.0] = activation(a[s == 0.0])
    if not spread.size:
        return found
    cut = max(cut_of_rows(activation, a[spread], s[spread]), 24.0)
    # polynomials of order q oscillate with period pi / sqrt(q): both rules resolve the highest
    coarsest = 1.0 if kinks.size else min(1.0 / 32.0, 0.25 / float(s.max()))
    before = None
    for width in coarsest / 2.0 ** np.arange(_HALVINGS + 1):
        now = np.empty((_ORDERS + 1, spread.size))
        for part in chunks(spread.size, 32 * cut / width if kinks.size else 2 * cut / width):
            i = spread[part]
            z, weights = (panels_of_rows(cut, width, kink_places(kinks, a[i], s[i])) if kinks.size
                          else lattice(cut, width))
            now[:, part] = _hermite_sums(activation(a[i, None] + s[i, None] * z), z, weights)
        if before is not None and np.all(np.abs(now - before) <= _AIM * np.linalg.norm(now, axis=0)):
            found[:, spread] = now
            return found
        before = now
    raise ConvergenceError(f"quadrature: the Hermite coefficients of {activation.name!r} do not converge at scales "
                           f"up to {s.max():.3g}; expected a smoother activation, or method='neuron-wise'")


def _hermite_sums(values, z, weights):
    """Return means of values with all orthonormal polynomials, shape (orders, rows)."""
    found, values = np.empty((_ORDERS + 1, len(values))), values * np.sqrt(weights)
    before, now = np.zeros_like(z), np.sqrt(weights)
    for q in range(_ORDERS + 1):
        found[q] = (values * now).sum(axis=1)
        before, now = now, (z * now - np.sqrt(q) * before) / np.sqrt(q + 1)
    return found
