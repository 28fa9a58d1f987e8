"""Solve the equations over the bulk that a gradient step really makes: ``OneStep(..., bulk="exact")``.

Newton's method starts at the solution over the isotropic bulk.
"""

from functools import cache

import numpy as np

from ...multiprecision.interpreter import InnerUnknowns
from ...once import Deferred, computed_once
from ...program.lowering import ImplicitFunctions
from ...runtime.rules import OUTER_STEPS
from ...solve.kernel import Kernel, SolverOptions
from ...solve.ladder import FIRST
from ...spectra import MPResolvent
from ..spiked_features.equations import isotropic
from ..spiked_features.parts import RidgeEquations, isotropic_kernel
from .bulk import averages, exact_bulk, exact_ridge, first_batch, symbols

_convex = Deferred("asympkit.theories.spiked_features.convex")

#: multipliers of the bulk
MULTIPLIERS = ("bhat", "uhat", "what", "ghat", "chihat")


@cache
def inner(is_odd, has_width=False):
    """Return the inner equations that define these functions, at a width those of the mean readout too."""
    s, x = symbols(), first_batch(is_odd)
    inverse, kernel = averages(is_odd)
    resolvent = MPResolvent(s.Vhat1, s.Vhat2 + s.lam, s.c, s.beta)
    g = s.beta * s.Vhat1 * resolvent
    starts = dict.fromkeys(x.maps, 1 / (1 + s.c * g)) | {s.g: g}
    forms = {"S_inverse": inverse, "S_weighed": inverse * x.trace, **{n.label: n for n in kernel.values()}}
    forms |= of_mean_readout(exact_bulk(is_odd)) if has_width else {}
    return ImplicitFunctions((s.Vhat1, s.Vhat2), starts, {**x.maps, s.g: s.beta * s.Vhat1 * inverse}, forms)


def of_mean_readout(bulk):
    """Return the kernel of the mean readout with itself and with the directions, by the names of functions."""
    return {"S_mean": bulk.readout, **{f"tilt_{n}": e for n, e in bulk.induced.items()}}


class ExactRidge(RidgeEquations):
    """Solve the square loss over the bulk of a real step; the kernels have a width, which may be infinite."""

    is_torn_path, roots = True, ("deviation",)

    def __init__(self, functions, layer):
        super().__init__(functions, True)
        self.layer = layer

    @property
    def channel(self):
        return exact_ridge(self.layer.is_odd)

    @computed_once
    def kernel(self):
        from ...generated.one_step import exact, exact_odd
        module = exact_odd if self.layer.is_odd else exact
        start = IsotropicStart(self.functions["student"], self.functions["target"])
        deviation = module.TABLE_PARAMETERS.index("deviation")

        def levels_at(table_parameters, levels):
            """Return the refinement levels: without noise quadrature is one-dimensional and may be as fine as any."""
            return len(OUTER_STEPS) if table_parameters[deviation] == 0.0 else levels

        # the multipliers of the bulk are excluded from the error estimate
        return Kernel(module, SolverOptions(
            guess_start=start, guess_closer_start=NearBulk(start, self.layer.is_odd),
            continuation_parameter="lam",
            levels_at=levels_at, other_starts=(dict.fromkeys(module.TORN, 1.0),), auxiliary=MULTIPLIERS))

    def tangent(self, rates, point):
        return super().tangent({**rates, "deviation": rates.get("noise_variance", 0.0)}, point)


def make_convex(functions, readout, case, layer):
    """Return the equations of a convex loss over a real bulk, started from the solution over the isotropic one."""
    begin = _convex.ConvexEquations(functions, readout, case._replace(has_width=False), isotropic())
    start = IsotropicStart(functions["student"], functions["target"], lambda: begin.kernel)
    return _convex.ConvexEquations(functions, readout, case, layer.bulk(case.has_width), start)


class NearBulk:
    """Start near the spectrum of a bulk far from isotropic: solve its own equations at given conjugates.

    Damped iteration of their maps converges slowly from any start; Newton's method does not always converge.
    """

    def __init__(self, isotropic, is_odd):
        self.isotropic, self.is_odd = isotropic, is_odd

    @computed_once
    def _equations(self):
        """Build the equations of the bulk, only when they are needed."""
        s, functions = symbols(), dict(zip(("student", "target"), self.isotropic.functions))
        return InnerUnknowns(inner(self.is_odd), exact_ridge(self.is_odd, False).parameters,
                             (s.deviation,) if self.is_odd else (s.deviation, s.h0), functions)

    def __call__(self, points):
        """Return starts as :class:`IsotropicStart` does."""
        named, begin = vars(symbols()), self.isotropic(points)
        values = {named[n]: v for n, v in {**points, "Vhat1": begin["Vhat1"], "Vhat2": begin["Vhat2"]}.items()}
        found = self._equations(values, {u: begin[u.name] for u in self._equations.unknowns})
        good = np.all([np.isfinite(v) for v in found.values()], axis=0)
        return begin | {u.name: np.where(good, v, begin[u.name]) for u, v in found.items()}


class IsotropicStart:
    """Return starts for points of one student and target.

    Newton's method for V1, V2 and the unknowns of the spectrum does not always converge from a distant start, above all
    at small penalties.  Over rows of the same mean squared norm c the latter are explicit.
    """

    def __init__(self, student, target, kernel=isotropic_kernel):
        self.functions, self._kernel = (student, target), kernel
        self._tables = {}

    def __call__(self, points):
        """Return starts by unknown, from parameters by name; points that are solved together share their tables."""
        kernel = self._kernel()
        module = kernel.module
        shared = tuple(float(points[n][0]) for n in module.TABLE_PARAMETERS)
        if shared not in self._tables:                  # refinements and sweeps use one step many times
            functions = dict(zip(("student", "target"), self.functions))
            self._tables = {shared: kernel.tables(FIRST, shared, [functions[n] for n in module.ACTIVATIONS], ())[0]}
        out, _ = kernel.batch([points[n] for n in module.PARAMETERS], self._tables[shared])
        at = dict(zip(module.OUTPUTS, out))
        with np.errstate(all="ignore"):
            g = points["beta"] * at["Vhat1"] * at["V2"]
            b = 1.0 / (1.0 + g * points["c"])
        # g = 0, for units without a linear part, is a root that cannot be reached in the logarithm
        found = {**{n: at[n] for n in (*module.TORN, "Vhat1", "Vhat2")}, "b": b, "u": b, "w": b, "g": g}
        positive = ("V1", "V2", "b", "g", "Vhat1", "Vhat2")
        good = np.all([np.isfinite(v) & ((v >= 0.0) | (n not in positive)) for n, v in found.items()], axis=0)
        return {n: np.where(good, v, 1.0) for n, v in found.items()}
