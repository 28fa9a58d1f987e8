"""Sweeps of a hundred to a million points: time for each point, and memory with and without a file.

Every sweep runs in a process of its own: ``python scaling_rows.py ALPHAS LAMS REPEATS [FILE]``.
"""

import itertools
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from harness import LAM, STEP, Row, model, published, race

GRIDS = {100: (10, 10), 1_000: (20, 50), 10_000: (100, 100), 100_000: (250, 400), 1_000_000: (1000, 1000)}
STREAMED = [n for n in GRIDS if n >= 10_000]
TIME = ("`sweep()` on a grid alpha x lam, tables included, in a process that has compiled the loop already. Cost is "
        "linear where time per point stands still; for few points it is that of the tables. Errors are the largest at "
        "nine points of the grid, against `solve()` to 1e-12.")
MEMORY = ("Largest resident memory of the whole process; {floor:.0f} MB of it are there for a sweep of 100 points.")


def rows(quick):
    sizes = [n for n in GRIDS if n <= 10_000 or not quick]
    method, _ = published(quick)
    with tempfile.TemporaryDirectory() as folder:
        kept = {n: Child(n) for n in sizes}
        streamed = {n: Child(n, Path(folder, f"{n}.npy")) for n in STREAMED if n in sizes}
        t = race(1 if quick else 3, published=lambda: method.solve(1.5, LAM),
                 **{f"kept {n}": c for n, c in kept.items()}, **{f"streamed {n}": c for n, c in streamed.items()})
    floor, beside = kept[100].median("megabytes"), "the same without a file"
    made = [Row(f"sweep of {n:,} points", child.median("seconds"), "published method, one point",
                t["published"].median, n, error=child.error(), note=TIME) for n, child in kept.items()]
    made += [Row(f"sweep of {n:,} points to a file .npy", child.median("seconds"), beside, kept[n].median("seconds"),
                 n, n, error=child.error(), note=TIME) for n, child in streamed.items()]
    made += [Row(f"memory of that, {n:,} points", child.median("megabytes"), beside, kept[n].median("megabytes"),
                 unit="MB", note=MEMORY.format(floor=floor)) for n, child in streamed.items()]
    return made, []


class Child:
    """A sweep of one size; each call makes it in a new process and keeps what that says."""

    def __init__(self, points, file=None):
        self.arguments = [*GRIDS[points], max(1, min(25, 500_000 // points)), *([] if file is None else [file])]
        self.answers = []

    def __call__(self):
        run = subprocess.run([sys.executable, __file__, *map(str, self.arguments)], capture_output=True, text=True)
        if run.returncode:
            raise RuntimeError(f"sweep: {run.stderr}")
        self.answers.append(json.loads(run.stdout))

    def median(self, name):
        return statistics.median(a[name] for a in self.answers)

    def error(self):
        return max(a["error"] for a in self.answers)


def child(alphas, lams, repeats, file=None):
    """Make the sweep, and say what it took."""
    theory = model()
    grid = {"alpha": np.linspace(0.1, 3.0, int(alphas)), "lam": np.geomspace(1e-4, 10.0, int(lams))}
    theory.sweep(alpha=[1.0, 2.0], lam=[0.1, 1.0], backend="numba", **STEP)
    seconds = []
    for _ in range(int(repeats)):
        start = time.perf_counter()
        sweep = theory.sweep(**grid, backend="numba", file=file, **STEP)
        seconds.append(time.perf_counter() - start)
        megabytes = peak_megabytes()
        places = itertools.product(*((0, a.size // 2, a.size - 1) for a in grid.values()))
        found = {place: float(sweep["test_error"][place]) for place in places}
        if not sweep.converged.all():
            raise RuntimeError("some points did not converge")
        if file is not None:            # an existing file would be gone on from
            for path in (Path(file), Path(f"{file}.json")):
                path.unlink()
    error = max(abs(value / theory.solve(alpha=grid["alpha"][i], lam=grid["lam"][j], **STEP).test_error - 1)
                for (i, j), value in found.items())
    print(json.dumps({"seconds": statistics.median(seconds), "megabytes": megabytes, "error": float(error)}))


def peak_megabytes():
    """Largest resident memory of this process so far; Linux's ru_maxrss would count that of the parent too."""
    status = Path("/proc/self/status")
    if status.exists():
        return next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM")) / 1e3
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)


if __name__ == "__main__":
    import warnings

    warnings.simplefilter("ignore")
    child(*sys.argv[1:])
