r"""Ridge regression without a penalty: the limit :math:`\lambda\to0` of the square loss.

With more samples than independent features the equations hold at 0 itself.  With fewer the readout interpolates: the
responses V grow like :math:`1/\lambda` and their conjugates vanish like :math:`\lambda`: as soon as :math:`\lambda` is
small enough the 1 in :math:`1+V` is lost in rounding.  Smaller penalties only rescale these unknowns: the equations are
solved at one such penalty, and infinities and zeros are put in place of what diverges or vanishes.  With as many
samples as features the test error is infinite.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ConvergenceError, DomainError
from .declaration import Parameter

if TYPE_CHECKING:
    from ..activations import Activation
    from ..annotations import Bools, Floats
    from .declared import Point, S

__all__ = ["PENALTY", "Penalty", "Ridgeless", "Starts", "finer", "is_affine", "place", "required", "settle"]

#: the penalty that replaces 0, for features of size 1: 1 + V rounds to V in double precision
PENALTY = 2.0**-160
#: accepted relative error of the limit in double precision
_REACHED = 1e-12
#: digits up to which a solution in doubles can be the start: beyond, exponents leave the range of doubles
_MOST_DIGITS = 80


@dataclass(frozen=True, repr=False)
class Penalty(Parameter):
    """Declare a penalty that may be 0, which means the limit from above."""

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "ends", (0.0, self.ends[1]))

    def check(self, value: object) -> Any:
        if _is_zero(value):
            return 0.0
        try:
            return super().check(value)
        except DomainError as error:
            raise DomainError(f"{error}, or 0 for the limit without a penalty") from None

    @property
    def expectation(self) -> str:
        return f"{super().expectation} (0: the limit without a penalty)"

    def required(self) -> Parameter:
        """Return the same parameter without that limit."""
        return Parameter(self.symbol, self.meaning, self.domain, self.default)


def _is_zero(value):
    """Return whether a number, or a text of one, is exactly 0, and not merely rounded to 0 as a double."""
    try:
        exact = Decimal(value) if isinstance(value, str) else value
        return not isinstance(value, bool) and float(exact) == 0.0 and bool(exact == 0)
    except (TypeError, ValueError, ArithmeticError):        # texts such as 1/10, and what the domain refuses
        return False


def is_affine(function: Activation) -> bool:
    """Return whether a function is affine: features made by it are at most as many as its inputs."""
    polynomial = function.expr.as_poly(function.symbol)
    return polynomial is not None and polynomial.degree() <= 1


def required(parameters):
    """Return the parameters of a theory that needs a penalty."""
    return tuple(p.required() if isinstance(p, Penalty) else p for p in parameters)


@dataclass(frozen=True)
class Ridgeless:
    """Describe the limit of a theory without a penalty.

    Parameters
    ----------
    excess : callable
        ``excess(values, point)``: samples minus independent features, in any unit, from numbers (or arrays of them) by
        name; NaN if no limit is known.  The point (None for an initial guess) holds the array arguments.
    fewer, more : dict of str to int
        With fewer samples than features, and with more: the power of the penalty that an output scales with, unless 0.
    size : float
        Rough squared size of the features: the unit of the penalty.
    lost : callable, optional
        ``lost(outputs, values)``: with fewer samples, the relative error of the limit at the penalty that replaces 0.
    unknown : str
        Why no limit is known if the excess is NaN, for the error message.
    """

    excess: Callable[[Mapping[str, Any], Point | None], Any]
    fewer: Mapping[str, int]
    more: Mapping[str, int] = field(default_factory=dict)
    size: float = 1.0
    lost: Callable[[Mapping[str, Any], Mapping[str, Any]], Any] | None = None
    unknown: str = ""

    @property
    def penalty(self) -> float:
        """Return the penalty that replaces 0."""
        return PENALTY * self.size

    def powers(self, point: Point) -> Mapping[str, int]:
        """Return the powers of the penalty that outputs scale with at one point.

        Raises
        ------
        DomainError
            If there is no limit.
        """
        excess = float(self.excess(point.shown, point))
        if excess == 0.0:
            raise DomainError("lam: got 0 with as many samples as independent features, where the test error is "
                              "infinite; expected a positive number, or more samples, or fewer")
        if math.isnan(excess):
            raise DomainError(f"lam: got 0 with {self.unknown}; expected a positive number")
        return self.fewer if excess < 0.0 else self.more

    def misses(self, outputs: Mapping[str, Floats], values: Mapping[str, Floats], point: Point) -> Bools:
        """Return a mask of the points without a penalty that have no limit, or none that double precision reaches."""
        is_zero = self._is_zero(values, outputs["residual"])
        if not is_zero.any():
            return is_zero
        excess = self.excess(values, point)
        wrong = (excess == 0.0) | np.isnan(excess)
        if self.lost is not None:
            with np.errstate(all="ignore"):
                wrong = wrong | (excess < 0.0) & ~(self.lost(outputs, values) <= _REACHED)
        return is_zero & wrong

    def say(self, outputs: Mapping[str, Floats], values: Mapping[str, Floats], point: Point) -> None:
        """Write the limits into arrays of outputs, with the residual among them, where the penalty is 0."""
        is_zero = self._is_zero(values, outputs["residual"])
        if not is_zero.any():
            return
        excess, misses = self.excess(values, point), self.misses(outputs, values, point)
        for powers, here in ((self.fewer, is_zero & (excess < 0.0)), (self.more, is_zero & (excess > 0.0))):
            for name in powers.keys() & outputs.keys():
                outputs[name][here] = _limit(outputs[name][here], powers[name])
        for column in outputs.values():
            column[misses] = np.nan

    def starts(self, torn: tuple[str, ...], points: Mapping[str, Floats]) -> dict[str, Floats]:
        """Return starts of Newton's method without a penalty, by unknown; NaN at points that have one."""
        scale = self.penalty / self.size
        few = self._is_zero(points, points["lam"]) & (self.excess(points, None) < 0.0)
        return {u: np.where(few, scale ** self.fewer.get(u, 0), np.nan) for u in torn}

    def _is_zero(self, values, like):
        """Return a mask of the points without a penalty, in the shape of another array."""
        return np.broadcast_to(values["lam"] == self.penalty, np.shape(like))


