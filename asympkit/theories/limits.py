r"""Solve a theory in the limit of a parameter that goes to 0.

Some unknowns diverge there and others vanish, each like a power of the parameter; as soon as it is small enough,
smaller values only rescale these.  The equations are solved at one such value, which is put in place of 0, and
infinities and zeros are put in place of what diverges or vanishes.  A theory declares such a limit as its attribute
``limit``; the points of a theory carry it to the engine.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..errors import ConvergenceError, DomainError

if TYPE_CHECKING:
    from ..annotations import Bools, Floats
    from .declared import Point, S

#: what stands for 0, in units of ``Limit.size``: 1 + 1/x rounds to 1/x in double precision
STAND_IN = 2.0**-160
#: accepted relative error of the limit in double precision
_REACHED = 1e-12
#: digits up to which a solution in doubles can be the start: beyond, exponents leave the range of doubles
_MOST_DIGITS = 80


@dataclass(frozen=True)
class Limit:
    """Describe the limit of a theory in which one parameter goes to 0."""

    #: ``excess(values, point)``: negative on one side of a border and positive on the other, from numbers (or arrays of
    #: them) by name; 0 if there is no limit, and NaN if none is known.  The point (None for an initial guess) holds the
    #: array arguments.  Points go to other processes, and this function with them.
    excess: Callable[[Mapping[str, Any], Point | None], Any]
    #: where the excess is negative, and positive: the power of the parameter that an output scales with, unless 0
    fewer: Mapping[str, int]
    more: Mapping[str, int] = field(default_factory=dict)
    #: the unit of the parameter
    size: float = 1.0
    #: ``lost(outputs, values)``: for a negative excess, the relative error of the limit at the value that replaces 0
    lost: Callable[[Mapping[str, Any], Mapping[str, Any]], Any] | None = None
    #: why no limit is known if the excess is NaN, for the error message
    unknown: str = ""

    #: name of the parameter
    parameter: ClassVar[str]
    #: messages: what holds where the excess is 0, and why the limit may be out of reach of double precision
    at_border: ClassVar[str]
    not_reached: ClassVar[str]

    @property
    def value(self) -> float:
        """Return the value that replaces 0."""
        return STAND_IN * self.size

    def powers(self, point: Point) -> Mapping[str, int]:
        """Return the powers of the parameter that outputs scale with at one point; DomainError if there is no limit."""
        excess = float(self.excess(point.shown, point))
        if excess == 0.0:
            raise DomainError(f"{self.parameter}: got 0 {self.at_border}")
        if math.isnan(excess):
            raise DomainError(f"{self.parameter}: got 0 with {self.unknown}; expected a positive number")
        return self.fewer if excess < 0.0 else self.more

    def require_rate(self, quantity: str, parameter: str, point: Point) -> None:
        """Raise if the derivative of a quantity by a parameter does not exist in the limit."""
        name = self.parameter
        if parameter == name:
            raise DomainError(f"{name}: got 0, the end of its domain; a derivative by {name} needs {name} > 0")
        if self.powers(point).get(quantity, 0):
            raise DomainError(f"{quantity}: vanishes or is infinite at {name} = 0, whatever {parameter} is: "
                              f"expected another quantity, or {name} > 0")

    def misses(self, outputs: Mapping[str, Floats], values: Mapping[str, Floats], point: Point) -> Bools:
        """Return a mask of the points in the limit that have none, or none that double precision reaches."""
        is_zero = self._is_zero(values, outputs["residual"])
        if not is_zero.any():
            return is_zero
        excess = self.excess(values, point)
        wrong = (excess == 0.0) | np.isnan(excess)
        if self.lost is not None:
            with np.errstate(all="ignore"):
                wrong = wrong | (excess < 0.0) & ~(self.lost(outputs, values) <= _REACHED)
        return is_zero & wrong

    def write_limits(self, outputs: Mapping[str, Floats], values: Mapping[str, Floats], point: Point) -> None:
        """Do as :meth:`settle` in place, for arrays of outputs, with the residual among them."""
        is_zero = self._is_zero(values, outputs["residual"])
        if not is_zero.any():
            return
        excess, misses = self.excess(values, point), self.misses(outputs, values, point)
        for powers, here in ((self.fewer, is_zero & (excess < 0.0)), (self.more, is_zero & (excess > 0.0))):
            for name in powers.keys() & outputs.keys():
                outputs[name][here] = _limit(outputs[name][here], powers[name])
        for column in outputs.values():
            column[misses] = np.nan

    def settle(self, method: str, solution: S, point: Point, digits: int) -> S:
        """Return the solution at a point in the limit, with its zeros and infinities."""
        powers = self.powers(point)
        raw = {**solution.order_parameters, **solution.observables}
        reached = 10.0**-digits if digits else _REACHED
        if powers is self.fewer and self.lost is not None and not self.lost(raw, point.shown) <= reached:
            raise ConvergenceError(f"{method}: {self.parameter} = 0 is not reached: {self.not_reached}", solution)
        found, seen = ({n: _limit(v, powers.get(n, 0)) for n, v in of.items()}
                       for of in (solution.order_parameters, solution.observables))
        # the scale of an observable that vanishes is the largest observable
        largest = max((abs(float(v)) for v in seen.values()), default=0.0)
        scale = solution.scale | {n: largest for n in seen if powers.get(n, 0) > 0}
        return replace(solution, order_parameters=found, observables=seen, scale=scale)

    def finer(self, point: Point, starts: list[Any], digits: int) -> tuple[Fraction, list[Any]]:
        """Return the value that replaces 0 at this many digits, and starts there made of those in doubles.

        DomainError for more digits than starts in doubles allow.
        """
        if digits > _MOST_DIGITS:
            raise DomainError(f"digits: got {digits} with {self.parameter} = 0; expected at most {_MOST_DIGITS}, or "
                              f"{self.parameter} > 0")
        powers, bits = self.powers(point), 4 * digits
        diverging = {n: p for n, p in powers.items() if p < 0}

        def scaled(numbers, powers):
            return numbers and {n: math.ldexp(v, -bits * powers.get(n, 0)) for n, v in numbers.items()}

        # the uncertainty of a start has a floor, so that it is rescaled only where unknowns diverge
        return Fraction(self.value) / 2**bits, [(scaled(start, powers), scaled(near, diverging), scaled(sizes, powers))
                                                for start, near, sizes in starts]

    def starts(self, usual: Mapping[str, float], points: Mapping[str, Floats]) -> dict[str, Floats]:
        """Return starts at points in the limit, the usual ones beside them, by unknown; an empty dict for none."""
        is_zero = self._is_zero(points, points[self.parameter])
        if not is_zero.any():
            return {}
        few = is_zero & (self.excess(points, None) < 0.0)
        return {u: np.where(few, STAND_IN ** self.fewer.get(u, 0), start) for u, start in usual.items()}

    def _is_zero(self, values, like):
        """Return a mask of the points in the limit, in the shape of another array."""
        return np.broadcast_to(values[self.parameter] == self.value, np.shape(like))


def _limit(value, power):
    """Replace a number that vanishes or diverges by 0 or infinity; for floats, arrays and mpmath numbers."""
    return value if not power else value * math.inf if power < 0 else value * 0.0 + 0.0     # no zero has a sign
