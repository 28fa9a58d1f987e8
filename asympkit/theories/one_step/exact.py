"""The real network after one gradient step: ``OneStep(..., bulk="exact")``.

The real network of an even student after one gradient step, in the limit: the bulk does not matter.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ...continuation.equations import TornEquations
from ...errors import DomainError, LostDigitsError
from ...once import computed_once
from ...runtime.rules import OUTER_STEPS
from ...sensitivity.complex_step import ComplexStep
from ...sensitivity.run import Tangent, check_parameter, tangent_kernel
from ...solve.kernel import Kernel, SolverOptions
from ..declaration import Assumption
from ..spiked_features.equations import SquareLoss, free_energy
from ..spiked_features.theory import common_precise, involves_parameter
from . import ARGUMENTS
from .exact_equations import exact_bulk, exact_program, exact_system, symbols
from .exact_module import IsotropicStart, NearBulk, module_source
from .exact_parameters import exact_map
from .finite_width import require_slope
from .theory import OneStep

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from sympy import Expr, Symbol

    from ...equations.system import System
    from ...program.names import Names
    from ...program.statements import Program
    from ..declared import Point

__all__ = ["ExactStep"]

#: multipliers of the bulk
MULTIPLIERS = ("bhat", "uhat", "what", "ghat", "chihat")


class EvenStep(OneStep):
    r"""Solve the exact bulk of an even student with the equations of the isotropic one, which are the same.

    There is no spike, :math:`\mu_1=0`, and so :math:`\hat V_1=0`: :math:`S=\lambda+\hat V_2` whatever the spectrum is.
    The means of the units do not depend on :math:`\kappa`, nor do their derivatives by the norms of rows, which a
    readout of the mean then has at no cost.  What remains is the mean squared norm c, the same for both.
    """

    name = "one step, exact bulk"

    @classmethod
    def of(cls, theory: OneStep) -> EvenStep:
        """Return the theory of the same student and target."""
        model = object.__new__(cls)
        model.functions = theory.functions
        return model

    def regime(self, method: str, keywords: Mapping[str, Any]) -> EvenStep:
        return self

    @computed_once
    def assumptions(self) -> tuple[Assumption, ...]:
        """Return no assumptions: nothing is idealised."""
        return ()


class ExactStep(OneStep):
    """Solve :class:`~asympkit.OneStep` with the bulk that the step really makes, in the limit or at a width."""

    name = "one step, exact bulk"
    smooth = (*OneStep.smooth, "width")
    table_names = (*ARGUMENTS, "width")     # the program has its inverse

    @property
    def is_odd(self) -> bool:
        """Return whether the equations of odd students hold: by a proof, not on points."""
        return self.student.parity == "odd"

    @property
    def applied_free_energy(self) -> Expr:
        return free_energy(SquareLoss(exact_bulk(self.is_odd)))

    @computed_once
    def system(self) -> System:
        return exact_system(self.is_odd).with_(functions=self.functions)

    @property
    def program(self) -> tuple[Program, Names]:
        return exact_program(self.is_odd)

    @computed_once
    def kernel(self) -> Kernel:
        from ...generated.one_step import exact, exact_odd
        module, start = exact_odd if self.is_odd else exact, IsotropicStart(self.student, self.target)
        deviation = module.TABLE_PARAMETERS.index("deviation")

        def levels_at(table_parameters, levels):
            """Return the refinement levels: without noise quadrature is one-dimensional and may be as fine as any."""
            return len(OUTER_STEPS) if table_parameters[deviation] == 0.0 else levels

        # the multipliers of the bulk are excluded from the error estimate
        return Kernel(module, SolverOptions(
            guess_start=start, guess_closer_start=NearBulk(start, self.is_odd), continuation_parameter="lam",
            levels_at=levels_at, other_starts=(dict.fromkeys(module.TORN, 1.0),), auxiliary=MULTIPLIERS))

    def regime(self, method: str, keywords: Mapping[str, Any]) -> OneStep:
        has_width = involves_parameter("width", method, keywords)       # a simulation does not support it
        return self if has_width or self.student.parity != "even" else self.even

    @computed_once
    def even(self) -> EvenStep:
        """Return the theory of the same student, which is even, in the limit."""
        return EvenStep.of(self)

    # -- points -----------------------------------------------------------------------------------

    @computed_once
    def batch(self) -> FirstBatch:
        """Return the numbers of the bulk."""
        return FirstBatch(self, self.is_odd)

    def _point(self, shown, table, assumptions):
        point = super()._point(shown, table, assumptions)
        numbers = {**shown, **self.batch.numbers(shown)}
        names = self.kernel.module
        return point._replace(values=tuple(numbers[n] for n in names.PARAMETERS),
                              table_parameters=tuple(numbers[n] for n in names.TABLE_PARAMETERS))

    def precise_values(self, parameters: Mapping[str, Any], numbers: Any) -> dict[Symbol, Any]:
        return {**common_precise(parameters, numbers), **self.batch.precise(parameters, numbers)}

    # -- derivatives ------------------------------------------------------------------------------

    def derivatives(self, parameter: str, parameters: Mapping[str, Any], point: Point) -> dict[str, float]:
        if parameter == "width":
            if "width" not in point.shown:
                raise DomainError("width: got None, the limit; a derivative by the width needs a number")
            return {"inverse_width": -1.0 / point.shown["width"] ** 2}
        return super().derivatives(parameter, parameters, point) | self.batch.derivatives(parameter, point.shown)

    def tangent(self, parameter: str, parameters: Mapping[str, Any], point: Point) -> Tangent:
        check_parameter(parameter, self.smooth, self.name)
        rates = {**self.derivatives(parameter, parameters, point), "deviation": float(parameter == "noise_variance")}
        names = self.kernel.module
        table = (*point.table_parameters, *(rates.get(n, 0.0) for n in names.TABLE_PARAMETERS))
        return Tangent(self._tangent_kernel, (*point.values, *(rates.get(n, 0.0) for n in names.PARAMETERS)), table)

    def equations_of_path(self, over: str, parameters: Mapping[str, Any], first: Point, last: Point) -> TornEquations:
        return TornEquations(self, over, parameters, first, last)

    @computed_once
    def _tangent_kernel(self):
        return tangent_kernel(ComplexStep(self.kernel.module, ("deviation",)), self)

    @computed_once
    def assumptions(self) -> tuple[Assumption, ...]:
        """Return the assumptions of the theory of the real network."""
        return (Assumption(lambda v: v["noise_variance"] == 0.0 or self.is_odd or v["eta"] == 0.0,
                           lambda v: "label noise in the first batch of a student that is not odd: the equations are "
                           "those without noise with noisy labels in all averages, and were not compared with "
                           "networks"),)

    def default_check_digits(self, parameters: Mapping[str, Any]) -> int:
        # label noise needs a rule in two variables, and students that are not odd have many more averages
        noise = parameters.get("noise_variance", 0) not in (0, 0.0)
        return 8 if noise and parameters.get("eta") else 40 if self.is_odd else 15

    def source(self) -> str:
        return self.even.source() if self.student.parity == "even" else module_source(self)


class FirstBatch:
    """Give the numbers of the bulk that a real step makes.

    Parameters
    ----------
    theory : OneStep
        With ``first_labels`` and ``step_arguments``.
    is_odd : bool
        Whether the equations are those of odd students.
    """

    def __init__(self, theory: OneStep, is_odd: bool) -> None:
        self.theory, self.is_odd = theory, is_odd
        self.map = exact_map(self.is_odd, theory.first_labels)
        self._last: dict[Any, Any] = {}

    def numbers(self, shown: Mapping[str, float]) -> dict[str, float]:
        """Return the numbers in double precision, by name, with that of the width."""
        student, target = self.theory.student, self.theory.target
        if "width" in shown:
            require_slope(target)
        if student.parity == "even":
            raise DomainError(f"width: student {student.name!r} is even; units without a linear part depend on "
                              "the bulk by the mean norm of its rows alone, and at a width by its covariance, which "
                              "bulk='exact' lacks for them: expected no width, or bulk='isotropic'")
        if not self.is_odd and _has_no_direction(shown):
            raise DomainError(f"alpha0: got inf, where the gradient of {target.name!r}, which has no linear part, "
                              f"has no direction; with bulk='exact' student {student.name!r}, which is not odd, "
                              "needs one: expected a finite alpha0, or bulk='isotropic'")
        key = tuple(shown[n] for n in self.theory.step_arguments)
        if key not in self._last:                 # a curve uses one step many times
            found, error = self.map.floats(dict(zip(self.theory.step_arguments, key)), self.theory.functions,
                                           self.theory._settled)
            if not error <= 1e-12:
                raise LostDigitsError(f"student: the moments of {student.name!r} or {target.name!r} could "
                                      "not be computed in double precision; use precise()")
            if not all(map(math.isfinite, found.values())):
                raise DomainError(f"target: got {target.name!r}, which gives the gradient of "
                                  f"{student.name!r} no direction; bulk='exact' needs one: expected another "
                                  "target, label noise, or bulk='isotropic'")
            self._last = {key: found}
        return {**self._last[key], "inverse_width": 1.0 / shown["width"] if "width" in shown else 0.0}

    def precise(self, parameters: Mapping[str, Any], numbers: Any) -> dict[Symbol, Any]:
        """Return the same in a number system, by symbol."""
        s, width = symbols(), parameters.get("width")
        found = self.map.numbers(self.theory._of_step(parameters), numbers, self.theory.functions)
        inverse = numbers.number(0) if width is None else 1 / numbers.number(width)
        return {s.inverse_width: inverse, **{getattr(s, n): v for n, v in found.items()}}

    def derivatives(self, parameter: str, shown: Mapping[str, float]) -> dict[str, float]:
        """Return derivatives of the numbers of the bulk alone."""
        if parameter in ("alpha", "lam"):
            return {}
        moved = self.map.derivatives(parameter, shown, self.theory.functions, self.theory._settled)
        return {n: v for n, v in moved.items() if n not in ("r", "c", "gamma", "rho")}


def _has_no_direction(shown):
    """Return whether the population gradient has no spike; otherwise its overlap is one."""
    return shown["eta"] > 0.0 and math.isinf(shown["alpha0"]) and shown["gamma"] == 0.0
