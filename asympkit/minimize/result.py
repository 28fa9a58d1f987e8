"""``Minimum``: where a quantity is smallest in one parameter."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ..summary import Html, headed, name, short, table

if TYPE_CHECKING:
    from typing import Any

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
    parameters : dict
        The others, as given.
    along : tuple of str
        Which of them are arrays.
    """

    quantity: str
    over: str
    value: float | Floats
    argmin: float | Floats
    at_bound: bool | Bools
    converged: bool | Bools
    iterations: int
    solution: Solution[float] | None = None
    parameters: dict[str, Any] = field(default_factory=dict)
    along: tuple[str, ...] = ()

    def plot(self, over: str | None = None, ax: Any = None, **style: Any) -> Any:
        """Draw the curve of minima: the smallest value, and below it where it is taken.

        Minima at an end of the interval have open markers; those that were not found are left out and marked.

        Parameters
        ----------
        over : str, optional
            Which of two arrays of parameters is the horizontal axis; the last unless given.
        ax : matplotlib axes, optional
            To draw on: two, or one that is divided.
        **style
            Passed to matplotlib.

        Returns
        -------
        ndarray of two matplotlib axes

        Raises
        ------
        DomainError
            For a single minimum.
        NotAvailableError
            Without matplotlib.
        """
        from ..pictures.optima import draw_minimum

        return draw_minimum(self, over, ax, style)

    def __repr__(self) -> str:
        if np.ndim(self.value) == 0:
            return f"<Minimum: {self}>"
        good, ends = int(np.sum(self.converged)), int(np.sum(self.at_bound))
        return (f"<Minimum of {self.quantity} over {self.over}, {good} of {np.size(self.value)} points converged, "
                f"{ends} at a bound: value {short(self.value)}, argmin {short(self.argmin)}>")

    def _repr_html_(self) -> str:
        rows = [(f"smallest {self.quantity}", self.value), (Html(f"at {name(self.over)}"), self.argmin),
                ("at a bound", int(np.sum(self.at_bound))), ("converged", int(np.sum(self.converged)))]
        return headed("Minimum", table(rows))

    def __str__(self) -> str:
        where = " (a bound of the interval)" if self.at_bound is True else ""
        return f"smallest {self.quantity} {self.value} at {self.over} = {self.argmin}{where}"
