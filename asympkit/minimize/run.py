"""Run an optimisation: check the request, group the points by their tables, search, report.

Over one parameter the minima of many smooth functions are found at once, from values and exact derivatives.  A scan
brackets every sign change of the derivative from minus to plus; the lowest candidate is refined as a root of the
derivative, and is the minimum if no point of the scan lies below it (one may, next to points at which the function is
unknown).  In a long ordered family only every sixteenth function is scanned: between two that agree the minimum is
followed by Newton's method; if they differ, or that fails, the function is scanned too.

Over several parameters, over one that the tables depend on, and at few points, :mod:`.interpolant` finds the minimum
from values, and a step of Newton's method with the exact gradient ends the search. Where that fails, exact gradients
lead down from the lowest points of a lattice, or along one parameter as above.
"""

import itertools
import warnings

import numpy as np
from scipy.optimize import minimize as descend

from ..arguments import broadcast, check_choice
from ..errors import AssumptionWarning, ConvergenceError, DomainError
from .evaluate import (
    LARGEST,
    OnOneTable,
    check_bounds,
    check_extremes,
    check_many_bounds,
    check_over,
    gradients_at,
    values_on_grids,
)
from .interpolant import candidates, chebyshev_nodes, find_lowest
from .result import Maximum, Minimum, Optimum

#: points of the lattice along each axis, by the number of parameters
_LATTICE = {1: 25, 2: 9, 3: 6, 4: 5}
#: number of lowest lattice points that are refined
_CANDIDATES = 3
#: step of differences of gradients for second derivatives, in units of the intervals; size of the last Newton step
_DIFFERENCE, _STEP = 1e-4, 1e-7
#: relative slope below which the quantity does not depend on a parameter
_FLAT = 1e-12
#: size of the last Newton step by the curvature of an interpolant, and of steps that contradict it
_NEAR, _WRONG = 3e-8, 1e-4
#: distance of places at which exact slopes are computed, at least, and accepted error of a place
_APART, _ERROR = 1e-6, 2e-11
#: relative difference below which values count as equal, and distance below which a place is at an end of the unit box
_SAME, _AT_END = 1e-8, 1e-9
#: accepted change of values by finer tables, and on the whole box of several parameters, where smaller boxes are looked
#: for alone
_LOOK = (1e-8, 1e-6)
#: value at points where the equations are not solved, which turns the search back
_FAR = 1e3


def run_several(model, quantity, over, bounds, parameters, sense):
    """Run :meth:`asympkit.theories.model.Model.minimize` over several parameters."""
    method = "maximize" if sense == LARGEST else "minimize"
    if len(over) > max(_LATTICE):
        raise DomainError(f"over: got {len(over)} parameters; expected {max(_LATTICE)} at most")
    intervals = check_many_bounds(bounds, over)
    arrays, fixed, shape = broadcast(method, parameters, model.fixed_names())
    columns = {n: a.ravel() for n, a in arrays.items()}
    points = [{**fixed, **{n: float(c[k]) for n, c in columns.items()}} for k in range(int(np.prod(shape)))]
    rows = [found if found[3] else _one(model, quantity, over, intervals, point, sense, found[-1])
            for point, found in zip(points, search_boxes(model, quantity, over, intervals, points, sense))]
    used = sum(r[-1] for r in rows)
    places, value, bound, good = (np.array([r[k] for r in rows]) for k in range(4))
    if arrays:
        def shaped(a):
            return np.reshape(a, shape)

        return Optimum(quantity, over, shaped(sense * value), {n: shaped(places[:, k]) for k, n in enumerate(over)},
                       {n: shaped(bound[:, k]) for k, n in enumerate(over)}, shaped(good), used, None, dict(parameters),
                       tuple(arrays), sense == LARGEST)
    if not good[0]:
        raise _not_found(model, quantity, over, intervals, parameters, sense)
    place = dict(zip(over, places[0].tolist()))
    solution = model.solve(rtol=1e-10, parameters={**fixed, **place})
    return Optimum(quantity, over, float(solution[quantity]), place, dict(zip(over, bound[0].tolist())), True,
                   used, solution, dict(parameters), is_largest=sense == LARGEST)


