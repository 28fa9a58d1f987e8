"""One point of the one-step theory, beside a general root finder on its thirteen equations."""

import numpy as np
from kernel_access import OnTables
from lambdified import Lambdified
from setting import LAM, STEP, model
from table import Row
from timing import Task, race

NODES = 100
NOTE = ("The root finder has the thirteen equations by lambdify, fixed sums of {n} nodes for all averages, conditional "
        "means on the nodes computed beforehand, method hybr, tol = 1e-10, and starts from ones, as the kernel does. "
        "Its time holds neither lambdify nor these means.")


def rows(quick):
    theory, parameters = model(), {"alpha": 1.5, "lam": LAM, **STEP}
    equations, ones = Lambdified(theory, parameters, NODES), np.ones(len(theory.equations().unknowns))
    kernel = OnTables(theory, [1.5], [LAM])
    tables = kernel.tables(2)
    t = race(2 if quick else 15, root=lambda: equations.solve(ones, 1e-10),
             kernel=Task(lambda: kernel.rows(tables), 5, loops=200),
             numpy=Task(lambda: kernel.batch(tables), 5),
             solve=Task(lambda: theory.solve(**parameters).test_error, 3))
    exact = theory.precise(digits=25, **parameters).test_error

    def error(name):
        return float(abs(np.ravel(t[name].result)[0] / exact - 1))

    return [Row(f"one point, {task}", t[name].median, "`scipy.optimize.root` on lambdified equations", t["root"].median,
                error=error(name), baseline_error=error("root"), note=NOTE.format(n=NODES))
            for name, task in (("kernel", "kernel after tables"), ("numpy", "plain numpy after tables"),
                               ("solve", "`solve()` to 1e-12, tables included"))], []
