"""The real network after one gradient step: ``OneStep(..., bulk="exact")``."""

import math

from ...errors import DomainError, LostDigitsError
from ...once import Deferred, computed_once
from ...runtime.rules import OUTER_STEPS
from ...solve.kernel import Kernel, SolverOptions
from ..declaration import Assumption
from ..spiked_features.ridge import RidgeEquations
from . import REGRESSION
from .step import require_slope

_run = Deferred("asympkit.sensitivity.run")
_exact_equations = Deferred("asympkit.theories.one_step.exact_equations")
_exact_module = Deferred("asympkit.theories.one_step.exact_module")
_exact_parameters = Deferred("asympkit.theories.one_step.exact_parameters")
_convex = Deferred("asympkit.theories.spiked_features.convex")
_equations = Deferred("asympkit.theories.spiked_features.equations")

#: multipliers of the bulk
MULTIPLIERS = ("bhat", "uhat", "what", "ghat", "chihat")


class ExactLayer:
    """Give the numbers of the bulk that a real step makes, in the limit or at a width."""

    smooth = ("eta", "alpha0")

    def __init__(self, step):
        self.step, self.names = step, step.names
        self._last = {}

    @property
    def is_odd(self):
        """Return whether the equations of odd students hold: by a proof, not on points."""
        return self.step.student.parity == "odd"

    @computed_once
    def map(self):
        """Return the map from the parameters of the step to the numbers of the bulk."""
        return _exact_parameters.exact_map(self.is_odd, self.step.labels)

    def bulk(self, has_width):
        """Return the averages over the bulk."""
        found = _exact_equations.exact_bulk(self.is_odd, self.step.labels)
        return found if has_width else found.limit()

    @computed_once
    def assumptions(self):
        """Return the assumptions of the theory of the real network."""
        if self.step.labels != REGRESSION:
            return ()
        return (Assumption(lambda v: v["noise_variance"] == 0.0 or self.is_odd or v["eta"] == 0.0,
                           lambda v: "label noise in the first batch of a student that is not odd: the equations are "
                           "those without noise with noisy labels in all averages, and were not compared with "
                           "networks"),)

    def floats(self, shown, parameters, digits=0):
        """Return the quantities of the layer that the equations need in double precision, by name."""
        step = self.step.floats({n: shown[n] for n in self.names}, parameters, digits)
        return {**step, **self._of_bulk({**shown, **step})}

    def _of_bulk(self, shown):
        student, target, width = self.step.student, self.step.target, shown.get("width", math.inf)
        if width < math.inf:
            require_slope(target)
        if student.parity == "even":
            raise DomainError(f"width: student {student.name!r} is even; units without a linear part depend on "
                              "the bulk by the mean norm of its rows alone, and at a width by its covariance, which "
                              "bulk='exact' lacks for them: expected no width, or bulk='isotropic'")
        if not self.is_odd and shown["eta"] > 0.0 and math.isinf(shown["alpha0"]) and shown["gamma"] == 0.0:
            raise DomainError(f"alpha0: got inf, where the gradient of {target.name!r}, which has no linear part, "
                              f"has no direction; with bulk='exact' student {student.name!r}, which is not odd, "
                              "needs one: expected a finite alpha0, or bulk='isotropic'")
        key = tuple(shown[n] for n in self.names)
        if key not in self._last:                 # a curve uses one step many times
            found, error = self.map.floats(dict(zip(self.names, key)), self.step.functions, self.step.settled)
            if not error <= 1e-12:
                raise LostDigitsError(f"student: the moments of {student.name!r} or {target.name!r} could "
                                      "not be computed in double precision; use precise()")
            if not all(map(math.isfinite, found.values())):
                raise DomainError(f"target: got {target.name!r}, which gives the gradient of "
                                  f"{student.name!r} no direction; bulk='exact' needs one: expected another "
                                  "target, label noise, or bulk='isotropic'")
            self._last = {key: found}
        of_step = ("r", "c", "gamma", "rho")
        return {**{n: v for n, v in self._last[key].items() if n not in of_step}, "inverse_width": 1.0 / width}

    def numbers(self, parameters, numbers, has_width):
        """Return the same in a number system, by symbol."""
        s, width = _exact_equations.symbols(), parameters.get("width")
        found = self.map.numbers(self.step.given(parameters), numbers, self.step.functions)
        is_finite = width is not None and width != math.inf
        inverse = 1 / numbers.number(width) if is_finite else numbers.number(0)
        # without a step any direction is one of the spike: the same as in doubles
        return {s.inverse_width: inverse, **{getattr(s, n): v for n, v in found.items()},
                **self.step.numbers(parameters, numbers, False)}

    def derivatives(self, parameter, shown):
        """Return the derivatives of the parameters of the equations by one of the theory, by name."""
        limit = {n: v for n, v in shown.items() if n != "width"}
        rates = self.step.derivatives(parameter, limit)
        if parameter not in self.names:
            return rates
        moved = self.map.derivatives(parameter, limit, self.step.functions, self.step.settled)
        moved = {n: v for n, v in moved.items() if n not in ("r", "c", "gamma", "rho")}
        return rates | moved


class ExactRidge(RidgeEquations):
    """Solve the square loss over the bulk of a real step; the kernels have a width, which may be infinite."""

    is_torn_path, roots = True, ("deviation",)

    def __init__(self, functions, layer):
        super().__init__(functions, True)
        self.layer = layer

    @computed_once
    def channel(self):
        return _equations.SquareLoss(self.layer.bulk(True))

    @computed_once
    def system(self):
        return _exact_equations.exact_system(self.layer.is_odd).with_(functions=self.functions)

    @property
    def program(self):
        return _exact_equations.exact_program(self.layer.is_odd)

    @computed_once
    def kernel(self):
        from ...generated.one_step import exact, exact_odd
        module = exact_odd if self.layer.is_odd else exact
        start = _exact_module.IsotropicStart(self.functions["student"], self.functions["target"])
        deviation = module.TABLE_PARAMETERS.index("deviation")

        def levels_at(table_parameters, levels):
            """Return the refinement levels: without noise quadrature is one-dimensional and may be as fine as any."""
            return len(OUTER_STEPS) if table_parameters[deviation] == 0.0 else levels

        # the multipliers of the bulk are excluded from the error estimate
        return Kernel(module, SolverOptions(
            guess_start=start, guess_closer_start=_exact_module.NearBulk(start, self.layer.is_odd),
            continuation_parameter="lam",
            levels_at=levels_at, other_starts=(dict.fromkeys(module.TORN, 1.0),), auxiliary=MULTIPLIERS))

    def tangent(self, rates, point):
        return super().tangent({**rates, "deviation": rates.get("noise_variance", 0.0)}, point)


def make_convex(functions, readout, case, layer):
    """Return the equations of a convex loss over a real bulk, started from the solution over the isotropic one."""
    begin = _convex.ConvexEquations(functions, readout, case._replace(has_width=False), _equations.isotropic())
    start = _exact_module.IsotropicStart(functions["student"], functions["target"], lambda: begin.kernel)
    return _convex.ConvexEquations(functions, readout, case, layer.bulk(case.has_width), start)
