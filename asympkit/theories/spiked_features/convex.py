"""The equations of any convex loss on labels of a kind, over any bulk (arXiv 2402.04980, appendices B and C).

Everything follows from the mean Moreau envelope by differentiation and structure analysis; kernels are written on first
use.  Newton's method starts near limits in which readouts, or their response, grow without bound.  The readout's mean
does so without a limit where labels are signs that the mean feature separates.
"""

import math
from dataclasses import dataclass, replace
from functools import cache
from types import SimpleNamespace

import numpy as np
from sympy import Dummy, Float, Integer, Rational, Symbol, sign, sqrt

from ...codegen import write_kernel
from ...errors import ConvergenceError, DomainError, NotAvailableError, ProofError
from ...gauss import E
from ...losses.loss import is_of_residuals
from ...nodes import Applied, Composite, Diffused, Named, Tabled, free_of, slope
from ...numbers.evaluation import Floats, evaluate
from ...once import Deferred, computed_once
from ...runtime.features import SCAN, find_features
from ...runtime.means import normal_means
from ...solve.kernel import Kernel, SolverOptions
from . import channel as of
from . import equations as spiked
from .equations import BulkEquations
from .parts import MIXED, LossSolver

_simulators = Deferred("asympkit.simulate.convex")

BIAS = Symbol("bias", real=True)
#: label noise of less variance does not smooth kinks: only the student does, and not where it saturates
STEEP = Rational(1, 1000)
#: a variance far below rounding, to divide by at projections on the spike where a saturated student has none, and where
#: an even one has no linear part anywhere
_LEAST = Float(1e-100)


@cache
def symbols():
    """Return the symbols of the square loss; squared norms are positive here, and solved in their logarithm."""
    found = vars(spiked.symbols())
    return SimpleNamespace(**{**found, "q1": Symbol("q1", positive=True), "q2": Symbol("q2", positive=True)})


