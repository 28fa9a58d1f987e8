"""Blocks of a sweep: pieces of few points each, whose tables are made and whose points are solved together.

Pieces with a point that does not settle with the others, or that needs nodes of its own, are left to
:func:`~asympkit.sweep.pieces.solve_piece`.
"""

import math
from contextlib import suppress

import numpy as np

from ..errors import AsympkitError
from ..solve.blocks import WORTH, solve_together, suits
from .pieces import get_piece_solver, get_table_point, grid_values, solve_piece, starts, without_limits

__all__ = ["blocks_of", "solve_block"]

#: pieces that are worth a block, and of a block; points of a piece that are few, and points of a block
_LEAST, _LARGEST, _FEW, _MOST = 8, 512, 64, 4096


def blocks_of(model, pieces, least=_LEAST):
    """Return the pieces in groups that are solved together; none where that does not pay."""
    count = math.prod(a.size for a in pieces[0].grid.values())
    if len(pieces) < least or count > _FEW or least > 1 and not suits(model.kernel):
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
        if len(members) * math.prod(a.size for a in pieces[0].grid.values()) >= WORTH:
            places, points = zip(*members)
            for k, solved in _solve_together(solver, points, [pieces[k] for k in places], [start[k] for k in places]):
                out[places[k]] = solved
    return [found or solve_piece(token, how, piece, known, begin) for found, piece, begin in zip(out, pieces, start)]


def _solve_together(how, points, pieces, start):
    """Yield places and results of the pieces all of whose points settle on rules that they share."""
    kernel, module = how.model.kernel, how.model.kernel.module
    shape = tuple(a.size for a in pieces[0].grid.values())
    values = np.concatenate([grid_values(module, p, piece.grid.values(), piece.grid).reshape(len(module.PARAMETERS), -1)
                             for p, piece in zip(points, pieces)], 1)
    given = None if start[0] is None else [starts(kernel, s, ...) for s in start]
    begin = given and {n: np.concatenate([np.ravel(s[n]) for s in given]) for n in given[0]}
    for k, rows in solve_together(kernel, [p.table_parameters for p in points], values, how.model.activations,
                                  points[0].arrays, how.rtol, begin):
        yield k, without_limits(module, points[k], pieces[k], rows.reshape(*shape, -1))
