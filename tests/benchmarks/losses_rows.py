"""Logistic regression on spiked features, beside nested adaptive integrals over proximal points."""

import time

import numpy as np
from harness import Row, Task, race
from naive_logistic import NaiveLogistic

from asympkit.solve.ladder import thin_inner_tables

R, C, GAMMA, ALPHA, LAM = 1.2, 1.1, 0.9, 2.0, 0.1
ROW = np.concatenate([np.linspace(0.08, 0.12, 50), [LAM]])
#: solutions on tables that are used and finer ones agree to this
ACCURACY = 1e-12
NOTE = ("Student tanh, labels that are signs of a linear target, r = 1.2, c = 1.1, gamma = 0.9, alpha = 2, lam = "
        "0.1. The baseline is the damped iteration (1/2, to 1e-8) with `quad` over the projection and over the "
        "prediction for each of eight averages and `minimize_scalar` for each proximal point. One of its steps was "
        "timed, {step:.3g} s{part}; it takes {steps} of them, counted by the same iteration with sums over nodes. "
        "Warm: along a row of {row} penalties from 0.08 to 0.12, each from those before it. Errors are those of the "
        "test error against arbitrary precision, of the baseline those of psi against the package.")


def rows(quick):
    import asympkit as ak

    theory = ak.SpikedFeatures("tanh", "z", labels="sign", loss="logistic")
    at = {"r": R, "c": C, "gamma": GAMMA, "alpha": ALPHA}
    grid = {"alpha": np.linspace(1.0, 3.0, 5 if quick else 20), "lam": np.geomspace(0.05, 0.5, 20)}
    known = theory.solve(**at, lam=LAM)
    loop = _Loop(theory, at, known)
    loop.row(known), loop.point(None)
    theory.sweep(**at | grid, backend="numba")
    t = race(2 if quick else 7, warm=Task(lambda: loop.row(known), 5, loops=5),
             cold=Task(lambda: loop.point(None), 5, loops=20),
             sweep=lambda: theory.sweep(**at | grid, backend="numba")["test_error"],
             solve=lambda: theory.solve(**at, lam=LAM).test_error)
    step, steps, apart = _baseline(known, quick)
    exact = float(theory.precise(digits=14, **at, lam="0.1").test_error)
    note = NOTE.format(step=step, steps=steps, row=ROW.size, part=", eight times one of its averages" * quick)

    def row(task, name, points=1, error=None):
        return Row(task, t[name].median, "`quad` and `minimize_scalar`", step * steps, points, error=error,
                   baseline_error=apart, note=note)

    def error(name):
        return float(abs(t[name].result / exact - 1))

    count = grid["alpha"].size * grid["lam"].size
    return [row("a row of points of logistic regression, kernel after tables, warm", "warm", ROW.size,
                error=error("warm")),
            row("one point from the start of the theory", "cold", error=error("cold")),
            row(f"{count} points by `sweep(backend=\"numba\")`, tables included", "sweep", count),
            row("one `solve()` to 1e-12, tables included", "solve", error=error("solve"))], []


class _Loop:
    """The compiled loop at one point, on the coarsest tables whose refinement changes nothing."""

    def __init__(self, theory, at, known):
        self.kernel, self.module = theory.kernel, theory.kernel.module
        self.column = self.module.OUTPUTS.index("test_error")
        point = theory.point(theory.given({**at, "lam": LAM}))
        self.values = [np.full((1, 1), v) for v in point.values]
        self.out = np.empty((1, 1, len(self.module.OUTPUTS)))
        level = next(n for n in range(1, self.kernel.levels) if self._agrees(self._tables(theory, point, n), known))
        self.tables = self._tables(theory, point, level)
        inner = thin_inner_tables(self.kernel, self.tables, level, point.table_parameters, theory.activations)
        self.tables = next((fewer for fewer in inner if self._agrees(fewer, known)), self.tables)

    @staticmethod
    def _tables(theory, point, level):
        return theory.kernel.tables(level, point.table_parameters, theory.activations, ())[0]

    def _agrees(self, tables, known):
        self.tables = tables
        self.point(known)
        names = (*self.module.TORN, *self.module.OBSERVABLES)
        return all(abs(self.out[0, 0, self.module.OUTPUTS.index(n)] / known[n] - 1) <= ACCURACY
                   for n in names if n != "theta")

    def row(self, known):
        """The test error at the end of a row of penalties, which the last step reaches from the others."""
        at = dict(zip(self.module.PARAMETERS, self.values)) | {"lam": ROW[None]}
        values = [np.ascontiguousarray(np.broadcast_to(v, (1, ROW.size))) for v in at.values()]
        start = [np.full((1, ROW.size), known[u]) for u in self.module.TORN]
        out = np.empty((1, ROW.size, self.out.shape[-1]))
        self.module.solve_rows(*values, *self.tables, *start, out, self.kernel.tolerance(ACCURACY), 100, 1e-9)
        if not np.all(out[..., -2] <= 1e-9):
            raise RuntimeError("kernel: some points did not converge")
        return float(out[0, -1, self.column])

    def point(self, start):
        """The test error, from a solution nearby or from the start of the theory."""
        begin = self.kernel.usual_start([v.ravel() for v in self.values]) if start is None else start
        start = [np.full((1, 1), float(np.ravel(begin[u])[0])) for u in self.module.TORN]
        self.module.solve_rows(*self.values, *self.tables, *start, self.out, self.kernel.tolerance(ACCURACY), 100, 1e-9)
        if not self.out[0, 0, -2] <= 1e-9:
            raise RuntimeError("kernel: the point did not converge")
        return float(self.out[0, 0, self.column])


def _baseline(known, quick):
    """Seconds of one step by scipy, how many there are, and how far their fixed point is from the package's."""
    naive = NaiveLogistic(R, C, GAMMA)
    found, steps = naive.solve(ALPHA, LAM)
    apart = abs(found["psi"] / known["psi"] - 1)
    start = time.perf_counter()
    averages = naive.by_integrals(found, few=quick)
    seconds = time.perf_counter() - start
    if not np.allclose(averages, naive.by_sums(found)[:len(averages)], rtol=1e-4, atol=1e-7):
        raise RuntimeError("the averages of the two baselines differ")
    return seconds * 8 / len(averages), steps, apart
