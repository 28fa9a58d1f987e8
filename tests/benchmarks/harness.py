"""What all rows share: timing in turns, the table, the usual setting, and a kernel on tables that are there."""

import math
import resource
import statistics
import time
from dataclasses import asdict, dataclass, replace

import numpy as np
from published_method import PublishedMethod, Spectrum, step_parameters

import asympkit as ak

# -- the setting most rows share: tanh student, sin target, eta = alpha0 = 2, beta = 1 -------------------------------

STEP = {"eta": 2.0, "alpha0": 2.0}
LAM = 0.01
ALPHAS = (0.5, 1.0, 1.5, 2.0, 2.5)


def model():
    return ak.OneStep("tanh", "sin")


def published_matrix(quick, seed=0):
    """The published method's spectrum, sampled for the norm of the rows after the step; and its size."""
    d = 400 if quick else 2000
    return Spectrum(d, _step()[2], np.random.default_rng(seed)), d


def published(quick):
    """The published method on the spectrum of one matrix; and its size."""
    spectrum, d = published_matrix(quick)
    return PublishedMethod(np.tanh, np.sin, *_step(), spectrum), d


def _step():
    return step_parameters(np.tanh, lambda z: 1 / np.cosh(z) ** 2, np.sin, **STEP)


@dataclass(frozen=True)
class Task:
    """A call without arguments: measurements in each round, and calls in each measurement (for short ones)."""

    call: object
    repeats: int = 1
    loops: int = 1


@dataclass(frozen=True)
class Timing:
    """Median seconds of one call, and what the last call returned."""

    median: float
    result: object


def race(rounds, clock=time.perf_counter, **tasks):
    """Time tasks (or plain callables) in turn, by wall time unless a clock is given."""
    tasks = {name: t if isinstance(t, Task) else Task(t) for name, t in tasks.items()}
    seconds, results = {name: [] for name in tasks}, {}
    for _ in range(rounds):
        for name, task in tasks.items():
            for _ in range(task.repeats):
                start = clock()
                for _ in range(task.loops):
                    results[name] = task.call()
                seconds[name].append((clock() - start) / task.loops)
    return {name: Timing(statistics.median(s), results[name]) for name, s in seconds.items()}


def cpu_of_children():
    """CPU seconds of all processes that this one has started and waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


UNITS = (("s", 1), ("ms", 1e3), ("µs", 1e6))


@dataclass(frozen=True)
class Row:
    """A task, what it took, and what a named baseline took in the same run.

    Costs are medians in seconds, or in ``unit``.  The ratio compares costs per point, or as they are if ``whole``.
    Errors are the largest relative ones, of the test error unless the note says otherwise.
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
    table = [head, ["---"] * len(head)]
    for row in rows:
        mark = f" [{notes.index(row.note) + 1}]" if row.note else ""
        known = "" if row.baseline_error is None else f" ({row.baseline_error:.0e})"
        alone = row.points == 1 or row.unit != "s"
        table.append((row.task + mark, _shown(row.cost, row.unit),
                      "" if alone else _shown(row.cost / row.points, row.unit), row.baseline + known,
                      _shown(row.baseline_cost / row.baseline_points, row.unit), _rounded(row.ratio),
                      "" if row.error is None else f"{row.error:.0e}"))
    lines = [f"| {' | '.join(cells)} |" for cells in table]
    return "\n".join([*lines, "", *(f"[{k}] {note}" for k, note in enumerate(notes, 1))])


def _rounded(x):
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


class OnTables:
    """Points alpha x lam of a model on tables of one level, by each way through its kernel."""

    def __init__(self, model, alphas, lams):
        self.kernel, self.module = model.kernel, model.kernel.module
        self.point = model.point({**STEP, "alpha": 1.0, "lam": LAM})
        self.activations = model.activations
        shape = len(alphas), len(lams)
        self.grid = dict(zip(("alpha", "lam"), np.meshgrid(alphas, lams, indexing="ij")))
        at = dict(zip(self.module.PARAMETERS, self.point.values))
        self.values = [np.ascontiguousarray(self.grid.get(n, np.full(shape, at[n])), dtype=float)
                       for n in self.module.PARAMETERS]
        self.start = [np.ones(shape) for _ in self.module.TORN]
        self.out = np.empty((*shape, len(self.module.OUTPUTS)))
        self.column = self.module.OUTPUTS.index("test_error")

    def tables(self, level):
        return self.kernel.tables(level, self.point.table_parameters, self.activations, ())[0]

    def rows(self, tables, parallel=False, tolerance=1e-9):
        """Test errors by the compiled loop, along rows of lam."""
        solve = self.module.solve_rows_parallel if parallel else self.module.solve_rows
        solve(*self.values, *tables, *self.start, self.out, tolerance, 100, 1e-9)
        if not np.all(self.out[..., -2] <= 1e-9):
            raise RuntimeError("kernel: some points did not converge")
        return self.out[..., self.column].copy()

    def batch(self, tables):
        """Test errors by plain numpy."""
        return self.kernel.batch([v.ravel() for v in self.values], tables)[0][self.column].reshape(self.out.shape[:-1])

    def coarsest(self, accuracy):
        """The coarsest rule of this accuracy at all points: level, worst error, and the values of a finer rule."""
        for level in range(1, self.kernel.levels - 1):
            finer = self.rows(self.tables(level + 1), tolerance=1e-13)
            worst = float(np.max(np.abs(self.rows(self.tables(level)) / finer - 1)))
            if worst <= accuracy:
                return level, worst, finer
        raise RuntimeError(f"kernel: no rule reaches {accuracy:g}")
