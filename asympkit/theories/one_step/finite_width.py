"""One gradient step over an isotropic bulk, at a finite width."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import DomainError
from ..spiked_features.equations import symbols
from ..spiked_features.finite_width import AtWidth
from . import ARGUMENTS
from .exact_parameters import tilt_map
from .theory import OneStep

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from sympy import Symbol

    from ..declared import Point

__all__ = ["FiniteWidthStep", "require_slope"]


class FiniteWidthStep(AtWidth, OneStep):
    """Solve :class:`~asympkit.OneStep` with p hidden units, including the tilt of the spike by the initial output."""

    smooth = (*OneStep.smooth, "width")
    table_names = (*ARGUMENTS, "width")     # the program has its inverse

    def tilt(self, shown: Mapping[str, float]) -> float:
        require_slope(self.target)
        found, _ = tilt_map().floats({n: shown[n] for n in ARGUMENTS}, self.functions, self._settled)
        return found["tilt"]

    def precise_values(self, parameters: Mapping[str, Any], numbers: Any) -> dict[Symbol, Any]:
        s, found = symbols(), tilt_map().numbers(self._of_step(parameters), numbers, self.functions)
        return {**super().precise_values(parameters, numbers), s.tilt: found["tilt"]}

    def derivatives(self, parameter: str, parameters: Mapping[str, Any], point: Point) -> dict[str, float]:
        rates = super().derivatives(parameter, parameters, point)
        if parameter not in ARGUMENTS:
            return rates
        return rates | tilt_map().derivatives(parameter, point.shown, self.functions, self._settled)


def require_slope(target):
    """Raise for a target that jumps: its mean slope, which the tilt needs, contains a point mass."""
    if target.jumps:
        raise DomainError(f"target: got {target.name!r}, which jumps at {target.jumps[0][0]}; with a width a gradient "
                          "step needs a target without jumps: leave out the width, or smooth the target")
