"""``Minimum``, ``Maximum`` and ``Optimum``: the results of a search over one parameter or several."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ..notation import Html, add_title, name, one_screen, summarise, table
from ..plot.curves import draw_optima

if TYPE_CHECKING:
    from typing import Any

    from ..annotations import Bools, Floats
    from ..solve.solution import Solution

__all__ = ["Extremum", "Maximum", "Minimum", "Optimum"]


@dataclass(frozen=True, repr=False)
class Extremum:
    """Hold the smallest or largest value of a quantity over intervals of parameters.

    With other parameters that are arrays every number is an array of their broadcast shape: a curve of optima.

    Attributes
    ----------
    quantity : str
    over : str or tuple of str
        The parameter that was chosen, or several.
    value : float or ndarray
        The smallest or largest value.
    where : float, ndarray, or dict of these by parameter
        The optimal parameters.
    at_bound : bool, ndarray, or dict of these by parameter
        Whether it is an end of the interval, beyond which the quantity goes on to fall (or to grow).
    converged : bool or ndarray
        Whether the derivatives vanish (or point outwards at a bound), and no better value was found.
    iterations : int
        Evaluations of quantity and derivatives, all points together.
    solution : Solution or None
        At the optimum; None for several points.
    parameters : dict
        The others, as given.
    along : tuple of str
        Which of them are arrays.
    """

    quantity: str
    over: Any
    value: float | Floats
    where: Any
    at_bound: Any
    converged: bool | Bools
    iterations: int
    solution: Solution[float] | None = None
    parameters: dict[str, Any] = field(default_factory=dict)
    along: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """Return ``"smallest"`` or ``"largest"``."""
        return "smallest"

    @property
    def places(self) -> dict[str, tuple[float | Floats, bool | Bools]]:
        """Return, by parameter, the optimal value, and whether it is an end of the interval."""
        return {self.over: (self.where, self.at_bound)}

    def plot(self, over: str | None = None, ax: Any = None, **style: Any) -> Any:
        """Draw the curve of optima: the value, and below it the optimal parameter.

        Optima at an end of the interval have open markers; those that were not found are left out and marked.

        Parameters
        ----------
        over : str, optional
            Which of two arrays of parameters is the horizontal axis; by default the last.
        ax : matplotlib axes, optional
            Where to draw: one for each panel, or (over one parameter) one that is divided.
        **style
            Passed to matplotlib.

        Returns
        -------
        ndarray of matplotlib axes
            Axes of the value, and one for each optimised parameter.

        Raises
        ------
        DomainError
            For a single optimum.
        NotAvailableError
            If matplotlib is not installed.
        """
        return draw_optima(self, over, ax, style)

    def __repr__(self) -> str:
        title = type(self).__name__
        if np.ndim(self.value) == 0:
            return one_screen(f"<{title}: {self}>")
        good, parts = int(np.sum(self.converged)), []
        for parameter, (where, at_bound) in self.places.items():
            parts.append(f"{parameter} {summarise(where)}, {int(np.sum(at_bound))} at a bound")
        return one_screen(f"<{title} of {self.quantity} over {', '.join(self.places)}, {good} of {np.size(self.value)} "
                          f"points converged: value {summarise(self.value)}; {'; '.join(parts)}>")

    def _repr_html_(self) -> str:
        rows: list[tuple[Any, ...]] = [(f"{self.kind} {self.quantity}", self.value)]
        for parameter, (where, at_bound) in self.places.items():
            rows += [(Html(f"at {name(parameter)}"), where), ("at a bound", int(np.sum(at_bound)))]
        return add_title(type(self).__name__, table([*rows, ("converged", int(np.sum(self.converged)))]))

    def __str__(self) -> str:
        where = ", ".join(f"{n} = {v}{' (a bound of the interval)' if at_bound is True else ''}"
                          for n, (v, at_bound) in self.places.items())
        return f"{self.kind} {self.quantity} {self.value} at {where}"


class Minimum(Extremum):
    """Hold the smallest value of a quantity over an interval of one parameter.

    Attributes
    ----------
    quantity, over : str
    value : float or ndarray
        The smallest value.
    argmin : float or ndarray
        The parameter at the minimum.
    at_bound : bool or ndarray
        Whether it is an end of the interval, beyond which the quantity still decreases.
    where, converged, iterations, solution, parameters, along
        As for ``Extremum``.
    """

    @property
    def argmin(self) -> float | Floats:
        found: float | Floats = self.where
        return found


class Maximum(Extremum):
    """Hold the largest value of a quantity over an interval of one parameter.

    Attributes
    ----------
    quantity, over : str
    value : float or ndarray
        The largest value.
    argmax, argmin : float or ndarray
        The parameter at the maximum; both names give it.
    where, at_bound, converged, iterations, solution, parameters, along
        As for :class:`Minimum`.
    """

    @property
    def argmax(self) -> float | Floats:
        found: float | Floats = self.where
        return found

    argmin = argmax

    @property
    def kind(self) -> str:
        return "largest"


@dataclass(frozen=True, repr=False)
class Optimum(Extremum):
    """Hold the smallest (or largest) value of a quantity over intervals of several parameters.

    Attributes
    ----------
    quantity : str
    over : tuple of str
    value : float or ndarray
    where, argmin, argmax : dict of str to (float or ndarray)
        The optimal parameters by name; ``argmax`` for the largest value only.
    at_bound : dict of str to (bool or ndarray)
        Whether each is an end of its interval.
    is_largest : bool
        Whether this is a maximum.
    converged, iterations, solution, parameters, along
        As for ``Extremum``.
    """

    is_largest: bool = False

    @property
    def kind(self) -> str:
        return "largest" if self.is_largest else "smallest"

    @property
    def argmin(self) -> dict[str, float | Floats]:
        found: dict[str, float | Floats] = self.where
        return found

    @property
    def argmax(self) -> dict[str, float | Floats]:
        if not self.is_largest:
            raise AttributeError("this Optimum is the smallest value, and has argmin")
        return self.where

    @property
    def place(self) -> dict[str, float | Floats]:
        """Return ``argmin`` or ``argmax`` (deprecated name)."""
        text = "argmax" if self.is_largest else "argmin"
        warnings.warn(f"Optimum.place is now {text}, as over one parameter; the old name goes with 0.3.0",
                      DeprecationWarning, stacklevel=2)
        return self.where

    @property
    def places(self) -> dict[str, tuple[float | Floats, bool | Bools]]:
        return {n: (v, self.at_bound[n]) for n, v in self.where.items()}