class ConvexLoss(BulkEquations):
    """Derive the equations of a loss on labels of a kind: the mean Moreau envelope takes the place of R/(2 + 2V).

    ``scale`` is 2 for a loss and a penalty that are written without a factor 1/2; ``has_bias`` is that of the features,
    ``has_slope`` whether the derivative of the objective by it is an observable; ``direction`` is the sign of the
    target's overlap with the spike, if it ``is_aligned`` along it.  A student that ``is_even`` may have no linear part.
    """

    symbols, has_units = staticmethod(symbols), True

    def __init__(self, channel, bulk, scale=1, has_flips=False, has_bias=False, has_slope=False, direction=1,
                 is_aligned=False, is_even=False):
        super().__init__(bulk)
        self.channel, self.scale, self.has_flips, self.has_bias = channel, scale, has_flips, has_bias
        self.has_slope, self.direction, self.is_aligned, self.is_even = has_slope, direction, is_aligned, is_even

    @property
    def parameters(self):
        return (*super().parameters, *[of.FLIP] * self.has_flips, *[BIAS] * self.has_bias)

    @computed_once
    def program(self):
        """Return the program; it places nodes of inner sums where only the student smooths residuals."""
        program, names = super().program
        steep = {"steep": STEEP - symbols().noise_variance} if self.channel.is_steep else {}
        return replace(program, **steep), names

    def moments(self):
        """Return the conditional moments, of features with a bias if there is one."""
        u = self.bulk.moments(BIAS) if self.has_bias else self.bulk.moments()
        return SimpleNamespace(**{name: [*map(self.tabled, e)] if isinstance(e, list) else self.tabled(e)
                                  for name, e in vars(u).items()})

    def tabled(self, named):
        """Return an expression of the projection that loops read from a table; of several projections as it is."""
        projection, *more = self.bulk.projections
        return named if more or not isinstance(named, Named) else Tabled.of(named, projection)

    def values(self, u=None):
        """Return the values of the channel's variables, for the moments or others."""
        s, is_moved, u = symbols(), u is not None, u or self.moments()
        least, even = Integer(0) if of.mean_square in free_of(self.channel.cost) else _LEAST, int(self.is_even)
        found, along = self.bulk.prediction(s, u, lambda name, e: Named(f"{name}_moved", e) if is_moved
                                            else self.tabled(Named(name, e))), self.bulk.along
        is_one = len(self.bulk.projections) == 1
        kappa, gamma, tau = (s.kappa, s.gamma, self.direction * s.kappa) if is_one else (along, Integer(1), along)
        # the covariance of prediction and target is mu1*(rho*psi + psi0); T is that over rho, while there is some
        is_split = bool(self.bulk.induced) and self.is_aligned
        at = {of.T: Named("T", u.mu1 * s.psi if is_split else found.T), of.kappa: kappa,
              of.Q: Named("Q", found.Q + least * (1 + found.q1 * even))}
        teacher = s.rho**2 + s.noise_variance
        a, clean = (self.tabled(Named(name, along / spread)) for name, spread in (("a", sqrt(teacher)),
                                                                                  ("a_clean", s.rho)))
        k = s.rho * of.T / sqrt(of.Q * teacher)
        square_spread = of.Q - of.T**2 + s.noise_variance
        if self.channel.rate is not None:
            square_spread += (self.channel.rate * s.rho - of.T)**2
        forms = {of.W: sqrt(of.Q), of.k: k, of.steepness: 1 / sqrt(1 - k**2), of.A: of.a / sqrt(1 - k**2),
                 of.B: k / sqrt(1 - k**2), of.square_spread: square_spread, of.spread: sqrt(square_spread),
                 of.covariance: s.rho * of.T / sqrt(teacher)}
        if is_split:
            slope_of_target = 1 if self.has_flips else u.hslope
            at[of.tilt] = Named("covariance", u.mu1 * s.psi0 * slope_of_target)
            at[of.relative_tilt] = at[of.tilt] / sqrt(teacher)
        V = Named("V", found.V.expr + least * (1 + found.V1 * even)) if least else found.V
        return {of.C: found.C, **at, of.V: V,
                of.mean_square: spiked.mean_square(s, u, found, at[of.Q]), of.bend: found.bend, of.a: a,
                of.clean_a: clean,
                **{v: Composite.of(v.name, form, {**at, of.a: a}) for v, form in forms.items()}, of.gamma: gamma,
                of.rho: s.rho, of.tau: tau, of.side: sign(tau)}

    def mean(self, label, form):
        """Return the average over kappa of a form in the variables of the channel."""
        return E(Composite.of(label, form, self.values()), self.bulk.projections)

    def cost(self, u=None):
        """Return the channel term at a projection on the spike, for the moments or others."""
        of_loss = self.channel
        return Diffused.of("G", of_loss.cost, self.values(u), of_loss.rules, of_loss.passive, of_loss.source) \
            + self.at_zero("G0", of_loss.at_zero, u)

    def at_zero(self, label, form, u=None):
        """Return a form in the variables of the channel at the projection 0 on the spike, kappa in the place of x."""
        if form == 0:
            return form
        s, bias, zero = symbols(), BIAS if self.has_bias else Integer(0), Integer(0)
        u = u or SimpleNamespace(**{n: Tabled.of(e, s.kappa) for n, e in vars(self.bulk.moments(bias, zero)).items()})
        found = self.bulk.prediction(s, u, lambda name, e: Tabled.of(Named(name, e), s.kappa), zero)
        Q = Named("Q", found.Q)
        at = {of.C: found.C, of.V: found.V, of.W: sqrt(Q), of.tilt: u.mu1 * s.psi0, of.kappa: s.kappa}
        return Composite.of(label, form, at)

    def loss(self):
        """Return the mean loss of training samples, by the envelope theorem."""
        of_loss = self.channel
        if of_loss.source is None:              # terms cancel under the average
            at_zero = of_loss.at_zero + of.V * slope(of_loss.at_zero, of.V)
            return self.mean("loss", of_loss.cost + of.V * slope(of_loss.cost, of.V)) \
                + E(self.at_zero("loss0", at_zero), symbols().kappa)
        cost = self.cost()
        return E(cost + self.values()[of.V] * cost.rate(of.V), self.bulk.projections)

    def observables(self):
        """Return errors of fresh and of clean labels, the mean loss of the training samples, and the objective."""
        s = symbols()
        if self.has_flips:
            moved = E(self.at_zero("clean0", self.channel.clean_at_zero), s.kappa)
            # without noise the label jumps at 0 as the target does
            kept = (1 - 2 * of.FLIP) * moved if self.channel.at_zero != 0 else 0
            errors = {"test_error": self.mean("error", self.channel.test_error) + kept,
                      "clean_error": self.mean("clean", self.channel.clean_error) + moved}
        else:
            test = E(self.values()[of.mean_square], self.bulk.projections)
            errors = {"test_error": test, "clean_error": test - s.noise_variance}
        loss = self.scale * self.loss()
        penalty = self.scale * s.lam * s.beta / (2 * s.alpha) * self.bulk.norm(s)
        return {**errors, "train_error": loss, "train_loss": loss, "objective": loss + penalty,
                **({"bias_slope": self.bias_slope()} if self.has_slope else {})}

    def bias_slope(self):
        r"""Return the derivative of the objective by the bias, at fixed order parameters (it is stationary in them).

        Means of one activation: :math:`\partial_b\mu_0=\mu_1`, :math:`\partial_bE\sigma^2=E[z\sigma^2]/\sqrt c`.
        """
        s, u, step = symbols(), self.moments(), Symbol("step", real=True)
        student = Applied("student", s.r * s.kappa + BIAS + sqrt(s.c) * s.z)
        mu1 = Tabled.of(Named("dmu1", E((s.z**2 - 1) * student, s.z) / s.c), s.kappa)
        square = Tabled.of(Named("dsquare", E(s.z * student**2, s.z) / sqrt(s.c)), s.kappa)
        dmu0 = Tabled.of(Named("ddmu0", E((s.z**3 - 3 * s.z) * student, s.z) / (2 * s.c * sqrt(s.c))), s.kappa)
        moved = SimpleNamespace(**{**vars(u), "mu0": u.mu0 + step * u.mu1, "mu1": u.mu1 + step * mu1,
                                   "dmu0": u.dmu0 + step * dmu0,
                                   "mu2sq": u.mu2sq + step * (square - 2 * u.mu0 * u.mu1 - 2 * s.c * u.mu1 * mu1)})
        return self.scale * slope(E(self.cost(moved), s.kappa), step).xreplace({step: Integer(0)})


