"""Run a minimisation: check the request, group the points by their tables, search, report."""

import numpy as np

from ..arguments.domains import check_choice
from ..errors import ConvergenceError
from .evaluate import OnManyTables, OnOneTable
from .request import LARGEST, broadcast, check_bounds, check_over
from .result import Maximum, Minimum
from .search import SCANNED, search

#: number of points from which numba, including its loading time, is faster than numpy
NUMBA_PAYS = 500


def run_minimize(model, quantity, over, bounds, backend, parameters, sense=1):
    """Run :meth:`asympkit.theories.model.Model.minimize`; ``sense`` is 1, or LARGEST to maximise."""
    verb = "maximize" if sense == LARGEST else "minimize"
    model.check_quantity(verb, quantity)
    check_choice("backend", backend, ("auto", "numpy", "numba"))
    names = check_over(over, parameters, model.names)
    if not isinstance(over, str):
        from .several import run_several

        return run_several(model, quantity, names, bounds, parameters, sense)
    low, high = check_bounds(bounds)
    arrays, shape = broadcast(verb, model, parameters)
    columns = {n: np.broadcast_to(a, shape).ravel() for n, a in arrays.items()}
    fixed = {n: v for n, v in parameters.items() if n not in arrays}
    count = int(np.prod(shape))
    out = [np.full(count, np.nan), np.full(count, np.nan), np.zeros(count, bool), np.zeros(count, bool)]
    evaluations = 0
    for index in _groups(model, columns, count, over):
        own = {n: c[index] for n, c in columns.items()}
        found, used = _group(model, quantity, over, (low, high), backend, fixed, own, index.size, sense)
        evaluations += used
        for array, part in zip(out, found):
            array[index] = part
    argmin, value, bound, good = (a.reshape(shape) for a in out)
    extremum = Maximum if sense == LARGEST else Minimum
    if arrays:
        return extremum(quantity, over, sense * value, argmin, bound, good, evaluations, None, dict(parameters),
                        tuple(arrays))
    if not good:
        kind, low_or_high = ("maximum", "highest") if sense == LARGEST else ("minimum", "lowest")
        raise ConvergenceError(f"{verb}: no {kind} of {quantity} was found over {over} in [{low}, {high}]; "
                               f"it is {low_or_high} beside points at which the equations were not solved, they were "
                               "solved nowhere, or the bounds are too wide")
    solution = model.solve(rtol=1e-10, parameters={**fixed, over: float(argmin)})
    return extremum(quantity, over, float(solution[quantity]), float(argmin), bool(bound), True, evaluations, solution,
                    dict(parameters))


def _group(model, quantity, over, ends, backend, fixed, columns, size, sense):
    """Return minima of points that share their tables (or of one point, over a parameter of its table)."""
    if over in model.table_names:
        points = [{**fixed, **{n: float(c[i]) for n, c in columns.items()}} for i in range(size)]
        quantity_at, scanned = OnManyTables(model, quantity, over, points), 13
    else:
        shared = {n: float(c[0]) for n, c in columns.items() if n in model.table_names}
        varying = {n: c for n, c in columns.items() if n not in shared}
        compiled = backend == "numba" or (backend == "auto" and size >= NUMBA_PAYS)
        quantity_at = OnOneTable(model, quantity, over, {**fixed, **shared}, varying, ends, compiled)
        scanned = SCANNED
    in_logarithm = ends[0] > 0.0
    low, high = np.log(ends) if in_logarithm else ends
    used = 0

    def place(t):
        x = np.exp(t) if in_logarithm else t
        return np.where(t <= low, ends[0], np.where(t >= high, ends[1], np.clip(x, *ends)))

    def evaluate(index, t):
        nonlocal used
        used += index.size
        x = place(t)
        f, d = (sense * v for v in quantity_at(index, x))
        return f, d * x if in_logarithm else d

    t, value, bound, good = search(evaluate, size, low, high, scanned)
    return (place(t), value, bound, good), used


def _groups(model, columns, count, over):
    """Return indices of points that share their table parameters, in their order."""
    names = [n for n in columns if n in model.table_names]
    if not names or over in model.table_names:
        return [np.arange(count)]
    keys = list(zip(*(columns[n] for n in names)))
    return [np.array([i for i, k in enumerate(keys) if k == key]) for key in dict.fromkeys(keys)]

