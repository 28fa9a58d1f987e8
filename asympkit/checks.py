"""Checks at all points of a grid (``theory.check`` with arrays): one report each, one verdict."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from .arguments import check_axis
from .check import run_check
from .comparison import AGREE, DIFFER, NOT_TESTED, WITHIN
from .errors import DomainError
from .notation import align_table, one_screen
from .plot.curves import draw_checks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from .annotations import Floats
    from .check import Report
    from .theories.model import Model


@dataclass(frozen=True)
class Checks:
    """Hold the reports of a grid; ``str()`` prints a line for each and the verdict.

    Attributes
    ----------
    axes : dict of str to ndarray
    reports : tuple of Report
        In the order of the grid, the last axis fastest; all comparisons of all points are tested together.
    """

    axes: Mapping[str, Floats]
    reports: Sequence[Report]

    @property
    def outcome(self) -> str:
        """Return ``agree``, ``within the idealisation``, ``differ`` or ``not tested``, the worst of all points."""
        found = {r.outcome for r in self.reports}
        return next(o for o in (DIFFER, WITHIN, AGREE, NOT_TESTED) if o in found)

    @property
    def passed(self) -> bool:
        """Return whether nothing differs at any point."""
        return self.outcome != DIFFER

    @property
    def verdict(self) -> str:
        """Return the outcome as one sentence."""
        wrong = [k for k, r in enumerate(self.reports) if not r.passed]
        if wrong:
            return (f"FAILED: {len(wrong)} of {len(self.reports)} points differ, the first at {self._place(wrong[0])}: "
                    f"{self.reports[wrong[0]].verdict.removeprefix('FAILED: ')}")
        counts = [(sum(r.outcome == o for r in self.reports), o) for o in (AGREE, WITHIN, NOT_TESTED)]
        is_open = any(r.verdict.startswith("UNDECIDED") for r in self.reports)
        head = "PASSED WITH A DIFFERENCE" if self.outcome == WITHIN else "UNDECIDED" if is_open else "PASSED"
        return f"{head}: {len(self.reports)} points: {', '.join(f'{n} {o}' for n, o in counts if n)}"

    def _values(self, k):
        places = np.unravel_index(k, [len(v) for v in self.axes.values()])
        return [values[i] for values, i in zip(self.axes.values(), places)]

    def _place(self, k):
        return ", ".join(f"{name}={value:g}" for name, value in zip(self.axes, self._values(k)))

    def _line(self, k):
        """Return one line of the table: the quantity that is farthest off."""
        report = self.reports[k]
        worst = max((r for r in report.rows if r.z is not None), key=lambda r: abs(r.z), default=report.rows[0])
        simulated = "-" if worst.simulation is None else str(worst.simulation)
        return [*(f"{v:g}" for v in self._values(k)), worst.name, f"{worst.reference:.6g}", simulated,
                "-" if worst.z is None else f"{worst.z:.2f}", report.outcome]

    def __str__(self) -> str:
        head = [*self.axes, "farthest off", "theory", "simulation", "z", "outcome"]
        return "\n".join([f"{self.reports[0].theory}: {len(self.reports)} points",
                          *align_table([head, *map(self._line, range(len(self.reports)))]), self.verdict])

    def __repr__(self) -> str:
        return one_screen(f"<Checks>\n{self}")

    def plot(self, name: str | Sequence[str] | None = None, ax: Any = None, **style: Any) -> Any:
        """Draw the theory along the grid, and simulated means with their standard errors.

        Parameters
        ----------
        name : str or list of str, optional
            A quantity, or several, each on axes of its own; by default the test error, else the first.
        ax : matplotlib axes, optional
        **style
            Passed to matplotlib, for all curves.

        Returns
        -------
        matplotlib axes
            An array of them for a list.

        Raises
        ------
        UnknownNameError
            For a quantity that was not checked.
        DomainError
            For a grid of more than two parameters.
        NotAvailableError
            Without matplotlib.
        """
        return draw_checks(self, name, ax, style)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data for JSON."""
        return {"axes": {n: v.tolist() for n, v in self.axes.items()}, "outcome": self.outcome, "passed": self.passed,
                "verdict": self.verdict, "reports": [r.to_dict() for r in self.reports]}


def run_checks(model: Model, parameters: Mapping[str, Any], *, seed: int, **how: Any) -> Report | Checks:
    """Check at one point, or at all points of a grid, the simulation of each with a seed of its own."""
    known = {p.name for p in model.declared if p.is_axis}
    axes = {n: check_axis(n, v) for n, v in parameters.items() if n in known and np.ndim(v)}
    if not axes:
        return run_check(model, parameters, seed=seed, **how)
    if how.get("file") is not None:
        raise DomainError("file: a check of a grid keeps none; expected one point, or no file")
    points = list(product(*axes.values()))
    reports = [run_check(model, {**parameters, **dict(zip(axes, map(float, point)))}, seed=seed + k, points=len(points),
                         **how) for k, point in enumerate(points)]
    return Checks(axes, tuple(reports))
