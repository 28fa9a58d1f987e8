"""The pieces of a sweep: points that share a table, solved together, in any process.

The state of each point is a small integer in files, and a :class:`Status` for users.
"""

import itertools
import math
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from ..errors import AsympkitError, ConvergenceError
from ..jobs import held
from ..solve.blocks import converged
from ..solve.ladder import thin_inner_tables
from ..solve.solution import Status
from ..tolerances import AMPLIFIED, AT_EDGE, ITERATIONS, RESIDUAL
from ..tolerances import DEPENDENT as FREE

#: points of a piece at most: what an interruption can cost
LARGEST = 50_000
#: up to this many points all of them decide about the tables
FEW = 16
#: points times nodes of one compiled call, during which Ctrl-C waits: below a second
_CALL = 50_000_000
#: the same of one thread, at least: some 8 ms
_SHARED = 500_000
#: residual, relative to the terms of an equation, with which a point counts as solved: rounding leaves less of
#: equations that double precision can solve
ACCEPT = 1e-9

#: points that are measured, at least, before loops are compiled, and the share of the time in numpy that loops save
SAMPLE, _SAVED = 64, 0.7

_MODELS = {}


class BackEndChoice:
    """Choose the back end of a sweep by the time that its first points take in numpy, once.

    ``points`` is the number of points of the sweep; ``say`` is called with a text before loops are compiled; ``taken``
    is ``"numpy"``, or ``"numba"`` where it repays compiling.
    """

    def __init__(self, points, say):
        self.points, self.say, self.is_made, self.taken = points, say, False, "numpy"

    def __call__(self, kernel, values, tables, start):
        """Return the back end, after solving some of the points of a piece if none was chosen yet."""
        if not self.is_made and (count := values.shape[1]) >= SAMPLE:
            size = max(SAMPLE, min(count // 8, kernel.width(kernel.nodes_of(tables))))
            some = np.linspace(0, count - 1, size).astype(int)
            begin = time.thread_time()
            kernel.batch(values[:, some], tables, start and {n: v.ravel()[some] for n, v in start.items()})
            saved = _SAVED * (time.thread_time() - begin) * self.points / size
            cost = 0.0 if kernel.is_compiled else kernel.seconds_to_compile
            self.is_made, self.taken = True, "numba" if saved > cost else "numpy"
            if self.taken == "numba" and cost:
                self.say(COMPILING)
        return self.taken


#: what a progress bar says meanwhile
COMPILING = "compiling loops, once"


class How(NamedTuple):
    """Hold what all pieces of a sweep share: the model, the accuracy, the back end, what chooses it if it is ``auto``,
    and the number of threads that compiled loops may take."""

    model: object
    rtol: float
    backend: str
    choose: BackEndChoice | None = None
    threads: int = 1


class SweepPiece(NamedTuple):
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


def pieces_of(axes, table_names, fixed):
    """Return the pieces of a sweep, in order; their bounds depend on the axes alone."""
    table_axes = [n for n in axes if n in table_names]
    grid = {n: a for n, a in axes.items() if n not in table_names}
    rows, *others = [a.size for a in grid.values()] or [1]
    step, pieces, cuts = max(1, LARGEST // math.prod(others)), [], dict.fromkeys(axes, slice(None))
    for index in itertools.product(*[range(axes[n].size) for n in table_axes]):
        at = {**fixed, **{n: float(axes[n][i]) for n, i in zip(table_axes, index)}}
        cuts |= zip(table_axes, index)
        for first in range(0, rows, step):
            last = min(rows, first + step)
            if grid:
                cuts[next(iter(grid))] = slice(first, last)
            pieces.append(SweepPiece(at, grid, first, last, tuple(cuts.values()), not any(index)))
    return pieces


def evaluate_derived(model, axes, fixed, known):
    """Return the quantities that follow from the parameters, over the grid: NaN where the theory refuses these.

    ``known`` holds all parameters of pieces that were solved, by place on the axes that the tables depend on.
    """
    if not model.derived_names:
        return {}
    own = [n for n in axes if n in model.table_names]          # they depend on no other parameter
    found = np.full((len(model.derived_names), *(axes[n].size if n in own else 1 for n in axes)), np.nan)
    first = {**fixed, **{n: float(a[0]) for n, a in axes.items()}}
    for index in np.ndindex(found.shape[1:]):
        shown = known.get(tuple(i for n, i in zip(axes, index) if n in own))
        with suppress(AsympkitError):
            if shown is None:           # of a piece that a file held
                shown = model.locate_point({**first, **{n: float(axes[n][i]) for n, i in zip(axes, index)}}).shown
            found[(slice(None), *index)] = [shown[n] for n in model.derived_names]
    shape = tuple(a.size for a in axes.values())
    return {n: np.broadcast_to(values, shape) for n, values in zip(model.derived_names, found)}


def solve_piece(token, how, piece, known, start=None):
    """Solve one piece; a process keeps the model of the sweep it works for, with its kernel.

    ``known`` is the point of the first piece. ``start`` holds starting values of some unknowns on the grid of the piece
    (its rows from 0 on), NaN for the usual ones.

    Return values, shape (rows, ..., outputs), with a residual of NaN where the theory refuses the parameters of the
    tables; whether the averages reached the accuracy asked for; and all parameters of the first point with the
    assumptions that do not hold there, or where and why the theory refuses, as texts.
    """
    how = get_piece_solver(token, how, piece)
    try:
        point = get_table_point(how, piece, known)
        out, settled = _solved_piece(how, point, piece, start)
    except AsympkitError as error:          # check_axes has seen the extremes: this is about this piece alone
        at = ", ".join(f"{k} = {v}" for k, v in piece.at.items())
        shape = [a.size for a in piece.grid.values()]
        shape[:1] = [piece.last - piece.first] * bool(shape)
        return np.full((*shape, len(how.model.kernel.module.OUTPUTS)), np.nan), False, (at, str(error))
    return without_limits(how.model.kernel.module, point, piece, out, settled)


def without_limits(module, point, piece, out, settled=True):
    """Return the result of :func:`solve_piece`, with the infinities and zeros of limits, for the outputs of a piece."""
    out = without_overflow(out)
    if point.meets_limit(piece.grid):
        rows = slice(piece.first, piece.last)
        axes = [a[rows] if k == 0 else a for k, a in enumerate(piece.grid.values())]
        write_limits(module, point, grid_values(module, point, axes, piece.grid), out)
    return out, settled, (point.shown, point.assumptions)


def write_limits(module, point, values, outputs):
    """Write infinities and zeros into outputs (last axis) at parameters (first axis) that lie in a limit."""
    if outputs.ndim == 1:               # one point
        values, outputs = values[:, None], outputs[None]
    point.limit.write_limits(dict(zip(module.OUTPUTS, np.moveaxis(outputs, -1, 0))),
                             dict(zip(module.PARAMETERS, values)), point)


def get_piece_solver(token, how, piece):
    """Return the solver of a piece, with the model whose equations hold there; a process keeps the model of a sweep."""
    if token is not None and token not in _MODELS:
        _MODELS.clear()
        _MODELS[token] = how.model
    return how._replace(model=_MODELS.get(token, how.model).variant(piece.at))


def get_table_point(how, piece, known):
    """Return the point of the tables of a piece."""
    if piece.is_first and known is not None:
        return known
    return how.model.locate_point({**piece.at, **{n: float(a[0]) for n, a in piece.grid.items()}})


def starts(kernel, start, index):
    """Return starting values of all unknowns at some places, the usual ones where none (or NaN) is given."""
    if start is None:
        return None
    given = {n: np.where(np.isnan(v[index]), kernel.start[n], v[index]) for n, v in start.items()}
    shape = next(iter(given.values())).shape
    return {n: given[n] if n in given else np.full(shape, kernel.start[n]) for n in kernel.module.TORN}


def without_overflow(out):
    """Return the same outputs; a small residual does not excuse one that is not finite."""
    finite = np.isfinite(out)
    if not np.logical_and.reduce(finite, axis=None):
        out[~finite.all(axis=-1), RESIDUAL] = np.inf
    return out


def _solved_piece(how, point, piece, start):
    """Return solutions of a piece, and whether the averages settled."""
    kernel, module = how.model.kernel, how.model.kernel.module
    axes, rows = list(piece.grid.values()), slice(piece.first, piece.last)
    few = math.prod(a.size for a in axes) <= FEW
    index = [range(a.size) if few else sorted({0, a.size // 2, a.size - 1}) for a in axes]
    points = grid_values(module, point, [a[i] for a, i in zip(axes, index)], piece.grid)
    begin = start and starts(kernel, start, np.ix_(*index))
    tables, good, out, finer = _choose_tables(how, point, points, begin, is_few=few)
    if few and good is not None:
        return out[rows] if axes else out, good
    points = grid_values(module, point, [axes[0][rows], *axes[1:]] if axes else [], piece.grid)
    begin = starts(kernel, start, rows if axes else ())
    shape, flat = points.shape[1:], points.reshape(len(points), -1)
    if good is None:
        out, settled = np.empty((flat.shape[1], len(module.OUTPUTS))), np.zeros(flat.shape[1], bool)
    else:
        if how.choose is not None:
            how = how._replace(backend=how.choose(kernel, flat, tables, begin))
        out = _solved(how, points, tables, begin)
        if not good or not kernel.is_refinable or kernel.options.is_known_even and not finer[2]:
            return out, good
        out = out.reshape(flat.shape[1], -1)
        settled = _stand_still(how, flat, out, *finer[:2])
    if not settled.all():               # each point on tables of its own
        begin = begin and {n: v.ravel()[~settled] for n, v in begin.items()}
        out[~settled], settled[~settled] = solve_each_refined(how, point, flat[:, ~settled], begin)
    return out.reshape(*shape, -1), settled.reshape(shape)


def _stand_still(how, points, out, finer, level):
    """Tell which solutions move no more on finer tables, and have no narrow features that these may miss."""
    kernel, solved = how.model.kernel, converged(out)
    if solved.any():
        at = points[:, solved]
        start = {n: out[solved, kernel.module.OUTPUTS.index(n)] for n in kernel.module.TORN}
        again = _solved(how, at, finer, start)
        missed = kernel.steps_over(level - 1, at, again.T) > 0
        found = out[solved]
        kernel.mark_few_digits(found, again, how.rtol)
        out[solved], solved[solved] = found, (kernel.changes(again, found) <= how.rtol) & ~missed
    return solved | ~converged(out)


def grid_values(module, point, axes, names):
    """Return the kernel's parameters on a grid of some of them, as one array."""
    values = np.empty((len(module.PARAMETERS), *(a.size for a in axes)))
    values.T[...] = point.values
    for dimension, (name, axis) in enumerate(zip(names, axes)):
        axis = point.along(name, axis)
        values[module.PARAMETERS.index(name)] = axis.reshape([-1 if d == dimension else 1 for d in range(len(axes))])
    return values


def _solved(how, values, tables, start):
    """Return solutions at points of any shape, the outputs along a last axis."""
    kernel, shape = how.model.kernel, values.shape[1:]
    if how.backend != "numba" or values[0].size == 1:
        start = start and {n: v.ravel() for n, v in start.items()}
        return kernel.batch(values.reshape(len(values), -1), tables, start)[0].T.reshape(*shape, -1)
    # along a row points start from those before them; not where starting values are given, nor where there may be
    # several solutions: which of them is found shall depend on the point alone
    alone = start or not kernel.is_unique
    rows = values.reshape(len(values), -1, 1 if alone else shape[-1])
    return _rows(kernel, rows, tables, start, kernel.tolerance(how.rtol), how.threads).reshape(*shape, -1)


def check_axes(model, axes, fixed):
    """Let the extremes of every axis show whether it is in the domain, before anything is computed.

    Returns the first point, or None if a number in its equations cannot be computed.
    """
    first = {**fixed, **{n: float(a[0]) for n, a in axes.items()}}
    known = _in_domain(model, first)
    for name, array in axes.items():
        for extreme in sorted({float(np.minimum.reduce(array)), float(np.maximum.reduce(array))} - {first[name]}):
            _in_domain(model, {**first, name: extreme})
    return known


def _in_domain(model, parameters):
    """Return the point, if it can be computed; leaving a domain concerns all points, other errors this one."""
    try:
        return model.variant(parameters).locate_point(parameters)
    except ConvergenceError:
        return None


def _rows(kernel, values, tables, start, tolerance, threads):
    """Solve row by row along the last axis by compiled code; points that fail are solved again from the start."""
    module, shape = kernel.module, values.shape[1:]
    out = np.empty((*shape, len(module.OUTPUTS)))
    usual = start or kernel.usual_start(values.reshape(len(values), -1))        # one number, or one for each point
    begin = [np.empty(shape) for _ in module.TORN]
    for array, u in zip(begin, module.TORN):
        array[...] = np.reshape(usual[u], shape) if np.ndim(usual[u]) else usual[u]
    cost = kernel.nodes_of(tables) * shape[-1]
    threads = max(1, min(threads, shape[0] * cost // _SHARED, shape[0])) if kernel.is_compiled else 1
    step = max(1, min(_CALL // cost, -(-shape[0] // threads)))
    parts = [slice(first, first + step) for first in range(0, shape[0], step)]

    def solve(part):
        module.solve_rows(*values[:, part], *tables, *(b[part] for b in begin), out[part], tolerance, 100, ACCEPT)

    for k in range(0, len(parts), threads):
        with held():
            if threads == 1:
                solve(parts[k])
            else:
                with ThreadPoolExecutor(threads) as pool:
                    list(pool.map(solve, parts[k:k + threads]))
    out = out.reshape(-1, len(module.OUTPUTS))
    kernel.mark_edges(out.T)
    if not np.maximum.reduce(out[:, RESIDUAL]) <= ACCEPT:
        failed = ~(out[:, RESIDUAL] <= ACCEPT)
        start = start and {n: v.ravel()[failed] for n, v in start.items()}
        out[failed] = kernel.batch(values.reshape(len(values), -1)[:, failed], tables, start)[0].T
    if not kernel.options.has_units:
        kernel.put_at_zero(out.T, values.reshape(len(values), -1), tables)
        kernel.mark_beside_zero(out.T, values.reshape(len(values), -1), tables)
    return out


def _choose_tables(how, point, points, start, is_few):
    """Return the coarsest tables whose refinement changes nothing, whether there are such, and the solutions.

    The solutions are those on these tables; of a few points, which are all, those on the finer ones.  Points that are
    solved decide.  Whether is True, False where the tables themselves did not settle, or None where
    they did and the solutions (or all equations) did not.  Where there are many points, the rules of sums inside sums
    are coarser than those around them if that changes nothing either.  Last, the finer tables, their level, and whether
    a solution has fewer digits than were asked for.
    """
    kernel, rtol = how.model.kernel, how.rtol
    before, begin = None, start
    for tables, error, _, level in _refinements(how, point):
        now = _solved(how, points, tables, begin)
        if is_few and start is None and converged(now).all():      # a finer rule moves the solutions a little
            begin = {n: now[..., kernel.module.OUTPUTS.index(n)] for n in kernel.module.TORN} or None
        if not kernel.is_refinable:
            return tables, True, now, None
        # the inner means are not accurate enough, and refining the outer rule changes nothing in them
        if not error <= max(rtol, 1e-12):
            return tables, False, now, None
        if before is not None:
            good, missed = _is_settled(kernel, now, before[0], rtol), kernel.steps_over(
                level - 1, *_solved_points(points, now))
            if good and not missed.any():
                # a few are solved on the finer rule already; what the other one does not find is not solved
                found, other = (now, before[0]) if is_few else (before[0], now)
                found[converged(found) & ~converged(other), RESIDUAL] = np.inf
                has_few_digits = kernel.mark_few_digits(found, other, rtol)
                if start is None:
                    kernel.mark_edges(np.moveaxis(found, -1, 0), np.moveaxis(other, -1, 0))
                return (before[1] if is_few else _thinned(how, point, points, start, before[1], now, level)), True, \
                    found, (tables, level, has_few_digits)
            if good is None or (missed > 1).any():
                break
        before = now, tables
    return tables, None, now, None


def _thinned(how, point, points, start, tables, fine, level):
    """Return tables with the coarsest rules of sums inside sums that give the solutions of the finest tables."""
    for fewer in thin_inner_tables(how.model.kernel, tables, level - 1, point.table_parameters, how.model.activations):
        if _is_settled(how.model.kernel, fine, _solved(how, points, fewer, start), how.rtol):
            return fewer
    return tables


def _refinements(how, point):
    model = how.model
    return model.kernel.refinements(point.table_parameters, model.activations, point.arrays, how.rtol)


def _solved_points(points, out):
    """Parameters and outputs of the points that are solved, as :meth:`Kernel.steps_over` takes them."""
    solved = converged(out)
    return points[:, solved], out[solved].T


def _is_settled(kernel, now, before, rtol):
    """Return whether refinement changes no point that is solved, and solves no other; None where none is solved."""
    if kernel.change(now, before) <= rtol:
        return True
    solved, earlier = converged(now), converged(before)
    if not solved.any():
        return None
    if solved.all() and earlier.all():
        return False
    return not np.any(solved & ~earlier) and kernel.change(now[solved], before[solved]) <= rtol


def solve_each_refined(how, point, values, start, far=False):
    """Solve points, each on tables as fine as it needs; in plain numpy.

    ``values`` have the shape (parameters, points). With ``far`` starts over the whole domain of the unknowns are tried
    at last, with finer tables from what they give. Return values, shape (points, outputs), and which settled.
    """
    kernel, rtol = how.model.kernel, how.rtol
    out, settled = np.full((values.shape[1], len(kernel.module.OUTPUTS)), np.nan), np.zeros(values.shape[1], bool)
    left = [kernel.options.budget * values.shape[1]]            # for all rules together
    here, before = np.arange(values.shape[1])[~np.broadcast_to(kernel.has_path(values), settled.shape)], None
    for tables, error, _, level in _refinements(how, point) if here.size else ():
        begin = start and {n: v[here] for n, v in start.items()}
        if start is None and before is not None and before[1].all():
            begin = {n: before[0][:, kernel.module.OUTPUTS.index(n)] for n in kernel.module.TORN} or None
        now = kernel.batch(values[:, here], tables, begin, far=far, left=left)[0].T
        out[here], solved = now, converged(now)
        if far:
            start = {n: out[:, kernel.module.OUTPUTS.index(n)].copy() for n in kernel.module.TORN}
            start = {n: np.where(converged(out), v, kernel.start[n]) for n, v in start.items()}
        if not kernel.is_refinable:
            settled[:] = True
            break
        if not error <= max(rtol, 1e-12):
            break
        keep = np.ones(here.size, bool)
        if before is not None:
            missed = kernel.steps_over(level - 1, values[:, here], now.T) * solved
            # means of activations have rounding: their digits may be few where nothing settles
            good = solved & before[1] & (kernel.changes(now, before[0]) <= rtol) & (missed == 0)
            kernel.mark_few_digits(now, np.where(good[:, None] | bool(how.model.activations), before[0], now), rtol)
            out[here], settled[here] = now, good
            # tried at two refinements, solved at neither: given up
            keep = ~settled[here] & (solved | before[1]) & (missed < 2)
        here, before = here[keep], (now[keep], solved[keep])
        if not here.size:
            break
    if kernel.options.narrow is not None:
        _place_nodes(how, point, values, start, out, settled)
    return out, settled


def _place_nodes(how, point, values, start, out, settled):
    """Solve the points that did not settle again, each on nodes around narrow features of its own integrands."""
    kernel = how.model.kernel
    for i in np.flatnonzero(~settled):
        begin = start and kernel.start | {n: float(v[i]) for n, v in start.items()}
        if kernel.has_path(values[:, i]) or kernel.options.narrow.at(kernel.named((*out[i], *values[:, i])))[0]:
            found = kernel.refine(values[:, i], point.table_parameters, how.model.activations, point.arrays, how.rtol,
                                  begin)
            out[i], settled[i] = found.out, found.settled


#: states of a point; one that WAITING marks did not converge and is still to be tried from its neighbours
MISSING, WAITING, CONVERGED, UNSETTLED, FAILED, OUTSIDE, REFUSED, INFINITE, DEPENDENT, LOST, LIMITED, EDGE = range(12)

_SAID = np.empty(12, dtype=object)
_SAID[:] = [Status.UNFINISHED, Status.RESIDUAL, Status.CONVERGED, Status.QUADRATURE, Status.RESIDUAL, Status.OUTSIDE,
            Status.REFUSED, Status.INFINITE, Status.DEPENDENT, Status.ILL_CONDITIONED, Status.LIMITED,
            Status.EDGE]
#: short names of the states, in text files
NAMES = ("missing", "waiting", "converged", "quadrature", "residual", "outside", "refused", "infinite", "dependent",
         "ill-conditioned", "limited", "edge")


def states(values, settled, outside):
    """Return states of points that were solved; those that failed are still to be tried from their neighbours.

    ``values`` have the outputs along the last axis: quantities, residual (NaN where the theory refused the point),
    iterations; ``settled`` tells whether averages reached the accuracy asked for, ``outside`` where an unknown violates
    its declaration.
    """
    residual = values[..., RESIDUAL]
    solved = residual <= ACCEPT
    with np.errstate(invalid="ignore"):             # half an iteration marks it
        good = np.where(values[..., ITERATIONS] % 1.0 > 0.0, np.int8(LIMITED), np.int8(CONVERGED))
    if settled is True and outside is None and np.logical_and.reduce(solved, axis=None):
        return good
    unsettled = np.where(good == LIMITED, np.int8(LOST), np.int8(UNSETTLED))        # no finer rule removes rounding
    found = np.where(solved & settled, good, np.where(solved, unsettled, WAITING))
    if outside is not None:
        found = np.where(solved & outside, WAITING, found)
    return np.where(np.isnan(residual), REFUSED, found).astype(np.int8)


def is_solved(state):
    """Find where a point has a solution: converged, or with fewer digits than were asked for."""
    return (state == CONVERGED) | (state == LIMITED)


def final(residual):
    """States of points that waited and were not found from any neighbour."""
    causes = [residual == np.inf, residual == FREE, residual == AMPLIFIED, residual == AT_EDGE]
    found = np.select(causes, [INFINITE, DEPENDENT, LOST, EDGE], FAILED)
    return np.where(residual <= ACCEPT, OUTSIDE, found).astype(np.int8)


def convert_statuses(state):
    """An array of :class:`Status` for an array of states."""
    return _SAID[state]


def abbreviate_statuses(state):
    """An array of short texts for an array of states."""
    return np.array(NAMES)[np.where(state == WAITING, FAILED, state)]
