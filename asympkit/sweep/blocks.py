"""Blocks of a sweep: pieces of few points each, whose tables are made and whose points are solved together.

Every point is judged by its own change between two rules, as in a piece.  Pieces with a point that does not settle, or
that needs nodes of its own, are left to :func:`~asympkit.sweep.pieces.solve_piece`.
"""

import math
from contextlib import suppress

import numpy as np

from ..errors import AsympkitError
from ..runtime.rules import NoCommonRule
from ..solve.ladder import FIRST, STRICT
from ..solve.tables import select_points
from .pieces import converged, get_piece_solver, get_table_point, grid_values, solve_piece, starts, without_limits

__all__ = ["blocks_of", "solve_block"]

#: pieces that are worth a block, and that are worth going on with one, and of a block; points of a piece that are few,
#: and points of a block
_LEAST, _WORTH, _LARGEST, _FEW, _MOST = 8, 4, 256, 64, 4096


def blocks_of(model, pieces, least=_LEAST):
    """Return the pieces in groups that are solved together; none where a piece has many points."""
    count = math.prod(a.size for a in pieces[0].grid.values())
    if len(pieces) < least or count > _FEW:
        return []
    number = math.ceil(len(pieces) * max(1 / _LARGEST, count / _MOST))
    return [[pieces[k] for k in part] for part in np.array_split(np.arange(len(pieces)), number)]


def solve_block(token, how, pieces, known, start):
    """Solve several pieces; arguments and results are those of :func:`solve_piece`, the starting values and results
    one for each piece."""
    out, groups = [None] * len(pieces), {}
    for k, piece in enumerate(pieces):
        solver = get_piece_solver(token, how, piece)
        with suppress(AsympkitError):
            groups.setdefault(id(solver.model), (solver, []))[1].append((k, get_table_point(solver, piece, known)))
    for solver, members in groups.values():
        if len(members) >= _WORTH:
            places, points = zip(*members)
            for k, solved in _solve_together(solver, points, [pieces[k] for k in places], [start[k] for k in places]):
                out[places[k]] = solved
    return [found or solve_piece(token, how, piece, known, begin) for found, piece, begin in zip(out, pieces, start)]


def _solve_together(how, points, pieces, start):
    """Yield places and results of the pieces all of whose points settle on rules that they share."""
    kernel, module = how.model.kernel, how.model.kernel.module
    shape = tuple(a.size for a in pieces[0].grid.values())
    count = math.prod(shape)
    values = np.concatenate([grid_values(module, p, piece.grid.values(), piece.grid).reshape(len(module.PARAMETERS), -1)
                             for p, piece in zip(points, pieces)], 1)
    given = None if start[0] is None else [starts(kernel, s, ...) for s in start]
    begin = given and {n: np.concatenate([np.ravel(s[n]) for s in given]) for n in given[0]}
    here, before = np.arange(len(points)), None
    level = FIRST + (how.rtol < STRICT)
    levels = (level, level + 1) if kernel.is_refinable else (level,)
    while here.size >= _WORTH and levels[-1] < kernel.levels:
        tabled, made = _tables_of(how, points, here, levels)
        here = tabled
        for tables, error, _ in made:
            if kernel.is_refinable and not error <= max(how.rtol, 1e-12):
                return
            at = (here[:, None] * count + np.arange(count)).ravel()
            if at.size > tabled.size or here.size < tabled.size:
                tables = select_points(tables, np.repeat(np.searchsorted(tabled, here), count))
            near = begin and {n: v[at] for n, v in begin.items()}
            if near is None and before is not None and kernel.module.TORN:
                near = {n: before[at, module.OUTPUTS.index(n)] for n in module.TORN}
            now = kernel.batch(values[:, at], tables, near)[0].T
            good = converged(now)
            if kernel.is_refinable and before is not None:
                good &= kernel.changes(now, before[at]) <= how.rtol
                kernel.mark_few_digits(now, before[at], how.rtol)
                if begin is None:
                    kernel.mark_edges(now.T, before[at].T)
                good &= converged(now)
                good[good] = kernel.steps_over(levels[-1] - 1, values[:, at[good]], now[good].T) == 0
            if before is not None or not kernel.is_refinable:
                settled = good.reshape(-1, count).all(axis=1)
                for k, rows in zip(here[settled], now.reshape(here.size, count, -1)[settled]):
                    yield k, without_limits(module, points[k], pieces[k], rows.reshape(*shape, -1))
                if not kernel.is_refinable:
                    return
                good = converged(now).reshape(-1, count).all(axis=1) & ~settled
            else:
                good = good.reshape(-1, count).all(axis=1)
            before = np.full((values.shape[1], now.shape[1]), np.nan)
            before[at] = now
            here = here[good]
        levels = (levels[-1] + 1,)


def _tables_of(how, points, here, levels):
    """Return the points that share rules, and their tables of all levels."""
    model = how.model
    while here.size >= _WORTH:
        columns = np.array([points[k].table_parameters for k in here], dtype=float).T
        at = [c[:, None] if np.any(c != c[0]) else float(c[0]) for c in columns]
        try:
            return here, model.kernel.ladder(levels, at, model.activations, points[0].arrays, None)
        except NoCommonRule as other:
            here = here[~other.args[0]]
    return here, []
