"""``Minimum`` and ``Maximum``: where a quantity is smallest or largest in one parameter; ``Optimum``: in several."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..annotations import Bools, Floats
    from ..solve.solution import Solution


@dataclass(frozen=True)
class Minimum:
    """The smallest value of a quantity over an interval of one parameter.

    With parameters that are arrays every field is an array of their broadcast shape: a curve of optimal
    parameters.

    Attributes
    ----------
    quantity, over : str
    value : float or ndarray
        The smallest value.
    argmin : float or ndarray
        Where it is taken.
    at_bound : bool or ndarray
        Whether that is an end of the interval: the quantity still falls beyond it.
    converged : bool or ndarray
        Whether the derivative was brought to zero (or points outwards at a bound), and nothing lower was seen.
    iterations : int
        Evaluations of quantity and derivative, all points together.
    solution : Solution or None
        At the minimum; None where there are several points.
    """

    quantity: str
    over: str
    value: float | Floats
    argmin: float | Floats
    at_bound: bool | Bools
    converged: bool | Bools
    iterations: int
    solution: Solution[float] | None = None

    def __str__(self) -> str:
        where = " (a bound of the interval)" if self.at_bound is True else ""
        return f"smallest {self.quantity} {self.value} at {self.over} = {self.argmin}{where}"


@dataclass(frozen=True)
class Maximum:
    """The largest value of a quantity over an interval of one parameter.

    Attributes
    ----------
    quantity, over : str
    value : float or ndarray
        The largest value.
    argmax : float or ndarray
        Where it is taken.
    at_bound, converged, iterations, solution
        As of a :class:`Minimum`.
    """

    quantity: str
    over: str
    value: float | Floats
    argmax: float | Floats
    at_bound: bool | Bools
    converged: bool | Bools
    iterations: int
    solution: Solution[float] | None = None

    def __str__(self) -> str:
        where = " (a bound of the interval)" if self.at_bound is True else ""
        return f"largest {self.quantity} {self.value} at {self.over} = {self.argmax}{where}"


@dataclass(frozen=True)
class Optimum:
    """The smallest (or largest) value of a quantity over intervals of several parameters.

    With other parameters that are arrays every number is an array of their broadcast shape.

    Attributes
    ----------
    quantity : str
    over : tuple of str
    value : float or ndarray
    place : dict of str to (float or ndarray)
        Where it is taken, by parameter.
    at_bound : dict of str to (bool or ndarray)
        Whether that is an end of the interval of the parameter.
    converged : bool or ndarray
        Whether the gradient was brought to zero (or points outwards at bounds), and nothing better was seen.
    is_largest : bool
        Whether the largest value was asked for.
    iterations : int
        Evaluations of quantity and gradient, all points together.
    solution : Solution or None
        At the optimum; None where there are several points.
    """

    quantity: str
    over: tuple[str, ...]
    value: float | Floats
    place: dict[str, float | Floats]
    at_bound: dict[str, bool | Bools]
    converged: bool | Bools
    is_largest: bool
    iterations: int
    solution: Solution[float] | None = None

    def __str__(self) -> str:
        kind = "largest" if self.is_largest else "smallest"
        where = ", ".join(f"{n} = {v}{' (a bound)' if self.at_bound[n] is True else ''}" for n, v in self.place.items())
        return f"{kind} {self.quantity} {self.value} at {where}"