def search_boxes(model, quantity, over, intervals, points, sense):
    """Search minima from values, at several points of the other parameters; a list of those of :func:`_one`, without
    success where interpolants or exact gradients do not agree with the values."""
    tries = [Gradient(model, quantity, over, Scale(intervals), point, sense) for point in points]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AssumptionWarning)
        found = _search_together(model, quantity, tries)
        known = [(at, t) for at, (near, _, _) in zip(tries, found) if near is not None for t in _places(near)]
        if known:
            here = [at.parameters_at(t) for at, t in known]
            for (at, t), value, slopes in zip(known, *gradients_at(model, quantity, over, here)):
                at.known[tuple(t)] = value, slopes
        return [_polished(at, *result) for at, result in zip(tries, found)]


def _search_together(model, quantity, tries):
    """Return the results of :func:`find_lowest` at several points, the values of all searches computed together."""
    count = len(tries[0].over)
    unit = np.zeros(count), np.ones(count), [chebyshev_nodes(_LATTICE[count])] * count
    found, searches, asked = [None] * len(tries), [None] * len(tries), {k: [unit] for k in range(len(tries))}
    while asked:
        grids = [(k, tries[k].grid(*box), box) for k, boxes in asked.items() for box in boxes]
        alike, values = {}, {k: [] for k in asked}
        for place, (_, _, (low, high, nodes)) in enumerate(grids):
            is_whole = count > 1 and bool(np.all(high - low == 1.0))
            alike.setdefault((is_whole, tuple(z.size for z in nodes)), []).append(place)
        for (is_whole, _), places in alike.items():
            evaluated = values_on_grids(model, quantity, [grids[i][1] for i in places], _LOOK[is_whole])
            for i, f in zip(places, evaluated):
                values[grids[i][0]].append(tries[grids[i][0]].sense * f)
        for k in [*asked]:
            try:
                if searches[k] is None:
                    searches[k] = find_lowest(*values[k])
                    asked[k] = next(searches[k])
                else:
                    asked[k] = searches[k].send(values[k])
            except StopIteration as end:
                found[k] = end.value
                del asked[k]
    return found


def _polished(at, interpolant, lowest, used):
    """Return the minimum beside that of an interpolant, by the exact gradient."""
    t, value, good = np.full(len(at.over), np.nan), np.nan, False
    if interpolant is not None:
        places = _places(interpolant)
        t, value, good = _parabola(at, places) if len(places) > 1 else _newton(
            at, places[0], interpolant.curvature, max(_NEAR, 3.0 * interpolant.doubt))
        t = np.where(t <= _AT_END, 0.0, np.where(t >= 1.0 - _AT_END, 1.0, t))
        good, used = good and value <= lowest + _SAME * abs(value), used + at.used
    return at.scale.parameters(t), value, (t == 0.0) | (t == 1.0), good, used


def _places(near):
    """Return the places at which exact gradients decide: the lowest of an interpolant, or three around it."""
    if near.place.size > 1 or near.rest <= _ERROR or near.place in (0.0, 1.0):
        return [near.place]
    apart = max(near.doubt, _APART)
    return [np.clip(near.place, apart, 1.0 - apart) + side * apart for side in (0.0, -1.0, 1.0)]


def _parabola(at, places):
    """Return the root of the slope beside three places, that of a parabola, with value and success."""
    (value, middle), (_, left), (_, right) = ((f, float(d[0])) for f, d in map(at, places))
    apart, rise, bend = float(places[2][0] - places[0][0]), 0.5 * (right - left), 0.5 * (right + left) - middle
    square = rise * rise - 4.0 * bend * middle
    if not (rise > 0.0 and square >= 0.0):
        return places[0], value, False
    step = -2.0 * middle / (rise + np.sqrt(square))
    t = np.clip(places[0] + apart * step, 0.0, 1.0)
    # what a parabola omits, if the slope is about as different from it as it is from a line
    if abs(step) * max(1.0, step * step) * (bend / rise) ** 2 * apart > _ERROR:
        return _newton(at, t, np.array([[rise / apart]]))
    return t, value + apart * step * (middle + step * (0.5 * rise + step * bend / 3.0)), abs(step) <= 2.0


