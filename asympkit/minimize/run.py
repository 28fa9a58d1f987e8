"""Run a minimisation: check the request, group the points by their tables, search, report.

Find minima of many smooth functions of one variable at once, from values and exact derivatives.

A scan brackets every sign change of the derivative from minus to plus; the lowest candidate is refined as
a root of the derivative, and is the minimum if no point of the scan lies below it (one may, next to points at which
the function is unknown).  In a long ordered family only every sixteenth function is scanned: between two that agree the
minimum is followed by Newton's method; if they differ, or that fails, the function is scanned too.
"""

import numpy as np

from ..arguments.domains import check_choice
from ..errors import ConvergenceError
from .evaluate import LARGEST, OnManyTables, OnOneTable, broadcast, check_bounds, check_over
from .result import Maximum, Minimum
from .several import run_several

#: points of a scan: of two minima closer than a twenty-fourth of the interval one may be missed
SCANNED = 25
#: scan every sixteenth function of a family of at least so many (the second number)
_STRIDE, _LONG = 16, 64
#: accuracy of a minimum, relative to it or to 1
_TOLERANCE = 1e-11
#: relative difference below which values count as equal
_SAME = 1e-8


def search(evaluate, count, low, high, scanned=SCANNED):
    """Find the minima.

    Parameters
    ----------
    evaluate : callable
        ``evaluate(index, t)`` returns values and derivatives of the functions ``index`` at the points ``t``.
    count : int
        Number of functions; neighbours are expected to be similar.
    low, high : float
        Ends of the interval.

    Returns
    -------
    t, value, at_bound, converged : ndarray, shape (count,)
    """
    t, value, curve = (np.full(count, np.nan) for _ in range(3))
    bound, good = np.zeros(count, bool), np.zeros(count, bool)

    def scan(index):
        out = _scan(evaluate, index, np.linspace(low, high, scanned))
        for array, part in zip((t, value, curve, bound, good), out):
            array[index] = part

    if count < _LONG:
        scan(np.arange(count))
        return t, value, bound, good
    known = np.unique(np.append(np.arange(0, count, _STRIDE), count - 1))
    scan(known)
    between = np.setdiff1d(np.arange(count), known)
    after = known[np.searchsorted(known, between)]
    before = known[np.searchsorted(known, between) - 1]
    share = (between - before) / (after - before)
    guess = t[before] * (1 - share) + t[after] * share
    slope = curve[before] * (1 - share) + curve[after] * share
    alike = np.abs(t[before] - t[after]) <= (high - low) / scanned
    alike &= good[before] & good[after] & ~bound[before] & ~bound[after] & (slope > 0)
    pick = between[alike]
    t[pick], value[pick], good[pick] = _follow(evaluate, pick, guess[alike], slope[alike], low, high)
    if not good.all():
        scan(np.flatnonzero(~good))
    return t, value, bound, good


def _scan(evaluate, index, grid):
    """Return minimum, value, curvature, whether at a bound, and success for some functions by a full scan."""
    rows = np.arange(index.size)
    f, d = (v.reshape(index.size, -1) for v in evaluate(np.repeat(index, grid.size), np.tile(grid, index.size)))
    step = grid[1] - grid[0]
    inside = (d[:, :-1] < 0.0) & (d[:, 1:] >= 0.0)
    score = np.where(inside, _lowest(f, d, step), np.inf)
    score = np.column_stack([np.where(d[:, 0] >= 0.0, f[:, 0], np.inf), score,
                             np.where(d[:, -1] <= 0.0, f[:, -1], np.inf)])
    score[~np.isfinite(score)] = np.inf
    best = np.argmin(score, axis=1)
    good = np.isfinite(score[rows, best])
    bound = good & ((best == 0) | (best == grid.size))
    t = np.where(best == 0, grid[0], grid[-1])
    value, curve = np.where(best == 0, f[:, 0], f[:, -1]), np.zeros(index.size)
    inner = np.flatnonzero(good & ~bound)
    if inner.size:
        k = best[inner] - 1
        ends = (grid[k], grid[k + 1], d[inner, k], d[inner, k + 1])
        t[inner], value[inner], curve[inner], good[inner] = _root(evaluate, index[inner], *ends)
    known = np.isfinite(f)
    lowest, rounding = np.where(known, f, np.inf).min(axis=1), np.spacing(np.where(known, np.abs(f), 0.0).max(axis=1))
    good &= value <= lowest + _SAME * np.abs(lowest) + 4 * rounding
    return t, value, curve, bound, good


