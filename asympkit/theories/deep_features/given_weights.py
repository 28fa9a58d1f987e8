"""Deep networks of given weights: covariances, effective linear models, errors of the readout, simulations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...arguments.domains import check_choice
from ...networks.covariances import METHODS, covariances
from ...networks.effective import effective
from ...networks.layers import check_inputs, read_network
from ...networks.lazy import laziness
from ...networks.samples import sample_features
from ...networks.weights import array_of
from ...once import computed_once

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import ArrayLike

    from ...annotations import Path, Real
    from ...networks.covariances import Covariances
    from ...networks.effective import Effective
    from ...networks.lazy import Laziness
    from ...networks.samples import Measured
    from ...simulate.core.simulation import Draws
    from ...solve.solution import Solution
    from ..ridge.theory import Ridge

__all__ = ["GivenWeights"]


class GivenWeights:
    r"""Ridge regression on the features of a deep network of given weights (arXiv 2402.13999).

    The inputs are Gaussian, the labels those of another network with a linear readout. Features are
    :math:`\varphi_\ell=\phi_\ell(W_\ell\varphi_{\ell-1}+b_\ell)`.

    Parameters
    ----------
    student, target : sequence of (weights, activation) or (weights, activation, bias)
        Layers, the first first: weights of shape (width, inputs), as arrays or tensors. Also a pair of a module, or a
        mapping of parameters, and a list of activations. A target without layers is linear in the inputs.
    input_covariance : array_like, shape (d, d) or (d,), optional
        Or its diagonal; the identity unless given.
    paired : int or sequence, optional
        How many leading units of each layer (or which) have correlated rows of weights in student and target; unless
        given, those whose rows are equal.
    method : {"auto", "averaged", "neuron-wise", "exact"}
        How covariances are had: see :func:`~asympkit.networks.covariances.covariances`.
    centred : bool
        Whether features and labels are taken without their means.

    Raises
    ------
    DomainError
        For matrices that do not fit or are no covariances.
    """

    def __init__(self, student: Any, target: Any = (), input_covariance: ArrayLike | None = None,
                 paired: int | Sequence[Any] | None = None, method: str = "auto", centred: bool = True) -> None:
        check_choice("method", method, METHODS)
        self.student, self.target = read_network("student", student), read_network("target", target)
        self.input_covariance = check_inputs(self.student, self.target, input_covariance)
        self._how: dict[str, Any] = {"paired": paired, "method": method, "centred": centred}
        self._networks: list[Any] = [[(layer.weights, layer.activation, layer.bias) for layer in layers]
                                     for layers in (self.student, self.target)]
        self._last: tuple[Any, Any] | None = None

    def covariances(self) -> Covariances:
        """Covariances Omega, Phi and Psi of the features, and the method by which they were had."""
        return self._covariances

    @computed_once
    def _covariances(self) -> Covariances:
        return covariances(*self._networks, input_covariance=self.input_covariance, **self._how)

    def effective(self) -> Effective:
        """The linear model with noise, W_eff and C_eff, that the student is to its readout."""
        method = self._how["method"]
        return effective(self._networks[0], input_covariance=self.input_covariance,
                         method="neuron-wise" if method == "exact" else method)

    def laziness(self, initial: Any = None, measured: Measured | None = None) -> Laziness:
        """Signs of a student that training has moved too far for the theory.

        Parameters
        ----------
        initial : sequence or module, optional
            The student before training.
        measured : Measured, optional
            What :meth:`sample` returned.
        """
        return laziness(self._networks[0], initial, input_covariance=self.input_covariance, measured=measured)

    def sample(self, readout: ArrayLike, samples: int, seed: int = 0, inputs: ArrayLike | None = None) -> Measured:
        """Covariances from samples instead of a theory of the features.

        Parameters
        ----------
        readout : array_like, shape (k,)
            Of the target.
        samples, seed : int
        inputs : array_like, shape (samples, d), optional
            Data instead of Gaussian inputs.
        """
        student, target = self._networks
        return sample_features(student, target, readout, samples=samples, seed=seed, inputs=inputs,
                               input_covariance=self.input_covariance, centred=self._how["centred"])

    def ridge(self, readout: ArrayLike | None = None) -> Ridge:
        """The theory of the readout, with every verb; the spectrum is compressed to few nodes, to 1e-13.

        Parameters
        ----------
        readout : array_like, shape (k,), optional
            Of the target, whose output is ``readout @ features / sqrt(k)``; the mean over readouts of unit variance
            unless given.

        Returns
        -------
        Ridge
        """
        from ...spectra.compression import compress
        from ..ridge.theory import Ridge

        key = None if readout is None else array_of("readout", readout).tobytes()
        if self._last is None or self._last[0] != key:
            found = self.covariances()
            self._last = key, Ridge.of_nodes(compress(*found.squares(readout)), found.rho(readout))
        return self._last[1]

    def solve(self, n: Real, lam: Real, noise_variance: Real = 0, readout: ArrayLike | None = None) -> Solution[Any]:
        """Errors of the ridge regression of n samples; `train_error` without the penalty.

        Parameters
        ----------
        n : float
            Samples.
        lam : float
            Penalty ``lam * |w|**2`` next to the sum of squares of ``y - w @ features / sqrt(p)``.
        noise_variance : float
        readout : array_like, shape (k,), optional
            As in :meth:`ridge`.

        Returns
        -------
        Solution
        """
        return self.ridge(readout).solve(n=n, lam=lam, noise_variance=noise_variance)

    def simulate(self, n: int, lam: Real | Sequence[Real], noise_variance: Real = 0, readout: ArrayLike | None = None,
                 *, repeats: int = 10, seed: int = 0, test_size: int | None = None, executor: Any = None,
                 progress: bool = False, file: Path | None = None) -> Draws:
        """Train the readout of the real network on n samples, and test it: estimates of the errors.

        Parameters
        ----------
        n, lam, noise_variance, readout
            As for :meth:`solve`; `lam` may be a sequence, a readout that is not given is drawn anew in each repeat.
        repeats, seed, executor, progress, file
            As for every simulation.
        test_size : int, optional
            Fresh inputs of each repeat.
        """
        from ...simulate import simulate_features

        return simulate_features(*self._networks, n=n, lam=lam, noise_variance=noise_variance, readout=readout,
                                 input_covariance=self.input_covariance, centred=self._how["centred"],
                                 test_size=test_size, repeats=repeats, seed=seed, executor=executor,
                                 progress=progress, file=file)
