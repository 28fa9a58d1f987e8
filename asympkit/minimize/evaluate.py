"""Evaluate a quantity and its exact derivative at many points, on one table or on a table each."""

import warnings

import numpy as np

from ..errors import AssumptionWarning, BrokenAssumptions, ConvergenceError
from ..jobs.interrupts import held
from ..sensitivity.run import tangent_solution
from ..solve.solution import Status

#: accepted residual of a point, as in sweeps, and accepted change by finer tables
_ACCEPT, _CHANGE = 1e-9, 1e-10
#: largest accepted relative rounding of a mean of which only the direction matters
_LOST = 1e-9


class OnOneTable:
    """Evaluate a quantity at points that share their tables, as a function of a parameter the tables do not depend on.

    Parameters
    ----------
    model : Model
    quantity, over : str
    base : dict
        The fixed parameters.
    columns : dict of str to ndarray
        The varying ones, one entry a point, without ``over``.
    ends : tuple of float
        Interval of ``over``.
    compiled : bool
    """

    def __init__(self, model, quantity, over, base, columns, ends, compiled):
        self.over, self.compiled, self.model = over, compiled, model
        size = next(iter(columns.values())).size if columns else 1
        at = {**base, **{n: float(c[0]) for n, c in columns.items()}, over: float(ends[0])}
        broken = BrokenAssumptions(model)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AssumptionWarning)
            for name, column in {**columns, over: np.array(ends)}.items():     # the extremes must lie in the domain
                for extreme in (column.min(), column.max()):
                    found = model.point({**at, name: float(extreme)})
                    broken.take(found.shown, found.assumptions, {})
            point = model.point(at)
            model.require_rate(quantity, over, point)
            tangent = model.tangent(over, at, point)
        model.warn(broken.texts(counted=False))
        self.point, self.columns = point, {n: point.along(n, c) for n, c in columns.items()}
        self.kernel, self.values, self.at = tangent.kernel, tangent.values, tangent.tables_at(point)
        outputs = self.kernel.module.OUTPUTS
        self.rows = [outputs.index(n) for n in (quantity, self.kernel.rates[quantity], "residual")]
        self._choose(point, size, ends)

    def _choose(self, point, size, ends):
        """Choose tables that are fine enough at the extremes of all parameters."""
        kernel, pick = self.kernel, np.unique([0, size // 2, size - 1])
        middle = np.sqrt(ends[0] * ends[1]) if ends[0] > 0.0 else 0.5 * (ends[0] + ends[1])
        index, x = np.repeat(pick, 3), np.tile([ends[0], middle, ends[1]], pick.size)
        before, compiled, self.compiled = None, self.compiled, False
        ladder = kernel.refinements(self.at, self.model.activations, point.arrays, _CHANGE)
        for self.tables, error, _, level in ladder:
            if not error <= _LOST and kernel.direction_error(self.tables, self.model.activations) > _LOST:
                raise ConvergenceError(f"minimize: {Status.DIRECTION}")
            now = np.array(self(index, x))
            if before is not None:
                size_f = np.abs(now[0]) + np.finfo(float).tiny
                change = max(np.max(np.abs(now[0] - before[0][0]) / size_f),
                             np.max(np.abs(now[1] - before[0][1]) / (np.abs(now[1]) + size_f / np.abs(x + (x == 0)))))
                missed = kernel.narrow is not None and kernel.steps_over(level - 1, *self._solved(index, x))
                if change <= _CHANGE and not missed:
                    self.tables = before[1]
                    break
            before = (now, self.tables)
        self.compiled = compiled

    def __call__(self, index, x):
        """Return values and derivatives of the points ``index`` at ``over = x``."""
        values, out = self._solved(index, x)
        f, d, residual = out[self.rows]
        given, found = dict(zip(self.kernel.module.PARAMETERS, values)), dict(zip(self.kernel.module.OUTPUTS, out))
        bad = ~(residual <= _ACCEPT) | self.model.misses_limit(self.point, given, found)
        return np.where(bad, np.nan, f), np.where(bad, np.nan, d)

    def _solved(self, index, x):
        """Return parameters and outputs of some points."""
        columns = {n: c[index] for n, c in self.columns.items()} | {self.over: x}
        values = [columns.get(n, v) for n, v in zip(self.kernel.module.PARAMETERS, self.values)]
        if self.compiled:
            return values, self._rows([np.broadcast_to(v, x.shape) for v in values])
        return values, self.kernel.batch(values, self.tables, far=True)[0]

    def _rows(self, values):
        kernel, module = self.kernel, self.kernel.module
        rows = [np.ascontiguousarray(v, dtype=float).reshape(1, -1) for v in values]
        starts = [np.full(rows[0].shape, kernel.start[u]) for u in module.TORN]
        out = np.empty((*rows[0].shape, len(module.OUTPUTS)))
        with held():
            module.solve_rows(*rows, *self.tables, *starts, out, 1e-9, 100, _ACCEPT)
        out = out[0].T
        failed = ~(out[self.rows[2]] <= _ACCEPT)
        if failed.any():
            out[:, failed] = kernel.batch([v[0][failed] for v in rows], self.tables, far=True)[0]
        return out


class OnManyTables:
    """Evaluate a quantity as a function of a parameter the tables depend on: one table for every value."""

    def __init__(self, model, quantity, over, points):
        self.model, self.quantity, self.over, self.points = model, quantity, over, points

    def __call__(self, index, x):
        out = np.array([self._one(self.points[i], float(v)) for i, v in zip(index, x)]).reshape(-1, 2)
        return out[:, 0], out[:, 1]

    def _one(self, parameters, x):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AssumptionWarning)
            try:
                solution, rate = tangent_solution(self.model, self.quantity, self.over, 1e-9,
                                                  {**parameters, self.over: x})
            except ConvergenceError:
                return np.nan, np.nan
        return solution[self.quantity], solution[rate]
