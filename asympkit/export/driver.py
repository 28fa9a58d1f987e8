"""Solve points with a generated kernel on finer and finer rules (copied into exported modules).

Names that are not defined here are those of the kernel: ``solve_batch``, ``solve_in_order``, and the constants that
:mod:`asympkit.export.module` writes.
"""

# ruff: noqa: F821

import functools

import numpy as np

from ..runtime.features import (
    PLACED_FROM,
    STEPS,
    as_rule_features,
    direction_error,
    find_narrow,
    missed_places,
)
from ..runtime.rules import OUTER_STEPS

#: largest residual of a solution; the number of points up to which each decides about its own rules
ACCEPT, FEW = 1e-9, 16
#: points times nodes of one pass in plain numpy: its arrays stay in the cache; the same of a few points
PASS, MOST_AT_ONCE = 45_000, 2_000_000
#: nodes of a rule at most, and of one inside another, those at every node of the other counted
MOST_NODES, MOST_INSIDE = 700_000, 4_000_000
#: points from which on numba is loaded where it is installed; 0 always loads it
NUMBA_PAYS = 3000
#: states of a point, by the residuals that stand for them
STATES = ("converged", "limited", "quadrature", "residual", "infinite", "dependent", "ill-conditioned")


def checked(name, value, holds, expected):
    """Return an argument as an array of floats; raise unless all are allowed."""
    try:
        array = np.asarray(value, dtype=float)
        good = np.all(holds(array))
    except (TypeError, ValueError):
        good = False
    require(good, name, value, expected)
    return array


def require(holds, name, value, expected):
    """Raise in a sentence unless something holds of all values."""
    if not np.all(holds):
        if np.size(value) > 6:
            value = f"an array of shape {np.shape(value)} from {np.min(value):.6g} to {np.max(value):.6g}"
        raise ValueError(f"{name}: got {value}; expected {expected}")


def accurate(error, *values):
    """Return numbers that follow from parameters; raise if averages in them are not accurate."""
    if not error <= 1e-11:
        raise ValueError(f"solve: averages that the parameters follow from have a relative error of {error:.1e}: move "
                         "the parameters; asympkit's precise() has the digits")
    return values


def solve_groups(arguments, tied, rtol, solve):
    """Solve points of any shape, those that share arguments of tables together; return rows and the shape.

    ``solve(*arguments, count, length, rtol)`` solves one group; numbers of the shared arguments are floats.
    """
    arrays = np.broadcast_arrays(*arguments, np.zeros(()))[:-1]
    shape = arrays[0].shape if arrays else ()
    rows = np.array([np.ravel(a) for a in arrays]).reshape(len(arrays), -1 if arrays else 1)
    count, length = rows.shape[1], shape[-1] if shape else 1
    if not count:
        return np.empty((len(OUTPUTS), 0)), shape
    if count >= NUMBA_PAYS:
        compile_loops()
    shared = rows[tied]
    with np.errstate(all="ignore"):
        if not np.any(shared != shared[:, :1]):
            return solve(*(float(r[0]) if k in tied else r for k, r in enumerate(rows)), count, length, rtol), shape
        out, group = np.empty((len(OUTPUTS), count)), np.unique(shared, axis=1, return_inverse=True)[1].ravel()
        for members in np.split(np.argsort(group, kind="stable"), np.cumsum(np.bincount(group))[:-1]):
            at = [float(row[members[0]]) if k in tied else row[members] for k, row in enumerate(rows)]
            whole = members.size % length == 0
            out[:, members] = solve(*at, members.size, length if whole else members.size, rtol)
    return out, shape


def as_points(count, *parameters):
    """Stack parameters, numbers or arrays of some points."""
    out = np.empty((len(parameters), count))
    for row, values in zip(out, parameters):
        row[...] = values
    return out


def gather(levels, *rules):
    """Return tables and weights, one after the other, for each level, and the largest error of the means in them."""
    made = [[x for pairs, _ in rules for x in pairs[k]] for k in range(len(levels))]
    return made, max([0.0, *(error for _, error in rules)])


