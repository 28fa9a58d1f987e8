"""``ak.SpikedFeatures``: spiked random features with a uniform readout, square loss (arXiv 2402.04980)."""

from __future__ import annotations

import math
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from ...activations.activation import shared_activation
from ...arguments import check_choice, check_numbers, is_varied
from ...errors import DomainError, NotAvailableError, warn_deprecated
from ...once import Deferred, computed_once
from ..declaration import Option, Parameter, Penalty, Simulator, read_values, size
from ..model import StudentTargetModel
from ..ridge import required
from . import parts
from .simulation import check_units, predict, simulate, width_notes

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal, Self

    from mpmath import mpf
    from numpy.typing import ArrayLike
    from sympy import Expr, Symbol

    from ...activations import Activation
    from ...annotations import ActivationLike, Floats, FloatsMean, Number, Start, Value
    from ...certify.solutions import CertifiedSolution
    from ...continuation.equations import Equations, TornEquations
    from ...losses import Loss
    from ...sensitivity.run import Tangent
    from ...solve.solution import Solution
    from ..declared import Point
    from ..theory import Theory
    from .given_weights import GivenFirstLayer
    from .spectrum import Spectrum

_bayes = Deferred("asympkit.theories.bayes_optimal.theory")
_continuation_equations = Deferred("asympkit.continuation.equations")
_run = Deferred("asympkit.sensitivity.run")
_channel = Deferred("asympkit.theories.spiked_features.channel")
_class_features = Deferred("asympkit.theories.spiked_features.class_features")
_classes = Deferred("asympkit.theories.spiked_features.classes")
_codegen_targets = Deferred("asympkit.theories.spiked_features.codegen_targets")
_convex = Deferred("asympkit.theories.spiked_features.convex")
_equations = Deferred("asympkit.theories.spiked_features.equations")
_given_weights = Deferred("asympkit.theories.spiked_features.given_weights")
_learned_bias = Deferred("asympkit.theories.spiked_features.learned_bias")
_spectrum = Deferred("asympkit.theories.spiked_features.spectrum")
_nodes = Deferred("asympkit.nodes")
_bounds = Deferred("asympkit.theories.spiked_features.bounds")


