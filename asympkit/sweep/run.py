"""Solve a theory on a grid, piece by piece: in order or by an executor, with a file to go on from.

Points of a sweep that failed are tried again from the solutions of their neighbours, from the solved ones outward, and
where no neighbour helps as :meth:`solve` tries them, from starts over the whole domain.  Passages from one branch of
solutions to another are seen by size, and proved by a second solution.
"""

import math
import os
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np

from ..arguments import check_axis, check_choice, check_flag, check_path, quote, regular
from ..errors import AsympkitError, BrokenAssumptions, DomainError, WorkerLostError, warn_assumption
from ..jobs import HIDDEN, check_executor, held, interruption, lost_worker, progress_bar, run_jobs
from ..tolerances import ITERATIONS, RESIDUAL
from .blocks import blocks_of, solve_block
from .file import Stream, SweepFile, describe_sweep, refusal
from .pieces import (
    ACCEPT,
    COMPILING,
    MISSING,
    SAMPLE,
    WAITING,
    BackEndChoice,
    How,
    check_axes,
    evaluate_derived,
    final,
    get_piece_solver,
    get_table_point,
    is_solved,
    pieces_of,
    solve_each_refined,
    solve_piece,
    states,
    without_overflow,
    write_limits,
)
from .result import Sweep

#: a step this much larger than the steps beside it is looked at
_SUSPECT = 5.0
#: relative distance of two different solutions
_APART = 1e-6
#: places looked at, the largest steps first
_MOST = 64


@dataclass(frozen=True)
class Jump:
    """Name two neighbours of a grid on different branches.

    Attributes
    ----------
    axis : str
    between : tuple of float
        The values of that parameter.
    at : dict of str to float
        The other parameters that vary.
    """

    axis: str
    between: tuple
    at: dict

    def __str__(self):
        others = ", ".join(f"{k} = {v:g}" for k, v in self.at.items())
        low, high = self.between
        return f"between {self.axis} = {low:g} and {high:g}" + (f" ({others})" if others else "")


def find_jumps(model, sweep):
    """Return neighbours between which a second solution appears, as a tuple of Jump.

    At a suspicious step the equations are solved at each end from the solution of the other end: a solution that
    differs from the one found there shows two branches. Steep curves of one branch are no jumps.
    """
    torn = model.kernel.module.TORN
    if model.kernel.is_unique or not torn:
        return ()
    found, suspects = [], [(place, _next(place, axis), axis) for _, place, axis in _suspects(sweep, torn)]
    ends = [pair for place, beyond, _ in suspects for pair in ((place, beyond), (beyond, place))]
    there = _solved_from_neighbours(model, sweep, torn, ends)
    for k, (place, beyond, axis) in enumerate(suspects):
        if any(_is_apart(sweep, torn, *ends[i], there[i]) for i in (2 * k, 2 * k + 1)):
            names = list(sweep.axes)
            between = tuple(float(sweep.axes[names[axis]][i]) for i in (place[axis], beyond[axis]))
            rest = {n: float(sweep.axes[n][i]) for k, (n, i) in enumerate(zip(names, place)) if k != axis}
            found.append(Jump(names[axis], between, rest))
    return tuple(found)


def _next(place, axis):
    return tuple(i + (k == axis) for k, i in enumerate(place))


def _suspects(sweep, torn):
    """Return (ratio, index, axis) of steps that stand out, the largest first."""
    found = []
    for name in torn:
        values = sweep[name]
        if np.all((values > 0.0) | np.isnan(values)):
            values = np.log(values)
        size = np.nanmax(np.abs(values), initial=0.0)
        for axis, count in enumerate(sweep.shape):
            if count < 3:
                continue
            step = np.moveaxis(np.abs(np.diff(values, axis=axis)), axis, 0)
            beside = np.full_like(step, 0.0)
            beside[1:] = np.fmax(beside[1:], step[:-1])
            beside[:-1] = np.fmax(beside[:-1], step[1:])
            ratio = np.moveaxis(step / (beside + 1e-4 * size + np.finfo(float).tiny), 0, axis)
            places = np.argwhere(ratio > _SUSPECT)
            found += [(float(ratio[tuple(p)]), tuple(map(int, p)), axis) for p in places]
    unique = {}
    for ratio, place, axis in found:
        unique[place, axis] = max(ratio, unique.get((place, axis), 0.0))
    return sorted(((r, p, a) for (p, a), r in unique.items()), reverse=True)[:_MOST]


