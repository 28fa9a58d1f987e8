"""The pieces of a sweep: points that share a table, solved together, in any process."""

import itertools
import math
from typing import NamedTuple

import numpy as np

#: points of a piece at most: what an interruption can cost
LARGEST = 50_000
#: up to this many points all of them decide about the tables
FEW = 16
ACCEPT = 1e-9

_MODELS = {}


class Piece(NamedTuple):
    """Rows ``first`` to ``last`` of the points that share the table parameters ``at``.

    ``where`` is its place in the arrays of the sweep, an index or a slice for each axis; ``is_first`` tells whether
    ``at`` holds the first value of each axis.
    """

    at: dict
    grid: dict
    first: int
    last: int
    where: tuple
    is_first: bool


def split(axes, table_names, fixed):
    """The pieces of a sweep, in order; their bounds depend on the axes alone."""
    table_axes = [n for n in axes if n in table_names]
    grid = {n: a for n, a in axes.items() if n not in table_names}
    names, pieces = list(axes), []
    rows = next(iter(grid.values())).size if grid else 1
    row = math.prod(a.size for a in grid.values()) // rows
    step = max(1, LARGEST // row)
    for index in itertools.product(*(range(axes[n].size) for n in table_axes)):
        at = {**fixed, **{n: float(axes[n][i]) for n, i in zip(table_axes, index)}}
        for first in range(0, rows, step):
            last = min(rows, first + step)
            cuts = dict(zip(table_axes, index)) | dict.fromkeys(grid, slice(None))
            if grid:
                cuts[next(iter(grid))] = slice(first, last)
            pieces.append(Piece(at, grid, first, last, tuple(cuts[n] for n in names), not any(index)))
    return pieces


def solve_piece(token, model, piece, rtol, backend, loops, known):
    """Solve one piece; a process keeps the model of the sweep it works for, with its kernel.

    With ``loops`` the tables too are made by compiled loops.  ``known`` is the point of the first piece.

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
    point = known
    if not piece.is_first:
        point = model.located({**piece.at, **{n: float(a[0]) for n, a in piece.grid.items()}}, loops)
    axes = list(piece.grid.values())
    corners = [sorted({0, a.size // 2, a.size - 1}) for a in axes]
    if math.prod(a.size for a in axes) <= FEW:
        points = _values(module, point, axes, piece.grid)
        tables, good, out = _choose_tables(model, point, points, corners, rtol, backend, loops)
        out = out[piece.first:piece.last] if axes else out
    else:
        points = _values(module, point, [a[i] for a, i in zip(axes, corners)], piece.grid)
        tables, good, _ = _choose_tables(model, point, points, None, rtol, backend, loops)
        axes[0] = axes[0][piece.first:piece.last]
        out = _solved(kernel, _values(module, point, axes, piece.grid), tables, backend)
    with np.errstate(all="ignore"):
        if not math.isfinite(out.sum()):
            out[~np.isfinite(out).all(axis=-1), -2] = np.inf       # small residuals do not excuse an overflow
    return out, good, set(point.assumptions)


def _values(module, point, axes, names):
    """The kernel's parameters on a grid of some of them, as one array."""
    values = np.empty((len(module.PARAMETERS), *(a.size for a in axes)))
    values.T[...] = point.values
    for dimension, (name, axis) in enumerate(zip(names, axes)):
        values[module.PARAMETERS.index(name)] = axis.reshape([-1 if d == dimension else 1 for d in range(len(axes))])
    return values


def _solved(kernel, values, tables, backend):
    """Solutions at points of any shape, the outputs along a last axis."""
    shape = values.shape[1:]
    if backend == "numpy" or values[0].size == 1:
        return kernel.batch(values.reshape(len(values), -1), tables)[0].T.reshape(*shape, -1)
    return _rows(kernel, values.reshape(len(values), -1, shape[-1]), tables).reshape(*shape, -1)


def check_axes(model, axes, fixed, loops):
    """Let the extremes of every axis show whether it is in the domain, before anything is computed.

    Returns the first point.
    """
    first = {**fixed, **{n: float(a[0]) for n, a in axes.items()}}
    known = model.located(first, loops)
    for name, array in axes.items():
        for extreme in sorted({float(array.min()), float(array.max())} - {first[name]}):
            model.located({**first, name: extreme}, loops)
    return known


def _rows(kernel, values, tables):
    """Compiled solution, row by row along the last axis; what fails is solved again from the start."""
    module, shape = kernel.module, values.shape[1:]
    out = np.empty((*shape, len(module.OUTPUTS)))
    starts = [np.full(shape, kernel.start[u]) for u in module.TORN]
    module.solve_rows(*values, *tables, *starts, out, 1e-9, 100, ACCEPT)
    out = out.reshape(-1, len(module.OUTPUTS))
    if not out[:, -2].max() <= ACCEPT:
        failed = ~(out[:, -2] <= ACCEPT)
        out[failed] = kernel.batch(values.reshape(len(values), -1)[:, failed], tables)[0].T
    return out


def _is_settled(kernel, now, before, corners, rtol):
    if kernel.change(now, before) <= rtol:
        return True
    if not corners:
        return False
    judged = (now[..., -2] <= ACCEPT) & (before[..., -2] <= ACCEPT)
    judged[np.ix_(*corners)] = True
    return kernel.change(now[judged], before[judged]) <= rtol


def _choose_tables(model, point, points, corners, rtol, backend, loops):
    """The coarsest tables whose refinement changes nothing, whether there are such, and the solutions.

    With ``corners``, indices for each axis, the points there decide, and of the others those that are solved.
    """
    kernel = model.kernel
    before = None
    for tables, error, _ in kernel.refinements(point.table_parameters, model.activations, point.arrays, rtol, loops):
        now = _solved(kernel, points, tables, backend)
        if not kernel.is_refinable:
            return tables, True, now
        if not error <= max(rtol, 1e-12):      # refining the outer rule does not mend the inner means
            return tables, False, now
        if before is not None and _is_settled(kernel, now, before[0], corners, rtol):
            return before[1], True, before[0]
        before = now, tables
    return tables, False, now
