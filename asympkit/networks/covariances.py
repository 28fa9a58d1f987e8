"""Compute covariances of the features of two networks by a recursion that is chosen, and say why.

Compute covariances of the features of one layer to all orders: the dual kernel, entry by entry.

The covariance of :math:`f(a_i+s_iX)` and :math:`g(b_j+t_jY)` at correlation :math:`\rho_{ij}` is a closed expression of
:math:`s_i,t_j,\rho_{ij}` if the Gaussian calculus derives one (as for arcsine and arc-cosine kernels), else
:math:`\\sum_{q\\ge1}c_q(i)\tilde c_q(j)\rho_{ij}^q` over Hermite coefficients. The sum is truncated if Cauchy-Schwarz
proves the rest to be rounding; other entries are integrated.
"""

from dataclasses import dataclass

import numpy as np

from ..arguments import check_choice
from ..errors import ConvergenceError, DomainError
from ..gauss.dual import closed_kernel
from ..gauss.quadrature.row_moments import (
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
from .recursion import LayerStep, Passed, identical_units, propagate, read_pairs

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
        Statistics of each layer of the student and of the target (:class:`~asympkit.networks.recursion.LayerStep`).
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
