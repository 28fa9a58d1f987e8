"""One row of the benchmark table, and the table in markdown."""

import math
from dataclasses import asdict, dataclass, replace

UNITS = (("s", 1), ("ms", 1e3), ("µs", 1e6))


@dataclass(frozen=True)
class Row:
    """A task, what it took, and what a named baseline took in the same run.

    Attributes
    ----------
    task, baseline : str
    cost, baseline_cost : float
        Medians, in seconds, or in megabytes where ``unit`` says so.
    points, baseline_points : int
        How many results each of them gives.
    whole : bool
        The ratio compares the two costs as they are; otherwise cost per point.
    error, baseline_error : float, optional
        Largest relative error of the results, of the test error unless the note says otherwise.
    note : str
        What a reader must know to judge the ratio.
    """

    task: str
    cost: float
    baseline: str
    baseline_cost: float
    points: int = 1
    baseline_points: int = 1
    whole: bool = False
    error: float | None = None
    baseline_error: float | None = None
    note: str = ""
    unit: str = "s"
    group: str = ""

    @property
    def ratio(self):
        """How many times less than the baseline the task takes."""
        if self.whole:
            return self.baseline_cost / self.cost
        return (self.baseline_cost / self.baseline_points) / (self.cost / self.points)

    def of(self, group):
        return replace(self, group=group)

    def record(self):
        """The row as numbers for a file."""
        return {**asdict(self), "per_point": self.cost / self.points,
                "baseline_per_point": self.baseline_cost / self.baseline_points, "ratio": self.ratio}


def markdown(rows):
    """The rows as one table, their notes numbered below it."""
    notes = list(dict.fromkeys(row.note for row in rows if row.note))
    head = ("task", "time", "per point", "baseline (its error)", "its time per point", "ratio", "relative error")
    lines = [_line(head), _line(["---"] * len(head))]
    for row in rows:
        mark = f" [{notes.index(row.note) + 1}]" if row.note else ""
        known = "" if row.baseline_error is None else f" ({row.baseline_error:.0e})"
        alone = row.points == 1 or row.unit != "s"
        lines.append(_line((row.task + mark, _shown(row.cost, row.unit),
                            "" if alone else _shown(row.cost / row.points, row.unit), row.baseline + known,
                            _shown(row.baseline_cost / row.baseline_points, row.unit), rounded(row.ratio),
                            "" if row.error is None else f"{row.error:.0e}")))
    return "\n".join([*lines, "", *(f"[{k}] {note}" for k, note in enumerate(notes, 1))])


def rounded(x):
    """Three digits, two from ten thousand on."""
    if x >= 1e4:
        return f"{x:.1e}".replace("e+0", "e")
    places = 2 - math.floor(math.log10(x))
    return f"{round(x, places):.{max(0, places)}f}"


def _shown(value, unit):
    if unit != "s":
        return f"{value:.3g} {unit}"
    name, factor = next((u for u in UNITS if value * u[1] >= 1), UNITS[-1])
    return f"{value * factor:.3g} {name}"


def _line(cells):
    return f"| {' | '.join(cells)} |"
