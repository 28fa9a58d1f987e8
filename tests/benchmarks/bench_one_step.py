"""Seconds per point of asympkit and of the published method, in one run and at the same points.

    python tests/benchmarks/bench_one_step.py [--json FILE] [--quick]

tanh student, sin target, eta = 2, alpha0 = 2, beta = 1.  Times are medians over repetitions (the fastest
one is shown beside), on one core unless said otherwise.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import json
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np
from published_method import PublishedMethod, Spectrum, step_parameters

import asympkit as ak

STEP = {"eta": 2.0, "alpha0": 2.0}
LAM = 0.01
ALPHAS = (0.5, 1.0, 1.5, 2.0, 2.5)
ACCURACY = 1e-10


class Seconds(float):
    """A median time; ``.fastest`` is the shortest."""


def timed(f, repeats):
    """Median seconds of a call, and its last result."""
    seconds = []
    for k in range(repeats):
        start = time.perf_counter()
        result = f(k)
        seconds.append(time.perf_counter() - start)
    median = Seconds(statistics.median(seconds))
    median.fastest = min(seconds)
    return median, result


# -- the published method -----------------------------------------------------------------------------


def baseline(d, repeats):
    """Seconds for one matrix and for the curve, test errors at ALPHAS, joint steps taken."""
    r, gamma, c = step_parameters(np.tanh, lambda z: 1 / np.cosh(z) ** 2, np.sin, **STEP)
    matrix, spectrum = timed(lambda k: Spectrum(d, c, np.random.default_rng(k)), 1)
    method = PublishedMethod(np.tanh, np.sin, r, gamma, c, spectrum)

    def curve(_):
        x, points = None, []
        for alpha in ALPHAS:
            x, error, steps = method.solve(alpha, LAM, x)
            points.append((error, steps))
        return points

    seconds, points = timed(curve, repeats)
    return matrix, seconds, [p[0] for p in points], [p[1] for p in points]


# -- asympkit -----------------------------------------------------------------------------------------


def fresh_curves(repeats):
    """Five points of a student nobody has asked for before, tables and analysis of the student included."""
    def model(k):
        return ak.OneStep(f"tanh({100 + k}*z/101)", "sin")

    def curve(k):
        return model(k).sweep(alpha=ALPHAS, lam=LAM, rtol=1e-12, backend="numpy", **STEP)

    curve(-1)
    seconds, sweep = timed(curve, repeats)
    return seconds, against_precise(model(repeats - 1), dict(zip(ALPHAS, sweep["test_error"])))


def against_precise(model, errors):
    """Worst relative difference of test errors, by alpha, from 25 digits."""
    return max(float(abs(error / model.precise(digits=25, alpha=alpha, lam=LAM, **STEP).test_error - 1))
               for alpha, error in errors.items())


def short_curve(model):
    """The five points by the kernel on tables that are there: the bare cost of the equations."""
    kernel, module = model.kernel, model.kernel.module
    point = model.point({**STEP, "alpha": 1.0, "lam": LAM})
    at = dict(zip(module.PARAMETERS, point.values)) | {"alpha": np.array([ALPHAS]), "lam": LAM}
    values = [np.ascontiguousarray(np.broadcast_to(at[n], (1, len(ALPHAS))), dtype=float) for n in module.PARAMETERS]
    tables = kernel.tables(2, point.table_parameters, model.activations, ())[0]
    start = [np.ones((1, len(ALPHAS))) for _ in module.TORN]
    out = np.empty((1, len(ALPHAS), len(module.OUTPUTS)))
    column = module.OUTPUTS.index("test_error")

    def solve(_):
        for _ in range(100):        # one call is too short for the clock
            module.solve_rows(*values, *tables, *start, out, 1e-9, 100, 1e-9)
        return dict(zip(ALPHAS, out[0, :, column]))

    solve(0)
    return solve


class Diagram:
    """The phase diagram alpha x lam on given tables, by each way through the kernel."""

    def __init__(self, model, size):
        self.kernel, self.module = model.kernel, model.kernel.module
        self.point = model.point({**STEP, "alpha": 1.0, "lam": LAM})
        self.students = (model.student, model.target)
        self.alphas, self.lams = np.linspace(0.1, 3.0, size), np.geomspace(1e-4, 10.0, size)
        grid = dict(zip(("alpha", "lam"), np.meshgrid(self.alphas, self.lams, indexing="ij")))
        at = dict(zip(self.module.PARAMETERS, self.point.values))
        self.values = [np.ascontiguousarray(grid.get(n, np.full((size, size), at[n])))
                       for n in self.module.PARAMETERS]
        self.start = [np.ones((size, size)) for _ in self.module.TORN]
        self.column = self.module.OUTPUTS.index("test_error")

    def tables(self, level):
        return self.kernel.tables(level, self.point.table_parameters, self.students, ())[0]

    def rows(self, tables, parallel=False, tolerance=1e-9):
        solve = self.module.solve_rows_parallel if parallel else self.module.solve_rows
        out = np.empty((*self.values[0].shape, len(self.module.OUTPUTS)))
        solve(*self.values, *tables, *self.start, out, tolerance, 100, 1e-9)
        if not np.all(out[..., -2] <= 1e-9):
            raise RuntimeError("phase diagram: some points did not converge")
        return out[..., self.column]

    def batch(self, tables):
        return self.kernel.batch([v.ravel() for v in self.values], tables)[0][self.column]

    def coarsest(self):
        """The coarsest rule that is right to ACCURACY everywhere: level and worst error."""
        for level in range(1, len(self.module.OUTER_STEPS) - 1):
            finer = self.rows(self.tables(level + 1), tolerance=1e-13)
            worst = np.max(np.abs(self.rows(self.tables(level)) / finer - 1))
            if worst <= ACCURACY:
                return level, worst, finer
        raise RuntimeError(f"phase diagram: no rule reaches {ACCURACY:g}")


def processes():
    """Seconds for what a new process pays once: imports, and compilation with an empty cache."""
    imports = ("import time; t = time.perf_counter(); import asympkit as ak; a = time.perf_counter();"
               "m = ak.OneStep('tanh', 'sin'); m.kernel; print(a - t, time.perf_counter() - a)")
    compiling = ("import time; import asympkit as ak; m = ak.OneStep('tanh', 'sin');"
                 "g = dict(eta=2, alpha0=2, alpha=[1., 2.], lam=[.1, .2], backend='numba');"
                 "t = time.perf_counter(); m.sweep(**g); a = time.perf_counter(); m.sweep(**g);"
                 "print(2 * a - t - time.perf_counter())")
    with tempfile.TemporaryDirectory() as folder:
        answers = [subprocess.run([sys.executable, "-c", code], env={**os.environ, "NUMBA_CACHE_DIR": folder},
                                  capture_output=True, text=True, check=True).stdout
                   for code in (imports, compiling, compiling)]
    package, kernel, first, cached = map(float, " ".join(answers).split())
    return {"import asympkit": package, "first model with its kernel": kernel,
            "compile, empty cache": first, "load compiled code from cache": cached}


def first_result(repeats):
    """CPU seconds of a new process for ``asympkit solve``, for ``import numpy`` and their ratio."""
    solve = ["-m", "asympkit", "solve", "one-step", "--student", "tanh(1.3*z)", "--target", "sin", "--eta", "1",
             "--alpha0", "2", "--alpha", "1.5", "--lam", "0.01"]

    def cpu(arguments):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *arguments], capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    ours, numpy = (statistics.median(cpu(a) for _ in range(repeats)) for a in (solve, ["-c", "import numpy"]))
    return {"first result of a process, CPU": ours, "import numpy, CPU": numpy}


def run(quick):
    """Everything, as a dict of numbers."""
    import numba

    model = ak.OneStep("tanh", "sin")
    once = {**processes(), **first_result(3 if quick else 9)}
    matrix, seconds, theirs, steps = baseline(400 if quick else 2000, 1 if quick else 3)
    per_point = seconds / len(ALPHAS)
    single, _ = timed(lambda k: model.solve(alpha=1.5, lam=LAM, **STEP), 5 if quick else 25)
    ours = [model.solve(alpha=a, lam=LAM, **STEP) for a in ALPHAS]
    solve_error = against_precise(model, {a: s.test_error for a, s in zip(ALPHAS, ours)})
    precisely, p = timed(lambda k: model.precise(digits=30, alpha=1.5, lam=LAM, **STEP), 1 if quick else 3)
    more = model.precise(digits=40, alpha=1.5, lam=LAM, **STEP).test_error
    precise_error = float(abs(p.test_error - more) / more)
    curve, curve_error = fresh_curves(3 if quick else 9)

    hundred, errors = timed(short_curve(model), 3 if quick else 31)
    bare = Seconds(hundred / 100)
    bare.fastest = hundred.fastest / 100
    bare_error = against_precise(model, errors)

    size = 20 if quick else 100
    diagram, many = Diagram(model, size), 3 if quick else 31
    level, worst, finer = diagram.coarsest()
    building, tables = timed(lambda k: diagram.tables(level), many)
    diagram.rows(tables), diagram.rows(tables, parallel=True)
    one, _ = timed(lambda k: diagram.rows(tables), many)
    threads = min(2, numba.config.NUMBA_NUM_THREADS)
    numba.set_num_threads(threads)
    two, _ = timed(lambda k: diagram.rows(tables, parallel=True), many)
    batch, batched = timed(lambda k: diagram.batch(tables), 1 if quick else 5)
    whole, sweep = timed(lambda k: model.sweep(alpha=diagram.alphas, lam=diagram.lams, backend="numba",
                                               rtol=ACCURACY, **STEP), many)
    n = size * size

    def error(values):
        return float(np.max(np.abs(values.reshape(finer.shape) / finer - 1)))

    published = max(abs(a / s.test_error - 1) for a, s in zip(theirs, ours))
    rows = [("published method, 5-point curve", seconds, len(ALPHAS), published),
            ("5-point curve, new student, tables included", curve, len(ALPHAS), curve_error),
            ("5-point curve, kernel after tables", bare, len(ALPHAS), bare_error),
            ("one solve() to 1e-12, tables included", single, 1, solve_error),
            ("precise(), 30 digits", precisely, 1, precise_error),
            (f"{size}x{size} diagram, kernel after tables, 1 core", one, n, float(worst)),
            (f"{size}x{size} diagram, kernel after tables, {threads} cores", two, n, float(worst)),
            (f"{size}x{size} diagram, plain numpy after tables", batch, n, error(batched)),
            (f"{size}x{size} diagram, sweep(), tables included", whole, n, error(sweep["test_error"]))]
    versions = {"python": platform.python_version(), "numpy": np.__version__, "numba": numba.__version__}
    return {
        "rows": [{"task": task, "seconds": time, "fastest": time.fastest, "points": points,
                  "seconds_per_point": time / points, "relative_error": error}
                 for task, time, points, error in rows],
        "baseline_seconds_per_point": per_point, "baseline_matrix_seconds": matrix, "baseline_steps": steps,
        "test_errors": {"alpha": ALPHAS, "published": theirs, "asympkit": [s.test_error for s in ours]},
        "once": {**once, "tables of the diagram": building}, "level": level, "nodes": int(tables[1].size),
        "versions": versions, "cores": os.cpu_count()}


def scaled(seconds):
    unit, factor = next((u for u in (("s", 1), ("ms", 1e3), ("us", 1e6)) if seconds * u[1] >= 1), ("us", 1e6))
    return f"{seconds * factor:.3g} {unit}"


def show(result):
    """Print the tables."""
    base = result["baseline_seconds_per_point"]
    print(f"{'task':<50} {'time':>9} {'fastest':>9} {'per point':>10} "
          f"{'published':>10} {'ratio':>9} {'rel. error':>10}")
    for row in result["rows"]:
        print(f"{row['task']:<50} {scaled(row['seconds']):>9} {scaled(row['fastest']):>9} "
              f"{scaled(row['seconds_per_point']):>10} {scaled(base):>10} "
              f"{base / row['seconds_per_point']:>9.3g} {row['relative_error']:>10.0e}")
    print("\ntest error   alpha   published     asympkit      difference")
    for alpha, a, b in zip(*result["test_errors"].values()):
        print(f"{alpha:>18g}   {a:.8f}    {b:.8f}    {a / b - 1:+.2%}")
    print(f"published method: {', '.join(map(str, result['baseline_steps']))} joint steps; "
          f"one matrix for the curve took {scaled(result['baseline_matrix_seconds'])} more")
    print(f"diagram: {result['nodes']} nodes (level {result['level']})")
    for name, seconds in result["once"].items():
        print(f"once, {name}: {scaled(seconds)}")
    ours, numpy = (result["once"][k] for k in ("first result of a process, CPU", "import numpy, CPU"))
    print(f"a first result costs {ours / numpy:.2f} times import numpy")
    print(", ".join(f"{k} {v}" for k, v in result["versions"].items()), f"on {result['cores']} cores")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", metavar="FILE", help="write all numbers to a file")
    parser.add_argument("--quick", action="store_true", help="small matrix, small diagram, few repetitions")
    options = parser.parse_args(arguments)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ak.AssumptionWarning)
        result = run(options.quick)
    show(result)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as stream:
            json.dump(result, stream, indent=1)


if __name__ == "__main__":
    main()