def _is_apart(sweep, torn, here, there, other):
    """Return whether unknowns solved here from the solution there differ from those found here."""
    return any(abs(o - sweep[n][here]) > _APART * max(abs(o), abs(sweep[n][there])) for n, o in zip(torn, other))


def _solved_from_neighbours(model, sweep, torn, ends):
    """Return unknowns at the first place of each pair, solved from those at the second; NaN where that leads
    nowhere."""
    module, names = model.kernel.module, list(sweep.axes)
    own = [k for k, n in enumerate(names) if n in model.table_names]
    out, groups = np.full((len(ends), len(torn)), np.nan), {}
    for i, (here, _) in enumerate(ends):
        groups.setdefault(tuple(here[k] for k in own), []).append(i)
    for members in groups.values():         # all those that share their tables at once
        here = [ends[i][0] for i in members]
        at = {n: float(a[k]) for (n, a), k in zip(sweep.axes.items(), here[0])}
        with suppress(AsympkitError):
            point = model.locate_point({**sweep.parameters, **at})
            values = np.repeat(np.array(point.values, float)[:, None], len(here), axis=1)
            for k, n in enumerate(names):
                if k not in own:
                    values[module.PARAMETERS.index(n)] = sweep.axes[n][[place[k] for place in here]]
            start = {n: np.array([float(sweep[n][ends[i][1]]) for i in members]) for n in torn}
            got, settled = solve_each_refined(How(model, 1e-9, "numpy"), point, values, start)
            outside = model.outside(got)
            good = settled & (got[:, RESIDUAL] <= ACCEPT) & (True if outside is None else ~outside)
            out[np.array(members)[good]] = got[good][:, [module.OUTPUTS.index(n) for n in torn]]
    return out


def warn_of_jumps(jumps):
    """Issue one AssumptionWarning for all of them."""
    if jumps:
        more = f" and at {len(jumps) - 1} more places" if len(jumps) > 1 else ""
        warn_assumption(f"sweep: the solutions pass from one branch to another {jumps[0]}{more}; the attribute jumps "
                        "lists them, continuation() follows a branch")


class Record:
    """Hold the arrays of a sweep, and their file, ending in ``.npz`` or ``.csv``.

    ``axes`` are the parameters that vary, ``fixed`` the others, ``start`` the starting values that were given;
    ``state`` tells what became of each point, see :func:`.states`.
    """

    def __init__(self, model, axes, fixed, rtol, backend, file, start):
        outputs = model.kernel.module.OUTPUTS[:ITERATIONS]
        shape = tuple(a.size for a in axes.values())
        self.axes, self.fixed, self.rtol, self.names = axes, fixed, rtol, outputs[:-1]
        self.values, self.state = np.empty((*shape, len(outputs))), np.empty(shape, dtype=np.int8)
        self.values.fill(np.nan)            # less overhead than np.full
        self.state.fill(MISSING)
        self.outside, self.known = model.outside, {}
        self.derived = partial(evaluate_derived, model, axes, fixed, self.known)
        self.file, self.saved = None, False
        if file is not None:
            self.file = SweepFile(file, describe_sweep(model, axes, fixed, rtol, backend, start), axes, self.names)
            known = self.file.read()
            if known is not None:
                self.values, self.state = known
                self.saved = self.finished.all()

    @property
    def finished(self):
        return self.state > MISSING

    def take(self, piece, values, settled):
        """Keep the solutions of a piece, outputs along the last axis."""
        self.values[piece.where] = values[..., :-1]
        self.state[piece.where] = states(values, settled, self.outside(values))
        self.saved = False
        if self.file is not None:
            with suppress(OSError):                # the file as it was is whole; the last attempt raises
                self.saved = self.file.write(self.values, self.state)

    def values_at(self, flat):
        """Return quantities and residual of a point, by its number."""
        return self.values.reshape(-1, self.values.shape[-1])[flat]

    def settle(self, found):
        """Keep what was found for waiting points, ``{number: (values, settled)}``; for the others nothing will be."""
        flat = self.state.reshape(-1)
        for number, (values, settled) in found.items():
            self.values.reshape(-1, self.values.shape[-1])[number] = values[:-1]
            flat[number] = states(values, settled, None)
        left = np.flatnonzero(flat == WAITING)
        flat[left] = final(self.values.reshape(-1, self.values.shape[-1])[left, -1])
        self.saved = False

    def close(self):
        """Write the points that are not yet in the file; the error of a full disk holds everything finished."""
        if self.file is None or self.saved:
            return
        try:
            self.saved = self.file.write(self.values, self.state, at_last=True)
        except OSError as error:
            raise refusal(self.file.path, error, int(self.finished.sum()), self.finished.size,
                          self.sweep()) from error

    def sweep(self):
        """Return what there is, as a :class:`Sweep`."""
        axes = self.values.ndim - 1
        values = np.array(self.values[..., :-1].transpose(axes, *range(axes)), order="C")
        lost = ~is_solved(self.state)
        if lost.any():
            values[:, lost] = np.nan
        quantities = dict(zip(self.names, values))
        return Sweep(self.axes, quantities, self.values[..., -1], self.state, self.fixed, self.rtol, self.derived())


