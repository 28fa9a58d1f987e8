"""The compiled loop on tables that are there: what the equations alone cost."""

import numpy as np
from setting import LAM, STEP


class OnTables:
    """Points alpha x lam of a model on tables of one level, by each way through its kernel."""

    def __init__(self, model, alphas, lams):
        self.kernel, self.module = model.kernel, model.kernel.module
        self.point = model.point({**STEP, "alpha": 1.0, "lam": LAM})
        self.activations = model.activations
        shape = len(alphas), len(lams)
        grid = dict(zip(("alpha", "lam"), np.meshgrid(alphas, lams, indexing="ij")))
        at = dict(zip(self.module.PARAMETERS, self.point.values))
        self.values = [np.ascontiguousarray(grid.get(n, np.full(shape, at[n])), dtype=float)
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