def remembered(tables):
    """Return a function of one level that makes its tables once, the first two together: that costs little more."""
    made = {}

    def at(level, *places):
        if (level, *places) not in made:
            levels = (level,) if any(key[1:] == places for key in made) else (level, level + 1)[:1 + IS_REFINED]
            found, error = tables(levels, *places)
            made.update({(here, *places): (table, error) for here, table in zip(levels, found)})
        return made[level, *places]

    return at


def check_directions(table, weights, directions, activations):
    """Raise where a mean of which only the direction counts is lost in rounding."""
    if any(not direction_error(table, weights, d, activations) <= 1e-9 for d in directions):
        raise ValueError("solve: a mean of which only the direction counts is below the rounding of double precision, "
                         "or too near to it: asympkit's precise() has the digits")


def with_zero_mean(function):
    """Return the same activation, its mean without offset proved to be 0."""
    def proved(x):
        return function(x)

    proved.kinks_float, proved.form_parity = function.kinks_float, 2
    proved.derivative = getattr(function, "derivative", None)
    return proved


def average_on_finer_rules(value):
    """Return an average on finer rules, ``value(level)``, until two agree; not a number where none do."""
    before = value(1)
    for level in range(2, len(OUTER_STEPS)):
        found = value(level)
        if abs(found - before) <= 1e-12 * abs(found):
            return found
        before = found
    return np.nan


def usual_starts(points):
    """Return the usual starts of Newton's method, an array for each unknown."""
    return np.repeat(np.array(STARTS[0][0])[:, np.newaxis], points.shape[1], axis=1)


