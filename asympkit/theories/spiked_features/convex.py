"""The equations of any convex loss on labels of a kind, over any bulk: their kernels are written on first use."""

import math

import numpy as np

from ...codegen import write_kernel
from ...errors import NotAvailableError, ProofError
from ...losses.loss import is_of_residuals
from ...nodes import Tabled
from ...once import computed_once
from ...program import build
from ...runtime.features import SCAN, find_features
from ...runtime.means import normal_means
from ...sensitivity.complex_step import ComplexStep
from ...sensitivity.run import Tangent, tangent_kernel
from ...solve.kernel import Kernel, SolverOptions
from .channel import half_square, regression, sign_labels
from .convex_equations import Setting, bias_slope, near_interpolation, near_separation, parameters, system
from .equations import unknowns
from .readout import MIXED

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


class ConvexEquations:
    """Solve a convex loss; the bias of the readout is a parameter of the equations.

    ``start`` gives starts near the solution, from parameters by name; by default those near limits of the loss.
    """

    limit = None
    is_torn_path = False

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
        """Return loss and labels in the form of the equations."""
        readout, target, at = self.readout, self.functions["target"], (self.case.teacher, self.case.has_width)
        if readout.has_flips:
            channel = sign_labels(readout.loss, *at)
        elif readout.is_half_square:
            channel = half_square()
        else:
            channel = regression(readout.loss, target.expr, target.symbol, *at, self.has_bend)
        bulk = self.bulk if self.has_bend else self.bulk.with_odd_labels()
        return Setting(channel, readout.scale, readout.has_flips, readout.has_bias, self.case.direction, bulk,
                       self.case.teacher != MIXED, self.functions["student"].parity == "even")

    @computed_once
    def lowered_system(self):
        """Return the equations with means of activations that are not written out."""
        found = system(self.channel)
        if not self.readout.has_slope:
            return found
        return found.with_(observables={**found.observables, "bias_slope": bias_slope(self.channel)})

    @computed_once
    def system(self):
        return self.lowered_system.rewritten(expand_tabulated).with_(functions=self.functions)

    @computed_once
    def program(self):
        program, names = build(self.lowered_system, parameters(self.channel))
        return self.channel.place_inner_nodes(program), names

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
        usual = {u.name: 0.5 if u.is_positive else 0.0 for u in unknowns(self.channel)}
        return [{**usual, **start} for start in (_START, *_OTHERS)]

    def _near(self, values):
        """Return starts near limits, by unknown, of points of parameters by name."""
        fitted = 1.0 if is_of_residuals(self.readout.loss) else 2.0
        return (near_separation if self.readout.has_flips else near_interpolation)(values, fitted)

    def _title(self):
        bias = ", with a bias" if self.readout.has_bias else ""
        return f"Spiked random features, loss {self.readout.loss.expr}, labels {self.readout.labels}{bias} " \
               "(arXiv 2402.04980)"

    # -- derivatives ------------------------------------------------------------------------------

    def tangent(self, rates, point):
        """Return the tangent system in a direction of the parameters."""
        of_point, of_table = ([rates.get(n, 0.0) for n in names] for names in (
            self.kernel.module.PARAMETERS, self.kernel.module.TABLE_PARAMETERS))
        return Tangent(self._tangent_kernel, (*point.values, *of_point), (*point.table_parameters, *of_table))

    @computed_once
    def _tangent_kernel(self):
        return tangent_kernel(ComplexStep(self.kernel.module), self)

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
    :class:`~asympkit.solve.narrow.NarrowFeatures`; ``levels`` are predictions at which integrands turn.
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
            # elsewhere the probability is 0 or 1, and the spread of saturated predictions rounding
            steps = abs(argument(centres)[0]) < _SURE
            found |= set(zip(centres[steps].tolist(), widths[steps].tolist()))
        return sorted(found), np.inf