def near_separation(values, fitted=1.0):
    """Return a start with a mean readout that grows as the mean feature separates the labels."""
    spread = np.sqrt(values["rho"] ** 2 + values["noise_variance"])
    doubt = np.minimum(1.0, 2.0 * spread + 8.0 * values["flip"] * (1.0 - values["flip"]))
    doubt = np.where(doubt == 0.0, 1.0, doubt)          # then the loss has a minimum
    way = np.where(values["gamma"] * values["r"] * (1.0 - 2.0 * values["flip"]) < 0.0, -1.0, 1.0)
    readout = {"q1": 2.0 * doubt, "q2": doubt, "theta": way * doubt, "psi": 0.1 * doubt, "m": 0.5 * way / doubt}
    return readout | near_interpolation(values, fitted)


def near_interpolation(values, fitted=1.0):
    """Return a start for small penalties: V is near the undetermined share of features, over the penalty.

    A feature fits one sample, or two if only the sign of a prediction matters: ``fitted``.
    """
    free = np.maximum(0.0, 1.0 - values["alpha"] / (fitted * values["beta"])) / values["lam"]
    return {"V1": np.maximum(1.0, free), "V2": np.maximum(1.0, free)}


# -- the solver -------------------------------------------------------------------------------------------------------


#: start of Newton's method: a readout of order 1 along spike and target
_START = {"V1": 1.0, "V2": 1.0, "q1": 2.0, "q2": 1.0, "theta": 1.0, "psi": 0.1, "m": 0.5}
_OTHERS = tuple({**_START, "V1": v, "V2": v, "q1": q, "q2": q} for v, q in ((10.0, 3.0), (0.1, 0.3), (100.0, 30.0)))
#: unknowns that vanish if labels, or weights along the spike, are independent of it
_OVERLAPS = ("theta", "psi", "m")
#: these, and other quantities that are rounding of terms of order 1 where they vanish
_AT_REST = (*_OVERLAPS, "thetahat", "psihat", "train_error", "train_loss")
#: a penalty from which on the kinks of a loss of signs are narrow beside the spread of predictions
_STEEP = 30.0
#: a spread of predictions over their mean from which on no step of the error is narrow, whatever the student
_WIDE = 0.3
#: predictions so many spreads from a level lie on one side of it, to all digits of a double
_SURE = 40.0