def refine(points, tables, rtol, length, starts=usual_starts):
    """Solve points that share tables: all on the coarsest rules that some need, and each that is left on its own.

    ``tables(levels)`` gives tables and weights of each level, and the error of the means in them; ``starts(points)``
    those of Newton's method, NaN for the usual ones.
    """
    out, tables = np.full((len(OUTPUTS), points.shape[1]), np.nan), remembered(tables)
    left = np.full(points.shape[1], True)
    if left.size > FEW:
        ends = [f(points, axis=1) for f in (np.argmin, np.argmax)] if len(points) else []
        some = np.unique(np.concatenate([[0, left.size // 2, left.size - 1], *ends]).astype(int))
        found, level = refine_each(points[:, some], tables, rtol, starts)
        good = level >= 0
        if good.any() and not np.any(found[-2] % 1.0):
            out[:-1] = solve_on(points, tables(max(level[good].max() - IS_REFINED, 0))[0], starts, length)
            out[-1] = found[-1, good].max()
            left = ~(out[-3] <= ACCEPT)
    if left.any():
        out[:, left] = refine_each(points[:, left], tables, rtol, starts)[0]
    return out


def refine_each(points, tables, rtol, starts=usual_starts, places=(), missed=None):
    """Solve points, each on rules as fine as it needs; returns outputs and the levels, -1 where nothing stood still.

    A change above ``rtol`` is rounding where a rule several times finer agrees.  ``missed(level, point, found)`` is 1
    if rules step over narrow features, however well two agree, 2 if finer ones do so too, 0 otherwise.
    """
    out, levels = np.full((len(OUTPUTS), points.shape[1]), np.nan), np.full(points.shape[1], -1)
    rows, before, start, change = np.arange(points.shape[1]), None, None, np.full(points.shape[1], np.inf)
    nodes, most = 0, MOST_INSIDE if any(INNER) else MOST_NODES
    for level in range(1 + (rtol < 1e-11), len(OUTER_STEPS)) if IS_REFINED else (0,):
        made, error = tables(level, *places)
        growth, nodes = nodes_of(made) / (nodes or nodes_of(made)), nodes_of(made)
        now = solve_on(points[:, rows], made, starts, 1, start)
        solved = (now[-2] <= ACCEPT) & np.all(np.isfinite(now), axis=0)
        last, change, firm = change, np.zeros(rows.size), solved
        if before is not None:
            change, firm = changes(now, before, last, rtol)
            now[-1] += np.floor(before[-1])
        elif IS_REFINED:
            change = np.full(rows.size, np.inf)
        done = solved & firm & ((change <= rtol) | (change <= ACCEPT) & (change > 0.5 * last) & (level > 2))
        done &= error <= max(rtol, 1e-12)
        is_confirmable = level + 4 < len(OUTER_STEPS) and nodes * growth**4 <= most
        for k in np.flatnonzero(done & (change > rtol)):
            finer = is_confirmable and solve_on(points[:, rows[k:k + 1]], tables(level + 4, *places)[0], starts, 1,
                                                now[SOLVED_FOR, k:k + 1])
            done[k] = is_confirmable and np.all(changes(finer, now[:, k:k + 1], last, ACCEPT)[0] <= ACCEPT)
        over = np.zeros(rows.size)
        for k in np.flatnonzero(done | solved & (level > 2)) if missed else ():
            over[k] = missed(level - 1, points[:, rows[k]], now[:, k])
        done &= over == 0.0
        if before is not None:          # half an iteration marks quantities with fewer digits
            size, moved = np.abs(now[:-2]), np.abs(now[:-2] - before[:-2])
            few = (rtol * size < moved) & (moved <= np.minimum(0.1 * size, 1e-14 * np.max(size, axis=0)))
            few[POSITIVE] |= (rtol * size < moved)[POSITIVE]
            now[-1] += (few.any(axis=0) | done & (change > rtol)) * (0.5 - now[-1] % 1)
        out[:, rows], levels[rows] = np.vstack([now, change]), np.where(done, level, -1)
        keep = ~done & (over < 2.0)
        if before is not None:
            keep &= solved | (before[-2] <= ACCEPT)
        if not keep.any() or not error <= max(rtol, 1e-12) or before is not None and nodes * growth > most:
            break
        rows, before, change = rows[keep], now[:, keep], change[keep]
        start = np.where((before[-2] <= ACCEPT) & firm[keep], before[SOLVED_FOR], np.nan)
    out[-1, (levels < 0) & (out[-3] <= ACCEPT)] = np.inf
    return out, levels


def changes(now, before, last, rtol):
    """Return the largest relative changes of the judged values, and whether nothing has moved much."""
    size, moved = np.abs(now[JUDGED]), np.abs(now[JUDGED] - before[JUDGED])
    change = np.max(moved / (size + 1e-300), axis=0)
    beside = np.where(moved <= 1e-15 * np.minimum(np.max(size, axis=0), 1.0), 0.0, moved / (size + 1e-300))
    change = np.where((change > rtol) & (change > 0.1 * last), np.max(beside, axis=0), change)
    size, moved = np.abs(now[:-2]), np.abs(now[:-2] - before[:-2])
    return change, np.all(moved <= 1e-6 * size + 1e-9 * np.max(size, axis=0), axis=0)


def solve_on(points, tables, starts, length=1, near=None):
    """Solve points on given tables, along rows of some length where numba is loaded; from other starts what fails.

    ``near`` are solutions on other tables, NaN where there is none.
    """
    count, first = points.shape[1], starts(points)
    first = np.where(np.isnan(first), usual_starts(points), first)
    begin = first if near is None else np.where(np.isnan(near), first, near)
    if count > FEW and hasattr(solve_in_order, "py_func"):
        shape = (-1, length if IS_UNIQUE else 1)
        out = np.empty((count // shape[1], shape[1], len(OUTPUTS) - 1))
        solve_in_order(*(p.reshape(shape) for p in points), *tables, *(b.reshape(shape) for b in begin), out, 1e-9, 100,
                       ACCEPT)
        out = within_domains(out.reshape(count, -1).T)
    else:
        out = solve_passes(points, tables, begin, *STARTS[0][1:])

    attempts = [(first, 2, False)] * (near is not None) + [(starts, 0, False)] * (FALLING >= 0)
    for values, plain, careful in [*attempts, *STARTS[1:]]:
        failed = np.flatnonzero(~(out[-2] <= ACCEPT))
        if not (failed.size and len(begin)):
            break
        if callable(values):
            begin = follow(points[:, failed], tables, values)
        else:
            begin = np.broadcast_to(np.array(values).reshape(len(begin), -1), (len(begin), count))[:, failed]
        tried = solve_passes(points[:, failed], tables, begin, plain, careful)
        better = (tried[-2] < out[-2, failed]) | np.isnan(out[-2, failed])
        out[:, failed[better]] = tried[:, better]
    return out


def follow(points, tables, starts):
    """Return solutions along a path on which a parameter falls from 1 in steps of a factor of 4 at most, as starts."""
    here, last = points.copy(), points[FALLING]
    steps = 1 + int(np.ceil(np.log(max(1.0, 1.0 / last.min())) / np.log(4.0)))
    here[FALLING] = np.maximum(1.0, last)
    now = starts(here)
    now = np.where(np.isnan(now), usual_starts(here), now)
    for share in np.linspace(0.0, 1.0, steps + 1)[:-1]:
        here[FALLING] = np.where(last < 1.0, last**share, last)
        found = solve_passes(here, tables, now, 2, False)
        now = np.where(found[-2] <= 1e-6, found[SOLVED_FOR], now)
    return now


def solve_passes(points, tables, begin, plain, careful):
    """Solve points by numpy, as many at a time as the cache holds."""
    count, nodes = points.shape[1], nodes_of(tables)
    out, width = np.empty((len(OUTPUTS) - 1, count)), max(min(16, MOST_AT_ONCE // nodes), PASS // nodes, 1)
    for k in range(0, count, width):
        more = (careful,) * HAS_CAREFUL_STEPS
        out[:, k:k + width] = solve_batch(*points[:, k:k + width], *tables, *begin[:, k:k + width], plain, 1e-9,
                                          100 + plain, *more)
    return within_domains(out)


def nodes_of(tables):
    """Return the nodes of the largest sum, those of sums inside it counted."""
    sizes = [w.size for w in tables[1::2]]
    inside = max([1, *(n for n, is_inner in zip(sizes, INNER) if is_inner)])
    return max([1, *(n for n, is_inner in zip(sizes, INNER) if not is_inner)]) * inside


def within_domains(out):
    """Set the residual to infinity where a quantity has no value, or one outside its domain."""
    good = np.all(np.isfinite(out[:-2]), axis=0)
    for place, low, high, slack in DOMAINS:
        slack = slack * (1.0 + np.abs(out[place]))
        good &= (out[place] >= low - slack) & (out[place] <= high + slack)
    out[-2, ~good & ~(out[-2] > ACCEPT)] = np.inf
    return out


def named(values, shape):
    """Return outputs by name, NaN where there is no solution, with the states of the points."""
    residual, change = values[-3], values[-1]
    solved = (residual <= ACCEPT) & (change <= ACCEPT)
    limited = values[-2] % 1.0 > 0.0
    state = np.select([solved & ~limited, solved, (residual <= ACCEPT) & ~limited, residual == np.inf,
                       residual == 1e290, (residual == 1e289) | (residual <= ACCEPT)], [0, 1, 2, 4, 5, 6], 3)
    values[:-3, ~solved], values[-2] = np.nan, np.floor(values[-2])
    found = {name: row.reshape(shape) for name, row in zip(OUTPUTS, values) if name not in INTERNAL}
    return {**found, "status": np.array(STATES)[state].reshape(shape)}


def differentiate(values, shape, arguments, tied, solve):
    """Return derivatives of all outputs by all parameters, from solutions: those of a group share their tables."""
    arrays = np.broadcast_arrays(*arguments, np.empty(shape))[:-1]
    rows = np.array([np.ravel(a) for a in arrays], dtype=float)
    out = np.full((len(RATES), len(DECLARED), rows.shape[1]), np.nan)
    solved = np.flatnonzero((values[-3] <= ACCEPT) & (values[-1] <= ACCEPT))
    group = np.unique(rows[tied][:, solved], axis=1, return_inverse=True)[1].ravel() if tied else 0 * solved
    with np.errstate(all="ignore"):
        for members in (solved[group == k] for k in range(group.max(initial=-1) + 1)):
            at = [float(row[members[0]]) if k in tied else row[members] for k, row in enumerate(rows)]
            out[:, :, members] = solve(*at, values[:, members])
    return {name: {by: out[k, j].reshape(shape)[()] for j, by in enumerate(DECLARED)}
            for k, name in enumerate(OUTPUTS[:-3]) if name not in INTERNAL}


def refine_tangents(points, rates, tables, values):
    """Return derivatives at solutions, on finer and finer rules; NaN where none agree."""
    count, many = points.shape[1], len(rates)
    given = np.vstack([np.tile(points, many), np.hstack(rates)])
    for place, along in DIVISOR:
        given[place, ~given[along].any(axis=0)] = 1.0
    start, tables, before = np.tile(values[SOLVED_FOR], many), remembered(tables), None
    out, left = np.full((len(RATES), many * count), np.nan), np.arange(many * count)
    for level in range(1, len(OUTER_STEPS)) if IS_REFINED else (0,):
        made, _ = tables(level)
        nodes, now = nodes_of(made), np.empty((len(RATES), left.size))
        if nodes * many > MOST_INSIDE:
            break
        for k in range(0, left.size, max(PASS // nodes, 1)):
            some, to = left[k:k + max(PASS // nodes, 1)], slice(k, k + max(PASS // nodes, 1))
            found = tangent_batch(*given[:, some], *made, *start[:, some], 0, 1e-9, 100,
                                  *(False,) * HAS_CAREFUL_STEPS)
            now[:, to] = np.where(found[-2] <= ACCEPT, found[RATES], np.nan)
        good = np.full(now.shape, not IS_REFINED)
        if before is not None:
            good = np.abs(now - before) <= 1e-10 * np.abs(now) + 1e-14 * np.max(np.abs(now), axis=0)
        done = good.all(axis=0) | good[JUDGED].all(axis=0) & (level > 5)        # some are rounding alone
        out[:, left[done]] = np.where(good, now, np.nan)[:, done]
        left, before = left[~done], now[:, ~done]
        if not left.size:
            break
    return out.reshape(len(RATES), many, count)


def compile_loops():
    """Compile the loops by numba, once, where it is installed."""
    if hasattr(solve_in_order, "py_func"):
        return
    try:
        from numba import njit
    except ImportError:
        return
    space, copied = dict(globals()), type(compile_loops)
    for name in LOOPS:              # compiled copies: what they call serves arrays too
        is_front = name == "solve_in_order"
        space[name] = njit(error_model="numpy", fastmath={"arcp", "contract", "nsz", "reassoc"},
                           cache=is_front and "__file__" in space, no_cpython_wrapper=not is_front,
                           forceinline=name.startswith(("lane_", "rough_", "linearize_", "prepare_", "conclude")))(
            copied(space[name].__code__, space, name, space[name].__defaults__))
    globals()["solve_in_order"] = space["solve_in_order"]


def refine_on_places(points, tables, rtol, length, starts=usual_starts):
    """Solve as :func:`refine` does, with nodes around narrow features where rules step over them.

    ``turning(point, found)`` gives the arguments at which integrands turn at a solution.
    """
    def missed(level, point, found, is_placed=False):
        places, others = find_narrow(turning, point, found)
        step = OUTER_STEPS[level] / STEPS
        narrowest = min([w for _, w in places if not is_placed], default=step)
        return 2 if step > PLACED_FROM * narrowest else any(step > w for w in (narrowest, *(w for _, w in others)))

    def on_places(point, row):
        places, level = [], -1
        for _ in range(16):
            found = find_narrow(turning, point, row)[0] if np.all(np.isfinite(row[:-1])) else []
            if not missed_places(found, places):
                return row if places and level >= 0 else np.where(np.arange(row.size) < row.size - 1, row, np.inf)
            places, near = found, row[SOLVED_FOR, np.newaxis]
            again, (level,) = refine_each(point[:, np.newaxis], tables, rtol, lambda points, near=near: near,
                                          (tuple(as_rule_features(found)),), functools.partial(missed, is_placed=True))
            row = again[:, 0]
        return np.where(np.arange(row.size) < row.size - 1, row, np.inf)

    tables = remembered(tables)
    out, levels = refine_each(points, tables, rtol, starts, missed=missed)
    for k in np.flatnonzero(levels < 0):
        out[:, k] = on_places(points[:, k], out[:, k])
    return out
