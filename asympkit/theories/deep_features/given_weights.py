"""Deep networks with given weights: covariances, effective linear models, errors of the readout, simulations.

The spectral law of the population covariance of deep random features.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from sympy import Float, Rational, Symbol

from ...arguments import check_choice, quote
from ...errors import DomainError, warn_assumption
from ...networks.covariances import METHODS, covariances, sample_covariances
from ...networks.layers import array_of, check_inputs, read_network, sample_features
from ...networks.lazy import effective, laziness
from ...nodes import bind, remove_names
from ...notation import add_title, one_screen, table
from ...once import Deferred, computed_once
from ...spectra import DeepCovariance
from ...spectra.compression import compress
from ..declaration import Parameter, Simulator
from ..declared import THEORY_METHODS
from ..ridge.theory import Ridge

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import ArrayLike

    from ...annotations import Path, Real
    from ...networks.covariances import Covariances
    from ...networks.layers import Measured
    from ...networks.lazy import Effective, Laziness
    from ...simulate.simulation import Draws
    from ...solve.solution import Solution

_simulate = Deferred("asympkit.simulate")


#: relative difference of test errors, and number of standard errors, from which covariances are called inaccurate
_DIFFERENT, _SIGNIFICANT = 0.05, 3.0
#: the parameters of a comparison of test errors
_POINT = ("n", "lam", "noise_variance")


class GivenWeights:
    r"""Solve ridge regression on the features of a deep network with given weights (arXiv 2402.13999).

    The inputs are Gaussian, the labels those of another network with a linear readout. Features are
    :math:`\varphi_\ell=\phi_\ell(W_\ell\varphi_{\ell-1}+b_\ell)`.

    Parameters
    ----------
    student, target : sequence of (weights, activation) or (weights, activation, bias)
        Layers, the first first: weights of shape (width, inputs), as arrays or tensors. Also a pair of a module, or a
        mapping of parameters, and a list of activations. A target without layers is linear in the inputs.
    input_covariance : array_like, shape (d, d) or (d,), optional
        The matrix or its diagonal; by default the identity.
    paired : int or sequence, optional
        How many leading units of each layer (or which) have correlated rows of weights in student and target; by
        default those whose rows are equal.
    method : {"auto", "averaged", "neuron-wise", "exact", "sampled"}
        How covariances are computed: see :func:`~asympkit.networks.covariances.covariances`.
    centred : bool
        Whether the means of features and labels are subtracted.

    Notes
    -----
    All methods of the theory :meth:`ridge` are available here, with ``readout=`` as one more argument: ``sweep``,
    ``minimize``, ``plot``, ``check`` and others. If covariances come from a recursion, test errors are first compared
    with those of exact or sampled covariances, at the extremes of n, lam and noise_variance; if they differ, a
    warning says by how much, and ``method="auto"`` uses the latter covariances.

    Raises
    ------
    DomainError
        For matrices whose shapes do not fit or that are not covariances.
    """

    def __init__(self, student: Any, target: Any = (), input_covariance: ArrayLike | None = None,
                 paired: int | Sequence[Any] | None = None, method: str = "auto", centred: bool = True) -> None:
        check_choice("method", method, METHODS)
        self.student, self.target = read_network("student", student), read_network("target", target)
        self.input_covariance = check_inputs(self.student, self.target, input_covariance)
        self._how: dict[str, Any] = {"paired": paired, "method": method, "centred": centred}
        self._networks: list[Any] = [[(layer.weights, layer.activation, layer.bias) for layer in layers]
                                     for layers in (self.student, self.target)]
        self._theories: dict[Any, Ridge] = {}

    def __repr__(self) -> str:
        student, target = (", ".join(f"{layer.width}:{layer.activation.name}" for layer in layers) or "linear"
                           for layers in (self.student, self.target))
        return one_screen(f"<GivenWeights of {len(self.input_covariance)} inputs, student {student}, target {target}, "
                          f"covariances {self._how['method']}: solve(n=, lam=, noise_variance=0, readout=None)>")

    def _repr_html_(self) -> str:
        rows = [(of, k, *layer.weights.shape[::-1], layer.activation.name) for of in ("student", "target")
                for k, layer in enumerate(getattr(self, of), 1)]
        return add_title(f"GivenWeights of {len(self.input_covariance)} inputs, covariances {self._how['method']}",
                         table(rows, ("", "layer", "inputs", "units", "activation")),
                         "<code>solve(n=, lam=, noise_variance=0, readout=None)</code>")

    def __getattr__(self, name: str) -> Any:
        if name in THEORY_METHODS:
            return partial(self._by, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *THEORY_METHODS})

    def covariances(self) -> Covariances:
        """Return the covariances Omega, Phi and Psi of the features, and the method that computed them."""
        return self._covariances

    @computed_once
    def _covariances(self) -> Covariances:
        return covariances(*self._networks, input_covariance=self.input_covariance, **self._how)

    def effective(self) -> Effective:
        """Return the linear model with noise, W_eff and C_eff, that is equivalent to the student for its readout."""
        method = self._how["method"]
        return effective(self._networks[0], input_covariance=self.input_covariance,
                         method="neuron-wise" if method == "exact" else method)

    def laziness(self, initial: Any = None, measured: Measured | None = None, **at: Any) -> Laziness:
        """Look for signs that the student's weights are too far from random ones for the theory.

        Parameters
        ----------
        initial : sequence or module, optional
            The student before training.
        measured : Measured, optional
            A result of :meth:`sample`.
        **at
            ``n``, ``lam``, and optionally ``noise_variance`` and ``readout``: test errors are compared there as by
            :meth:`errors`. Small test errors are sensitive to small errors of covariances.
        """
        return laziness(self._networks[0], initial, input_covariance=self.input_covariance, measured=measured,
                        errors=self.errors(**at) if at else None)

    def sample(self, readout: ArrayLike, samples: int, seed: int = 0, inputs: ArrayLike | None = None) -> Measured:
        """Estimate covariances from samples instead of a theory of the features.

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
        """Return the theory of the readout, with all methods; its spectrum is compressed to few nodes, to 1e-13.

        Parameters
        ----------
        readout : array_like, shape (k,), optional
            Of the target, whose output is ``readout @ features / sqrt(k)``; by default the mean over readouts of unit
            variance.

        Returns
        -------
        Ridge
        """
        return self._ridge(self.covariances(), readout)

    def _ridge(self, found, readout):
        """Return the theory of given covariances, cached for the last readout."""
        key = None if readout is None else array_of("readout", readout).tobytes()
        if any(known != key for known, _ in self._theories):
            self._theories = {}
        if (key, id(found)) not in self._theories:
            theory = Ridge.of_nodes(compress(*found.squares(readout)), found.rho(readout))
            theory.name = f"given weights, {found.method} covariances"
            theory.simulator = Simulator(partial(_trained, self, readout), (_TEST_SIZE,))
            self._theories[key, id(found)] = theory
        return self._theories[key, id(found)]

    @computed_once
    def _references(self) -> list[Covariances]:
        """Return exact covariances, or sampled ones (of all and of half the samples); empty if that takes too long."""
        if len(self.student) == len(self.target) == 1:
            how = {**self._how, "method": "exact"}
            return [covariances(*self._networks, input_covariance=self.input_covariance, **how)]
        return sample_covariances(self.student, self.target, self.input_covariance, self._how["centred"]) or []

    def errors(self, n: Real, lam: Real, noise_variance: Real = 0,
               readout: ArrayLike | None = None) -> dict[str, tuple[float, float]]:
        """Compare test errors from :meth:`covariances` with those from exact or sampled covariances.

        Parameters
        ----------
        n, lam, noise_variance, readout
            As for :meth:`solve`.

        Returns
        -------
        dict of str to (float, float)
            Test error and its statistical error, by the method of the covariances. For sampled ones the latter includes
            the bias of finitely many samples, estimated from half of them.
        """
        found = [self.covariances()]
        found += self._references if found[0].method in ("averaged", "neuron-wise") else []
        first, *others = [float(self._ridge(c, readout).solve(n=n, lam=lam, noise_variance=noise_variance).test_error)
                          for c in found]
        errors = {found[0].method: (first, 0.0)}
        if others:
            whole, *halves = others
            bias, spread = (abs(np.mean(halves) - whole), abs(np.diff(halves)[0]) / 2) if halves else (0.0, 0.0)
            errors[found[1].method] = whole, float(np.hypot(bias, spread))
        return errors

    def _theory(self, readout, parameters):
        """Return the theory to use, and a warning about its covariances or None."""
        asked, worst = self.ridge(readout), None
        ranges = [_ends(name, parameters) for name in _POINT]
        for n, lam, noise_variance in product(*ranges):
            (mine, (error, _)), *other = self.errors(n, lam, noise_variance, readout).items()
            for method, (reference, spread) in other:
                away = abs(error - reference)
                if away > max(_DIFFERENT * reference, _SIGNIFICANT * spread) and (worst is None or away > worst[0]):
                    worst = away, ("the covariances of these weights are not those of a recursion to the accuracy that "
                                   f"errors need: at n = {n:g} and lam = {lam:g} the test error is {error:.4g} by "
                                   f"{mine} covariances, and {reference:.4g} +/- {spread:.1g} by {method} ones")
        if worst is None:
            return asked, None
        if self._how["method"] != "auto":
            return asked, f"{worst[1]}; the former are used, as requested (method='auto' uses the latter)"
        return self._ridge(self._references[0], readout), f"{worst[1]}, which are used"

    def _by(self, method, *arguments, readout=None, **parameters):
        """Call a method of the theory of the readout, after a check of its covariances."""
        theory, text = self._theory(readout, parameters)
        if text:
            warn_assumption(text)
        found = getattr(theory, method)(*arguments, **parameters)
        return replace(found, assumptions=(*found.assumptions, text)) if text and method == "solve" else found

    def solve(self, n: Real, lam: Real, noise_variance: Real = 0, readout: ArrayLike | None = None) -> Solution[Any]:
        """Compute the errors of ridge regression on n samples; `train_error` without the penalty.

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

        Warns
        -----
        AssumptionWarning
            If exact or sampled covariances give another test error; it states both, and which is used.
        """
        return self._by("solve", n=n, lam=lam, noise_variance=noise_variance, readout=readout)

    def simulate(self, n: int, lam: Real | Sequence[Real], noise_variance: Real = 0, readout: ArrayLike | None = None,
                 *, repeats: int = 10, seed: int = 0, test_size: int | None = None, executor: Any = None,
                 progress: bool | None = None, file: Path | None = None) -> Draws:
        """Train the readout of the real network on n samples, and test it: estimates of the errors.

        Parameters
        ----------
        n, lam, noise_variance, readout
            As for :meth:`solve`; `lam` may be a sequence; without a readout each repeat draws its own.
        repeats, seed, executor, progress, file
            As for every simulation.
        test_size : int, optional
            Number of fresh inputs of each repeat.
        """
        return _simulate.simulate_features(
            *self._networks, n=n, lam=lam, noise_variance=noise_variance, readout=readout,
            input_covariance=self.input_covariance, centred=self._how["centred"], test_size=test_size,
            repeats=repeats, seed=seed, executor=executor, progress=progress, file=file)


