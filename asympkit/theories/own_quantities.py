"""Compute the derived quantities of a user-defined theory at a point."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..errors import DomainError, LostDigitsError
from ..program.steady import steady
from .derived import Derived, read_derived

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from sympy import Expr, Symbol

    from ..activations import Activation

__all__ = ["Quantities"]

#: number of points whose derived quantities are cached
_KNOWN = 64
#: largest accepted relative error of a derived quantity in double precision
_ERROR = 1e-11


class Quantities:
    """Hold derived quantities, each of which follows from parameters.

    Parameters
    ----------
    as_typed : dict of Symbol to Expr
        Each in terms of parameters and of the quantities above it.
    parameters, unknowns : sequence of Symbol
    functions : dict of str to Activation

    Attributes
    ----------
    inlined : dict of Symbol to Expr
        In terms of parameters alone.
    map : Derived or None
        All of them as a map; None if there are none.

    Raises
    ------
    StructureError
        If one does not follow from the parameters.
    """

    def __init__(self, as_typed: dict[Symbol, Expr], parameters: Sequence[Symbol], unknowns: Sequence[Symbol],
                 functions: Mapping[str, Activation]) -> None:
        self.as_typed, self.functions = as_typed, functions
        self.inlined: dict[Symbol, Expr] = read_derived(as_typed, parameters, unknowns, functions)
        self.map = Derived(parameters, {s.name: steady(e) for s, e in self.inlined.items()}) if self.inlined else None
        self._known: dict[tuple[float, ...], dict[str, float]] = {}

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        return tuple(self.inlined)

    def moved_by(self, parameter: str) -> list[Symbol]:
        """Return the quantities that depend on a parameter."""
        return [s for s, e in self.inlined.items() if any(x.name == parameter for x in e.free_symbols)]

    def depend_on(self, parameter: str) -> bool:
        """Return whether any quantity depends on a parameter."""
        return self.map is not None and self.map.depends(parameter)

    def floats(self, values: Mapping[str, float]) -> dict[str, float]:
        """Return the quantities in double precision; the latest are cached, because points of a sweep often share them.

        Raises
        ------
        LostDigitsError
            If one cannot be computed there in double precision.
        """
        if self.map is None:
            return {}
        here = tuple(values[n] for n in self._moving)
        if here not in self._known:
            if len(self._known) >= _KNOWN:
                self._known.clear()
            self._known[here] = self._anew(values)
        return self._known[here]

    @cached_property
    def _moving(self):
        """Return the names of the parameters that any quantity depends on."""
        return [s.name for s in self.map.arguments if self.map.depends(s.name)]

    def _anew(self, values):
        found, error = self.map.floats(values, self.functions)
        lost = [n for n, v in found.items() if not np.isfinite(v)]
        if lost or not error <= _ERROR:
            raise LostDigitsError(f"derived: {', '.join(lost) or ', '.join(found)} could not be computed in double "
                                  f"precision at {', '.join(f'{k} = {v:g}' for k, v in values.items())}: move the "
                                  "parameters, or use precise()")
        return found

    def rounded(self, values: Mapping[str, Any], digits: int) -> dict[str, float]:
        """Return the quantities as :meth:`floats`, rounded from multiprecision numbers.

        Raises
        ------
        DomainError
            If one has no finite value there.
        """
        from ..readings.numbers import Digits
        from .lowered import nearest

        numbers = Digits(digits)
        found = self.numbers(values, numbers)
        if strange := [n for n, v in found.items() if not numbers.mp.isfinite(v)]:
            raise DomainError(f"derived: {', '.join(strange)} has no finite value at "
                              f"{', '.join(f'{k} = {v}' for k, v in values.items())}: move the parameters")
        return {n: nearest(v) for n, v in found.items()}

    def numbers(self, values: Mapping[str, Any], numbers: Any) -> dict[str, Any]:
        """Return the quantities in a number system, by name."""
        return self.map.numbers(values, numbers, self.functions) if self.map is not None else {}

    def rates(self, parameter: str, values: Mapping[str, float]) -> dict[str, float]:
        """Return derivatives by a parameter of the quantities that depend on it, by name."""
        moved = [s.name for s in self.moved_by(parameter)]
        if not moved or self.map is None:
            return {}
        found = self.map.rates(parameter, values, self.functions)
        return {n: found[n] for n in moved}