def retry(model, record, pieces, start_jobs):
    """Solve waiting points of a sweep whose neighbours are solved, wave by wave; afterwards none waits.

    A wave starts from the solutions before it, so that neither the order of the pieces nor the executor, nor what a
    file held already, changes the solutions found. Points that no wave reaches are tried from far starts, once, and
    waves go on from what these solve.

    All points of the record are finished. ``start_jobs(jobs, take)`` calls :func:`retry_points` for ``jobs``, a list of
    (key, last arguments), and ``take(key, result)`` with each result.
    """
    state = record.state
    if np.minimum.reduce(state, axis=None) > WAITING:           # MISSING and WAITING are the smallest states
        return
    waiting, torn = np.argwhere(state == WAITING), [record.names.index(u) for u in model.kernel.module.UNKNOWNS]
    tables = {_tables_of(piece): piece for piece in reversed(pieces)}
    cuts = [k for k, place in enumerate(pieces[0].where) if not isinstance(place, slice)]
    found, fresh, is_far = {}, is_solved(state), False
    while model.kernel.module.TORN and waiting.size:
        sources = _neighbours(waiting, fresh)
        reached = (sources >= 0).any(axis=1)
        if not reached.any():
            if is_far:
                break
            is_far, reached, sources = True, ~reached, None
        members = {}
        for i in np.flatnonzero(reached):
            members.setdefault(tuple(waiting[i, cuts]), []).append(i)
        jobs, solved = [], {}
        for key, rows in members.items():
            where = np.delete(waiting[rows], cuts, axis=1).T
            tries = None if sources is None else _solutions(record, found, sources[rows], torn)
            jobs.append((rows, (tables[key], where, tries)))
        start_jobs(jobs, _taker(solved))
        fresh, left = np.zeros_like(fresh), np.ones(len(waiting), bool)
        for i in sorted(solved):
            values, settled = solved[i]
            now = states(values, settled, model.outside(values))
            if now != WAITING:
                place = tuple(waiting[i])
                found[int(np.ravel_multi_index(place, state.shape))] = values, settled
                fresh[place], left[i] = is_solved(now), False
        waiting = waiting[left]
    record.settle(found)


def _taker(solved):
    """Return a function that puts the results of a job into a dict, point by point."""
    def take(rows, result):
        solved.update(zip(rows, zip(*result)))

    return take


