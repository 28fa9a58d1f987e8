"""Read classes of hidden units, ``units=[(u, c, fraction), ...]``, and give the equations what they need of them."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...arguments import check_value, quote
from ...errors import DomainError
from ..declaration import Parameter
from .classes import UnitClasses, class_symbols
from .equations import differentiate_layer, symbols

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from sympy import Symbol

#: the most directions of a spike: averages are over all projections on it together
LARGEST_RANK = 3


class UnitClass(NamedTuple):
    """Hold one class of units: strengths of the spike in each direction, squared norm of the bulk, and share."""

    u: tuple[Fraction, ...]
    c: Fraction
    fraction: Fraction


def read_units(value: Any) -> tuple[UnitClass, ...]:
    """Return classes of units as exact numbers (of a float its shortest decimal text); the shares sum to 1.

    DomainError for anything but a list of (u, c, fraction) whose u have one length, up to three.
    """
    expected = "expected a list of (u, c, fraction), u a number or a tuple of up to three, c and fraction positive"
    try:
        found = [UnitClass(tuple(_exact("u", e) for e in (u if isinstance(u, list | tuple | np.ndarray) else (u,))),
                           _exact("c", c, "positive"), _exact("fraction", fraction, "positive"))
                 for u, c, fraction in value]
    except (TypeError, ValueError) as error:
        reason = f" ({error})" if isinstance(error, DomainError) else ""
        raise DomainError(f"units: got {quote(value)}; {expected}{reason}") from None
    ranks = {len(u) for u, _, _ in found}
    if len(ranks) != 1 or not 1 <= max(ranks) <= LARGEST_RANK:
        raise DomainError(f"units: got {quote(value)}; {expected}, the same number for all")
    total = sum((fraction for _, _, fraction in found), Fraction(0))
    if abs(total - 1) > Fraction(1, 10**12):
        raise DomainError(f"units: got {quote(value)}, whose fractions sum to {float(total):g}; expected 1")
    return tuple(UnitClass(u, c, fraction / total) for u, c, fraction in found)


def merge_equal(units: Sequence[UnitClass], is_odd: bool) -> tuple[UnitClass, ...]:
    """Return the classes with equal ones merged, and for odd students those whose spikes are opposite.

    Such a student turns the sign of the weights of a unit into that of its readout.
    """
    found: dict[tuple[Any, Fraction], Fraction] = {}
    for u, c, fraction in units:
        key = u, c
        opposite = tuple(-e for e in u), c
        if is_odd and key not in found and opposite in found:
            key = opposite
        found[key] = found.get(key, Fraction(0)) + fraction
    return tuple(UnitClass(u, c, fraction) for (u, c), fraction in found.items())


def read_overlap(value: Any, rank: int) -> tuple[Fraction, ...]:
    """Return the overlaps of the target with the directions of the spike as exact numbers."""
    entries = value if isinstance(value, list | tuple | np.ndarray) else (value,)
    if len(entries) != rank:
        raise DomainError(f"gamma: got {quote(value)} with a spike of {rank} directions; expected as many numbers")
    found = tuple(_exact("gamma", e) for e in entries)
    if sum(e * e for e in found) > 1:
        raise DomainError(f"gamma: got {quote(value)}, of length above 1; expected the overlaps of a unit vector")
    return found


def _exact(name, value, domain="real"):
    """Return an exact number, or raise a DomainError."""
    number: float = check_value(name, value, domain)
    if isinstance(value, str | Fraction | int):
        return Fraction(value)
    return Fraction(repr(number))


def read_width(value: Any) -> float:
    """Return a number of units, which may be infinite."""
    number: float = check_value("width", value, "nonnegative or inf")
    if number == 0.0:
        raise DomainError(f"width: got {quote(value)}; expected a positive number, or math.inf")
    return number


class UnitsLayer:
    """Give the equations what they need of the first layer: the classes of units, and the overlap with the target.

    If the student ``is_odd``, classes with opposite spikes are one.
    """

    def __init__(self, bulk: UnitClasses, is_odd: bool) -> None:
        self.classes, self.is_odd = bulk, is_odd
        self.names = ("r", "c", "gamma") if self.is_one else ("units", "gamma")
        self.smooth = self.names if self.is_one else ("gamma",) * (bulk.rank == 1)

    @property
    def is_one(self) -> bool:
        """Return whether there is one class, with a spike of one direction, which is given as r and c."""
        return self.classes.count == self.classes.rank == 1

    @property
    def declared(self) -> tuple[Parameter, ...]:
        """Return the parameters of the layer."""
        rank, one = self.classes.rank, (Parameter("gamma", "overlap of the spike with the target", "[-1, 1]"),)
        if self.is_one:
            return (Parameter("r", "strength of the spike", "real"),
                    Parameter("c", "squared norm of the rows of the bulk", "positive"), *one)
        several = (Parameter("gamma", "overlaps with the target", f"a tuple of {rank} numbers", is_axis=False,
                             read=lambda value: tuple(map(float, read_overlap(value, rank)))),)
        return (Parameter("units", "classes of units: strength of the spike, squared norm of the bulk, and share",
                          "a list of (u, c, fraction)", is_axis=False, read=_shown),
                *(one if rank == 1 else several))

    def read(self, given: Mapping[str, Any]) -> tuple[tuple[UnitClass, ...], tuple[Fraction, ...]]:
        """Return the classes without repetitions, and the overlaps, as exact numbers."""
        units: tuple[UnitClass, ...]
        if self.is_one:
            units = (UnitClass((_exact("r", given["r"]),), _exact("c", given["c"], "positive"), Fraction(1)),)
        else:
            units = merge_equal(read_units(given["units"]), self.is_odd)
        return units, read_overlap(given["gamma"], self.classes.rank)

    def bulk(self, has_width: bool = True) -> UnitClasses:
        """Return the bulk, which has the width as a parameter."""
        return self.classes

    def values(self, given: Mapping[str, Any]) -> dict[Symbol, Fraction]:
        """Return the parameters of the equations, with the square of rho in its place."""
        x, (units, gamma) = class_symbols(self.classes.count, self.classes.rank), self.read(given)
        found = {symbol: e for of, u in zip(x.u, units, strict=True) for symbol, e in zip(of, u.u)}
        found |= dict(zip(x.c, (u.c for u in units))) | dict(zip(x.gammas, gamma))
        shares = dict(zip(x.share, (u.fraction for u in units))) if self.classes.count > 1 else {}
        return {**found, **shares, symbols().rho: 1 - sum(e * e for e in gamma)}

    def floats(self, shown: Mapping[str, Any], parameters: Mapping[str, Any] | None = None,
               digits: int = 0) -> dict[str, float]:
        """Return them in double precision, by name."""
        found = {s.name: float(v) for s, v in self.values(shown).items()}
        return {**found, "rho": math.sqrt(found["rho"]), "inverse_width": 1.0 / shown["width"]}

    def numbers(self, parameters: Mapping[str, Any], numbers: Any, has_width: bool = True) -> dict[Symbol, Any]:
        """Return them in a number system, by symbol."""
        s, width = symbols(), parameters.get("width", math.inf)
        found = {symbol: numbers.number(v) for symbol, v in self.values(parameters).items()}
        is_limit = read_width(width) == math.inf
        return {**found, s.rho: numbers.sqrt(found[s.rho]),
                s.inverse_width: numbers.number(0) if is_limit else 1 / numbers.number(width)}

    def derivatives(self, parameter: str, shown: Mapping[str, Any]) -> dict[str, float]:
        """Return the derivatives of the parameters of the equations by one of the theory, by name."""
        return differentiate_layer(parameter, shown["gamma"])

    def describe_overlap(self, shown: Mapping[str, Any]) -> str:
        """Return the overlap as messages quote it."""
        return f"gamma: got {shown['gamma']!r}"

    def describe_point(self, shown: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters of a solution."""
        return dict(shown)

    def describe(self, shown: Mapping[str, Any]) -> dict[str, Any]:
        """Return the description of the layer for the simulator of spiked features."""
        units, gamma = self.read(shown)
        return {"units": [(tuple(map(float, u)), float(c), float(share)) for u, c, share in units],
                "gamma": tuple(map(float, gamma))}


def _shown(value):
    """Return classes of units as floats, which are printed and compared."""
    return tuple((float(u[0]) if len(u) == 1 else tuple(map(float, u)), float(c), float(fraction))
                 for u, c, fraction in read_units(value))


def as_one_class(found: dict[str, Any]) -> dict[str, Any]:
    """Return parameters with r and c in place of the only class of units, and no width in the limit."""
    if "units" in found:
        if "r" in found or "c" in found:
            raise DomainError("units: given together with r or c, which are those of one class; expected either")
        (u, found["c"], _), *_ = found.pop("units")
        found["r"] = u[0] if isinstance(u, list | tuple | np.ndarray) else u
        if isinstance(found["gamma"], list | tuple):
            (found["gamma"],) = found["gamma"]
        if found.get("width") == math.inf:
            del found["width"]
    return found