class ConvexEquations(LossSolver):
    """Solve a convex loss; the bias of the readout is a parameter of the equations.

    ``start`` gives starts near the solution, from parameters by name; by default those near limits of the loss.
    """

    def __init__(self, functions, readout, case, bulk, start=None):
        self.functions, self.readout, self.case, self.bulk = functions, readout, case, bulk
        self.near = start or self._near

    @property
    def digits(self):
        """Return the default number of digits of a check: fewer for averages inside averages."""
        return 40 if self.readout.is_half_square else 20

    @property
    def has_bend(self):
        """Return whether predictions move with the square of the projection on the rest of the target."""
        return self.bulk.has_bend and self.case.teacher == MIXED and self.readout.has_even_parts(self.functions)

    @computed_once
    def channel(self):
        """Return loss and labels in the form of the equations, in which means of activations are not written out."""
        readout, target, at = self.readout, self.functions["target"], (self.case.teacher, self.case.has_width)
        if readout.has_flips:
            channel = of.sign_labels(readout.loss, *at)
        elif readout.is_half_square:
            channel = of.Channel(of.mean_square / (2 * (1 + of.V)))     # means over target and noise are known
        else:
            channel = of.regression(readout.loss, target.expr, target.symbol, *at, self.has_bend)
        bulk = self.bulk if self.has_bend else self.bulk.with_odd_labels()
        return ConvexLoss(channel, bulk, readout.scale, readout.has_flips, readout.has_bias, readout.has_slope,
                          self.case.direction, self.case.teacher != MIXED, self.functions["student"].parity == "even")

    @computed_once
    def system(self):
        return self.lowered_system.rewritten(expand_tabulated).with_(functions=self.functions)

    @computed_once
    def kernel(self):
        """Return the solver, written on first use; the derivative by a learned bias, which vanishes, is not judged."""
        first, *others = self.starts
        own = (*(s.name for s in self.bulk.multipliers.values()), "chihat", *["bias_slope"] * self.readout.has_slope)
        # the objective is strictly convex: there is one readout
        return Kernel.from_source(write_kernel(*self.program, self._title()), SolverOptions(
            first, self.near, other_starts=tuple(others), continuation_parameter="lam", may_vanish=_OVERLAPS,
            rises_from=_STEEP if self.readout.has_flips and len(self._levels()) > 1 else math.inf,
            vanishing_outputs=_AT_REST, has_units=True, auxiliary=own, is_known_unique=True,
            narrow=NarrowErrors(self.functions["student"], self._levels()) if self.readout.has_flips else None))

    def _levels(self):
        """Return the predictions at which the error of signs steps, and at which the loss has kinks."""
        loss = self.readout.loss
        places = [float(c) for c in loss.pieces.places] if loss.pieces is not None else []
        kinks = {label - c if is_of_residuals(loss) else label * c for c in places for label in (1.0, -1.0)}
        return tuple(sorted({0.0, *kinks}))

    @property
    def starts(self):
        """Return the starts of Newton's method, the usual start first."""
        usual = {u.name: 0.5 if u.is_positive else 0.0 for u in self.channel.unknowns}
        return [{**usual, **start} for start in (_START, *_OTHERS)]

    def _near(self, values):
        """Return starts near limits, by unknown, of points of parameters by name."""
        fitted = 1.0 if is_of_residuals(self.readout.loss) else 2.0
        return (near_separation if self.readout.has_flips else near_interpolation)(values, fitted)

    def _title(self):
        bias = ", with a bias" if self.readout.has_bias else ""
        return f"Spiked random features, loss {self.readout.loss.expr}, labels {self.readout.labels}{bias} " \
               "(arXiv 2402.04980)"

    # -- digits and proofs ------------------------------------------------------------------------

    def check_digits_are_there(self):
        """Raise for averages over two variables inside another, which take hours in multiprecision."""
        readout = self.readout
        if not self._has_digits:
            raise NotAvailableError(f"precise: the loss {readout.text!r} with labels="
                                    f"{readout.labels!r} is averaged over target and noise at every projection on the "
                                    "spike, which takes hours in multiprecision; expected an affine target, "
                                    "labels='sign', or a piecewise linear-quadratic loss such as ak.Huber(1); solve() "
                                    "has twelve digits")

    @property
    def _has_digits(self):
        readout, is_affine = self.readout, self.channel.channel.rate is not None
        return bool(readout.loss.pieces is not None or readout.has_flips or self.case.teacher != MIXED or is_affine)

    def check_proofs_are_there(self):
        """Raise for averages that no proved quadrature rule covers."""
        readout, teacher = self.readout, self.case.teacher
        is_logistic = readout.loss.name == "logistic" and readout.has_flips
        is_plain = readout.loss.is_parabola and readout.has_flips or self.channel.channel.source is not None
        if readout.is_half_square or teacher == MIXED and (is_logistic or is_plain):
            return
        text = f"certify: the loss {readout.text!r} with labels={readout.labels!r}"
        if teacher != MIXED:
            raise ProofError(f"{text} at gamma = 1 and -1 has other averages, which no proved quadrature rule "
                             "covers: expected a gamma between -1 and 1; precise() has the digits without a proof")
        if readout.loss.pieces is not None:
            raise ProofError(f"{text} and the target {self.functions['target'].name!r} is averaged over the part of "
                             "the target beside the spike, which no proved quadrature rule covers: expected an affine "
                             "target, labels='sign', or the square loss; precise() has the digits without a proof")
        raise ProofError(f"{text} is averaged over proximal points at every projection on the spike, which no proved "
                         "quadrature rule covers: expected the square loss, a piecewise linear-quadratic one such as "
                         "'hinge' or ak.Huber(1), or loss='logistic' with labels='sign'; "
                         f"{'precise() has the digits without a proof' if self._has_digits else 'check() simulates'}; "
                         "a user-defined theory with ak.Moreau under one average is certified")


