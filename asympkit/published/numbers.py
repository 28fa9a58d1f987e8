"""A number of a table beside that of a theory, and all of them: what ``theory.compare`` returns."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..arguments import check_path
from ..notation import align_table, format_table, label, one_screen
from ..plot import canvas

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ..annotations import Path


@dataclass(frozen=True)
class ComparedNumber:
    """One number of a table beside that of the theory.

    Attributes
    ----------
    row : int
        From 1.
    quantity, text : str
        Its name, and the number as it was given.
    given, unit : float
        The number, and half a unit of its last digit.
    error : float or None
        Its standard error.
    value : float
        That of the theory; NaN where there is no solution.
    limit : float
        Largest ``|z|`` that agrees.
    parameters : dict
    """

    row: int
    quantity: str
    text: str
    given: float
    unit: float
    error: float | None
    value: float
    limit: float
    parameters: Mapping[str, Any]

    @property
    def difference(self) -> float:
        """Return the given number less that of the theory."""
        return self.given - self.value

    @property
    def z(self) -> float | None:
        """Return the difference in standard errors, where there is one."""
        return None if self.error is None else self.difference / math.hypot(self.error, self.unit / math.sqrt(3))

    @property
    def digits(self) -> float:
        """Return the number of decimal digits that agree."""
        size = max(abs(self.value), 1e-300)
        return float(np.clip(-math.log10(max(abs(self.difference) / size, 1e-16)), 0.0, 16.0))

    @property
    def agrees(self) -> bool:
        """Return whether the theory lies within the last digit, or the error allows its distance."""
        if self.z is not None:
            return abs(self.z) <= self.limit
        return abs(self.difference) <= 1.0001 * self.unit + 1e-10 * abs(self.value)

    def __repr__(self) -> str:
        return one_screen(f"<row {self.row}, {self.quantity}: {self.text} here {self.value:.6g}, {self._how()}>")

    def _how(self):
        return f"z = {self.z:.1f}" if self.z is not None else f"{self.digits:.1f} digits"


@dataclass(frozen=True)
class ComparedTable:
    """Hold the numbers of a table beside those of a theory; ``str()`` prints it.

    Attributes
    ----------
    theory : str
    numbers : list of ComparedNumber
    varied : list of str
        Parameters that differ between rows.
    explanations : list of str
        What makes numbers agree that differ.
    """

    theory: str
    numbers: Sequence[ComparedNumber]
    varied: Sequence[str]
    explanations: Sequence[str]

    @property
    def differing(self) -> list[ComparedNumber]:
        """Return the numbers that do not agree."""
        return [n for n in self.numbers if not n.agrees]

    @property
    def passed(self) -> bool:
        """Return whether all numbers agree."""
        return not self.differing

    @property
    def verdict(self) -> str:
        """Return the result as one sentence."""
        wrong, count = self.differing, len(self.numbers)
        if not wrong:
            return f"all {count} numbers agree"
        first, worst = wrong[0], max(wrong, key=lambda n: n.limit and abs(n.z) if n.z is not None else 16 - n.digits)
        return (f"{len(wrong)} of {count} numbers differ, the first in row {first.row} ({_places(first, self.varied)})"
                + (f", the most in row {worst.row}" if worst.row != first.row else ""))

    def rows(self) -> list[list[str]]:
        """Return the table as texts, with a head."""
        head = ["row", *self.varied, "quantity", "given", "here", "difference", "agreement", ""]
        return [head, *([str(n.row), *(f"{n.parameters.get(v, math.nan):.6g}" for v in self.varied), n.quantity, n.text,
                         f"{n.value:.10g}", f"{n.difference:.2g}", n._how(), "" if n.agrees else "differs"]
                        for n in self.numbers)]

    def __str__(self) -> str:
        return "\n".join([f"{self.theory}: {self.verdict}", *align_table(self.rows()),
                          *(f"- {e}" for e in self.explanations)])

    def __repr__(self) -> str:
        return one_screen(f"<{self.theory}: {self.verdict}>")

    def to_csv(self, path: Path) -> None:
        """Write the table as comma-separated values.

        Parameters
        ----------
        path : str or Path
        """
        check_path("path", path).write_text(format_table(self.rows(), "csv") + "\n", encoding="utf-8")

    def to_latex(self) -> str:
        """Return the table as a LaTeX tabular."""
        return format_table(self.rows(), "latex")

    def plot(self, ax: Any = None, **style: Any) -> Any:
        """Draw given numbers with errors along the parameter that varies most, and the theory's beside them.

        Parameters
        ----------
        ax : matplotlib axes, optional
        **style
            Passed to matplotlib, for the given numbers.

        Returns
        -------
        matplotlib axes

        Raises
        ------
        NotAvailableError
            Without matplotlib.
        """
        ax = canvas.one_axes(ax)
        over = max(self.varied, key=lambda v: len({n.parameters[v] for n in self.numbers}), default=None)
        x = np.array([n.row if over is None else n.parameters[over] for n in self.numbers], float)
        given, here = (np.array([getattr(n, name) for n in self.numbers]) for name in ("given", "value"))
        bars = np.array([n.unit if n.error is None else n.error for n in self.numbers])
        wrong = np.array([not n.agrees for n in self.numbers])
        with canvas.explain_style_error(style):
            ax.errorbar(x, given, yerr=bars, **{"fmt": "o", "color": canvas.COLOURS[0], "label": "given", **style})
        ax.plot(x, here, "x", color=canvas.foreground(), label="here")
        if wrong.any():
            ax.plot(x[wrong], given[wrong], "o", color=canvas.COLOURS[1], label="differs")
        canvas.set_scale(ax, "x", canvas.spans_decades(x), x)
        ax.set_xlabel("row" if over is None else label(over))
        ax.set_ylabel(", ".join(map(label, dict.fromkeys(n.quantity for n in self.numbers))))
        ax.legend(frameon=False)
        return ax


def _places(number, varied):
    return ", ".join(f"{v}={number.parameters[v]:.6g}" for v in varied if v in number.parameters) or number.quantity