def retry_points(token, how, known, piece, where, tries):
    """Solve points on the tables of a piece from one starting value after the other.

    ``where`` has the shape (axes of the piece, points), ``tries`` (tries, unknowns, points), NaN where there is none;
    None for far starts. Return values, shape (points, outputs), and whether they settled.
    """
    how = get_piece_solver(token, how, piece)
    model, module, count = how.model, how.model.kernel.module, where.shape[-1]
    out, settled = np.full((count, len(module.OUTPUTS)), np.inf), np.zeros(count, bool)
    try:
        point = get_table_point(how, piece, known)
    except AsympkitError:
        return out, settled
    values = np.repeat(np.array(point.values, float)[:, None], count, axis=1)
    for row, (name, axis) in zip(where, piece.grid.items()):
        values[module.PARAMETERS.index(name)] = point.along(name, axis)[row]
    left = np.arange(count)
    for begin in [None] if tries is None else tries:
        begin = begin if begin is None else begin[[module.UNKNOWNS.index(u) for u in module.TORN]]
        now = left if begin is None else left[np.isfinite(begin[:, left]).all(axis=0)]
        if not now.size:
            continue
        start = None if begin is None else dict(zip(module.TORN, begin[:, now]))
        got, good = solve_each_refined(how, point, values[:, now], start, far=begin is None)
        got = without_overflow(got)
        if point.meets_limit(piece.grid):
            write_limits(module, point, values[:, now], got)
        outside = model.outside(got)
        hit = states(got, good, outside) != WAITING
        out[now[hit]], settled[now[hit]] = got[hit], good[hit]
        left = np.setdiff1d(left, now[hit])
        if not left.size:
            break
    return out, settled


def _tables_of(piece):
    """Return which tables a piece has: its place on the axes that the tables depend on."""
    return tuple(place for place in piece.where if not isinstance(place, slice))


def _neighbours(points, fresh):
    """Return flat indices of the neighbours that are freshly solved, in the order of the axes, or -1."""
    shape = np.array(fresh.shape)
    out = []
    for axis, side in product(range(len(shape)), (-1, 1)):
        there = points.copy()
        there[:, axis] += side
        inside = (there[:, axis] >= 0) & (there[:, axis] < shape[axis])
        there[~inside] = 0
        flat = np.ravel_multi_index(there.T, fresh.shape)
        out.append(np.where(inside & fresh.ravel()[flat], flat, -1))
    return np.stack(out, axis=1)


def _solutions(record, found, sources, torn):
    """Return values of the unknowns at flat indices, of shape (indices of a point, unknowns, points)."""
    out = np.full((sources.shape[1], len(torn), sources.shape[0]), np.nan)
    for i, k in zip(*np.nonzero(sources >= 0)):
        flat = int(sources[i, k])
        values = found[flat][0] if flat in found else record.values_at(flat)
        out[k, :, i] = values[torn]
    return out


#: from this many points on loading numba (and, once, compiling) is taken to cost less than plain numpy where the first
#: points are not measured: in several processes, and where results are kept in a file
NUMBA_PAYS = 3000


