"""Results of a solver: numbers, and how they were reached."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar
from unicodedata import normalize

from ..errors import UnknownNameError, suggest
from ..once import Deferred

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from mpmath import mpf

_notation = Deferred("asympkit.notation")

#: the numbers of a solution
N = TypeVar("N")


class Status(enum.StrEnum):
    """Say how a solve ended; the value is a sentence that says what to do."""

    CONVERGED = "converged"
    PROVED = "proved"
    LIMITED = ("converged, but rounding leaves some quantities fewer digits than rtol asks for (their condition times "
               "2e-16): use precise() for these")
    RESIDUAL = ("the equations are not satisfied to the accuracy asked for: give a start, or move the "
                "parameters, away from a singular point or from where a root leaves the domain of its unknown")
    QUADRATURE = ("the averages did not reach the accuracy asked for at the finest rule: "
                  "ask for a larger rtol, or use precise()")
    EDGE = ("an unknown tends to the edge of its domain, and no solution inside was found: there may be none here "
            "(below a transition, beyond a capacity, at perfect recovery); give a start, or move the parameters")
    OUTSIDE = ("an unknown came out where its symbol may not be: there is no such solution here, or a start on the "
               "right side finds it")
    INFINITE = ("a quantity came out without a finite value, by an overflow or a function outside its domain: give a "
                "start, or move the parameters")
    SPENT = ("no solution was found within the evaluations of integrands that one point may take, from the usual start "
             "and from others: give a start, move the parameters, or ask for a larger rtol")
    REFUSED = "the theory refuses these parameters: solve() at this point says why"
    UNFINISHED = "not solved yet: call again with the same file to go on"
    ILL_CONDITIONED = ("rounding is amplified too much here (a critical point, nearly equal numbers subtracted, or a "
                       "root at infinity): use precise(), or move the parameters away")
    DEPENDENT = ("the linear equations are dependent here, exactly or to rounding: they leave unknowns free that "
                 "others depend on, or contradict one another: replace one of them, move the parameters, or use "
                 "precise()")
    DIRECTION = ("the mean of an activation is below the rounding of double precision, or too near to it, and its "
                 "direction counts however small it is: use precise(), which raises its digits, or ask for a larger "
                 "rtol")

    def __repr__(self) -> str:
        """Return the name alone: arrays of them are printed."""
        return f"Status.{self.name}"


@dataclass(frozen=True)
class Solution(Generic[N]):
    """Hold the solution of a theory at one parameter point, in floats, numbers of mpmath, or balls.

    Observables, parameters and order parameters are attributes (``s.test_error``, ``s.m1``), in this order where a
    name is not that of an attribute below; every quantity is an item (``s["q1"]``).

    Attributes
    ----------
    order_parameters : dict
        All unknowns by name, conjugates included.
    observables : dict
    parameters : dict
        The parameters as used.
    residual : float
        Largest scaled residual of all equations that were not eliminated.
    iterations : int
        Newton iterations of the non-linear blocks.
    error_estimate : float
        Largest change of any quantity, relative to its scale, under a twice finer quadrature.
    condition : dict
        For each unknown and observable, the factor by which relative rounding is amplified: of the averages, of the
        terms that cancel in it, and of the unknowns it is made of.
    scale : dict
        For each unknown, the size relative to which its digits count: itself, or the sum of the
        absolute terms it is a cancellation of.
    nodes : int
        Nodes of the outer rule.
    status : Status
    assumptions : tuple of str
        Assumptions of the paper that do not hold here.
    """

    order_parameters: dict[str, N]
    observables: dict[str, N]
    parameters: dict[str, float]
    residual: float | mpf
    iterations: int
    error_estimate: float | mpf = 0.0
    condition: dict[str, float] = field(default_factory=dict)
    scale: dict[str, float] = field(default_factory=dict)
    nodes: int = 0
    status: Status = Status.CONVERGED
    assumptions: tuple[str, ...] = ()

    @property
    def converged(self) -> bool:
        """Tell whether the equations hold to the accuracy asked for, as far as rounding lets them."""
        return self.status in (Status.CONVERGED, Status.LIMITED, Status.PROVED)

    def __getitem__(self, name: str) -> N:
        quantities: tuple[Mapping[str, Any], ...] = self.order_parameters, self.observables, self.parameters
        for where in quantities:
            if isinstance(name, str) and name in where:
                return where[name]
        known = [*self.order_parameters, *self.observables, *self.parameters]
        raise UnknownNameError(f"solution: no quantity {name!r}{suggest(name, known)}; "
                               f"known are {', '.join(known)}")

    def __contains__(self, name: object) -> bool:
        return any(name in where for where in (self.order_parameters, self.observables, self.parameters))

    def __getattr__(self, name: str) -> N:
        if not name.startswith("_"):
            for kind in ("observables", "parameters", "order_parameters"):
                where = self.__dict__.get(kind, {})
                if name in where:
                    return where[name]
                for typed in where:             # Python has normalised the attribute
                    if not typed.isascii() and normalize("NFKC", typed) == name:
                        return where[typed]
        raise AttributeError(f"Solution has no attribute {name!r}; "
                             f"observables are {', '.join(self.__dict__.get('observables', {}))}")

    def __dir__(self) -> list[str]:
        return sorted({*(n for n in super().__dir__() if not n.startswith("_")),
                       *(n for kind in (self.observables, self.parameters, self.order_parameters) for n in kind
                         if n.isidentifier())})

    def _ipython_key_completions_(self) -> list[str]:
        return [*self.observables, *self.order_parameters, *self.parameters]

    @property
    def shown(self) -> dict[str, N]:
        """Return the quantities that are printed, in their order."""
        return {**self.observables, **self.order_parameters}

    @property
    def reached(self) -> str:
        """Return how the numbers were reached, as text: status, accuracy, condition of every quantity."""
        text = (f"{self.status} (residual {float(self.residual):.1e}, "
                f"quadrature {float(self.error_estimate):.1e}, {self.iterations} iterations)")
        if self.condition:
            text += "\ncondition " + ", ".join(f"{k} {v:.1e}" for k, v in self.condition.items())
        return text

    def __str__(self) -> str:
        width = max(map(len, self.shown))
        lines = [f"{k:<{width}}  {_number(v)}" for k, v in self.shown.items()]
        lines.append(self.reached)
        lines += [f"assumption: {a}" for a in self.assumptions]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return _notation.one_screen(f"<{type(self).__name__}, {self.status.name.lower().replace('_', ' ')}>\n{self}",
                                    "all quantities are in observables and order_parameters")

    def _repr_html_(self) -> str:
        rows = [(_notation.name(k), _in_six(v)) for k, v in self.shown.items()]
        given = ", ".join(f"{_notation.name(k)} = {_notation.escape_html(_notation.summarise(v))}"
                          for k, v in self.parameters.items())
        notes = [("assumption", a) for a in self.assumptions]
        return _notation.add_title(f"{type(self).__name__}: {self.status}", f"<div>{given}</div>",
                                   *map(_notation.table, [rows, notes] if notes else [rows]))


def _in_six(value: object) -> str:
    """Return a number in a table: six digits of a float, all of others."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _number(value: object) -> str:
    return f"{value:.15g}" if isinstance(value, float) else str(value)
