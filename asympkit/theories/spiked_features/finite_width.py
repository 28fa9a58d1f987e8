"""Spiked features at a finite width, ``width=p``."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from ...once import computed_once
from ...sensitivity.run import Tangent, check_parameter, tangent_kernel
from ...solve.kernel import Kernel, SolverOptions
from .equations import SquareLoss, finite_width_program, finite_width_system, free_energy, isotropic_at_width, symbols
from .no_penalty import starts
from .theory import SpikedFeatures

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Self

    from sympy import Expr, Symbol

    from ...equations.system import System
    from ...program.names import Names
    from ...program.statements import Program
    from ..declared import Point

__all__ = ["AtWidth", "FiniteWidthFeatures"]


class AtWidth(SpikedFeatures):
    """Base of spiked features with p hidden units; subclasses define the tilt of the spike by the initial output."""

    @classmethod
    def of(cls, theory: SpikedFeatures) -> Self:
        """Return the theory of the same student and target."""
        model = object.__new__(cls)
        model.functions = theory.functions
        return model

    @property
    def applied_free_energy(self) -> Expr:
        return free_energy(SquareLoss(isotropic_at_width()))

    @computed_once
    def system(self) -> System:
        return finite_width_system().with_(functions=self.functions)

    @property
    def program(self) -> tuple[Program, Names]:
        return finite_width_program()

    @property
    def kernel(self) -> Kernel:
        return _kernel()

    def regime(self, method: str, keywords: Mapping[str, Any]) -> AtWidth:
        return self

    def tilt(self, shown: Mapping[str, float]) -> float:
        """Return the tilt of the spike by the initial output at a point, which is 0 without a step."""
        return 0.0

    def _point(self, shown, table, assumptions):
        point = super()._point(shown, table, assumptions)
        return point._replace(values=(*point.values, 1.0 / shown["width"], self.tilt(shown)))

    def precise_values(self, parameters: Mapping[str, Any], numbers: Any) -> dict[Symbol, Any]:
        s, width = symbols(), numbers.number(parameters["width"])
        return {**super().precise_values(parameters, numbers), s.inverse_width: 1 / width, s.tilt: numbers.number(0)}

    def derivatives(self, parameter: str, parameters: Mapping[str, Any], point: Point) -> dict[str, float]:
        if parameter == "width":
            return {"inverse_width": -1.0 / point.shown["width"] ** 2}
        return super().derivatives(parameter, parameters, point)

    def tangent(self, parameter: str, parameters: Mapping[str, Any], point: Point) -> Tangent:
        check_parameter(parameter, self.smooth, self.name)
        return Tangent(self._tangent_kernel,
                       tangent_values(self, self.derivatives(parameter, parameters, point), point))

    @computed_once
    def _tangent_kernel(self):
        from ...generated.spiked_features import finite_width_tangent

        return tangent_kernel(finite_width_tangent, self)


class FiniteWidthFeatures(AtWidth):
    """Solve :class:`~asympkit.SpikedFeatures` with p hidden units."""

    smooth = (*SpikedFeatures.smooth, "width")
    table_names = (*SpikedFeatures.table_names, "width")     # the program has its inverse


def tangent_values(model, rates, point):
    """Return the parameters of a tangent kernel: those of the point, then their derivatives."""
    values = dict(zip(model.kernel.module.PARAMETERS, point.values))
    if not rates.get("gamma") and not rates.get("rho"):
        values["rho"] = 1.0               # only divides derivatives that are zero; the tables have the true value
    return (*values.values(), *(rates.get(n, 0.0) for n in values))


@cache
def _kernel():
    """Return the kernel, which all students and targets share."""
    from ...generated.spiked_features import finite_width
    return Kernel(finite_width, SolverOptions(guess_start=starts))