def expand_tabulated(expr):
    """Return the expression with its tabulated parts as plain named ones."""
    return expr.xreplace({e: e.written_out() for e in expr.atoms(Tabled)})


class NarrowErrors:
    r"""The steps of a probability that a prediction :math:`C+\sqrt Q\,z` passes a level.

    The mean overlap alone moves C where the spread is small beside it.  The interface is that of
    :class:`~asympkit.theories.theory.NarrowFeatures`; ``levels`` are predictions at which integrands turn.
    """

    def __init__(self, student, levels):
        self.student, self.levels = student, levels

    def may_be(self, values):
        """Find solutions, arrays by name, at which there may be narrow steps."""
        return np.asarray(values["q1"]) < (_WIDE * np.asarray(values["m"]) * np.asarray(values["r"])) ** 2

    def at(self, values):
        """Find centres and widths of the steps at a solution, and the largest step of a rule that meets all others."""
        if not self.may_be(values):
            return [], np.inf
        r, spread, m = values["r"], np.sqrt(values["c"]), values["m"]
        offset = values.get("bias", 0.0)
        found = set()
        for level in self.levels:
            def argument(x, level=level):
                at_student = self.student, offset + r * x, spread
                (mu0, slope), _ = normal_means(*at_student, lambda z, s, at: (s, z * s))
                # as a difference of squares it would be noise far out, where a student saturates
                (rest,), _ = normal_means(*at_student, lambda z, s, at: ((s - at(mu0) - at(slope) * z) ** 2,))
                mu1 = slope / spread
                Q = values["q1"] * mu1**2 + values["q2"] * rest
                with np.errstate(all="ignore"):
                    return (m * mu0 - level) / np.sqrt(Q), m * r * mu1 / np.sqrt(Q), np.zeros_like(x)

            centres, widths = find_features(argument, True, SCAN[::5])
            if centres.size:
                # elsewhere the probability is 0 or 1, and the spread of saturated predictions rounding
                steps = abs(argument(centres)[0]) < _SURE
                found |= set(zip(centres[steps].tolist(), widths[steps].tolist()))
        return sorted(found), np.inf