def _one(model, quantity, over, intervals, parameters, sense, used=0):
    """Return place, value, bounds reached, success and number of evaluations at one point of the other parameters."""
    scale = Scale(intervals)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AssumptionWarning)
        t, values = _lattice(model, quantity, over, scale, parameters, sense)
        at = Gradient(model, quantity, over, scale, parameters, sense)
        found = [_refined(at, t[k]) for k in candidates(values)[:_CANDIDATES]]
    used += at.used + values.size
    if not found:
        return np.full(len(over), np.nan), np.nan, np.zeros(len(over), bool), False, used
    best, value, good = min(found, key=lambda f: (not np.isfinite(f[1]), f[1]))
    # a lower lattice value means that the search failed
    good = good and value <= np.nanmin(values) + _SAME * abs(value)
    return scale.parameters(best), value, (best == 0.0) | (best == 1.0), good, used


class Scale:
    """Map parameters to numbers from 0 to 1, in the logarithm if an interval is positive."""

    def __init__(self, intervals):
        self.in_logarithm = np.array([low > 0.0 for low, _ in intervals])
        self.ends = np.array(intervals)
        self._ends = np.array([np.log(pair) if log else pair for log, pair in zip(self.in_logarithm, intervals)])

    def parameters(self, t):
        """Return the parameters at a place."""
        return np.array([self.along(k, x) for k, x in enumerate(t)])

    def along(self, k, t):
        """Return the values of one parameter at numbers from 0 to 1."""
        low, high = self._ends[k]
        x = low + t * (high - low)
        x = np.clip(np.exp(x) if self.in_logarithm[k] else x, *self.ends[k])
        return np.where(t <= 0.0, self.ends[k, 0], np.where(t >= 1.0, self.ends[k, 1], x))

    def derivatives(self, x):
        """Return the derivatives of the parameters by the place."""
        return (self._ends[:, 1] - self._ends[:, 0]) * np.where(self.in_logarithm, x, 1.0)


class Gradient:
    """Evaluate a quantity by the place, with its exact gradient."""

    def __init__(self, model, quantity, over, scale, parameters, sense):
        self.model, self.quantity, self.over, self.scale = model, quantity, over, scale
        self.parameters, self.sense, self.used, self.known = parameters, sense, 0, {}

    def parameters_at(self, t):
        """Return all parameters at a place."""
        return {**self.parameters, **dict(zip(self.over, self.scale.parameters(np.clip(t, 0.0, 1.0)).tolist()))}

    def grid(self, low, high, nodes):
        """Return the fixed parameters, and those to choose on nodes of all axes of a box, from -1 to 1."""
        lines = (x + 0.5 * (1.0 + z) * (y - x) for x, y, z in zip(low, high, nodes))
        return self.parameters, {n: self.scale.along(k, t) for k, (n, t) in enumerate(zip(self.over, lines))}

    def __call__(self, t):
        self.used, here = self.used + 1, self.parameters_at(t)
        if tuple(t) not in self.known:
            ((value,), (slopes,)) = gradients_at(self.model, self.quantity, self.over, [here])
            self.known[tuple(t)] = value, slopes
        value, slopes = self.known[tuple(t)]
        return self.sense * value, self.sense * slopes * self.scale.derivatives(np.array([here[n] for n in self.over]))


def _lattice(model, quantity, over, scale, parameters, sense):
    """Return places, and values there in the shape of the lattice, NaN where the equations are not solved."""
    line = np.linspace(0.0, 1.0, _LATTICE[len(over)])
    axes = np.array([scale.parameters(np.full(len(over), s)) for s in line]).T
    sweep = model.sweep(rtol=1e-9, parameters={**parameters, **dict(zip(over, axes))})
    values = np.where(sweep.converged, sense * sweep[quantity], np.nan)
    return np.array(list(itertools.product(line, repeat=len(over)))), values