def _limit(value, power):
    """Replace a number that vanishes or diverges by 0 or infinity; for floats, arrays and mpmath numbers."""
    return value if not power else value * math.inf if power < 0 else value * 0.0 + 0.0     # no zero has a sign


class Starts:
    """Return starts of a kernel: those of the limit without a penalty, elsewhere the usual ones."""

    def __init__(self, limit: Ridgeless, usual: Mapping[str, float]) -> None:
        self.limit, self.usual = limit, usual

    def __call__(self, points: Mapping[str, Floats]) -> dict[str, Any]:
        if not (points["lam"] == self.limit.penalty).any():
            return {}
        without = self.limit.starts(tuple(self.usual), points)
        return {u: np.where(np.isnan(without[u]), usual, without[u]) for u, usual in self.usual.items()}


def place(values: tuple[float, ...], names: tuple[str, ...], limit: Ridgeless) -> tuple[float, ...]:
    """Return the parameters in order, with a penalty of 0 replaced by the tiny one."""
    return tuple(limit.penalty if name == "lam" and value == 0.0 else value for name, value in zip(names, values))


def settle(limit: Ridgeless, verb: str, solution: S, point: Point, digits: int = 0) -> S:
    """Return the solution of a method in the limit of no penalty, with its zeros and infinities."""
    powers = limit.powers(point)
    raw = {**solution.order_parameters, **solution.observables}
    reached = 10.0**-digits if digits else _REACHED
    if powers is limit.fewer and limit.lost is not None and not limit.lost(raw, point.shown) <= reached:
        raise ConvergenceError(f"{verb}: lam = 0 is not reached: without a penalty the errors come from the few "
                               "samples at which the features hardly vary; expected lam > 0", solution)
    found, seen = ({n: _limit(v, powers.get(n, 0)) for n, v in of.items()}
                   for of in (solution.order_parameters, solution.observables))
    # the scale of an observable that vanishes is the largest observable
    largest = max((abs(float(v)) for v in seen.values()), default=0.0)
    scale = solution.scale | {n: largest for n in seen if powers.get(n, 0) > 0}
    return replace(solution, order_parameters=found, observables=seen, scale=scale)


def finer(limit: Ridgeless, point: Point, starts: list[Any], digits: int) -> tuple[Fraction, list[Any]]:
    """Return the penalty that replaces 0 at this many digits, and starts there made of those in doubles.

    Raises
    ------
    DomainError
        For more digits than starts in doubles allow.
    """
    if digits > _MOST_DIGITS:
        raise DomainError(f"digits: got {digits} with lam = 0; expected at most {_MOST_DIGITS}, or lam > 0")
    powers, bits = limit.powers(point), 4 * digits
    diverging = {n: p for n, p in powers.items() if p < 0}

    def scaled(numbers, powers):
        return numbers and {n: math.ldexp(v, -bits * powers.get(n, 0)) for n, v in numbers.items()}

    # the uncertainty of a start has a floor, so that it is rescaled only where unknowns diverge
    return Fraction(limit.penalty) / 2**bits, [(scaled(start, powers), scaled(near, diverging), scaled(sizes, powers))
                                               for start, near, sizes in starts]
