"""``ak.DeepFeatures``: ridge regression on the last layer of a deep random network (arXiv 2402.13999), and its layers.

The limit of deep features without a penalty on the readout.  Draw the networks that the theory of deep features
describes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ...activations import Activation
from ...activations.activation import shared_activation
from ...arguments import check_value, quote
from ...errors import AsympkitError, DomainError
from ...once import computed_once
from ...simulate.deep_features import draw_deep
from ..declaration import Option, Parameter, Penalty
from ..ridge import Ridgeless, is_affine
from ..theory import Theory
from .chain import LayerEquations, moments_of
from .given_weights import GivenWeights, population_law

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from numpy.typing import ArrayLike
    from sympy import Symbol

    from ...annotations import ActivationLike, FloatsMean, Value
    from ...certify.solutions import CertifiedSolution
    from ...spectra import DeepCovariance


@dataclass(frozen=True)
class Layer:
    """Declare a layer of a random network: the number of units over the input dimension, and their activation.

    Parameters
    ----------
    width : float
        Number of units over the input dimension.
    activation : str, sympy.Expr or Activation
        A catalogue name, a text in ``z``, or an expression.
    shared : bool
        Of a target: whether it is the student's layer of the same depth, weights included.

    Raises
    ------
    DomainError
        For a width that is not positive, or an invalid activation.

    Examples
    --------
    >>> str(Layer(1.5, "tanh")), str(Layer(1, "erf", shared=True))
    ('1.5:tanh', '1:erf=')
    """

    width: float
    activation: ActivationLike
    shared: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "width", check_value("width", self.width, "positive"))
        object.__setattr__(self, "activation", shared_activation(self.activation))
        if not isinstance(self.shared, bool):
            raise DomainError(f"shared: got {quote(self.shared)}; expected True or False")

    def __str__(self) -> str:
        return f"{self.width:g}:{shared_activation(self.activation).name}{'=' if self.shared else ''}"


def read_layers(name: str, given: Sequence[Layer] | str) -> tuple[Layer, ...]:
    """Return layers from a list, or from a text such as ``1.5:tanh,1:erf``; ``=`` after a layer means shared."""
    if isinstance(given, str):
        return tuple(_read(name, text) for text in _parts(given))
    if isinstance(given, Layer):
        return (given,)
    found = tuple(given) if isinstance(given, Iterable) else ()
    if not found or not all(isinstance(layer, Layer) for layer in found):
        raise DomainError(f"{name}: got {quote(given)}; expected a list of asympkit.Layer, the first layer first, or a "
                          "text such as '1.5:tanh,1:erf'")
    return found


def _parts(text):
    """Return the pieces between commas outside parentheses."""
    parts, depth = [""], 0
    for c in text:
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return parts


def _read(name, text):
    width, colon, function = text.strip().partition(":")
    try:
        value = float(width)
    except ValueError:
        value = None
    if not colon or not function or value is None:
        raise DomainError(f"{name}: got {text.strip()!r}; expected WIDTH:ACTIVATION, such as 1.5:tanh, followed by '=' "
                          "if a target shares the student's layer")
    return Layer(value, function.rstrip("= "), shared=function.rstrip().endswith("="))


def count_shared_layers(student: Sequence[Layer], target: Sequence[Layer]) -> int:
    """Return how many layers a target shares with the student, from the first on; DomainError if it cannot."""
    if any(layer.shared for layer in student):
        raise DomainError("student: got a shared layer; expected shared=True in the target alone")
    number = next((k for k, layer in enumerate(target) if not layer.shared), len(target))
    for k, layer in enumerate(target):
        if layer.shared and k >= number:
            raise DomainError(f"target: layer {k + 1} is shared and layer {number + 1} is not; expected shared layers "
                              "first: what follows other weights has nothing in common with the student")
    if number > len(student):
        raise DomainError(f"target: got {number} shared layers; expected at most {len(student)}, those of the student")
    for k in range(number):
        mine, theirs = student[k], target[k]
        if theirs.width != mine.width or Activation(theirs.activation) != Activation(mine.activation):
            raise DomainError(f"target: its shared layer {k + 1} is {theirs}, and the student's is {mine}; expected "
                              "the same width and activation, since the weights are the same")
    return number


def ridgeless(student: Sequence[Layer]) -> Ridgeless:
    """Return the limit of ridge regression on the last layer of a student without a penalty."""
    functions = [Activation(layer.activation) for layer in student]
    top, size = len(functions), functions[-1].size ** 2
    below = [f"{name}{k}" for name in ("q", "qhat") for k in range(top)]
    powers = {f"V{top}": -1, **dict.fromkeys((f"Vhat{top}", "Qhat", "objective", *below), 1),
              **dict.fromkeys((f"qhat{top}", "train_error"), 2)}
    linear = [is_affine(f) for f in functions]
    return Ridgeless(partial(_excess, linear), powers, size=size if 0.0 < size < math.inf else 1.0,
                     unknown=f"the linear last layer {functions[-1].name!r}, more samples than independent features "
                             "and fewer of these than units, which leaves the readout undetermined")


def _excess(linear, values, point):
    rank, width = 1.0 if point is None else float(np.mean(point.arrays[0] > 0.0)), 0.0
    for k, is_linear in enumerate(linear, 1):
        width, before = values[f"width{k}"], rank
        rank = np.minimum(width, before) if is_linear else width
    found = values["alpha"] - rank
    return np.where((found > 0.0) & (before <= width), np.nan, found) if linear[-1] else found


@dataclass(frozen=True)
class Networks:
    """Draw a student and a target, tuples of Layer: ``networks(rng, d, **parameters)``."""

    student: tuple
    target: tuple

    def __call__(self, rng, d, *, alpha, lam, noise_variance, input_spectrum, input_variance, **widths):
        sizes = [widths[f"width{k}"] for k in range(1, len(self.student) + 1)]
        own = [(width, layer.activation) for width, layer in zip(sizes, self.student)]
        target = [(sizes[k] if layer.shared else layer.width, layer.activation, layer.shared)
                  for k, layer in enumerate(self.target)]
        return draw_deep(rng, d, student=own, target=target, alpha=alpha, lam=lam, noise_variance=noise_variance,
                         spectrum=input_spectrum, centred=True)


def _ridge(alpha, lam, noise_variance):
    return (Parameter(alpha, "samples over d", "positive"), Penalty(lam, "penalty on the readout", "positive"),
            Parameter(noise_variance, "variance of the label noise", "nonnegative", 0.0))


class DeepFeatures(Theory):
    r"""Solve ridge regression on the features of a deep network of independent Gaussian weights.

    Features :math:`\varphi_\ell=\phi_\ell(W_\ell\varphi_{\ell-1})`, :math:`\varphi_0=x\sim N(0,\Omega_0)` in d
    dimensions, rows of :math:`W_\ell` independent :math:`N(0,1/p_{\ell-1})`; the target is a network of the same kind
    with a random readout, :math:`y=\theta_*\cdot\varphi_*(x)/\sqrt k+\sqrt\Delta\epsilon`, centred.  The readout
    minimises :math:`\sum_\mu(y_\mu-w\cdot\varphi(x_\mu)/\sqrt p)^2+\lambda|w|^2` over n samples of centred features;
    the limit is :math:`d\to\infty` at fixed :math:`\alpha=n/d` and widths :math:`p_\ell/d`.

    Parameters
    ----------
    student, target : list of Layer, or str
        The first layer first; or a text such as ``"1.5:tanh,1:erf"``, in which ``=`` after a layer of the target means
        the student's layer, weights included.  Widths of the target's own layers do not matter in the limit.

    Notes
    -----
    Features of a layer that is not odd have means, so that each unit of the next layer has a preactivation with its
    own mean: moments of these layers are functions of it, averaged over the units.  ``mean1``, ``mean2``, ...
    are the root mean squares of the means of features, ``variance1``, ... the means of their variances.

    The first layer that is not odd, if it is even, passes nothing linear on: its features are uncorrelated among
    themselves, with all below and with a target that does not share the layer.  Unknowns then begin at its level.

    Like a user-defined Theory it has a free energy: minus half the derivative of a response action along the
    correlations (``asympkit.theories.deep_features.chain``); all equations are derivatives of it.  ``V0``, ...,
    ``VL`` are :math:`\frac1{p_\ell}\mathrm{Tr}\,\Omega_\ell(1+\hat V_\ell\Omega_\ell)^{-1}` (with :math:`\lambda+\hat
    V_L\Omega_L` at the top), ``q0``, ..., ``qL`` the correlations that belong to them, ``Q`` the overlap of prediction
    and target.  ``transmitted`` is the squared linear coefficient of the target's own layers; ``degrees_of_freedom``
    are divided by the width of the last layer.

    Examples
    --------
    >>> import asympkit as ak
    >>> t = ak.DeepFeatures("1.5:tanh", "1:sign")
    >>> round(t.solve(alpha=0.5, lam=1e-4, noise_variance=0.1).clean_error, 12)
    1.392130955447
    """

    name = "deep features"
    offers = ("covariance_law", "from_weights")
    implied = ("input_variance",)
    module_tests = {"input_variance": (
        "(x > 0.0) & (x < np.inf) & (np.abs(x - np.mean({input_spectrum})) <= 1e-9*x)",
        "a positive finite number, the mean of input_spectrum")}
    module_values = {"input_variance": "float(np.mean({input_spectrum}))"}
    #: the parameters of every network; widths belong to one network
    declared = _ridge("alpha", "lam", "noise_variance")
    options: tuple[Option, ...] = (
        Option("student", "layers of the student, WIDTH:ACTIVATION with commas between, such as 1.5:tanh,1:erf"),
        Option("target", "layers of the target, such as 1:sign; = after one means the student's own layer"))

    def __init__(self, student: Sequence[Layer] | str, target: Sequence[Layer] | str) -> None:
        self.student, self.target = read_layers("student", student), read_layers("target", target)
        shared = count_shared_layers(self.student, self.target)
        for k, layer in enumerate(self.student, 1):
            if not (known := shared_activation(layer.activation)).expr.has(known.symbol):
                raise DomainError(f"student: layer {k} is {layer}, a constant, whose features have no variance; "
                                  "expected an activation that depends on its argument")
        # the first layer whose features may have means, and that passes nothing linear on if it is even
        parities = [shared_activation(layer.activation).parity for layer in self.student]
        scattered = next((k for k, parity in enumerate(parities, 1) if parity != "odd"), None)
        is_blind = scattered is not None and parities[scattered - 1] == "even"
        base = scattered or 0
        self._chain = chain = LayerEquations(len(self.student), shared, scattered, base if is_blind else 0)
        if is_blind:            # only the mean of the spectrum enters the equations
            self.module_tests, self.module_values = {}, {}
        own = self.target[shared:]
        derived, averages = moments_of(chain, [shared_activation(layer.activation).parity == "odd" for layer in own])
        s = chain.symbols
        activations = {f"student{k}": layer.activation for k, layer in enumerate(self.student, 1)}
        activations |= {f"target{k}": layer.activation for k, layer in enumerate(own, shared + 1)}
        widths = [Parameter(s.width[k], f"units of layer {k} over d", "positive", layer.width)
                  for k, layer in enumerate(self.student, 1)]
        super().__init__(
            name=self.name, unknowns=chain.unknowns, free_energy=chain.free_energy.xreplace(averages),
            observables={name: e.xreplace(averages) for name, e in chain.observables.items()},
            activations=activations, derived=derived,
            simulate=Networks(self.student, self.target), size_name="d",
            parameters=[*_ridge(s.alpha, s.lam, s.noise_variance), *widths,
                        Parameter(s.variance[0], "mean of input_spectrum", "positive", is_axis=False)])

    @computed_once
    def limit(self) -> Ridgeless:     # other theories are given one
        """Return the limit without a penalty."""
        return ridgeless(self.student)

    @classmethod
    def described(cls, made_of: Mapping[str, str]) -> type[DeepFeatures]:
        """Return the class with the parameters of one network, if its layers are given: for the command line."""
        try:
            one = cls(**made_of)
        except (AsympkitError, TypeError):          # the constructor raises the error
            return cls
        known = {"declared": tuple(p for p in one.declared if p.name in one.names), "array_names": one.array_names}
        return type(cls.__name__, (cls,), {**known, "__doc__": cls.__doc__, "__module__": cls.__module__})

    # also if only the mean of the spectrum enters the equations
    array_names = ("input_spectrum",)
    _eigenvalues = ("input_spectrum",)

    @computed_once
    def _array_symbols(self):
        return {"input_spectrum": (self._chain.symbols.D,)}

    def given(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        found = super().given(parameters)
        spectrum = found.get("input_spectrum")
        found["input_spectrum"] = [1] if spectrum is None else spectrum
        mean = _mean(found["input_spectrum"])
        # methods that call others pass on the value computed here
        if found.setdefault("input_variance", mean) != mean:
            raise DomainError(f"input_variance: got {quote(found['input_variance'])}; expected nothing: it is the mean "
                              "of input_spectrum")
        return found

    def certify(self, *, digits: int = 30, floats: FloatsMean = "refuse", **parameters: Value) -> CertifiedSolution:
        if floats == "exact" and parameters.get("input_spectrum") is not None:
            given = np.ravel(np.asarray(parameters["input_spectrum"], dtype=object)).tolist()
            parameters = {**parameters, "input_spectrum": [Fraction(v) if isinstance(v, float) else v for v in given]}
        return super().certify(digits=digits, floats=floats, **parameters)

    def covariance_law(self, D: Symbol | None = None, *, exact: bool = False, **parameters: Any) -> DeepCovariance:
        """Return the law of the eigenvalues of the population covariance of the student's features.

        Parameters
        ----------
        D : Symbol, optional
            The eigenvalue, for means over the law.
        exact : bool
            Whether its numbers are expressions, including averages of activations, instead of floats: moments are then
            exact, and :func:`asympkit.enclose` proves their digits.
        **parameters
            ``input_spectrum`` and widths.

        Returns
        -------
        DeepCovariance
            With ``density``, ``edges``, ``atoms`` and ``moments``, and for :func:`asympkit.mean`.

        Raises
        ------
        DomainError
            If a layer below the last one is not odd.
        """
        return population_law(self, self._chain, D, parameters, exact)

    @staticmethod
    def from_weights(student: Any, target: Any = (), input_covariance: ArrayLike | None = None,
                     paired: int | Sequence[Any] | None = None, method: str = "auto",
                     centred: bool = True) -> GivenWeights:
        """Return the theory for networks with given weights.

        Parameters
        ----------
        student, target, input_covariance, paired, method, centred
            As for ``GivenWeights``.

        Returns
        -------
        GivenWeights
        """
        return GivenWeights(student, target, input_covariance, paired, method, centred)


def _mean(values):
    """Return the exact mean of numbers, floats read by their shortest text; invalid ones are rejected elsewhere."""
    try:
        entries = [Fraction(repr(v)) if isinstance(v, float) else Fraction(v)
                   for v in np.ravel(np.asarray(values, dtype=object)).tolist()]
        mean = sum(entries) / len(entries)
        return mean if mean > 0 else 1
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        return 1