def _not_found(model, quantity, over, intervals, parameters, sense):
    """Return the error of a search without success, which tells what values on a lattice show."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AssumptionWarning)
        t, values = _lattice(model, quantity, over, scale := Scale(intervals), parameters, sense)
    method, kind, best = ("maximize", "maximum", "largest") if sense == LARGEST else ("minimize", "minimum", "smallest")
    count, known = values.size, np.isfinite(values)
    text = f"{method}: no {kind} of {quantity} was found over " + ", ".join(
        f"{n} in [{low:g}, {high:g}]" for n, (low, high) in zip(over, intervals))
    if not known.any():
        return ConvergenceError(f"{text}: the equations were solved at none of {count} points")
    place = np.unravel_index(np.nanargmin(values), values.shape)
    around = tuple(slice(max(k - 1, 0), k + 2) for k in place)
    where = ", ".join(f"{n} = {x:.6g}" for n, x in zip(over, scale.parameters(t[np.nanargmin(values)])))
    text += f": its {best} value at {count} points is {sense * values[place]:.6g} at {where}"
    if not known[around].all():
        return ConvergenceError(f"{text}, beside points at which the equations were not solved")
    return ConvergenceError(f"{text}, but no place was found where its derivative vanishes; there may be kinks, jumps "
                            f"(to another solution, say) or {best} values between these points: look at a sweep, or "
                            "give narrower bounds")


def _refined(at, start):
    """Return place, value and success of a descent from a lattice point, finished by Newton's method."""
    first, _ = at(start)
    if not np.isfinite(first):
        return start, np.nan, False
    size = abs(first) or 1.0

    def scaled(t):
        value, slopes = at(t)
        return (value / size, slopes / size) if np.isfinite(value) and np.all(np.isfinite(slopes)) else \
            (_FAR, np.zeros(len(t)))

    found = descend(scaled, start, jac=True, method="L-BFGS-B", bounds=[(0.0, 1.0)] * len(start),
                    options={"ftol": 1e-15, "gtol": 1e-9, "maxiter": 200})
    return _newton(at, np.clip(found.x, 0.0, 1.0))


def _newton(at, t, known=None, last=_NEAR):
    """Return the stationary place near one, among the parameters that are not at a bound, with value and success.

    With a ``known`` matrix of second derivatives no others are computed, and steps above ``last`` are no success.
    """
    for _ in range(4):
        value, slopes = at(t)
        free = ~(((t <= 0.0) & (slopes >= 0.0)) | ((t >= 1.0) & (slopes <= 0.0)))
        if not np.all(np.isfinite(slopes)):
            return t, np.nan, False
        if not free.any():
            return t, value, True
        curvature = _curvature(at, t, free) if known is None else known[np.ix_(free, free)]
        if not np.all(np.isfinite(curvature)):
            return t, value, False
        least = np.min(np.linalg.eigvalsh(curvature))
        if np.max(np.abs(slopes[free])) <= _FLAT * abs(value) and least >= -_FLAT * abs(value) / _DIFFERENCE:
            return t, value, True               # on a plateau every place is optimal
        if least <= 0.0:
            return t, value, False
        step = np.zeros(len(t))
        step[free] = -np.linalg.solve(curvature, slopes[free])
        if known is not None and not last < np.max(np.abs(step)) <= _WRONG:
            return np.clip(t + step, 0.0, 1.0), value + 0.5 * slopes @ step, bool(np.max(np.abs(step)) <= last)
        if np.max(np.abs(step)) <= _STEP:
            t = np.clip(t + step, 0.0, 1.0)
            return t, at(t)[0], True
        t = np.clip(t + step, 0.0, 1.0)
    return t, value, False


def _curvature(at, t, free):
    """Return second derivatives by the free parameters, from differences of exact gradients."""
    rows = []
    for k in np.flatnonzero(free):
        ahead, behind = t.copy(), t.copy()
        ahead[k], behind[k] = min(t[k] + _DIFFERENCE, 1.0), max(t[k] - _DIFFERENCE, 0.0)
        rows.append((at(ahead)[1] - at(behind)[1])[free] / (ahead[k] - behind[k]))
    rows = np.array(rows)
    return 0.5 * (rows + rows.T)


#: points of a scan: of two minima closer than a twenty-fourth of the interval one may be missed
SCANNED = 25
#: scan every sixteenth function of a family of at least so many (the second number)
_STRIDE, _LONG = 16, 64
#: accuracy of a minimum, relative to it or to 1
_TOLERANCE = 1e-11
#: relative difference below which values count as equal


