"""The channel of any convex loss, on labels with noise or signs (arXiv 2402.04980, appendices B and C).

It has the mean Moreau envelope in place of :math:`R/(2+2V)` of the square loss; everything else follows by
differentiation and structure analysis.

Start Newton's method near limits in which readouts, or their response, grow without bound.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np
from sympy import Float, Integer, Rational, Symbol, sign, sqrt

from ...equations.system import System
from ...gauss import E
from ...nodes import Applied, Composite, Diffused, Named, Tabled, free_of, slope
from . import channel as of
from . import equations as spiked

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sympy import Expr

    from ...annotations import Floats
    from ...program.statements import Program


HALF = Rational(1, 2)
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


class Setting:
    """Describe a loss on labels of a kind.

    ``scale`` is 2 for a loss and a penalty that are written without a factor 1/2; ``has_bias`` is that of the features;
    ``direction`` is the sign of the target's overlap with the spike, if it ``is_aligned`` along it; the bulk is by
    default the isotropic one in the limit.  A student that ``is_even`` may have no linear part anywhere.
    """

    symbols = staticmethod(symbols)

    def __init__(self, channel, scale=1, has_flips=False, has_bias=False, direction=1, bulk=None, is_aligned=False,
                 is_even=False):
        self.channel, self.scale, self.has_flips, self.has_bias = channel, scale, has_flips, has_bias
        self.direction, self.bulk, self.is_aligned = direction, bulk or spiked.isotropic(), is_aligned
        self.is_even = is_even

    def place_inner_nodes(self, program: Program) -> Program:
        """Return a program that places nodes of inner sums for residuals that only the student smooths."""
        if not self.channel.is_steep:
            return program
        return replace(program, steep=STEEP - symbols().noise_variance)

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
        return {**errors, "train_error": loss, "train_loss": loss, "objective": loss + penalty}


def bias_slope(setting: Setting) -> Expr:
    r"""Return the derivative of the objective by the bias, at fixed order parameters (it is stationary in them).

    Means of one activation: :math:`\partial_b\mu_0=\mu_1`, :math:`\partial_bE\sigma^2=E[z\sigma^2]/\sqrt c`.
    """
    s, u, step = symbols(), setting.moments(), Symbol("step", real=True)
    student = Applied("student", s.r * s.kappa + BIAS + sqrt(s.c) * s.z)
    mu1 = Tabled.of(Named("dmu1", E((s.z**2 - 1) * student, s.z) / s.c), s.kappa)
    square = Tabled.of(Named("dsquare", E(s.z * student**2, s.z) / sqrt(s.c)), s.kappa)
    dmu0 = Tabled.of(Named("ddmu0", E((s.z**3 - 3 * s.z) * student, s.z) / (2 * s.c * sqrt(s.c))), s.kappa)
    moved = SimpleNamespace(**{**vars(u), "mu0": u.mu0 + step * u.mu1, "mu1": u.mu1 + step * mu1,
                               "dmu0": u.dmu0 + step * dmu0,
                               "mu2sq": u.mu2sq + step * (square - 2 * u.mu0 * u.mu1 - 2 * s.c * u.mu1 * mu1)})
    return setting.scale * slope(E(setting.cost(moved), s.kappa), step).xreplace({step: Integer(0)})


def parameters(setting: Setting) -> tuple[Symbol, ...]:
    """Return the parameters of the program, in the order of the kernel."""
    return (*setting.bulk.program_parameters, *[of.FLIP] * setting.has_flips, *[BIAS] * setting.has_bias)


def system(setting: Setting) -> System:
    """Return the saddle-point equations: the derivatives of the free energy by its unknowns."""
    out = spiked.saddle_point(setting)
    out.has_units = True            # readouts are of order 1, or vanish by symmetry
    return out


def near_separation(values: Mapping[str, Floats], fitted: float = 1.0) -> dict[str, Floats]:
    """Return a start with a mean readout that grows as the mean feature separates the labels."""
    spread = np.sqrt(values["rho"] ** 2 + values["noise_variance"])
    doubt = np.minimum(1.0, 2.0 * spread + 8.0 * values["flip"] * (1.0 - values["flip"]))
    doubt = np.where(doubt == 0.0, 1.0, doubt)          # then the loss has a minimum
    way = np.where(values["gamma"] * values["r"] * (1.0 - 2.0 * values["flip"]) < 0.0, -1.0, 1.0)
    readout = {"q1": 2.0 * doubt, "q2": doubt, "theta": way * doubt, "psi": 0.1 * doubt, "m": 0.5 * way / doubt}
    return readout | near_interpolation(values, fitted)


def near_interpolation(values: Mapping[str, Floats], fitted: float = 1.0) -> dict[str, Floats]:
    """Return a start for small penalties: V is near the undetermined share of features, over the penalty.

    A feature fits one sample, or two if only the sign of a prediction matters: ``fitted``.
    """
    free = np.maximum(0.0, 1.0 - values["alpha"] / (fitted * values["beta"])) / values["lam"]
    return {"V1": np.maximum(1.0, free), "V2": np.maximum(1.0, free)}