#: setting of a simulation; by default the number of fresh inputs follows from the samples
_TEST_SIZE = Parameter("test_size", "fresh inputs of each repeat", "an integer", None, is_axis=False, read=lambda v: v)


def _trained(network, readout, theory, parameters, *, test_size, **how):
    """Train readouts of the real network at a point of its theory."""
    n, lam, noise_variance = (parameters.get(name, 0) for name in _POINT)
    return network.simulate(int(n), lam, noise_variance, readout, test_size=test_size, **how)


def _ends(name, parameters):
    """Return the smallest and largest value of a parameter in a call, or nothing if the call lacks it."""
    given = {"noise_variance": 0, **parameters.get("parameters", {}), **parameters}
    if given.get("over") == name:
        given[name] = given.get(name, given.get("bounds", (given.get("start"), given.get("stop"))))
    try:
        values = np.asarray(given.get(name), dtype=float)
    except (TypeError, ValueError):         # the theory raises the error
        return ()
    return sorted({float(values.min()), float(values.max())}) if np.isfinite(values).all() and values.size else ()


def population_law(theory, chain, symbol, parameters, exact):
    """Return the law that :meth:`.theory.DeepFeatures.covariance_law` describes."""
    if chain.base == chain.depth:
        raise DomainError(f"covariance_law: layer {chain.depth} is {theory.student[-1]}, which is even: the covariance "
                          "of its features is kappastar2 times the identity; expected a layer with a "
                          "linear part")
    if chain.scattered is not None and chain.scattered < chain.depth:
        raise DomainError(f"covariance_law: layer {chain.scattered} is {theory.student[chain.scattered - 1]}, whose "
                          "features have means: units of the next layer have slopes of their own, and its covariance "
                          "is no product with one law; expected odd layers below the last one")
    unknown = parameters.keys() - {f"width{k}" for k in range(1, chain.depth + 1)} - {"input_spectrum"}
    if unknown:
        raise DomainError(f"covariance_law: got {', '.join(sorted(unknown))}; expected input_spectrum and widths alone")
    given = theory.given({"alpha": 1, "lam": 1, **parameters})
    number = (lambda v: Rational(Fraction(str(v)))) if exact else (lambda v: Float(float(Fraction(str(v))), 17))
    try:
        spectrum = [number(v) for v in np.ravel(np.asarray(given["input_spectrum"], dtype=object)).tolist()]
    except (ValueError, ZeroDivisionError, OverflowError):
        spectrum = []
    if not spectrum or min(spectrum) < 0 or not any(spectrum):
        raise DomainError(f"input_spectrum: got {quote(given['input_spectrum'])}; expected eigenvalues of the inputs' "
                          "covariance, of which one at least is positive")
    values = _exact(theory, chain, sum(spectrum) / len(spectrum)) if exact else \
        {k: Float(v, 17) for k, v in theory.point(given).shown.items() if k.startswith("kappa")}
    widths = {f"width{k}": layer.width for k, layer in enumerate(theory.student, 1)} | parameters
    layers = [(number(widths[f"width{k}"]), values[f"kappa1_{k}"], values[f"kappastar2_{k}"])
              for k in range(1, chain.depth + 1)]
    return DeepCovariance(Symbol("D", nonnegative=True) if symbol is None else symbol, layers, spectrum)


def _exact(theory, chain, variance):
    """Return coefficients as expressions, with averages in closed form where one is known."""
    s, found = chain.symbols, {chain.symbols.variance[0]: variance}
    for target, expr in theory.derived.as_typed.items():
        if target in (*s.kappa1.values(), *s.kappastar.values(), *s.variance.values()):
            found[target] = remove_names(bind(expr, theory.functions).xreplace(found)).doit()
    return {target.name: expr for target, expr in found.items()}