class AlongSpike(StudentTargetModel):
    """Base of theories of a student and a target whose points have ``r``, ``c`` and ``gamma``."""

    #: names for completion
    offers: tuple[str, ...] = ("bounds", "bounds_theory", "conditional_moments", "learned_coefficients",
                               "learned_function")
    #: the part that has the equations and their kernels
    solver: Any

    @property
    def applied_free_energy(self) -> Expr:
        return self.solver.channel.free_energy

    @property
    def free_energy(self) -> Expr:  # type: ignore[override]     # other theories are given one
        """Return the free energy of this student and target."""
        return _nodes.bind(_convex.expand_tabulated(self.applied_free_energy), self.functions)

    system, lowered_system, program, program_for_proofs, kernel, limit = (
        property(attrgetter(f"solver.{part}")) for part in (
            "system", "lowered_system", "program", "program_for_proofs", "kernel", "limit"))

    def bounds(self, *, digits: int | None = None, **parameters: Any) -> dict[str, Any]:
        """Bound the test error that the first layer allows, whatever the number of samples ((26)-(28) of the paper).

        Parameters
        ----------
        digits : int, optional
            Return numbers of mpmath with this many digits.
        **parameters : float or array
            Those of the first layer and ``noise_variance``, as for :meth:`solve`; arrays broadcast.  In place of r and
            c, ``units=[(r, c, fraction), ...]`` gives several classes of hidden units, whose fractions do not matter.

        Returns
        -------
        dict
            ``upper``: reached as the penalty grows, so that the best penalty is at least as good (for the square loss
            alone); ``lower``; ``best_linear``: of linear predictors without a constant.  Noise is included. With
            ``bias="learned"`` the least bounds among biases from -4 to 4.

        Raises
        ------
        DomainError
            For ``labels="sign"``.

        Notes
        -----
        The bounds as functions are the theory :attr:`bounds_theory`: ``bounds_theory.minimize("upper", over="r",
        bounds=(0.1, 5))`` is (28).

        Examples
        --------
        >>> import asympkit as ak
        >>> found = ak.SpikedFeatures("tanh", "sin(2*z)").bounds(r=1.2, c=1, gamma=1)
        >>> round(found["upper"], 12), round(found["lower"], 12)
        (0.359483145559, 0.022540425259)
        """
        return _bounds.find_bounds(self, parameters, digits)

    @property
    def bounds_theory(self) -> Theory:
        """Return the bounds for one class of units as a theory in r, c, gamma, noise_variance and bias."""
        return _bounds.bounds_theory(self.student, self.target)

    def learned_function(self, kappa: ArrayLike, across: ArrayLike = 0.0, **parameters: Any) -> Floats:
        r"""Return the mean output of the trained network at projections of an input.

        Parameters
        ----------
        kappa : float or array
            Projection on the spike, :math:`v\cdot x/\sqrt d`.
        across : float or array
            Projection on the rest of the target's direction, :math:`\zeta\cdot x/\sqrt d`, in which the mean is linear
            (at a width, with a square where the norm of an input matters).
        **parameters : float
            As for :meth:`solve`.

        Returns
        -------
        ndarray

        Examples
        --------
        >>> import asympkit as ak
        >>> t = ak.SpikedFeatures("tanh", "sin")
        >>> f = t.learned_function([0, 1, 2], r=3, c=1, gamma=1, alpha=3, lam=0.01)
        >>> [round(float(y), 4) for y in f]
        [0.0, 0.8185, 0.8476]
        """
        places = check_numbers("kappa", kappa), check_numbers("across", across)
        return _bounds.learned_function(self, parameters)(*places)

    def learned_coefficients(self, degree: int, **parameters: Any) -> Floats:
        r"""Return Hermite coefficients of the learned function along the spike.

        Parameters
        ----------
        degree : int
            The largest.
        **parameters : float
            As for :meth:`solve`.

        Returns
        -------
        ndarray, shape (degree + 1,)
            :math:`c_k=E[f(\kappa)He_k(\kappa)]/k!`, as :meth:`asympkit.Activation.hermite_coefficients`; those of the
            target along the spike are its own, times :math:`\gamma^k`.
        """
        return _bounds.find_coefficients(self, degree, parameters)

    def conditional_moments(self, kappa: ArrayLike, **parameters: Any) -> dict[str, Floats]:
        r"""Return the moments of a hidden unit at a projection on the spike (Result 3.2).

        Parameters
        ----------
        kappa : float or array
        **parameters : float
            Those of the first layer, as for :meth:`solve`.

        Returns
        -------
        dict of ndarray
            ``mu0``, ``mu1``, ``mu2`` of :math:`\sigma\to\mu_0(\kappa)+\mu_1(\kappa)\,w\cdot x+\mu_2(\kappa)\xi`;
            several classes of units have a first axis of classes.
        """
        return _bounds.find_moments(self, kappa, parameters)


#: parameters of the ridge regression
RIDGE = (Parameter("alpha", "samples over d", "positive"), Penalty("lam", "penalty on the readout", "positive"),
         Parameter("beta", "width over d", "positive", 1.0),
         Parameter("noise_variance", "variance of the label noise", "nonnegative", 0.0))
#: selects the theory at a finite width
WIDTH = Parameter("width", "number of hidden units, for the theory at a finite width; inf or none for the limit",
                  "positive or inf", None)