# -- signs that the mean feature separates --------------------------------------------------------------------------


class NoMinimumError(DomainError, ConvergenceError):
    """A point at which no readout minimises the objective; other points of a sweep may have one."""


#: projections at which mean features are tested for separation
_PLACES = np.geomspace(1e-3, 6.0, 40)


def check_is_reached(loss, student, values, shown):
    """Raise if labels are signs of the projection on the spike and the loss has no minimum on them.

    The mean of the readout is not penalised in the limit: if the mean feature has the sign of the projection, or the
    opposite one, everywhere, predictions are right with any margin without a penalty.  The student has the bias in its
    argument, ``values`` are r, c and flip; ``shown`` put the target along the spike, for the message.
    """
    if values["flip"] not in (0.0, 1.0) or not _falls(loss):
        return
    (mean,), _ = normal_means(student, values["r"] * np.concatenate([-_PLACES, _PLACES]), np.sqrt(values["c"]),
                              lambda z, s, at: (s,))
    below, above = np.split(np.sign(mean), 2)
    if above[0] != 0.0 and np.all(above == above[0]) and np.all(below == -above[0]):
        raise NoMinimumError(
            f"{shown} with labels='sign', noise_variance=0 and flip={values['flip']:g}: the mean feature separates the "
            f"labels, and no readout minimises the loss {loss.name!r} (its mean m grows without bound, the objective "
            "falls to 0); expected a noise_variance above 0, a flip between 0 and 1, or a target beside the spike "
            "(there the objective falls like sqrt(1 - gamma**2)), or a width")


def _falls(loss):
    """Return whether a loss still falls, or stays at its minimum, at large margins."""
    label, far = np.array([1.0, -1.0]), 60.0
    nearer, farther = (loss.value(label, label * z) for z in (far - 10.0, far))
    return bool(np.all(farther <= nearer))


# -- losses as functions of arrays ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Own:
    """Evaluate a loss expression on arrays; other processes rebuild the functions."""

    loss: object

    def __getstate__(self):
        return {"loss": self.loss}

    def value(self, y, z):
        """Return the loss."""
        return self._at(self.loss.expr, y, z)

    def derivatives(self, y, z):
        """Return its derivatives in the prediction."""
        return tuple(self._at(e, y, z) for e in self._rates)

    @computed_once
    def _rates(self):
        return tuple(self.loss.expr.diff(self.loss.prediction, order) for order in (1, 2))

    def _at(self, expr, y, z):
        found = evaluate(expr, {self.loss.label: y, self.loss.prediction: z}, Floats())
        return np.broadcast_to(np.asarray(found, dtype=float), np.shape(z))

    def prox(self, y, omega, V):
        """Return its proximal point."""
        form, symbols = self._prox
        at = dict(zip(symbols, (y, omega, np.float64(V))))
        return np.asarray(evaluate(form, at, Floats()), dtype=float)

    @computed_once
    def _prox(self):
        symbols = self.loss.label, Dummy("omega", real=True), Dummy("V", positive=True)
        return self.loss.form.proximal(*symbols), symbols


def array_loss(loss):
    """Return a loss as functions of arrays, those of the simulator if it has them."""
    if loss.name in _simulators.NAMED:
        return _simulators.NAMED[loss.name]
    own = _Own(loss)
    if loss.pieces is None:
        return _simulators.ArrayLoss(str(loss.expr), own.value, own.derivatives)
    return _simulators.ArrayLoss(str(loss.expr), own.value, prox=own.prox)
