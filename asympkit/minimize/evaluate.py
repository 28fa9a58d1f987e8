"""Evaluate a quantity and its exact derivatives at many points, on one table or on a table each.

Check the arguments of a minimisation: parameters to choose, their intervals, and points that vary.
"""

import numbers
import warnings
from collections.abc import Mapping
from contextlib import suppress

import numpy as np

from ..arguments import check_text, quote
from ..errors import AssumptionWarning, BrokenAssumptions, ConvergenceError, DomainError, UnknownNameError, suggest
from ..jobs import held
from ..sensitivity.run import rates_together, tangent_solution
from ..solve.solution import Status
from ..sweep.blocks import blocks_of, solve_block
from ..sweep.pieces import How, evaluate_derived, is_solved, pieces_of, solve_piece, states

__all__ = ["LARGEST", "check_bounds", "check_extremes", "check_many_bounds", "check_over", "gradients_at",
           "values_on_grids"]


#: accepted residual of a point, as in sweeps, and accepted change by finer tables
_ACCEPT, _CHANGE = 1e-9, 1e-10
#: largest accepted relative rounding of a mean of which only the direction matters
_LOST = 1e-9


def check_extremes(model, quantity, over, base, columns, ends):
    """Check that extremes of all parameters lie in their domains, and that there are rates; warn of assumptions.

    Return the first point at the lower end, as parameters and as the model holds it.
    """
    at = {**base, **{n: float(c[0]) for n, c in columns.items()}, over: float(ends[0])}
    broken = BrokenAssumptions(model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AssumptionWarning)
        for name, column in {**columns, over: np.array(ends)}.items():
            for extreme in (column.min(), column.max()):
                found = model.point({**at, name: float(extreme)})
                broken.take(found.shown, found.assumptions, {})
        point = model.point(at)
        point.require_rate(quantity, over)
    model.warn(broken.texts(counted=False))
    return at, point


class OnOneTable:
    """Evaluate a quantity at points that share their tables, as a function of a parameter the tables do not depend on.

    ``base`` are the fixed parameters, ``columns`` the varying ones without ``over``, one entry a point; ``ends`` is the
    interval of ``over``.
    """

    def __init__(self, model, quantity, over, base, columns, ends, compiled):
        self.over, self.compiled, self.model = over, compiled, model
        size = next(iter(columns.values())).size if columns else 1
        at, point = check_extremes(model, quantity, over, base, columns, ends)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AssumptionWarning)
            tangent = model.tangent(over, at, point)
        self.point, self.columns = point, {n: point.along(n, c) for n, c in columns.items()}
        self.kernel, self.values, self.at = tangent.kernel, tangent.values, tangent.tables_at(point)
        outputs = self.kernel.module.OUTPUTS
        self.rows = [outputs.index(n) for n in (quantity, self.kernel.options.derivatives[quantity], "residual")]
        self.left = [self.kernel.options.budget * size]         # for other starts of all points of a search
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
                solved = np.isfinite(now) & np.isfinite(before[0])
                known = solved.all(axis=0)
                size_f = np.abs(now[0]) + np.finfo(float).tiny
                change = np.max([np.abs(now[0] - before[0][0]) / size_f, np.abs(now[1] - before[0][1]) / (
                    np.abs(now[1]) + size_f / np.abs(x + (x == 0)))], where=solved, initial=0.0)
                missed = known.any() and kernel.steps_over(level - 1, *self._solved(index[known], x[known])).any()
                if known.any() and change <= _CHANGE and not missed:
                    self.tables = before[1]
                    break
                if not known.any() and self.left[0] < 0.0:      # no equations are solved here, on any table
                    break
            before = (now, self.tables)
        self.compiled = compiled

    def __call__(self, index, x):
        """Return values and derivatives of the points ``index`` at ``over = x``."""
        values, out = self._solved(index, x)
        f, d, residual = out[self.rows]
        given, found = dict(zip(self.kernel.module.PARAMETERS, values)), dict(zip(self.kernel.module.OUTPUTS, out))
        bad = ~(residual <= _ACCEPT)
        if self.point.limit is not None:
            bad |= self.point.limit.misses(found, given, self.point)
        return np.where(bad, np.nan, f), np.where(bad, np.nan, d)

    def _solved(self, index, x):
        """Return parameters and outputs of some points."""
        columns = {n: c[index] for n, c in self.columns.items()} | {self.over: x}
        values = [columns.get(n, v) for n, v in zip(self.kernel.module.PARAMETERS, self.values)]
        if self.compiled:
            return values, self._rows([np.broadcast_to(v, x.shape) for v in values])
        return values, self.kernel.batch(values, self.tables, far=True, left=self.left)[0]

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
            out[:, failed] = kernel.batch([v[0][failed] for v in rows], self.tables, far=True, left=self.left)[0]
        return out


