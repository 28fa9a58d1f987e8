"""``Solutions``: the solutions found from many starts, lowest free energy first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

from ..summary import headed, one_screen, table

if TYPE_CHECKING:
    from ..solve.solution import Solution


#: so many unknowns are printed with every solution
_FEW = 4


@dataclass(frozen=True)
class Solutions(Sequence["Solution[float]"]):
    """The different solutions of a theory at one point that were found: a sequence of them.

    Attributes
    ----------
    found : tuple of Solution
        Lowest free energy first; where the theory has none, in the order of their first unknown.
    free_energies : tuple of float, or None
        One of each; None where the equations of the theory are no derivatives of one.
    starts : int
        From how many starts they were looked for.  Others may exist: nothing is proved here.
    """

    found: tuple[Solution[float], ...]
    free_energies: tuple[float, ...] | None
    starts: int

    @overload
    def __getitem__(self, index: int) -> Solution[float]: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Solution[float]]: ...

    def __getitem__(self, index: int | slice) -> Solution[float] | Sequence[Solution[float]]:
        return self.found[index]

    def __len__(self) -> int:
        return len(self.found)

    def __iter__(self) -> Iterator[Solution[float]]:
        return iter(self.found)

    def __repr__(self) -> str:
        return one_screen(f"<Solutions: {self}>")

    def _repr_html_(self) -> str:
        names = [*self.found[0].order_parameters, *self.found[0].observables]
        energies = [() if self.free_energies is None else (e,) for e in self.free_energies or self.found]
        rows = [(*energy, *(s[n] for n in names)) for energy, s in zip(energies, self.found)]
        return headed(f"Solutions from {self.starts} starts",
                      table(rows, (*(() if self.free_energies is None else ("free energy",)), *names)))

    def __str__(self) -> str:
        lines = [f"{len(self)} solution{'' if len(self) == 1 else 's'} from {self.starts} starts"]
        for k, solution in enumerate(self.found):
            values = dict(solution.observables)
            if len(solution.order_parameters) <= _FEW or not values:
                values = {**solution.order_parameters, **values}
            shown = [f"{name} = {value:.12g}" for name, value in values.items()]
            if self.free_energies is not None:
                shown.insert(0, f"free energy {self.free_energies[k]:.12g}")
            lines.append(f"{k}: {', '.join(shown)}")
        return "\n".join(lines)