def _lowest(f, d, step):
    """Estimate the lowest value between neighbouring points from the cubic through values and slopes."""
    left, right, dl, dr = f[:, :-1], f[:, 1:], d[:, :-1], d[:, 1:]
    with np.errstate(divide="ignore", invalid="ignore"):
        s = np.where(dr > dl, -dl / (dr - dl), 0.5)      # root of the linear derivative
    h = s * s * (3.0 - 2.0 * s)
    return left * (1 - h) + right * h + step * (dl * s * (1 - s) ** 2 - dr * s * s * (1 - s))


def _root(evaluate, index, a, b, fa, fb):
    """Find roots of derivatives in brackets by Chandrupatla's method; return (root, value, slope, converged)."""
    out = np.full((4, index.size), np.nan)
    where = np.arange(index.size)
    t = np.clip(fa / (fa - fb), 1e-3, 1.0 - 1e-3)
    for _ in range(80):
        x = a + t * (b - a)
        value, fx = evaluate(index, x)
        same = np.sign(fx) == np.sign(fa)
        c, fc = np.where(same, a, b), np.where(same, fa, fb)
        b, fb = np.where(same, b, a), np.where(same, fb, fa)
        a, fa = x, fx
        width = np.abs(b - a)
        tolerance = _TOLERANCE * np.maximum(1.0, np.abs(a))
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = (fb - fa) / (b - a)
            near = np.abs(fa / slope)
            done = (width <= tolerance) | (fa == 0.0) | ((near <= 0.1 * tolerance) & (np.abs(c - a) < 1e-3))
            out[:, where[done]] = np.stack([a, value, slope, np.isfinite(fa)])[:, done]
            xi, phi = (a - b) / (c - b), (fa - fb) / (fc - fb)
            quadratic = (phi**2 < xi) & ((1 - phi) ** 2 < 1 - xi)
            step = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
            limit = 0.5 * tolerance / width
        t = np.clip(np.where(quadratic & np.isfinite(step), step, 0.5), limit, 1 - limit)
        keep = ~done & np.isfinite(fa)
        if not keep.any():
            break
        where, index = where[keep], index[keep]
        a, b, fa, fb, t = a[keep], b[keep], fa[keep], fb[keep], t[keep]
    return out[0], out[1], out[2], out[3] == 1.0


def _follow(evaluate, index, t, slope, low, high):
    """Run Newton's method with the slope of the neighbours, then of the secant; return (root, value, converged)."""
    out, good = np.full((2, index.size), np.nan), np.zeros(index.size, bool)
    where, before = np.arange(index.size), None
    for _ in range(8):
        value, d = evaluate(index, t)
        if before is not None:
            with np.errstate(divide="ignore", invalid="ignore"):
                secant = (d - before[1]) / (t - before[0])
            slope = np.where(np.isfinite(secant) & (secant > 0.0), secant, slope)
        step = d / slope
        # the next step estimates the error of this point
        done = np.abs(step) <= _TOLERANCE * np.maximum(1.0, np.abs(t))
        out[:, where[done]] = np.stack([t, value])[:, done]
        good[where[done]] = True
        following = t - step
        keep = ~done & (following > low) & (following < high)
        if not keep.any():
            break
        before = t[keep], d[keep]
        where, index, t, slope = where[keep], index[keep], following[keep], slope[keep]
    return *out, good


#: number of points from which numba, including its loading time, is faster than numpy
NUMBA_PAYS = 500


def run_minimize(model, quantity, over, bounds, backend, parameters, sense=1):
    """Run :meth:`asympkit.theories.model.Model.minimize`; ``sense`` is 1, or LARGEST to maximise."""
    verb = "maximize" if sense == LARGEST else "minimize"
    model.check_quantity(verb, quantity)
    check_choice("backend", backend, ("auto", "numpy", "numba"))
    names = check_over(over, parameters, model.names)
    if not isinstance(over, str):
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
