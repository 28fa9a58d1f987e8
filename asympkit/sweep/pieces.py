"""The pieces of a sweep: points that share a table, solved together, in any process."""

import itertools
import threading
import warnings
from dataclasses import dataclass

import numpy as np

from ..errors import AssumptionWarning

#: points of a piece at most: what an interruption can cost
LARGEST = 50_000
ACCEPT = 1e-9

_WARNINGS = threading.Lock()      # the filters of warnings belong to the whole process
_MODELS = {}


@dataclass(frozen=True)
class Piece:
    """Rows ``first`` to ``last`` of the points that share the table parameters ``at``.

    ``where`` is its place in the arrays of the sweep, an index or a slice for each axis.
    """

    at: dict
    grid: dict
    first: int
    last: int
    where: tuple


def split(axes, table_names, fixed):
    """The pieces of a sweep, in order; their bounds depend on the axes alone."""
    table_axes = [n for n in axes if n in table_names]
    grid = {n: a for n, a in axes.items() if n not in table_names}
    names, pieces = list(axes), []
    rows = next(iter(grid.values())).size if grid else 1
    row = int(np.prod([a.size for a in grid.values()])) // rows
    step = max(1, LARGEST // row)
    for index in itertools.product(*(range(axes[n].size) for n in table_axes)):
        at = {**fixed, **{n: float(axes[n][i]) for n, i in zip(table_axes, index)}}
        for first in range(0, rows, step):
            last = min(rows, first + step)
            cuts = dict(zip(table_axes, index)) | dict.fromkeys(grid, slice(None))
            if grid:
                cuts[next(iter(grid))] = slice(first, last)
            pieces.append(Piece(at, grid, first, last, tuple(cuts[n] for n in names)))
    return pieces


def solve_piece(token, model, piece, rtol, backend):
    """Solve one piece; a process keeps the model of the sweep it works for, with its kernel.

    Returns
    -------
    values : ndarray, shape (rows, ..., outputs)
    good : bool
        Whether the averages reached the accuracy asked for.
    notes : set of str
        Assumptions that do not hold.
    """
    if token is not None:
        if token not in _MODELS:
            _MODELS.clear()
            _MODELS[token] = model
        model = _MODELS.get(token, model)
    kernel, module = model.kernel, model.kernel.module
    point, notes = _point(model, {**piece.at, **{n: float(a[0]) for n, a in piece.grid.items()}})
    corners = _values(module, point, [a[sorted({0, a.size // 2, a.size - 1})] for a in piece.grid.values()], piece.grid)
    tables, good = _choose_tables(model, point, corners, rtol, backend)
    first, *others = piece.grid.values() or (None,)
    part = [] if first is None else [first[piece.first:piece.last], *others]
    out = _solved(kernel, _values(module, point, part, piece.grid), tables, backend)
    out[~np.isfinite(out).all(axis=-1), -2] = np.inf       # small residuals do not excuse an overflow
    return out, good, notes


def _values(module, point, axes, names):
    """The kernel's parameters on a grid of some of them."""
    shape = tuple(a.size for a in axes)
    mesh = np.meshgrid(*axes, indexing="ij") if axes else []
    values = {n: np.full(shape, v) for n, v in zip(module.PARAMETERS, point.values)} | dict(zip(names, mesh))
    return [values[n] for n in module.PARAMETERS]


def _solved(kernel, values, tables, backend):
    """Solutions at points of any shape, the outputs along a last axis."""
    shape = values[0].shape
    if backend == "numpy" or values[0].size == 1:
        return kernel.batch([v.ravel() for v in values], tables)[0].T.reshape(*shape, -1)
    return _rows(kernel, values, tables).reshape(*shape, -1)


def check_axes(model, axes, fixed):
    """Let the extremes of every axis show whether it is in the domain, before anything is computed."""
    first = {n: float(a[0]) for n, a in axes.items()}
    for name, array in axes.items():
        for extreme in sorted({float(array.min()), float(array.max())}):
            _point(model, {**fixed, **first, name: extreme})


def _point(model, parameters):
    with _WARNINGS, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", AssumptionWarning)
        point = model.point(parameters)
    return point, {str(w.message) for w in caught if issubclass(w.category, AssumptionWarning)}


def _rows(kernel, values, tables):
    """Compiled solution, row by row along the last axis; what fails is solved again from the start."""
    module = kernel.module
    columns = values[0].shape[-1]
    rows = [np.ascontiguousarray(v.reshape(-1, columns)) for v in values]
    starts = [np.full(rows[0].shape, kernel.start[u]) for u in module.TORN]
    out = np.empty((*rows[0].shape, len(module.OUTPUTS)))
    module.solve_rows(*rows, *tables, *starts, out, 1e-9, 100, ACCEPT)
    out = out.reshape(-1, len(module.OUTPUTS))
    failed = ~(out[:, -2] <= ACCEPT)
    if failed.any():
        out[failed] = kernel.batch([v.ravel()[failed] for v in values], tables)[0].T
    return out


def _choose_tables(model, point, corners, rtol, backend):
    """The coarsest tables whose refinement changes nothing, judged at extreme and middle points of the grid."""
    kernel = model.kernel
    before = None
    for tables, error, _ in kernel.refinements(point.table_parameters, model.activations, point.arrays, rtol):
        if not kernel.is_refinable:
            return tables, True
        if not error <= max(rtol, 1e-12):      # refining the outer rule does not mend the inner means
            return tables, False
        now = _solved(kernel, corners, tables, backend).reshape(-1, len(kernel.module.OUTPUTS)).T
        if before is not None:
            change = kernel.change(now, before[0])
            if change <= rtol:
                return before[1], True
        before = (now, tables)
    return tables, False
