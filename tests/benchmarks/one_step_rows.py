"""The one-step theory: curves, diagrams and optima beside the published method (arXiv 2402.04980), one point beside
a general root finder on its thirteen equations."""

import itertools

import numpy as np
from harness import ALPHAS, LAM, STEP, OnTables, Row, Task, model, published, published_matrix, race
from lambdified import Lambdified
from scipy.optimize import minimize_scalar

import asympkit as ak

ACCURACY = 1e-10
NAME = "published method"
NOTE = ("Published method: joint damped iteration to 1e-4, adaptive integrals of 19-node Gauss-Hermite rules, one "
        "sampled matrix of size {d}. Its error is mostly the chance of that matrix.")
NEW = ("A new student changes the norm c of the rows after the step, so the published method samples and diagonalises "
       "a new matrix for it: the baseline is given without and with it, on the tanh student. asympkit's time holds the "
       "analysis of the student and its tables; the process runs, with its loops compiled for numba.")


def rows(quick):
    import numba

    size, theory = 20 if quick else 100, model()
    method, d = published(quick)
    note = NOTE.format(d=d)
    curve = OnTables(theory, [1.0], [LAM] * len(ALPHAS))
    curve.values[curve.module.PARAMETERS.index("alpha")][:] = ALPHAS
    curve_tables = curve.tables(2)
    diagram = OnTables(theory, np.linspace(0.1, 3.0, size), np.geomspace(1e-4, 10.0, size))
    level, worst, finer = diagram.coarsest(ACCURACY)
    tables = diagram.tables(level)
    cores = numba.config.NUMBA_NUM_THREADS
    diagram.rows(tables, parallel=True)
    grid = {"alpha": diagram.grid["alpha"][:, 0], "lam": diagram.grid["lam"][0]}
    new = {backend: NewStudents(backend) for backend in ("numba", "numpy")}
    few, many = (1, 3) if quick else (3, 11)

    t = race(1 if quick else 3, published=lambda: published_curve(method), matrix=lambda: published_matrix(quick),
             numba=Task(new["numba"], 10 * few), numpy=Task(new["numpy"], 10 * few),
             bare=Task(lambda: curve.rows(curve_tables), many, loops=100),
             single=Task(lambda: [theory.solve(alpha=1.5, lam=LAM, **STEP)], few),
             precise=lambda: theory.precise(digits=30, alpha=1.5, lam=LAM, **STEP),
             one=Task(lambda: diagram.rows(tables), many), all=Task(lambda: diagram.rows(tables, parallel=True), many),
             batch=lambda: diagram.batch(tables),
             sweep=Task(lambda: theory.sweep(**grid, backend="numba", rtol=ACCURACY, **STEP)["test_error"], many))

    theirs = t["published"].median
    exact = dict(zip(ALPHAS, (theory.precise(digits=25, alpha=a, lam=LAM, **STEP).test_error for a in ALPHAS)))
    published_error = off(exact, t["published"].result)
    more = theory.precise(digits=40, alpha=1.5, lam=LAM, **STEP).test_error

    def row(task, name, points, error, extra=0.0, label=NAME, note=note):
        return Row(task, t[name].median, label, theirs + extra, points, len(ALPHAS), error=error,
                   baseline_error=published_error, note=note)

    def on_grid(name):
        return float(np.max(np.abs(t[name].result / finer - 1)))

    made = []
    for backend, curves in new.items():
        task = f"5-point curve, new student, tables included, {backend} back end"
        error = curves.error()
        made += [row(task, backend, len(ALPHAS), error, note=NEW),
                 row(task, backend, len(ALPHAS), error, t["matrix"].median, f"{NAME} with its matrix", NEW)]
    square = f"{size} x {size} diagram"
    made += [row("5-point curve, kernel after tables", "bare", len(ALPHAS), off(exact, t["bare"].result[0])),
             row("one `solve()` to 1e-12, tables included", "single", 1,
                 off({1.5: exact[1.5]}, [t["single"].result[0].test_error])),
             row("`precise(digits=30)`", "precise", 1, float(abs(more - t["precise"].result.test_error) / more)),
             row(f"{square}, kernel after tables", "one", size**2, worst)]
    if cores > 1:
        made.append(row(f"{square}, the same on {cores} cores", "all", size**2, on_grid("all")))
    made += [row(f"{square}, the same in plain numpy", "batch", size**2, on_grid("batch")),
             row(f"{square} by `sweep()`, tables included", "sweep", size**2, on_grid("sweep"))]
    return made, []