def search(evaluate, count, low, high, scanned=SCANNED):
    """Find the minima of ``count`` functions between ``low`` and ``high``; neighbours are expected to be similar.

    ``evaluate(index, t)`` returns values and derivatives of the functions ``index`` at the points ``t``.  Return the
    arrays t, value, at_bound and converged.
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
    method = "maximize" if sense == LARGEST else "minimize"
    model.check_quantity(method, quantity)
    check_choice("backend", backend, ("auto", "numpy", "numba"))
    names = check_over(over, parameters, model.names)
    if not isinstance(over, str):
        return run_several(model, quantity, names, bounds, parameters, sense)
    low, high = check_bounds(bounds)
    arrays, fixed, shape = broadcast(method, parameters, model.fixed_names())
    columns = {n: a.ravel() for n, a in arrays.items()}
    count = int(np.prod(shape))
    out = [np.full(count, np.nan), np.full(count, np.nan), np.zeros(count, bool), np.zeros(count, bool)]
    evaluations, left = 0, np.arange(count)
    points = [{**fixed, **{n: float(c[k]) for n, c in columns.items()}} for k in range(count)]
    if (over in model.table_names or count < _LONG) and quantity not in model.derived_names:
        if over not in model.table_names:
            check_extremes(model, quantity, over, fixed, columns, (low, high))
        for k, (*row, used) in enumerate(search_boxes(model, quantity, (over,), [(low, high)], points, sense)):
            evaluations += used
            for array, part in zip(out, row):
                array[k] = np.ravel(part)[0]
        left = np.flatnonzero(~out[3])
    for index in _groups(model, columns, left, over):
        own = {n: c[index] for n, c in columns.items()}
        found, used = _group(model, quantity, over, (low, high), backend, fixed, own, [points[k] for k in index], sense)
        evaluations += used
        for array, part in zip(out, found):
            array[index] = part
    argmin, value, bound, good = (a.reshape(shape) for a in out)
    extremum = Maximum if sense == LARGEST else Minimum
    if arrays:
        return extremum(quantity, over, sense * value, argmin, bound, good, evaluations, None, dict(parameters),
                        tuple(arrays))
    if not good:
        raise _not_found(model, quantity, (over,), [(low, high)], parameters, sense)
    solution = model.solve(rtol=1e-10, parameters={**fixed, over: float(argmin)})
    return extremum(quantity, over, float(solution[quantity]), float(argmin), bool(bound), True, evaluations, solution,
                    dict(parameters))


def _group(model, quantity, over, ends, backend, fixed, columns, points, sense):
    """Return minima of points that share their tables (or of any points, over a parameter of their tables)."""
    size = len(points)
    if over in model.table_names or quantity in model.derived_names:
        def quantity_at(index, x):
            values, slopes = gradients_at(model, quantity, (over,), [
                {**points[i], over: float(v)} for i, v in zip(index, x)])
            return values, slopes[:, 0]

        scanned = 13
    else:
        shared = {n: float(c[0]) for n, c in columns.items() if n in model.table_names}
        varying = {n: c for n, c in columns.items() if n not in shared}
        compiled = backend == "numba" or (backend == "auto" and size >= NUMBA_PAYS)
        quantity_at = OnOneTable(model, quantity, over, {**fixed, **shared}, varying, ends, compiled)
        scanned = SCANNED
    in_logarithm = ends[0] > 0.0
    low, high = np.log(ends) if in_logarithm else ends
    used = 0

    def place(t):               # an end, if t is one but for the accuracy of a minimum
        x, near = np.exp(t) if in_logarithm else t, _TOLERANCE * np.maximum(1.0, np.abs(t))
        return np.where(t <= low + near, ends[0], np.where(t >= high - near, ends[1], np.clip(x, *ends)))

    def evaluate(index, t):
        nonlocal used
        used += index.size
        x = place(t)
        f, d = (sense * v for v in quantity_at(index, x))
        return f, d * x if in_logarithm else d

    t, value, bound, good = search(evaluate, size, low, high, scanned)
    x = place(t)
    return (x, value, bound | (x == ends[0]) | (x == ends[1]), good), used


def _groups(model, columns, places, over):
    """Return some of the points, those that share their table parameters together, in their order."""
    names = [n for n in columns if n in model.table_names]
    if not names or over in model.table_names:
        return [places] if places.size else []
    keys = [tuple(columns[n][k] for n in names) for k in places]
    return [places[[k == key for k in keys]] for key in dict.fromkeys(keys)]
