"""Solve a theory on a grid: one table for all points that share it, warm starts along rows."""

import itertools
import sys
import warnings

import numpy as np

from ..errors import AssumptionWarning, DomainError
from .result import Sweep

#: from this many points on loading numba (and, once, compiling) costs less than plain numpy
NUMBA_PAYS = 3000
_ACCEPT = 1e-9


def run_sweep(model, parameters, rtol, backend, progress):
    """See :meth:`asympkit.theories.model.Model.sweep`."""
    if backend not in ("auto", "numpy", "numba"):
        raise DomainError(f"backend: got {backend!r}; expected 'auto', 'numpy' or 'numba'")
    axes, fixed = _split(model, parameters)
    shape = tuple(a.size for a in axes.values())
    table_axes = [n for n in axes if n in model.table_names]
    point_axes = [n for n in axes if n not in model.table_names]
    if backend == "auto":
        inner = int(np.prod([axes[n].size for n in point_axes]))
        backend = "numba" if inner > 1 and np.prod(shape) >= NUMBA_PAYS else "numpy"
    module = model.kernel.module
    out = np.full((*shape, len(module.OUTPUTS)), np.nan)
    fine = np.zeros(shape, dtype=bool)
    names = list(axes)
    total = int(np.prod([axes[n].size for n in table_axes]))
    seen = set()
    for done, index in enumerate(itertools.product(*(range(axes[n].size) for n in table_axes))):
        at = {**fixed, **{n: float(axes[n][i]) for n, i in zip(table_axes, index)}}
        grid = {n: axes[n] for n in point_axes}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", AssumptionWarning)
            values, good = _table_block(model, at, grid, rtol, backend)
        seen |= {str(w.message) for w in caught if issubclass(w.category, AssumptionWarning)}
        where = tuple(index[table_axes.index(n)] if n in table_axes else slice(None) for n in names)
        out[where], fine[where] = values, good
        if progress:
            print(f"\rsweep: {done + 1} of {total} tables", end="" if done + 1 < total else "\n",
                  file=sys.stderr, flush=True)
    for text in sorted(seen)[:3]:
        warnings.warn(text, AssumptionWarning, stacklevel=3)
    residual = out[..., -2]
    quantities = {n: out[..., k] for k, n in enumerate(module.OUTPUTS[:-2])}
    return Sweep(axes, quantities, residual, fine & (residual <= _ACCEPT), fixed, rtol)


def _split(model, parameters):
    axes, fixed = {}, {}
    for name, value in parameters.items():
        if name in model.array_names or name == "letters" or np.ndim(value) == 0:
            fixed[name] = value
            continue
        array = np.asarray(value)
        if array.ndim != 1 or array.size == 0:
            raise DomainError(f"{name}: got an array of shape {array.shape}; an axis is a non-empty one-dimensional "
                              "array")
        if array.dtype.kind not in "iuf" or np.any(np.isnan(array)):
            raise DomainError(f"{name}: an axis holds real numbers and no NaN")
        axes[name] = array.astype(float)
    if not axes:
        raise DomainError("sweep: no axis given; make at least one parameter an array (or use solve)")
    return axes, fixed


def _table_block(model, at, grid, rtol, backend):
    """All points that share one table: values of shape (*grid, outputs) and whether they are fine."""
    kernel, module = model.kernel, model.kernel.module
    for name, array in grid.items():      # the extremes of an axis decide whether it is in the domain
        for extreme in (array.min(), array.max()):
            model.point({**at, **{n: float(a[0]) for n, a in grid.items()}, name: float(extreme)})
    point = model.point({**at, **{n: float(a[0]) for n, a in grid.items()}})
    base = dict(zip(module.PARAMETERS, point.values))
    shape = tuple(a.size for a in grid.values())
    mesh = np.meshgrid(*grid.values(), indexing="ij") if grid else []
    values = {n: np.full(shape, v) for n, v in base.items()} | dict(zip(grid, mesh))
    values = [values[n] for n in module.PARAMETERS]
    tables, good = _choose_tables(model, point, values, rtol)
    size = int(np.prod(shape))
    if backend == "numpy" or size == 1:
        out = kernel.batch([v.ravel() for v in values], tables)[0].T
    else:
        out = _rows(kernel, values, tables, shape)
    return out.reshape(*shape, len(module.OUTPUTS)), good


def _rows(kernel, values, tables, shape):
    """Compiled solution, row by row along the last axis; what fails is solved again from the start."""
    module = kernel.module
    columns = shape[-1] if shape else 1
    rows = [np.ascontiguousarray(v.reshape(-1, columns)) for v in values]
    starts = [np.full(rows[0].shape, kernel.start[u]) for u in module.TORN]
    out = np.empty((*rows[0].shape, len(module.OUTPUTS)))
    module.solve_rows(*rows, *tables, *starts, out, 1e-9, 100, _ACCEPT)
    out = out.reshape(-1, len(module.OUTPUTS))
    failed = ~(out[:, -2] <= _ACCEPT)
    if failed.any():
        out[failed] = kernel.batch([v.ravel()[failed] for v in values], tables)[0].T
    return out


def _choose_tables(model, point, values, rtol):
    """The coarsest tables whose refinement changes nothing, judged at the corners of the grid."""
    kernel = model.kernel
    corners = _corners(values)
    top = len(kernel.module.OUTER_STEPS) if kernel.is_refinable else 2
    before = None
    for level in range(1, top):
        tables, error, _ = kernel.tables(level, point.table_parameters, model.activations, point.arrays)
        if not kernel.is_refinable:
            return tables, True
        if not error <= max(rtol, 1e-12):      # refining the outer rule does not mend the inner means
            return tables, False
        now, _ = kernel.batch(corners, tables)
        if before is not None:
            change = kernel.change(now, before[0])
            if change <= rtol:
                return before[1], True
        before = (now, tables)
    return tables, False


def _corners(values):
    """Extreme and middle points of the grid, as flat arrays of parameters."""
    picks = itertools.product(*({0, n // 2, n - 1} for n in values[0].shape))
    index = tuple(np.array(i) for i in zip(*picks)) if values[0].ndim else ()
    return [np.atleast_1d(v[index]) for v in values]