class SpikedFeatures(AlongSpike):
    r"""Solve ridge regression on features :math:`\sigma(Wx)`, :math:`W` = isotropic bulk + spike.

    Rows of the weights are :math:`w_i + \frac{r}{\sqrt d}v` with :math:`w_i` uniform on the sphere of squared norm c,
    :math:`|v|^2=d`; labels :math:`y=\phi(\theta_*\cdot x/\sqrt d)+\sqrt\Delta\epsilon` with
    :math:`v\cdot\theta_*/d=\gamma`.  The readout minimises :math:`\sum_\mu(y_\mu-w\cdot\sigma(Wx_\mu)/\sqrt
    p)^2+\lambda|w|^2` over n samples; the limit is :math:`d\to\infty` with :math:`\alpha=n/d`, :math:`\beta=p/d`.

    Parameters
    ----------
    student, target : str, sympy.Expr or Activation
        :math:`\sigma` and :math:`\phi`: a catalogue name, a text in ``z``, or an expression.
    loss : {"square", "absolute", "logistic", "hinge"} or Loss
        Square is :math:`(y-z)^2` with the penalty :math:`\lambda|w|^2`; every other one has
        :math:`\frac\lambda2|w|^2`: ``ak.Huber(delta)``, or a convex ``ak.Loss(expr, label, prediction)``. Losses of
        regression labels are those of the residual.
    labels : {"regression", "sign"}
        Signs are those of the linear target ``"z"`` with noise added to it, of which a share ``flip`` is flipped.
    bias : float or "learned"
        Of all features, :math:`\sigma(Wx+b)`; a learned one minimises the training objective, and is the ``bias`` of a
        solution: the lowest of its ``minima``, those that a scan from -4 to 4 finds.
    rows : {"sphere", "gaussian", "orthogonal"}
        Of the bulk: uniform on the sphere, of independent entries, or orthogonal.

    Notes
    -----
    Methods take ``units=[(u, c, fraction), ...]`` in place of r and c: classes of hidden units, with strengths u of the
    spike (tuples, as gamma, for several directions) and their shares.  With more than one class ``width`` is required,
    a number or ``math.inf``.

    The 13 saddle-point equations are derivatives of the free energy of Result 3.3; see
    :meth:`equations`.  Order parameters ``q1, q2, theta, psi, m`` are :math:`w^T\Omega w/p`,
    :math:`|w|^2/p`, :math:`w^TWv/\sqrt{pd}`, :math:`w^TW\zeta/\sqrt{pd}`, :math:`1^Tw/\sqrt p`.

    Examples
    --------
    >>> import asympkit as ak
    >>> t = ak.SpikedFeatures("tanh", "sin")
    >>> round(t.solve(r=3.0, c=1.0, gamma=0.95, alpha=3, lam=0.01).test_error, 5)
    0.06427
    """

    name = "spiked features"
    offers: tuple[str, ...] = (*AlongSpike.offers, "from_weights", "spectrum")
    options = (*AlongSpike.options,
               Option("loss", "of the readout, a name of the catalogue such as logistic", (), "square"),
               Option("labels", "values of the target with noise, or signs", ("regression", "sign"), "regression"))
    declared: tuple[Parameter, ...] = (
        Parameter("r", "strength of the spike", "real"),
        Parameter("c", "squared norm of the rows of the bulk", "positive"),
        Parameter("gamma", "overlap of the spike with the direction of the target", "[-1, 1]"), *RIDGE, WIDTH)
    #: of the bulk
    rows = "sphere"
    #: parts: loss, labels and bias, and which of their equations
    readout, case = parts.TrainedReadout(), parts.EquationCase()

    def __init__(self, student: ActivationLike, target: ActivationLike, loss: Loss | str = "square",
                 labels: Literal["regression", "sign"] = "regression", bias: Number | str = 0.0,
                 rows: Literal["sphere", "gaussian", "orthogonal"] = "sphere") -> None:
        check_choice("rows", rows, ("sphere", "gaussian", "orthogonal"))
        self.functions = {"student": shared_activation(student), "target": shared_activation(target)}
        self.readout = parts.TrainedReadout.of(loss, labels, bias, self.functions["target"])
        if rows != "sphere":
            self.rows = rows
        if not self.has_own_kernel:
            self.declared = (*required(self.declared), *[parts.FLIPS] * self.readout.has_flips)

    @property
    def has_own_kernel(self) -> bool:
        """Return whether the kernel is part of the package: ridge regression over rows on the sphere."""
        return self.readout.is_ridge and self.rows == "sphere"

    @property
    def batches(self) -> tuple[str, ...]:
        """Return the names of the sizes of the batches that the first layer is trained on."""
        return ()

    def optimal_error(self, quantity: str, parameters: Mapping[str, Any]) -> tuple[float, str]:
        if not self.batches:
            raise DomainError(f"plot: got optimum=True; of {self.name} the direction is given and not learned: "
                              "expected OneStep or GradientSteps")
        if parts.number(parameters.get("flip", 0.0)):
            raise DomainError(f"plot: got optimum=True with flipped labels, of which the optimal learner is "
                              f"not known here: expected flip=0, got {parameters['flip']}")
        samples, labels = ("alpha", *self.batches), "sign" if self.readout.has_flips else "regression"
        found = _bayes.error_of_optimum(
            self.target, labels, quantity, sum(parts.number(parameters[n]) for n in samples),
            parts.number(parameters.get("noise_variance", 0.0)))
        return found, f"all {' + '.join(dict.fromkeys(samples))}"

    # -- parts ------------------------------------------------------------------------------------

    @computed_once
    def _shared(self) -> dict[Any, Any]:
        """Return the parts that all cases of this theory share, by what they depend on."""
        return {}

    def _once(self, key, make, *arguments, **named):
        if key not in self._shared:
            self._shared[key] = make(*arguments, **named)
        return self._shared[key]

    def _with(self, **changes: Any) -> Self:
        """Return the same theory with another case or readout."""
        found, given = object.__new__(type(self)), self.__getstate__()
        # a method that was put on this object calls this object
        found.__dict__.update({k: v for k, v in given.items() if not callable(v)}, _shared=self._shared, **changes)
        return found

    @property
    def layer(self) -> parts.GivenLayer:
        """Return the part that knows the weights of the first layer."""
        return parts.GivenLayer(self.rows)

    @property
    def solver(self) -> Any:
        """Return the part that has the equations and their kernels."""
        return self._once((self.case, self.readout.has_bias, self.readout.has_slope), self._make_solver)

    def _make_solver(self):
        if self.has_own_kernel:
            return parts.RidgeEquations(self.functions, self.case.has_width)
        return _convex.ConvexEquations(self.functions, self.readout, self.case, self.layer.bulk(self.case.has_width))

    @property
    def chosen(self) -> dict[str, Any]:  # type: ignore[override]
        return self.readout.chosen

    def source(self, language: str = "python", derivatives: bool = False) -> str:
        """Return the source text of the exported module for this student and target."""
        self.refuse_learned("generate")
        if self.rows != "sphere":
            raise NotAvailableError(f"generate: rows={self.rows!r} has no exported module; expected rows='sphere'")
        return _codegen_targets.module_source(self, language, derivatives)

    def refuse_learned(self, method: str) -> None:
        """Raise for a method that needs a fixed bias."""
        if self.readout.is_learned:
            raise NotAvailableError(f"{method}: a learned bias is found by solve() and by sweep, precise, sensitivity, "
                                    "simulate, check and plot; give a number, bias=..., for the other methods")

    # -- cases ------------------------------------------------------------------------------------

    def regime(self, method: str, keywords: Mapping[str, Any]) -> Any:
        """Return the theory with the equations that a call needs."""
        more = keywords.get("parameters") or {}
        given = {**keywords, **more} if isinstance(more, dict) else keywords
        if (several := self.find_classes(given)) is not None:
            return several
        width, teacher = given.get("width"), self.find_teacher(given)
        if width is not None and method in ("simulate", "check") and not self.case.has_width:
            raise DomainError("width: a simulation has its own, beta*d units; give d, and no width")
        has_width = width is not None and parts.number(width) != math.inf or is_varied(keywords, "width")
        found = self._with_case(parts.EquationCase(*teacher, has_width))
        # a report says which of its parts a learned bias has not
        return found.learned if self.readout.is_learned and method != "report" else found

    def at_width(self) -> SpikedFeatures:
        return self.regime("generate", {"width": 1})

    def find_classes(self, given: Mapping[str, Any]) -> SpikedFeatures | None:
        """Return the theory of the classes of units of a call; None if there is one class, and no orthogonal rows."""
        if "units" not in given and self.rows != "orthogonal":
            return None
        return _class_features.choose_classes(self, given)

    def variant(self, values: Mapping[str, Any]) -> Self:
        return self._with_case(parts.EquationCase(*self.find_teacher(values), self.case.has_width))

    def _with_case(self, case):
        return self if case == self.case else self._once(("theory", case, self.readout), self._with, case=case)

    @computed_once
    def learned(self) -> Any:
        """Return the methods of a learned bias."""
        return _learned_bias.LearnedBias(self)

    def find_teacher(self, given: Mapping[str, Any]) -> tuple[str, int]:
        """Return kind and direction of the target at the parameters of a call; of arrays those of most entries."""
        return self.name_teacher(parts.number(given.get("gamma")), given)

    def name_teacher(self, gamma: float, given: Mapping[str, Any]) -> tuple[str, int]:
        """Return kind and direction of the target at an overlap with the spike."""
        if abs(gamma) != 1.0 or self.readout.is_half_square:
            return parts.MIXED, 1
        is_noisy = not self.readout.has_flips or parts.number(given.get("noise_variance", 0.0)) != 0.0
        return parts.ALIGNED if is_noisy else parts.NOISELESS, int(gamma)

    def from_weights(self, W: ArrayLike, *, target_direction: ArrayLike,
                     spike: ArrayLike | None = None) -> GivenFirstLayer:
        """Return the theory of the readout of a given first layer, such as a trained one, for this student and target.

        Parameters
        ----------
        W : array_like, shape (p, d)
            The features are ``student(W @ x + bias) / sqrt(p)`` of standard normal inputs x.
        target_direction : array_like, shape (d,)
            Of the labels ``target(direction @ x)``; its length does not matter.
        spike : array_like, shape (d,), optional
            The direction that all rows share; by default their mean.

        Returns
        -------
        GivenFirstLayer
            With the methods of a theory: ``solve(alpha=, lam=, noise_variance=0)``, ``sweep``, ``simulate``, ...

        Raises
        ------
        DomainError
            For shapes that do not fit, numbers that are not finite, or a learned bias.

        Examples
        --------
        >>> import asympkit as ak, numpy as np
        >>> rng = np.random.default_rng(0)
        >>> W, direction = rng.standard_normal((80, 100)) / 10, np.ones(100)
        >>> t = ak.SpikedFeatures("tanh", "sin").from_weights(W + 0.1 * direction, target_direction=direction)
        >>> round(t.solve(alpha=2, lam=0.1).test_error, 4)
        0.0324
        """
        return _given_weights.GivenFirstLayer(self, W, target_direction, spike)

    # -- points -----------------------------------------------------------------------------------

    @property
    def table_names(self) -> tuple[str, ...]:  # type: ignore[override]
        return (*self.layer.names, *["noise_variance"] * self.readout.has_flips, "width")

    def given(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        found = super().given(parameters)
        if "letters" in found and "r" in self.names:
            warn_deprecated("letters=[(r, c, 1)]", "r=, c=")
            letters = found.pop("letters")
            try:
                ((found["r"], found["c"], fraction),) = letters
            except (TypeError, ValueError):
                fraction = None
            if fraction != 1:
                raise DomainError(f"letters: got {letters!r}; expected [(r, c, 1)], or rather r= and c=")
        if "units" in found and "r" in self.names:
            found = _classes.as_one_class(found)
        if isinstance(found.get("width"), list | tuple | np.ndarray):
            found["width"] = [math.inf if w is None else w for w in found["width"]]
        return found

    def read(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Return the checked parameters, with defaults."""
        return read_values(self.declared, parameters, self.name)

    def read_simulated(self, parameters: Mapping[str, Any], d: int) -> dict[str, Any]:
        """Return the parameters of a simulation; its width is that of the theory, if there is one."""
        shown = self.point(parameters).shown
        check_units(shown, d)
        return shown

    def locate_point(self, parameters: Mapping[str, Any], digits: int = 0) -> Point:
        values = self.read(parameters)
        known = {**values, **self.layer.floats(values, parameters, digits), "bias": float(self.readout.bias),
                 "even_parts": float(self.readout.has_even_parts(self.functions))}
        shown = self._describe_point(values, known)
        self._check_point(shown)
        return self.make_point(known, shown)

    def _describe_point(self, values, known):
        """Return the parameters of a solution, with the quantities that the layer makes of them."""
        return {**values, **{n: known[n] for n in ("r", "c", "gamma")}}

    def _check_point(self, shown):
        """Raise where the equations of this case, or doubles, do not hold."""
        if not self.readout.is_ridge:
            self._check_convex(shown)
        self.trained.require_second_moment(min(shown["r"] * shown["r"] + shown["c"], 1e308))
        self.functions["target"].require_second_moment(1.0)

    def _check_convex(self, shown):
        teacher, _ = self.name_teacher(shown["gamma"], shown)
        if teacher != self.case.teacher:
            raise DomainError(f"gamma: got {shown['gamma']!r} among others; where the target lies along the spike the "
                              "equations differ: give such a point alone, or in a sweep")
        if teacher == parts.NOISELESS and shown.get("width", math.inf) == math.inf:
            _convex.check_is_reached(self.readout.task().loss, self.trained, shown, self._along(shown))
        self.readout.check_range(self.student, shown["lam"], math.sqrt(shown["r"] ** 2 + shown["c"]))

    def _along(self, shown):
        """Return the argument that puts the target along the spike, for messages."""
        return f"{self.layer.along}: got {shown[self.layer.along]!r}"

    @computed_once
    def trained(self) -> Activation:
        """Return the student of the second step, with the bias in its argument."""
        return self.readout.shift(self.functions["student"])

    def precise_values(self, parameters: Mapping[str, Any], numbers: Any) -> dict[Symbol, Any]:
        s, optional = _equations.symbols(), {"beta": 1, "noise_variance": 0, "flip": 0, **parameters}
        plain = {s.alpha: "alpha", s.lam: "lam", s.beta: "beta", s.noise_variance: "noise_variance",
                 **({_channel.FLIP: "flip"} if self.readout.has_flips else {})}
        bias = {_convex.BIAS: numbers.number(self.readout.exact_bias)} if self.readout.has_bias else {}
        even_parts = {s.even_parts: numbers.number(int(self.readout.has_even_parts(self.functions)))}
        return {**{symbol: numbers.number(optional[n]) for symbol, n in plain.items()}, **bias, **even_parts,
                **self.layer.numbers(parameters, numbers, self.case.has_width)}

    def default_check_digits(self, parameters: Mapping[str, Any]) -> int:
        return self.solver.digits

    def spectrum(self, *, digits: int | None = None, **parameters: Value) -> Spectrum:
        r"""Compute the spectrum of the sample covariance of the features, :math:`\Phi^\top\Phi/p`.

        Parameters
        ----------
        digits : int, optional
            Of edges and outliers, which are then numbers of mpmath.
        **parameters : float
            As for :meth:`solve`; ``lam`` and ``gamma`` may be missing.  With ``width=p`` outliers have their places at
            that width, with errors of order 1/d; in the limit the giant one, along the constant, is at infinity.

        Returns
        -------
        Spectrum
            ``density(x)``, ``edges``, ``atom``, ``outliers``, ``plot``.

        Raises
        ------
        DomainError
            For a bulk, a bias or rows whose outliers are not known, or features that do not vary.

        Notes
        -----
        The rows are those of an isotropic bulk, uniform on the sphere (arXiv 2402.04980, Appendix F, gives the bulk and
        the leading place of the giant outlier; the others are derived in ``derivations/one_step/outliers.py``).

        Examples
        --------
        >>> import asympkit as ak
        >>> t = ak.SpikedFeatures("z*sin(z)*exp(-z**2/16)", "z")
        >>> t.spectrum(r=1, c=1, alpha=16, beta=4)
        <Spectrum on [0.252624, 3.81268], 0 at 0, outliers: giant inf, overlap 1, bbp 4.07478, overlap 0.4269>
        """
        return _spectrum.feature_spectrum(self, parameters, digits)

    # -- derivatives ------------------------------------------------------------------------------

    @property
    def smooth(self) -> tuple[str, ...]:
        readout = self.readout
        return ("alpha", "beta", "lam", "noise_variance", *self.layer.smooth, *["flip"] * readout.has_flips, "width",
                *["bias"] * readout.has_slope)

    def tangent(self, parameter: str, parameters: Mapping[str, Any], point: Point) -> Tangent:
        _run.check_parameter(parameter, self.smooth, self.name)
        return self.solver.tangent(self.derivatives(parameter, parameters, point), point)

    def derivatives(self, parameter: str, parameters: Mapping[str, Any], point: Point) -> dict[str, float]:
        if parameter == "width":
            width = point.shown.get("width", math.inf)
            if width == math.inf:
                raise DomainError("width: got None, the limit; a derivative by the width needs a number")
            return {"inverse_width": -1.0 / width**2}
        return self.layer.derivatives(parameter, point.shown)

    def equations_of_path(self, over: str, parameters: Mapping[str, Any], first: Point,
                          last: Point) -> Equations | TornEquations:
        if not self.solver.is_torn_path:
            return super().equations_of_path(over, parameters, first, last)
        return _continuation_equations.TornEquations(self, over, parameters, first, last)

    # -- methods ----------------------------------------------------------------------------------

    def precise(self, *, digits: int = 40, start: Start | None = None, **parameters: Value) -> Solution[mpf]:
        self.solver.check_digits_are_there()
        return super().precise(digits=digits, start=start, **parameters)

    def certify(self, *, digits: int = 30, floats: FloatsMean = "refuse", **parameters: Value) -> CertifiedSolution:
        self.solver.check_proofs_are_there()
        return super().certify(digits=digits, floats=floats, **parameters)


SpikedFeatures.simulator = Simulator(simulate, (size("d", "input dimension"),), axes=("alpha", "lam"),
                                     notes=width_notes, expected=predict)