def run_sweep(model, parameters, rtol, backend, progress, executor=None, file=None, start=None):
    """See :meth:`asympkit.theories.model.Model.sweep`."""
    check_choice("backend", backend, ("auto", "numpy", "numba"))
    progress, file = check_flag("progress", progress), None if file is None else check_path("file", file)
    check_executor(executor)
    axes, fixed = _axes(model, parameters)
    shape = tuple(a.size for a in axes.values())
    start = check_starts(model.kernel, start, shape)
    pieces = pieces_of(axes, model.table_names, fixed)
    first = check_axes(model, axes, fixed)
    keeps = file is not None
    blocks = blocks_of(model, pieces)
    count, shared, choose = math.prod(shape), math.prod(a.size for a in pieces[0].grid.values()), None
    if backend == "auto" and not keeps and executor is None and not blocks and shared >= SAMPLE:
        choose = BackEndChoice(count, lambda text: bar.set_postfix_str(text))
    elif backend == "auto":
        backend = "numba" if pieces[0].grid and count >= NUMBA_PAYS and not blocks else "numpy"
    kind = Stream if os.fspath(file or "").endswith(".npy") else Record
    record, how = kind(model, axes, fixed, rtol, backend, file, start), How(
        model, rtol, backend, choose, (os.cpu_count() or 1) if executor is None else 1)
    token = None if executor is None else os.urandom(8).hex()
    broken, refused, stopped = BrokenAssumptions(model), {}, False
    bar = HIDDEN

    def take(piece, solved):
        values, settled, found = solved
        record.take(piece, values, settled)
        if isinstance(found[0], str):
            refused.setdefault(found[1], []).append(found[0])
        else:
            record.known[_tables_of(piece)] = found[0]
            rows = slice(piece.first, piece.last)
            broken.take(*found, {n: a if k else a[rows] for k, (n, a) in enumerate(piece.grid.items())})
        bar.set_postfix_str("", refresh=False)
        bar.update()

    def take_block(block, solved):
        for piece, found in zip(block, solved):
            if not record.finished[piece.where].all():
                take(piece, found)

    def again(jobs, take):
        run_jobs(retry_points, [(key, (token, how, first, *job)) for key, job in jobs], take, executor)

    try:
        finished = record.finished
        missing = [p for p in pieces if not finished[p.where].all()]
        bar = progress_bar(len(pieces), "pieces", len(pieces) - len(missing), progress)
        if backend == "numba" and missing and not model.kernel.is_compiled:
            bar.set_postfix_str(COMPILING)
        if blocks:
            blocks = [b for b in blocks if not all(finished[p.where].all() for p in b)]
            run_jobs(solve_block, [(b, (token, how, b, first, [_part(start, p) for p in b])) for b in blocks],
                     take_block, executor)
        else:
            run_jobs(solve_piece, [(p, (token, how, p, first, _part(start, p))) for p in missing], take, executor)
        retry(model, record, pieces, again)
        with held() if keeps else nullcontext():
            record.close()
        sweep = record.sweep()
        sweep.jumps, sweep.backend = find_jumps(model, sweep), backend if choose is None else choose.taken
    except WorkerLostError as error:
        raise lost_worker(error, int(record.finished.sum()), record.finished.size, "points", file,
                          record.sweep()) from error.__cause__
    except KeyboardInterrupt as error:
        stopped = True
        with held(deliver=False):
            raise interruption(int(record.finished.sum()), record.finished.size, "points", file,
                               record.sweep()) from error
    finally:                                   # an interruption keeps what is finished
        with held(deliver=not stopped) if keeps or bar is not HIDDEN else nullcontext():
            bar.close()
            record.close()
    model.warn(broken.texts())
    for why, places in refused.items():
        more = f" (and at {len(places) - 1} more places)" if len(places) > 1 else ""
        warn_assumption(f"sweep at {places[0]}{more}: {why}")
    warn_of_jumps(sweep.jumps)
    return sweep


def check_starts(kernel, start, shape):
    """Return starting values as arrays over the grid, ``{unknown: array}``."""
    if start is None:
        return {}
    known, found = kernel.module.TORN, {}
    kernel.check_start_names(start)
    for name, value in start.items():
        try:
            array = np.broadcast_to(np.asarray(value, dtype=float), shape)
        except (TypeError, ValueError) as error:
            raise DomainError(f"start: got {quote(value)} for {name}; expected a number, or an array of numbers over "
                              f"the grid of shape {shape}") from error
        if np.isinf(array).any():
            raise DomainError(f"start: {name} holds an infinite number; expected finite ones, or NaN for the usual "
                              "start")
        low, high = kernel.options.intervals.get(name, (-np.inf, np.inf))
        if np.any((array <= low) | (array >= high)):
            raise DomainError(f"start: {name} leaves its domain ({low:g}, {high:g}); expected numbers inside it, or "
                              "NaN for the usual start")
        found[name] = array
    return {n: found[n] for n in known if n in found}


def _part(start, piece):
    """Return starting values over the grid of a piece, all its rows."""
    if not start:
        return None
    places = tuple(slice(None) if isinstance(w, slice) else w for w in piece.where)
    return {n: v[places] for n, v in start.items()}


def _axes(model, parameters):
    axes, fixed, fixed_names = {}, {}, model.fixed_names()
    for name, value in parameters.items():
        if type(value) is float or name in fixed_names or (array := regular(name, value)).ndim == 0:
            fixed[name] = value
        else:
            axes[name] = check_axis(name, array)
    if not axes:
        raise DomainError("sweep: no axis given; make at least one parameter an array (or use solve)")
    return axes, fixed