def values_on_grids(model, quantity, grids, rtol):
    """Evaluate a quantity on grids of one shape, pairs of fixed parameters and axes by name, in blocks of points.

    NaN where the equations are not solved at once: no point is tried from its neighbours.
    """
    if quantity in model.derived_names:
        return [evaluate_derived(model, axes, fixed, {})[quantity] for fixed, axes in grids]
    pieces = [pieces_of(axes, model.table_names, fixed) for fixed, axes in grids]
    every, how, found = [p for of_grid in pieces for p in of_grid], How(model, rtol, "numpy"), []
    for block in blocks_of(model, every, least=1):
        found += solve_block(None, how, block, None, [None] * len(block))
    solved = iter(found or [solve_piece(None, how, piece, None) for piece in every])
    place, out = model.kernel.module.OUTPUTS.index(quantity), []
    for (_, axes), of_grid in zip(grids, pieces):
        out.append(np.empty([a.size for a in axes.values()]))
        for piece in of_grid:
            values, settled, _ = next(solved)
            good = is_solved(states(values, settled, model.outside(values)))
            out[-1][piece.where] = np.where(good, values[..., place], np.nan)
    return out


def gradients_at(model, quantity, over, points):
    """Evaluate a quantity and its exact derivatives, arrays of shape (points,) and (points, parameters), together where
    that can be; NaN where it is not solved."""
    found = [rates_together(model, quantity, name, _CHANGE, points, [1.0 / (abs(p[name]) or 1.0) for p in points])
             for name in over]
    values, slopes = found[0][0], np.array([rates for _, rates, _ in found]).T
    for k in np.flatnonzero(~np.isfinite(slopes).all(axis=1)):
        with warnings.catch_warnings(), suppress(ConvergenceError):
            warnings.simplefilter("ignore", AssumptionWarning)
            values[k] = np.nan
            for j, name in enumerate(over):
                solution, rate = tangent_solution(model, quantity, name, 1e-9, points[k])
                slopes[k, j] = solution[rate]
            values[k] = solution[quantity]
    return values, slopes


#: sign of a search for the largest value; for the smallest it is 1
LARGEST = -1


def check_over(over, parameters, typed):
    """Return the names of the parameters to choose as a tuple: different ones of ``typed``, without values."""
    several = isinstance(over, tuple | list)
    names = tuple(over) if several else (over,)
    expected = f"the name of a parameter{', or a list of names' if several else ''}"
    for name in names:
        check_text("over", name, expected)
        if name in parameters and name not in typed:
            raise UnknownNameError(f"over: no parameter {name!r}{suggest(name, typed)}; known are {', '.join(typed)}")
        if name in parameters:
            raise DomainError(f"over: {name} is given as {quote(parameters[name])} too; leave it out, its range is "
                              "bounds")
    if not names or len(set(names)) < len(names):
        raise DomainError(f"over: got {quote(over)}; expected different names of parameters, one at least")
    return names


def check_bounds(bounds, argument="bounds"):
    """Return an interval as two floats."""
    try:
        low, high = bounds
    except (TypeError, ValueError) as error:
        raise DomainError(f"{argument}: got {bounds!r}; expected a pair (low, high)") from error
    for end in (low, high):
        if not isinstance(end, numbers.Real) or isinstance(end, bool) or not np.isfinite(float(end)):
            raise DomainError(f"{argument}: got {bounds!r}; expected two finite numbers, low < high")
    if not low < high:
        raise DomainError(f"{argument}: got {bounds!r}; expected low < high")
    return float(low), float(high)


def check_many_bounds(bounds, names):
    """Return intervals of several parameters, in their order: from a dict by name, or a sequence of pairs."""
    if isinstance(bounds, Mapping):
        if set(bounds) != set(names):
            raise DomainError(f"bounds: got intervals of {', '.join(map(str, bounds)) or 'nothing'}; expected one of "
                              f"each of {', '.join(names)}")
        return [check_bounds(bounds[n], f"bounds[{n!r}]") for n in names]
    if not isinstance(bounds, tuple | list) or len(bounds) != len(names):
        raise DomainError(f"bounds: got {quote(bounds)}; expected a pair (low, high) for each of {', '.join(names)}")
    return [check_bounds(pair, f"bounds[{k}]") for k, pair in enumerate(bounds)]