class NewStudents:
    """Each call is the five points of a student nobody has asked for before."""

    def __init__(self, backend):
        self.backend, self.numbers = backend, itertools.count(5000)
        self()                                     # the kernel is loaded, and compiled where the back end is numba

    def __call__(self):
        self.last = ak.OneStep(f"tanh({next(self.numbers)}*z/5003)", "sin")
        self.errors = self.last.sweep(alpha=ALPHAS, lam=LAM, backend=self.backend, **STEP)["test_error"]

    def error(self):
        exact = [self.last.precise(digits=25, alpha=a, lam=LAM, **STEP).test_error for a in ALPHAS]
        return off(dict(zip(ALPHAS, exact)), self.errors)


def published_curve(method):
    """Test errors along ALPHAS, each point started from the one before."""
    x, errors = None, []
    for alpha in ALPHAS:
        x, error, _ = method.solve(alpha, LAM, x)
        errors.append(error)
    return errors


def off(exact, errors):
    """Worst relative error."""
    return max(float(abs(e / x - 1)) for e, x in zip(errors, exact.values()))


POINTS = 1000
BEST = ("All {n} minimisations over lam together, tables included, beside one solution of the published method at one "
        "lam. The error is that of the smallest test error at three alphas, from a search over `solve()`.")


def minimum(quick):
    theory, alphas = model(), np.linspace(0.1, 3.0, POINTS)
    method, _ = published(quick)

    def optimal():
        return theory.minimize("test_error", over="lam", bounds=(1e-6, 1e3), alpha=alphas, **STEP)

    optimal()
    t = race(1 if quick else 3, ours=Task(optimal, 1 if quick else 5), published=lambda: method.solve(1.5, LAM))
    found = t["ours"].result
    if not found.converged.all():
        raise RuntimeError("minimum: some minimisations did not converge")
    error = max(abs(found.value[k] / searched(theory, alphas[k]) - 1) for k in (100, 500, 900))
    return [Row(f"best lam at {POINTS} alphas by one `minimize()`", t["ours"].median, f"{NAME}, one point",
                t["published"].median, points=POINTS, whole=True, error=float(error), note=BEST.format(n=POINTS))], []


def searched(theory, alpha):
    """Smallest test error over lam by values alone: a scan, then Brent's method around its lowest point."""
    def value(log):
        return theory.solve(alpha=alpha, lam=float(np.exp(log)), **STEP).test_error

    logs = np.linspace(np.log(1e-6), np.log(1e3), 43)
    lowest = int(np.argmin([value(x) for x in logs]))
    around = logs[max(lowest - 1, 0)], logs[min(lowest + 1, len(logs) - 1)]
    return minimize_scalar(value, bounds=around, method="bounded", options={"xatol": 1e-7}).fun


NODES = 100
ROOT = ("The root finder has the thirteen equations by lambdify, fixed sums of {n} nodes for all averages, conditional "
        "means on the nodes computed beforehand, method hybr, tol = 1e-10, and starts from ones, as the kernel does. "
        "Its time holds neither lambdify nor these means.")


def root(quick):
    theory, parameters = model(), {"alpha": 1.5, "lam": LAM, **STEP}
    equations, ones = Lambdified(theory, parameters, NODES), np.ones(len(theory.equations().unknowns))
    kernel = OnTables(theory, [1.5], [LAM])
    tables = kernel.tables(2)
    t = race(2 if quick else 15, root=lambda: equations.solve(ones, 1e-10),
             kernel=Task(lambda: kernel.rows(tables), 5, loops=200), numpy=Task(lambda: kernel.batch(tables), 5),
             solve=Task(lambda: theory.solve(**parameters).test_error, 3))
    exact = theory.precise(digits=25, **parameters).test_error

    def error(name):
        return float(abs(np.ravel(t[name].result)[0] / exact - 1))

    return [Row(f"one point, {task}", t[name].median, "`scipy.optimize.root` on lambdified equations", t["root"].median,
                error=error(name), baseline_error=error("root"), note=ROOT.format(n=NODES))
            for name, task in (("kernel", "kernel after tables"), ("numpy", "plain numpy after tables"),
                               ("solve", "`solve()` to 1e-12, tables included"))], []
