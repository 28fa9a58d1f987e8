r"""``ak.BayesOptimal``: the information-theoretic optimum, from the potential of generalised linear models.

The learner knows the function and the noise; of the direction there is nothing known beforehand.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from math import isfinite
from typing import TYPE_CHECKING

from sympy import Expr, Symbol, acos, atan, exp, log, pi, sqrt

from ...activations.activation import shared_activation
from ...arguments import check_choice
from ...channels import LabelEntropy
from ...errors import DomainError, ProofError
from ...gauss import E
from ...numbers.functions.classes import LogPhi
from ...once import Deferred, computed_once
from ...simulate.message_passing import MessagePassing
from ..declaration import Option, Parameter
from ..theory import Theory
from .fixed_points import FixedPoints, Potential

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal

    from ...activations import Activation
    from ...annotations import ActivationLike, Value
    from ...sensitivity.run import Tangent
    from ...solve.kernel import Kernel
    from ..declared import Point

_run = Deferred("asympkit.sensitivity.run")
_ALPHA = Symbol("alpha", positive=True)
_Q, _HAT = Symbol("q", nonnegative=True), Symbol("qhat", nonnegative=True)
_NOISE = {"regression": Symbol("noise_variance", positive=True), "sign": Symbol("noise_variance", nonnegative=True)}
_U = Symbol("u", real=True)
_DATA = Parameter(_ALPHA, "samples over d, of all that is learned from", "positive")
_VARIANCE = "variance of the label noise"


class BayesOptimal(Theory):
    r"""Learn a target from noisy labels as well as the labels allow: the Bayes-optimal errors, and hard phases.

    Labels are :math:`y=f(\theta\cdot x/\sqrt d)+\sqrt\Delta\epsilon` of :math:`n=\alpha d` normal inputs; the learner
    knows f and :math:`\Delta`, and that :math:`\theta` is uniform on the sphere of radius :math:`\sqrt d`.

    Parameters
    ----------
    target : str, sympy.Expr or Activation
        The function f.
    labels : {"regression", "sign"}
        ``"sign"``: the label is the sign of the field with noise, :math:`\mathrm{sign}(z+\sqrt\Delta\epsilon)`, and
        errors are rates of wrong signs.  The target is then the field itself, ``"z"``.

    Raises
    ------
    DomainError
        For signs of another target than z, or a target that grows exponentially.

    Notes
    -----
    With :math:`\Psi(q,\Delta)` of :func:`asympkit.LabelEntropy` the fixed points are stationary points of

    .. math:: \phi(q,\hat q)=\tfrac12[\hat q-\log(1+\hat q)]-\tfrac12q\hat q+\alpha\Psi(q,\Delta).

    :meth:`solve`, :meth:`sweep` and the other methods return the one with the largest potential (``free_entropy``), the
    optimum; a ``start`` chooses another.  :meth:`fixed_points` returns all of them, with the one that approximate
    message passing reaches from a random start, and says whether they differ: a hard phase.
    :meth:`continuation` follows fixed points through folds, and :meth:`simulate` runs message passing on real data,
    which finds what it reaches and not the optimum where these differ.

    Noise must be positive but for signs: noiseless labels of an analytic function determine the direction from
    :math:`\alpha=1` on.  Weak recovery, the optimum and the algorithm are proved in the references; the values of the
    algorithm in a hard phase are of the fixed point that state evolution ends in.

    References
    ----------
    Barbier, Krzakala, Macris, Miolane and Zdeborova (2019), PNAS 116, 5451; Rangan (2011), arXiv:1010.5141.

    Examples
    --------
    >>> import asympkit as ak
    >>> s = ak.BayesOptimal("sin").solve(alpha=6, noise_variance=0.1)
    >>> round(s["q"], 10), round(s.clean_error, 10)
    (0.9630704337, 0.0206736458)
    """

    name = "bayes-optimal"
    offers = ("fixed_points", "target", "thresholds")
    options = (Option("target", "function of the target, such as sin"),
               Option("labels", "values of the target with noise, or signs", ("regression", "sign"), "regression"))
    declared = (_DATA, Parameter("noise_variance", _VARIANCE, "nonnegative", 0.0))

    def __init__(self, target: ActivationLike, labels: Literal["regression", "sign"] = "regression") -> None:
        check_choice("labels", labels, ("regression", "sign"))
        self.target, self.labels, noise = shared_activation(target), labels, _NOISE[labels]
        if labels == "sign" and self.target.expr != self.target.symbol:
            raise DomainError(f"labels: got 'sign' with the target {self.target.name}; labels='sign' requires "
                              "target='z' (labels are the sign of z plus noise)")
        Psi, clean, test = _signs(noise) if labels == "sign" else _values(self.target, noise)
        energy = (_HAT - log(1 + _HAT)) / 2 - _Q * _HAT / 2 + _ALPHA * Psi
        variance = Parameter(noise, _VARIANCE, "nonnegative", 0.0) if labels == "sign" else Parameter(
            noise, _VARIANCE, "positive")
        super().__init__(
            name="Bayes-optimal learning", free_energy=energy, unknowns={_Q: (0, 1), _HAT: "nonnegative"},
            parameters=[_DATA, variance],
            observables={"test_error": test, "clean_error": clean, "free_entropy": energy},
            simulate=MessagePassing(self.target, labels), size_name="d")

    @computed_once
    def potential(self) -> Potential:
        """Return the potential along the overlap in numbers, and its fixed points."""
        return Potential(self)

    @computed_once
    def kernel(self) -> Kernel:
        """Return the solver, which begins at the optimum among all fixed points."""
        usual = super().kernel
        return type(usual)(usual.module, replace(usual.options, guess_start=self.potential.start_at_optimum))

    def default_check_digits(self, parameters: Mapping[str, Any]) -> int:
        return 40 if self.labels == "sign" else 15

    def rough_point(self, parameters: Mapping[str, Any]) -> Point:
        if self.labels != "sign":
            raise ProofError(f"certify: got values of {self.target.name} with noise, whose entropy has no proved "
                             "enclosure; expected labels='sign', or precise() for digits without a proof")
        return super().rough_point(parameters)

    def tangent(self, parameter: str, parameters: Mapping[str, Any], point: Point) -> Tangent:
        # derivatives of the entropy are symbols alone: there is no rule for complex steps
        return _run.Tangent(self.tangent_kernel(parameter), point.values)

    def fixed_points(self, *, alpha: Value, noise_variance: Value = 0.0) -> FixedPoints:
        """Find all fixed points at one point, the optimum and the one that message passing reaches.

        Parameters
        ----------
        alpha, noise_variance : float
            As for :meth:`solve`.

        Returns
        -------
        FixedPoints
            ``solutions`` by their overlap, ``optimum``, ``reached`` and ``is_hard``; those that are not ``is_stable``
            lie between basins of attraction.

        Notes
        -----
        Fixed points are the crossings of one increasing map of the overlap on a lattice of 0.25 in log(q/(1-q)): two
        that are closer together are not seen.
        """
        given = self.given({"alpha": alpha, "noise_variance": noise_variance})
        return self.potential.fixed_points(self.point(given).shown)

    def thresholds(self, *, noise_variance: Value, largest: float = 100.0) -> dict[str, float | None]:
        r"""Find the numbers of samples at which fixed points appear and change their roles.

        Parameters
        ----------
        noise_variance : float
        largest : float
            Thresholds are looked for up to this alpha.

        Returns
        -------
        dict
            ``weak_recovery``: where zero overlap becomes unstable, for targets that it is a fixed point of
            (:math:`E[z|y]=0` for all labels, as of even ones); ``appears``, ``optimal``, ``reached``: where a second
            stable fixed point appears, where it becomes the optimum, and where message passing reaches it. Between the
            last two learning is hard. None where there is no such threshold up to the largest alpha.

        Notes
        -----
        Folds come from an interpolation with an accuracy of about 1e-4; of several phases the last is returned.
        """
        given = self.given({"alpha": 1.0, "noise_variance": noise_variance})
        return self.potential.thresholds(self.point(given).shown["noise_variance"], float(largest))


def _values(target: Activation, noise: Symbol) -> tuple[Expr, Expr, Expr]:
    """Return the entropy of a label and both errors, for values of the target."""
    clean = E(target.expr**2, target.symbol).doit() - target.kernel(_Q)
    return LabelEntropy(target, _Q, noise), clean, clean + noise


def _signs(noise: Symbol) -> tuple[Expr, Expr, Expr]:
    """Return the same for signs: two labels, whose entropy is a sum."""
    field = sqrt(_Q / (1 - _Q + noise)) * _U
    entropy = 2 * E(exp(LogPhi(field)) * LogPhi(field), _U)
    return entropy, acos(sqrt(_Q)) / pi, acos(sqrt(_Q / (1 + noise))) / pi


#: a theory keeps what it has derived
_of_target = lru_cache(maxsize=8)(BayesOptimal)


def error_of_optimum(target: Activation, labels: Literal["regression", "sign"], quantity: str, alpha: float,
                     noise_variance: float) -> float:
    """Return an error of the optimal learner at a point; infinitely many samples leave the noise."""
    if isfinite(alpha):
        return _of_target(target, labels).solve(alpha=alpha, noise_variance=noise_variance)[quantity]
    if quantity == "clean_error":
        return 0.0
    return float(atan(sqrt(noise_variance)) / pi) if labels == "sign" else noise_variance
