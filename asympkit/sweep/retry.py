"""Points of a sweep that failed: tried again from the solutions of their neighbours, from the solved ones outward, and
where no neighbour helps as :meth:`solve` tries them, from starts over the whole domain."""

from itertools import product

import numpy as np

from ..errors import AsympkitError
from .pieces import kept, located, settle_each, without_overflow
from .states import WAITING, is_solved, states


def retry(model, record, pieces, start_jobs):
    """Solve waiting points of a sweep whose neighbours are solved, wave by wave; afterwards none waits.

    A wave starts from the solutions before it, so that neither the order of the pieces nor the executor, nor what
    a file held already, has a say in what is found.  What no wave reaches is tried from far starts, once, and waves
    go on from what these solve.

    Parameters
    ----------
    model : Model
    record : Record or Stream
        All of whose points are finished.
    pieces : sequence of SweepPiece
    start_jobs : callable
        ``start_jobs(jobs, take)`` calls :func:`retry_points` for ``jobs``, a list of (key, last arguments), and
        ``take(key, result)`` with each result.
    """
    state = record.state
    if np.minimum.reduce(state, axis=None) > WAITING:           # MISSING and WAITING are the smallest states
        return
    waiting, torn = np.argwhere(state == WAITING), [record.names.index(u) for u in model.kernel.module.TORN]
    tables = {_tables_of(piece): piece for piece in reversed(pieces)}
    cuts = [k for k, place in enumerate(pieces[0].where) if not isinstance(place, slice)]
    found, fresh, is_far = {}, is_solved(state), False
    while torn and waiting.size:
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
    """What puts the results of a job into a dict, point by point."""
    def take(rows, result):
        solved.update(zip(rows, zip(*result)))

    return take


def retry_points(token, how, known, piece, where, tries):
    """Solve points on the tables of a piece from one starting value after the other.

    Parameters
    ----------
    where : ndarray of int, shape (axes of the piece, points)
    tries : ndarray, shape (tries, unknowns, points), or None
        NaN where there is none; None for far starts.

    Returns
    -------
    values : ndarray, shape (points, outputs)
    settled : ndarray of bool
    """
    how = kept(token, how)
    model, module, count = how.model, how.model.kernel.module, where.shape[-1]
    out, settled = np.full((count, len(module.OUTPUTS)), np.inf), np.zeros(count, bool)
    try:
        point = located(how, piece, known)
    except AsympkitError:
        return out, settled
    values = np.repeat(np.array(point.values, float)[:, None], count, axis=1)
    for row, (name, axis) in zip(where, piece.grid.items()):
        values[module.PARAMETERS.index(name)] = point.along(name, axis)[row]
    left = np.arange(count)
    for begin in [None] if tries is None else tries:
        now = left if begin is None else left[np.isfinite(begin[:, left]).all(axis=0)]
        if not now.size:
            continue
        start = None if begin is None else dict(zip(module.TORN, begin[:, now]))
        got, good = settle_each(how, point, values[:, now], start, far=begin is None)
        got = without_overflow(got)
        if point.has_limits(piece.grid):
            model.say_limits(point, values[:, now], got)
        outside = model.outside(got)
        hit = states(got, good, outside) != WAITING
        out[now[hit]], settled[now[hit]] = got[hit], good[hit]
        left = np.setdiff1d(left, now[hit])
        if not left.size:
            break
    return out, settled


def _tables_of(piece):
    """Which tables a piece has: its place on the axes that the tables depend on."""
    return tuple(place for place in piece.where if not isinstance(place, slice))


def _neighbours(points, fresh):
    """Flat indices of the neighbours that are freshly solved, in the order of the axes, or -1."""
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
    """Values of the unknowns at flat indices, of shape (indices of a point, unknowns, points)."""
    out = np.full((sources.shape[1], len(torn), sources.shape[0]), np.nan)
    for i, k in zip(*np.nonzero(sources >= 0)):
        flat = int(sources[i, k])
        values = found[flat][0] if flat in found else record.values_at(flat)
        out[k, :, i] = values[torn]
    return out
