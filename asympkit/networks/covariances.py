"""Compute covariances of the features of two networks by a recursion that is chosen, and say why."""

from dataclasses import dataclass

import numpy as np

from ..arguments.domains import check_choice
from ..errors import DomainError
from ..once import computed_once
from ..spectra.compression import linear_algebra
from ..spectra.matrices import clean_spectrum
from .exact import exact_covariances
from .layers import array_of, check_inputs, read_network
from .recursion import propagate, read_pairs
from .samples import MANY, SampleSums, blocks

__all__ = ["METHODS", "Covariances", "covariances", "recursion", "sample_covariances"]

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
        """Return the covariance ``Phi @ readout / sqrt(k)`` of the student's features with the target's output.

        Parameters
        ----------
        readout : array_like, shape (k,)
        """
        readout = self._readout(readout)
        return self.Phi @ readout / np.sqrt(readout.size)

    def rho(self, readout=None):
        """Return the variance of the target's output; without a readout its mean over readouts of unit variance.

        Parameters
        ----------
        readout : array_like, shape (k,), optional
        """
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

    Features are :math:`\varphi_\ell=\phi_\ell(W_\ell\varphi_{\ell-1}+b_\ell)`; preactivations are taken as
    Gaussian (they are in the first layer), covariances between different units to first order (arXiv 2402.13999).

    Parameters
    ----------
    student, target : sequence of (weights, activation) or (weights, activation, bias)
        Layers, the first first; also a pair of a module, or a mapping of parameters, and a list of activations. A
        target without layers is linear in the inputs.
    input_covariance : array_like, shape (d, d) or (d,), optional
        The matrix or its diagonal; by default the identity.
    paired : int or sequence, optional
        How many leading units of each layer (or which) have correlated rows of weights in student and target; by
        default those whose rows are equal.
    method : {"auto", "averaged", "neuron-wise", "exact", "sampled"}
        "averaged" is the published recursion: one mean variance for each layer, no means. "neuron-wise" has a mean and
        a variance for each neuron. "exact", for one layer, includes all orders. "sampled" uses Gaussian inputs, from 20
        to 400 a feature. "auto" is the averaged one if features have no mean before the last layer and neurons are
        similar, else the neuron-wise one.
    centred : bool
        True for covariances, False for raw second moments.

    Returns
    -------
    Covariances

    Raises
    ------
    DomainError
        For matrices whose shapes do not fit or that are not covariances, and for a method that does not apply.
    ConvergenceError
        If a Gaussian mean does not converge in double precision.
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
    """Estimate covariances of the features of both networks from Gaussian inputs: all samples, and each half.

    Parameters
    ----------
    student, target : tuple of NetworkLayer
    covariance : ndarray, shape (d, d)
        Of the inputs.
    samples : int, optional
        By default between 20 and 400 a feature.

    Returns
    -------
    list of Covariances, or None
        None if samples are not given, and 20 a feature take more than some 1e12 operations.
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
